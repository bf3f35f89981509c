/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-cell.h"

#include <cmath>

namespace ns3::edgepipe
{

FlowCell::FlowCell(Ptr<FlowNetwork> network, std::shared_ptr<RadioCell> radio)
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
FlowCell::SetGate(Station& station)
{
    const bool isOpen = station.isReached && !station.isCut;
    const double capacity = isOpen ? std::numeric_limits<double>::infinity() : 0;
    if (station.gate && m_network->GetCapacity(*station.gate) != capacity)
    {
        m_network->SetCapacity(*station.gate, capacity);
    }
}

void
FlowCell::SetDistances(Ptr<Object> place, const Distances& distances, bool isFixed)
{
    Station& station = m_stations[place];
    station.distances = distances;
    station.isReached =
        std::isfinite(m_radio->GetSecondsPerByte(distances[0], RadioDirection::UP) +
                      m_radio->GetSecondsPerByte(distances[1], RadioDirection::DOWN));
    if (!station.gate && (!isFixed || !station.isReached))
    {
        station.gate = m_network->AddLink(std::numeric_limits<double>::infinity());
    }
    SetGate(station);
}

void
FlowCell::AddCompetitors(uint32_t count, double distanceMeters)
{
    const double weight = m_radio->GetSecondsPerByte(distanceMeters, RadioDirection::UP);
    for (uint32_t i = 0; i < count && std::isfinite(weight); ++i)
    {
        m_network->StartOwnFlow({m_media[0], weight}, std::numeric_limits<double>::infinity());
    }
    m_competitorMeters = count > 0 ? distanceMeters : 0;
}

void
FlowCell::Settle()
{
    Distances farthest{m_competitorMeters, m_competitorMeters};
    for (const auto& [place, station] : m_stations)
    {
        for (std::size_t at = 0; at < farthest.size() && station.isReached; ++at)
        {
            farthest[at] = std::max(farthest[at], station.distances[at]);
        }
    }
    if (m_farthest == farthest)
    {
        return;
    }
    m_farthest = farthest;
    m_acknowledgements.clear();
    for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
    {
        const auto at = static_cast<std::size_t>(direction);
        m_efficiency[at].clear();
        for (uint32_t count = 1; count <= m_radio->GetMostFlows(); ++count)
        {
            m_efficiency[at].push_back(m_radio->GetEfficiency(count, farthest[at], direction));
            if (direction == RadioDirection::UP && m_radio->IsDuplex())
            {
                m_acknowledgements.push_back(m_radio->GetAcknowledgementShare(count, farthest[0]));
            }
        }
        m_network->SetEfficiency(
            m_media[at],
            [this, direction](std::size_t flows) {
                const auto& efficiency = m_efficiency[static_cast<std::size_t>(direction)];
                const double share = efficiency[std::min(flows, efficiency.size()) - 1];
                if (direction == RadioDirection::DOWN || m_acknowledgements.empty())
                {
                    return share;
                }
                // Stations that send only acknowledgements, in duplex cells (LTE); on Wi-Fi these
                // are part of WifiAirtime::GetSecondsPerByte.
                const std::size_t users =
                    std::count_if(m_stations.begin(), m_stations.end(), [](const auto& entry) {
                        return entry.second.flows[0] == 0 && entry.second.flows[1] > 0;
                    });
                const double back =
                    m_acknowledgements[std::min(flows, m_acknowledgements.size()) - 1];
                return share * (1 - back * users / (flows + users));
            },
            direction == RadioDirection::UP && m_radio->IsDuplex() ? m_media[1]
                                                                   : MaxMinSharing::NONE);
    }
}

void
FlowCell::Cut(Ptr<Object> place)
{
    Station& station = m_stations.at(place);
    station.isCut = true;
    SetGate(station);
}

void
FlowCell::AddHop(Ptr<Object> place, RadioDirection direction, FlowRoute& route)
{
    Station& station = m_stations.at(place);
    const auto at = static_cast<std::size_t>(direction);
    if (station.isReached)
    {
        m_radio->AddHop(
            {m_media[at], PeekPointer(place), station.distances[at], direction, &station.flows[at]},
            route);
    }
    else
    {
        Cross(m_media[at], 1, 0, route);
    }
    if (station.gate)
    {
        Cross(*station.gate, 1, 0, route);
    }
    route.tallies.push_back(&station.flows[at]);
}

} // namespace ns3::edgepipe
