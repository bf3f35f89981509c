/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Measures the link by a LinkProbe every Interval, at a cost: the bytes cross the link in the same
 * connections as everything else. The first measurement starts one Interval and GetPhase after the
 * monitor; none starts while another is under way.
 */
class ProbeMonitor : public Named<ProbeMonitor, BandwidthMonitor>
{
  public:
    static constexpr const char* NAME = "probe"; //!< see Named

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("Interval",
                 "Time between the starts of two measurements.",
                 {&ProbeMonitor::m_interval, Seconds(5), MilliSeconds(1)})
            .Add("Bytes",
                 "Payload of a measurement's burst, each way, bytes.",
                 {&ProbeMonitor::m_bytes, 32768, LinkProbe::TRAIN, 1000000000});
    }

  private:
    void DoStart() override
    {
        m_probe.SetUp(GetPlace(), MakeCallback(&ProbeMonitor::SetEstimate, this));
        m_next =
            Simulator::Schedule(GetPhase(m_interval) + m_interval, &ProbeMonitor::Measure, this);
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
