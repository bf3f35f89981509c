/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-memory-ledger.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeMemoryLedger");

NS_OBJECT_ENSURE_REGISTERED(MemoryLedger);

TypeId
MemoryLedger::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Capacity", "Memory of the device, bytes.", {&MemoryLedger::m_capacity, UINT64_MAX})
        .Add("InUse",
             "Bytes in use.",
             {&MemoryLedger::m_inUse, "ns3::TracedValueCallback::Uint64"});
}

bool
MemoryLedger::Reserve(uint64_t bytes)
{
    NS_LOG_FUNCTION(this << bytes);
    // The attribute Capacity may have been set to less than is in use.
    if (m_inUse > m_capacity || bytes > m_capacity - m_inUse)
    {
        return false;
    }
    m_inUse += bytes;
    m_peak = std::max(m_peak, m_inUse.Get());
    return true;
}

void
MemoryLedger::Release(uint64_t bytes)
{
    NS_LOG_FUNCTION(this << bytes);
    NS_ABORT_MSG_IF(bytes > m_inUse, "released " << bytes << " of " << m_inUse << " bytes in use");
    m_inUse -= bytes;
}

MemoryAccount::MemoryAccount(Ptr<MemoryLedger> ledger)
    : m_ledger(ledger)
{
}

bool
MemoryAccount::Reserve(uint64_t bytes)
{
    if (m_isClosed)
    {
        return true;
    }
    const bool fits = m_ledger->Reserve(bytes);
    m_held += fits ? bytes : 0;
    return fits;
}

void
MemoryAccount::Release(uint64_t bytes)
{
    if (!m_isClosed)
    {
        NS_ABORT_MSG_IF(bytes > m_held, "released " << bytes << " of " << m_held << " bytes held");
        m_held -= bytes;
        m_ledger->Release(bytes);
    }
}

void
MemoryAccount::Close()
{
    if (m_held > 0)
    {
        Release(m_held);
    }
    m_isClosed = true;
}

std::string
MemoryAccount::DescribeFree() const
{
    const uint64_t capacity = m_ledger->GetCapacity();
    return std::to_string(capacity - m_ledger->GetInUse()) + " of " + std::to_string(capacity) +
           " are free";
}

} // namespace ns3::edgepipe
