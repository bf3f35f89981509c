/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-flow-stations.h"

#include "edgepipe-mobility.h"

#include "ns3/edgepipe-flow-cell.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// How often the devices' distances are looked at while they move.
const Time LOOK = MilliSeconds(100);

} // namespace

FlowStations::FlowStations(const CellMedium& medium, Ptr<FlowNetwork> flows)
    : m_options(medium.options),
      m_radio(medium.link->MakeCell(medium.options)),
      m_flows(flows)
{
    m_isMoving = IsMoving(m_options);
    const double capacity = m_isMoving || IsReached(m_options.wifiDistanceMeters) ? 1 : 0;
    m_media.fill(flows->AddLink(capacity));
    if (m_radio->IsDuplex())
    {
        m_media[1] = flows->AddLink(capacity);
    }
}

bool
FlowStations::IsMoving() const
{
    return m_isMoving;
}

bool
FlowStations::IsMoving(const NetworkOptions& place)
{
    return place.mobility != "static" && place.speedMetersPerSecond > 0;
}

void
FlowStations::Join(Ptr<Node> device, const std::shared_ptr<FlowPaths>& paths, uint32_t node)
{
    Station station{device, paths, node, std::nullopt};
    FlowPathHop& hop = paths->hops[node];
    hop.links = m_media;
    if (m_radio->IsDuplex())
    {
        const auto [sent, received] = FlowCell::AddUser(*m_flows, m_media[0]);
        hop.uses[0] = {sent};
        hop.uses[1] = {received};
    }
    if (paths->topology.nodes[node].end != Time::Max())
    {
        hop.gates.push_back(m_flows->AddLink(FlowCell::BEYOND_ANY_RADIO));
    }
    const TopologyNode& end = paths->topology.nodes[node];
    if (end.place)
    {
        // It may be in range where others are not.
        m_isMoving = m_isMoving || IsMoving(*end.place);
        for (const uint32_t medium : m_media)
        {
            m_flows->SetCapacity(medium, 1);
        }
    }
    if (m_isMoving || end.place)
    {
        station.gate = m_flows->AddLink(FlowCell::BEYOND_ANY_RADIO);
        hop.gates.push_back(*station.gate);
    }
    m_stations.push_back(station);
}

void
FlowStations::Start(std::shared_ptr<FlowStations> cell, Ptr<FlowTransport> transport)
{
    cell->Look();
    const double weight =
        cell->m_radio->GetSecondsPerByte(cell->m_options.wifiDistanceMeters, RadioDirection::UP);
    if (cell->IsMoving() || cell->IsReached(cell->m_options.wifiDistanceMeters))
    {
        for (uint32_t i = 0; i < cell->m_options.competitors && std::isfinite(weight); ++i)
        {
            cell->m_flows->StartEndlessFlow({{cell->m_media[0], weight}});
        }
    }
    if (cell->IsMoving())
    {
        Follow(cell, transport);
    }
}

bool
FlowStations::IsReached(double distance) const
{
    return std::isfinite(m_radio->GetSecondsPerByte(distance, RadioDirection::UP) +
                         m_radio->GetSecondsPerByte(distance, RadioDirection::DOWN));
}

void
FlowStations::Look()
{
    double farthest = m_options.competitors > 0 ? m_options.wifiDistanceMeters : 0;
    for (const auto& station : m_stations)
    {
        const double distance =
            GetHubDistance(station.paths->topology.GetPlace(station.node), station.device);
        const bool isReached = IsReached(distance);
        if (station.gate)
        {
            m_flows->SetCapacity(*station.gate, isReached ? FlowCell::BEYOND_ANY_RADIO : 0);
        }
        if (isReached)
        {
            farthest = std::max(farthest, distance);
            FlowPathHop& hop = station.paths->hops[station.node];
            for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
            {
                hop.crossings[static_cast<std::size_t>(direction)] =
                    m_radio->GetCrossing(distance, direction);
            }
        }
    }
    FlowCell::SetUse(*m_flows, *m_radio, m_media, {farthest, farthest});
}

void
FlowStations::Follow(std::shared_ptr<FlowStations> cell, Ptr<FlowTransport> transport)
{
    Simulator::Schedule(LOOK, [cell, transport] {
        if (transport->IsSetUp())
        {
            cell->Look();
            transport->UpdateRoutes();
            Follow(cell, transport);
        }
    });
}

} // namespace edgepipe
} // namespace ns3
