/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-memory-account.h"

#include "ns3/abort.h"

namespace ns3
{
namespace edgepipe
{

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

Ptr<MemoryLedger>
MemoryAccount::GetLedger() const
{
    return m_ledger;
}

} // namespace edgepipe
} // namespace ns3
