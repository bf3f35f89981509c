/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-flow-network-builder.h"

#include "edgepipe-mobility.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace edgepipe
{

FlowNetworkBuilder::FlowNetworkBuilder(Topology topology)
    : m_paths(std::make_shared<FlowPaths>())
{
    m_paths->topology = std::move(topology);
}

Network
FlowNetworkBuilder::Build()
{
    const Topology& topology = m_paths->topology;
    m_network.devices.Create(topology.devices);
    m_flows = CreateObject<FlowNetwork>();
    m_transport = CreateObject<FlowTransport>();
    m_transport->SetAttribute("SegmentSize", UintegerValue(topology.mtuBytes - TCP_IP_HEADERS));
    for (uint32_t i = 0; i < topology.media.size(); ++i)
    {
        if (!std::holds_alternative<WireMedium>(topology.media[i]))
        {
            // Rates, capacities and calibration are for IP packets.
            m_transport->SetAttribute("HeaderSize", UintegerValue(TCP_IP_HEADERS));
        }
        if (const auto* cell = std::get_if<CellMedium>(&topology.media[i]))
        {
            m_cells[i] = std::make_shared<FlowStations>(*cell, m_flows);
        }
    }
    m_paths->hops.resize(topology.nodes.size());
    for (uint32_t i = 0; i + 1 < topology.nodes.size(); ++i)
    {
        const Medium& medium = topology.GetMedium(i);
        if (const auto* wire = std::get_if<WireMedium>(&medium))
        {
            AddWire(i, *wire);
        }
        else if (const auto* bearer = std::get_if<BearerMedium>(&medium))
        {
            AddBearer(i, *bearer);
        }
        else
        {
            AddStation(i);
        }
    }
    StartCells();
    FollowMessages();
    m_paths->counters = m_network.links;
    // The devices' ids follow each other, not from 0 on where other nodes were there before.
    const uint32_t first = m_network.devices.Get(0)->GetId();
    m_transport->SetUp(m_flows, [paths = m_paths, first](uint32_t from, uint32_t to) {
        return paths->GetRoute(from - first, to - first);
    });
    ScheduleCapacities();
    m_network.transport = m_transport;
    return m_network;
}

void
FlowNetworkBuilder::AddWire(uint32_t node, const WireMedium& wire)
{
    const double rate = wire.bitsPerSecond * wire.GetPppShare(m_paths->topology.mtuBytes) / 8;
    const uint32_t forth = m_flows->AddLink(rate);
    const uint32_t back = m_flows->AddLink(rate);
    AddHop(node, forth, back, wire.delay.GetSeconds());
    const TopologyNode& end = m_paths->topology.nodes[node];
    auto& wires = m_wires[end.medium];
    wires.insert(wires.end(), {{forth, end.end}, {back, end.end}});
}

void
FlowNetworkBuilder::AddBearer(uint32_t node, const BearerMedium& bearer)
{
    const TopologyNode& end = m_paths->topology.nodes[node];
    auto& replays = m_replays[end.medium];
    if (replays.empty())
    {
        for (const auto& rate : bearer.rates)
        {
            replays.push_back(Create<CapacityReplay>(m_flows, rate.MakeRates()));
        }
    }
    const uint32_t forth = replays[0]->AddLink(end.end);
    const uint32_t back = replays[1]->AddLink(end.end);
    AddHop(node, forth, back, bearer.delay.GetSeconds() + bearer.jitter.GetSeconds() / 2);
    const double packets = bearer.queuePackets;
    m_paths->hops[node].queueBytes = packets * m_paths->topology.mtuBytes;
}

void
FlowNetworkBuilder::AddStation(uint32_t node)
{
    const Topology& topology = m_paths->topology;
    m_cells.at(topology.nodes[node].medium)->Join(m_network.devices.Get(node), m_paths, node);
    m_paths->hops[node].senders[0] = AddCounter(topology.nodes[node].name, "air");
}

void
FlowNetworkBuilder::AddHop(uint32_t node, uint32_t forth, uint32_t back, double delaySeconds)
{
    m_flows->SetDuplex(forth, back, m_transport->GetAcknowledgementShare());
    const auto& nodes = m_paths->topology.nodes;
    const std::string& name = nodes[node].name;
    const std::string& parent = nodes[nodes[node].parent].name;
    FlowPathHop& hop = m_paths->hops[node];
    hop.links = {forth, back};
    hop.crossings.fill({1, delaySeconds});
    hop.senders[0] = AddCounter(name, parent);
    hop.senders[1] = AddCounter(parent, name);
}

LinkCounter*
FlowNetworkBuilder::AddCounter(const std::string& from, const std::string& to)
{
    m_network.links.push_back(std::make_shared<LinkCounter>());
    m_network.links.back()->name = from + " -> " + to;
    return m_network.links.back().get();
}

void
FlowNetworkBuilder::StartCells()
{
    const Topology& topology = m_paths->topology;
    for (const auto& [medium, cell] : m_cells)
    {
        const auto& air = std::get<CellMedium>(topology.media[medium]);
        LinkCounter* sender = AddCounter(air.link->GetTransmitter(), "air");
        std::set<uint32_t> stations;
        for (uint32_t i = 0; i < topology.devices; ++i)
        {
            if (topology.nodes[i].medium == medium)
            {
                m_paths->hops[i].senders[1] = sender;
                stations.insert(i);
            }
        }
        if (cell->IsMoving())
        {
            for (const uint32_t station : stations)
            {
                InstallMobility(topology.GetPlace(station), m_network.devices, {station});
            }
        }
        FlowStations::Start(cell, m_transport);
    }
}

void
FlowNetworkBuilder::ScheduleCapacities()
{
    const Topology& topology = m_paths->topology;
    for (const auto& [medium, links] : m_wires)
    {
        const auto& wire = std::get<WireMedium>(topology.media[medium]);
        for (const auto& step : wire.steps)
        {
            const double rate = step.bitsPerSecond * wire.GetPppShare(topology.mtuBytes) / 8;
            Simulator::Schedule(step.time, [flows = m_flows, links = links, step, rate] {
                for (const auto& [link, end] : links)
                {
                    if (step.time < end)
                    {
                        flows->SetCapacity(link, rate);
                    }
                }
            });
        }
    }
    for (uint32_t i = 0; i + 1 < topology.nodes.size(); ++i)
    {
        if (topology.nodes[i].end != Time::Max())
        {
            const FlowPathHop& hop = m_paths->hops[i];
            std::vector<uint32_t> links(hop.links.begin(), hop.links.end());
            if (!hop.gates.empty())
            {
                links = {hop.gates.front()};
            }
            Simulator::Schedule(topology.nodes[i].end, [flows = m_flows, links] {
                for (const uint32_t link : links)
                {
                    flows->SetCapacity(link, 0);
                }
            });
        }
    }
}

void
FlowNetworkBuilder::FollowMessages()
{
    std::vector<Ptr<CapacityReplay>> replays;
    for (const auto& [medium, both] : m_replays)
    {
        replays.insert(replays.end(), both.begin(), both.end());
    }
    if (replays.empty())
    {
        return;
    }
    const auto moving = std::make_shared<uint64_t>(0);
    m_transport->TraceConnectWithoutContext(
        "TransferStart",
        Callback<void, uint64_t, const Message&>([replays, moving](uint64_t, const Message&) {
            ++*moving;
            for (const auto& replay : replays)
            {
                replay->Start();
            }
        }));
    m_transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([replays, moving](uint64_t, const Message&) {
            if (--*moving == 0)
            {
                for (const auto& replay : replays)
                {
                    replay->Stop();
                }
            }
        }));
}

} // namespace edgepipe
} // namespace ns3
