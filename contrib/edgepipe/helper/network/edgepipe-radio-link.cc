/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-radio-link.h"

#include "edgepipe-topology.h"

#include "ns3/edgepipe-table.h"

namespace ns3::edgepipe
{

RadioLink::RadioLink(std::set<std::string> options,
                     uint32_t largestMtu,
                     std::size_t mostStations,
                     const std::string& transmitter,
                     const std::string& hub)
    : LinkType({std::move(options), false, true, largestMtu}),
      m_mostStations(mostStations),
      m_transmitter(transmitter),
      m_hub(hub)
{
    m_traits.options.insert({"distance",
                             "mobility",
                             "speed",
                             "competitors",
                             "bandwidth",
                             "uplink-bandwidth",
                             "downlink-bandwidth"});
}

void
RadioLink::Check(const NetworkOptions& o, const std::vector<std::string>& names) const
{
    Require(o.mobility == "static" || o.mobility == "away" || o.mobility == "random-walk",
            "mobility",
            "\"" + o.mobility + "\"",
            "static, away or random-walk");
    Require(o.competitors <= 1000, "competitors", std::to_string(o.competitors), "0 to 1000");
    Require(o.speedMetersPerSecond >= 0 && o.speedMetersPerSecond <= 1000,
            "speed",
            Table::Exact(o.speedMetersPerSecond),
            "0 to 1000 m/s");
    Require(o.distanceMeters > 0 && o.distanceMeters <= 10000,
            "distance",
            Table::Exact(o.distanceMeters),
            "more than 0, up to 10000 m");
    Require(o.fidelity != "packet" || names.size() + o.competitors <= m_mostStations,

            "competitors",
            std::to_string(o.competitors) + " and " + std::to_string(names.size()) +
                (names.size() == 1 ? " device" : " devices"),
            std::to_string(m_mostStations) + " in all on " + GetName() + " at packet level");
}

Topology
RadioLink::MakeTopology(const NetworkOptions& options, const std::vector<std::string>& names) const
{
    return MakeStar(options, names, m_hub, CellMedium{this, options});
}

} // namespace ns3::edgepipe
