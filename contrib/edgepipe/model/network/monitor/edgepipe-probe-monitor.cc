/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-probe-monitor.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(ProbeMonitor);

TypeId
ProbeMonitor::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::ProbeMonitor")
            .SetParent<BandwidthMonitor>()
            .SetGroupName("Edgepipe")
            .AddConstructor<ProbeMonitor>()
            .AddAttribute("Interval",
                          "Time between the beginnings of two measurements.",
                          TimeValue(Seconds(5)),
                          MakeTimeAccessor(&ProbeMonitor::m_interval),
                          MakeTimeChecker(MilliSeconds(1)))
            .AddAttribute("Bytes",
                          "Payload of a measurement's burst, each way, bytes.",
                          UintegerValue(32768),
                          MakeUintegerAccessor(&ProbeMonitor::m_bytes),
                          MakeUintegerChecker<uint64_t>(LinkProbe::TRAIN, 1000000000));
    return tid;
}

std::string
ProbeMonitor::GetName() const
{
    return "probe";
}

void
ProbeMonitor::DoStart()
{
    const Place& place = GetPlace();
    m_probe.SetUp(place.device,
                  place.server,
                  place.port,
                  place.transport,
                  MakeCallback(&ProbeMonitor::SetEstimate, this));
    m_next = Simulator::Schedule(m_interval, &ProbeMonitor::Measure, this);
}

void
ProbeMonitor::DoStop()
{
    m_next.Cancel();
    m_probe.Cancel();
}

void
ProbeMonitor::Measure()
{
    m_probe.Begin(m_bytes);
    m_next = Simulator::Schedule(m_interval, &ProbeMonitor::Measure, this);
}

} // namespace edgepipe
} // namespace ns3
