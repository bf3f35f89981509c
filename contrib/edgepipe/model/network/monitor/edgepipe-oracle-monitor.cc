/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-oracle-monitor.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(OracleMonitor);

TypeId
OracleMonitor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::OracleMonitor")
                            .SetParent<BandwidthMonitor>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<OracleMonitor>()
                            .AddAttribute("Interval",
                                          "Time between two readings of the network's capacity; 0: "
                                          "only when told to refresh.",
                                          TimeValue(MilliSeconds(100)),
                                          MakeTimeAccessor(&OracleMonitor::m_interval),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

bool
OracleMonitor::IsMeasured() const
{
    return false;
}

bool
OracleMonitor::NeedsCapacity() const
{
    return true;
}

std::string
OracleMonitor::GetName() const
{
    return "oracle";
}

void
OracleMonitor::DoStart()
{
    NS_ABORT_MSG_UNLESS(GetPlace().capacity, "no oracle knows this network's capacity");
    Sample();
}

void
OracleMonitor::DoStop()
{
    m_next.Cancel();
}

void
OracleMonitor::Refresh()
{
    const Place& place = GetPlace();
    SetEstimate(std::max(LOWEST_BITS_PER_SECOND, place.capacity(place.device, place.server)),
                std::max(LOWEST_BITS_PER_SECOND, place.capacity(place.server, place.device)));
}

void
OracleMonitor::Sample()
{
    if (m_interval.IsStrictlyPositive())
    {
        m_next = Simulator::Schedule(m_interval, &OracleMonitor::Sample, this);
    }
    Refresh();
}

} // namespace edgepipe
} // namespace ns3
