/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-radio-link.h"

#include "edgepipe-topology.h"

#include "ns3/edgepipe-attributes.h"

#include <cmath>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(RadioLink);

RadioLink::RadioLink(uint32_t largestMtu,
                     std::size_t mostStations,
                     const std::string& transmitter,
                     const std::string& hub)
    : Typed({false, true, largestMtu},
            std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::infinity()),
      m_mostStations(mostStations),
      m_transmitter(transmitter),
      m_hub(hub)
{
}

TypeId
RadioLink::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Distance",
             "Distance of every device from the access point or base station, m.",
             {&RadioLink::m_distanceMeters, 5, 0.1, 10000})
        .Add("Mobility",
             "Movement of the devices: static; away (straight outwards from --distance); or "
             "random-walk (within --distance).",
             {&RadioLink::m_mobility, "static"})
        .Add("Speed",
             "Speed of a device that moves, m/s.",
             {&RadioLink::m_speedMetersPerSecond, 1, 0, 1000})
        .Add("Competitors",
             "Further stations that upload all the time.",
             {&RadioLink::m_competitors, 0, 0, 1000});
}

void
RadioLink::Check(const NetworkOptions& network, const std::vector<std::string>& names) const
{
    DuplexLink::Check(network, names);
    Require(m_mobility == "static" || m_mobility == "away" || m_mobility == "random-walk",
            "mobility",
            "\"" + m_mobility + "\"",
            "static, away or random-walk");
    Require(network.fidelity != "packet" || names.size() + m_competitors <= m_mostStations,
            "competitors",
            std::to_string(m_competitors) + " and " + std::to_string(names.size()) +
                (names.size() == 1 ? " device" : " devices"),
            std::to_string(m_mostStations) + " in all on " + GetName() + " at packet level");
}

Topology
RadioLink::MakeTopology(const NetworkOptions& network, const std::vector<std::string>& names) const
{
    return MakeStar(network, names, m_hub, CellMedium{this});
}

std::optional<std::array<LinkRate, 2>>
RadioLink::GetLimits() const
{
    if (m_bandwidth.steps.empty() && m_uplink.steps.empty() && m_downlink.steps.empty())
    {
        return std::nullopt; // asked for whenever the capacity of a cell is
    }
    return GetRates();
}

} // namespace ns3::edgepipe
