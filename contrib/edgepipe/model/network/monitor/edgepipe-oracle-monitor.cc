/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Reads the network's true capacity, which no real device can, at no cost, every Interval.
 *
 * A dead link, which has no capacity, is estimated at LOWEST_BITS_PER_SECOND.
 */
class OracleMonitor : public Named<OracleMonitor, BandwidthMonitor>
{
  public:
    /// The slowest link that network options accept, bit/s.
    static constexpr double LOWEST_BITS_PER_SECOND = 1000;

    static constexpr const char* NAME = "oracle"; //!< see Named

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add("Interval",
                                   "Time between two readings of the network's capacity; 0: only "
                                   "on Refresh.",
                                   {&OracleMonitor::m_interval, MilliSeconds(100)});
    }

    void Refresh() override
    {
        const Place& place = GetPlace();
        SetEstimate(std::max(LOWEST_BITS_PER_SECOND, place.capacity(place.device, place.server)),
                    std::max(LOWEST_BITS_PER_SECOND, place.capacity(place.server, place.device)));
    }

    bool IsMeasured() const override
    {
        return false;
    }

  private:
    void DoStart() override
    {
        NS_ABORT_MSG_UNLESS(GetPlace().capacity, "no oracle knows this network's capacity");
        Sample();
    }

    void DoStop() override
    {
        m_next.Cancel();
    }

    /** Read now, and again after Interval. */
    void Sample()
    {
        if (m_interval.IsStrictlyPositive())
        {
            m_next = Simulator::Schedule(m_interval, &OracleMonitor::Sample, this);
        }
        Refresh();
    }

    Time m_interval; //!< between readings; 0: only on Refresh
    EventId m_next;  //!< next reading
};

NS_OBJECT_ENSURE_REGISTERED(OracleMonitor);

} // namespace ns3::edgepipe
