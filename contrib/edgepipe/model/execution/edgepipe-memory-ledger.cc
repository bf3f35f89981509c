/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-memory-ledger.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeMemoryLedger");

NS_OBJECT_ENSURE_REGISTERED(MemoryLedger);

TypeId
MemoryLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::MemoryLedger")
                            .SetParent<Object>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<MemoryLedger>()
                            .AddAttribute("Capacity",
                                          "Memory of the device, bytes.",
                                          UintegerValue(UINT64_MAX),
                                          MakeUintegerAccessor(&MemoryLedger::m_capacity),
                                          MakeUintegerChecker<uint64_t>())
                            .AddTraceSource("InUse",
                                            "Bytes in use.",
                                            MakeTraceSourceAccessor(&MemoryLedger::m_inUse),
                                            "ns3::TracedValueCallback::Uint64");
    return tid;
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

uint64_t
MemoryLedger::GetCapacity() const
{
    return m_capacity;
}

uint64_t
MemoryLedger::GetInUse() const
{
    return m_inUse;
}

uint64_t
MemoryLedger::GetPeak() const
{
    return m_peak;
}

} // namespace edgepipe
} // namespace ns3
