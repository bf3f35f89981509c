/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-bandwidth-monitor.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-time.h"
#include "ns3/log.h"

#include <cmath>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeBandwidthMonitor");

Ptr<BandwidthMonitor>
BandwidthMonitor::Find(const std::string& name, const Capacity& capacity)
{
    const auto monitor = FindByName<BandwidthMonitor>("monitor", name);
    Require(monitor->IsMeasured() || capacity,
            "monitor: found \"" + name +
                "\" without a capacity, expected a function that says what the network carries "
                "beside it, or a monitor that measures, probe or passive");
    return monitor;
}

void
BandwidthMonitor::Start(const Place& place,
                        double uplinkBitsPerSecond,
                        double downlinkBitsPerSecond,
                        ChangedCallback changed)
{
    NS_LOG_FUNCTION(this << place.device << uplinkBitsPerSecond << downlinkBitsPerSecond);
    NS_ABORT_MSG_UNLESS(place.transport && uplinkBitsPerSecond > 0 && downlinkBitsPerSecond > 0,
                        "a monitor needs a transport and estimates above 0");
    m_place = place;
    m_place.port = place.port > 0 ? place.port : place.transport->TakeMonitorPort();
    NS_ABORT_MSG_IF(m_place.port == 0, "device " << place.device << " has no port for a monitor");
    m_uplinkBitsPerSecond = uplinkBitsPerSecond;
    m_downlinkBitsPerSecond = downlinkBitsPerSecond;
    m_changed = changed;
    DoStart();
}

void
BandwidthMonitor::Stop()
{
    NS_LOG_FUNCTION(this);
    DoStop();
    m_changed = ChangedCallback();
}

void
BandwidthMonitor::DoDispose()
{
    Stop();
    m_place = Place();
    Object::DoDispose();
}

Time
BandwidthMonitor::GetPhase(const Time& period) const
{
    // Multiples of the golden ratio: the first N of them leave no gap much above 1 / N.
    constexpr double ratio = 0.6180339887498949;
    return RoundSeconds(period.GetSeconds() * std::fmod(ratio * m_place.device, 1));
}

void
BandwidthMonitor::SetEstimate(double uplinkBitsPerSecond, double downlinkBitsPerSecond)
{
    const double up = uplinkBitsPerSecond > 0 ? uplinkBitsPerSecond : m_uplinkBitsPerSecond;
    const double down = downlinkBitsPerSecond > 0 ? downlinkBitsPerSecond : m_downlinkBitsPerSecond;
    if (up == m_uplinkBitsPerSecond && down == m_downlinkBitsPerSecond)
    {
        return;
    }
    m_uplinkBitsPerSecond = up;
    m_downlinkBitsPerSecond = down;
    NS_LOG_LOGIC("device " << m_place.device << ": " << up << " bit/s up, " << down << " down");
    if (!m_changed.IsNull())
    {
        m_changed(up, down);
    }
}

} // namespace ns3::edgepipe
