/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-cell.h"

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
    if (isNew && m_media[0] != m_media[1])
    {
        m_uses[station] = AddUser(*m_network, m_media[0]);
    }
    Distances farthest{};
    for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
    {
        const auto at = static_cast<std::size_t>(direction);
        for (const auto& [other, meters] : m_stations)
        {
            if (std::isfinite(m_radio->GetSecondsPerByte(meters[at], direction)))
            {
                farthest[at] = std::max(farthest[at], meters[at]);
            }
        }
    }
    SetUse(*m_network, *m_radio, m_media, farthest);
}

std::array<uint32_t, 2>
FlowCell::AddUser(FlowNetwork& network, uint32_t up)
{
    const uint32_t sent = network.AddLink(BEYOND_ANY_RADIO);
    const uint32_t received = network.AddLink(BEYOND_ANY_RADIO);
    network.AddAnswerer(up, sent, received);
    return {sent, received};
}

void
FlowCell::SetUse(FlowNetwork& network,
                 const RadioCell& radio,
                 const std::array<uint32_t, 2>& media,
                 const Distances& farthest)
{
    for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
    {
        const auto at = static_cast<std::size_t>(direction);
        std::vector<double> efficiency;
        for (uint32_t count = 1; count <= radio.GetMostFlows(); ++count)
        {
            efficiency.push_back(radio.GetEfficiency(count, farthest[at], direction));
        }
        network.SetEfficiency(media[at], efficiency);
    }
    if (media[0] != media[1])
    {
        std::vector<double> share;
        for (uint32_t count = 1; count <= radio.GetMostFlows(); ++count)
        {
            share.push_back(radio.GetAnswerShare(count, farthest[0]));
        }
        network.SetAnswers(media[0], share);
    }
}

void
FlowCell::AddHop(Ptr<NetDevice> station, RadioDirection direction, FlowRoute& route)
{
    const auto at = static_cast<std::size_t>(direction);
    const double distance = m_stations.at(station)[at];
    if (std::isfinite(m_radio->GetSecondsPerByte(distance, direction)))
    {
        Cross(m_media[at], m_radio->GetCrossing(distance, direction), route);
        const auto use = m_uses.find(station);
        if (use != m_uses.end())
        {
            Cross(use->second[at], {}, route);
        }
        return;
    }
    if (!m_dead)
    {
        m_dead = m_network->AddLink(0);
    }
    Cross(*m_dead, {}, route);
}

} // namespace edgepipe
} // namespace ns3
