/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-cell.h"

#include "ns3/edgepipe-flow-medium.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

FlowCell::FlowCell(Ptr<FlowNetwork> network, std::shared_ptr<const RadioCell> radio)
    : m_network(network),
      m_radio(std::move(radio))
{
    m_media.fill(m_network->AddLink(1));
    if (m_radio->IsDuplex())
    {
        m_media[1] = m_network->AddLink(1);
    }
}

void
FlowCell::SetDistances(Ptr<NetDevice> station, const Distances& distances)
{
    const auto [place, isNew] = m_stations.emplace(station, distances);
    if (!isNew && place->second == distances)
    {
        return;
    }
    place->second = distances;
    for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
    {
        const auto at = static_cast<std::size_t>(direction);
        double farthest = 0;
        for (const auto& [other, meters] : m_stations)
        {
            if (std::isfinite(m_radio->GetSecondsPerByte(meters[at], direction)))
            {
                farthest = std::max(farthest, meters[at]);
            }
        }
        std::vector<double> efficiency;
        for (uint32_t count = 1; count <= m_radio->GetMostFlows(); ++count)
        {
            efficiency.push_back(m_radio->GetEfficiency(count, farthest, direction));
        }
        m_network->SetEfficiency(m_media[at], efficiency);
    }
}

void
FlowCell::AddHop(Ptr<NetDevice> station, RadioDirection direction, FlowRoute& route)
{
    const auto at = static_cast<std::size_t>(direction);
    const double distance = m_stations.at(station)[at];
    const double weight = m_radio->GetSecondsPerByte(distance, direction);
    if (std::isfinite(weight))
    {
        FlowMedium::AddUse(m_media[at], weight, route);
        route.delaySeconds += m_radio->GetAccessSeconds(distance, direction);
        return;
    }
    if (!m_dead)
    {
        m_dead = m_network->AddLink(0);
    }
    FlowMedium::AddUse(*m_dead, 1, route);
}

} // namespace edgepipe
} // namespace ns3
