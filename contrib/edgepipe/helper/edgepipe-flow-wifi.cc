/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-wifi.h"

#include "ns3/edgepipe-traces-folder.h"
#include "ns3/edgepipe-wifi-capacity.h"
#include "ns3/edgepipe-wifi-probe.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Up to so many flows in a Wi-Fi cell have been measured. By packets, 32 get as much as 8.
constexpr uint32_t MANY_FLOWS = 8;
/// A capacity that is never a bottleneck, bytes/s.
constexpr double BEYOND_ANY_RADIO = 1e15;

} // namespace

FlowRouter
FlowWifi::Join()
{
    const std::string file = m_options.wifiCapacityFile.empty()
                                 ? GetTracesFolder() + "/links/wifi-capacity.csv"
                                 : m_options.wifiCapacityFile;
    const WifiCapacity capacity(MakeWifiCell(m_options), file);
    const double distance = m_options.wifiDistanceMeters;
    const double secondsPerByte = capacity.GetSecondsPerByte(distance);
    const bool isReached = std::isfinite(secondsPerByte);
    // Capacities and calibration are for IP packets.
    m_transport->SetAttribute("HeaderSize", UintegerValue(TCP_IP_HEADERS));
    const uint32_t cell = m_flows->AddLink(isReached ? 1 : 0);
    std::vector<double> efficiency;
    for (uint32_t flows = 1; flows <= MANY_FLOWS; ++flows)
    {
        efficiency.push_back(capacity.GetEfficiency(flows, distance));
    }
    m_flows->SetEfficiency(cell, efficiency);
    // What leaves the network passes a link of its own, which goes dead.
    const uint32_t leaving = m_flows->AddLink(BEYOND_ANY_RADIO);
    const auto place = std::find(m_names.begin(), m_names.end(), m_options.cutDevice);
    const auto cutDevice = static_cast<uint32_t>(place - m_names.begin());
    if (place != m_names.end())
    {
        m_cutLinks.push_back(leaving);
    }
    for (const auto& name : m_names)
    {
        AddCounter(name + " -> air");
    }
    AddCounter("access point -> air");
    // Twice over the air: to the access point and from it.
    const double weight = isReached ? 2 * secondsPerByte : 1;
    const double delay = isReached ? 2 * capacity.GetAccessSeconds(distance) : 0;
    return [links = m_network.links, cell, leaving, cutDevice, weight, delay](uint32_t from,
                                                                              uint32_t to) {
        LinkCounter* accessPoint = links.back().get();
        FlowRoute route{{{cell, weight}},
                        delay,
                        {links[from].get(), accessPoint},
                        {links[to].get(), accessPoint}};
        if (from == cutDevice || to == cutDevice)
        {
            route.uses.push_back({leaving, 1});
        }
        return route;
    };
}

} // namespace edgepipe
} // namespace ns3
