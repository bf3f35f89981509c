/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Measures the link by a LinkProbe every Interval, and pays for it: the bytes cross the link in
 * the same connections as everything else. The first measurement begins one Interval after the
 * start; while one is not over, none begins.
 */
class ProbeMonitor : public Named<ProbeMonitor, BandwidthMonitor>
{
  public:
    static constexpr const char* NAME = "probe";                       //!< see Named
    static constexpr const char* TYPE = "ns3::edgepipe::ProbeMonitor"; //!< see Named

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid)
    {
        return tid
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
    }

  private:
    void DoStart() override
    {
        m_probe.SetUp(GetPlace(), MakeCallback(&ProbeMonitor::SetEstimate, this));
        m_next = Simulator::Schedule(m_interval, &ProbeMonitor::Measure, this);
    }

    void DoStop() override
    {
        m_next.Cancel();
        m_probe.Cancel();
    }

    /** Measure now, and again after Interval. */
    void Measure()
    {
        m_probe.Begin(m_bytes);
        m_next = Simulator::Schedule(m_interval, &ProbeMonitor::Measure, this);
    }

    Time m_interval;   //!< between measurements
    uint64_t m_bytes;  //!< of a train, each way
    LinkProbe m_probe; //!< measures
    EventId m_next;    //!< next measurement
};

NS_OBJECT_ENSURE_REGISTERED(ProbeMonitor);

} // namespace ns3::edgepipe
