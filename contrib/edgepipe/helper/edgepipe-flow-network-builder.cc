/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-network-builder.h"

#include "ns3/edgepipe-wifi-capacity.h"
#include "ns3/edgepipe-wifi-probe.h"
#include "ns3/global-value.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/priority-queue-scheduler.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"
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

/**
 * Order events by PriorityQueueScheduler, unless the user has chosen a scheduler. Flows hardly ever
 * take an event back, the one thing that it is slow at.
 */
void
SetScheduler()
{
    TypeIdValue chosen;
    GlobalValue::GetValueByName("SchedulerType", chosen);
    if (chosen.Get() == MapScheduler::GetTypeId())
    {
        ObjectFactory factory;
        factory.SetTypeId(PriorityQueueScheduler::GetTypeId());
        Simulator::SetScheduler(factory);
    }
}

} // namespace

FlowNetworkBuilder::FlowNetworkBuilder(NetworkOptions options, std::vector<std::string> names)
    : m_options(std::move(options)),
      m_names(std::move(names))
{
}

Network
FlowNetworkBuilder::Build()
{
    SetScheduler();
    m_network = Network();
    m_network.devices.Create(m_names.size());
    m_flows = CreateObject<FlowNetwork>();
    m_transport = CreateObject<FlowTransport>();
    m_transport->SetAttribute("SegmentSize", UintegerValue(m_options.mtuBytes - TCP_IP_HEADERS));
    m_transport->SetUp(m_flows,
                       m_options.link == "lan"   ? BuildLan()
                       : m_options.link == "p2p" ? BuildChain()
                                                 : BuildWifi());
    ScheduleBandwidth();
    m_network.transport = m_transport;
    return m_network;
}

FlowRouter
FlowNetworkBuilder::BuildLan()
{
    m_wireShare = GetEthernetShare(m_options.mtuBytes);
    for (const auto& name : m_names)
    {
        AddWire(name, "switch", {name});
    }
    const double delay = 2 * m_options.delay.GetSeconds();
    return [links = m_network.links, delay](uint32_t from, uint32_t to) {
        const uint32_t up = 2 * from;
        const uint32_t down = 2 * to + 1;
        return FlowRoute{{{up, 1}, {down, 1}},
                         delay,
                         {links[up].get(), links[down].get()},
                         {links[down - 1].get(), links[up + 1].get()}};
    };
}

FlowRouter
FlowNetworkBuilder::BuildChain()
{
    for (std::size_t i = 0; i + 1 < m_names.size(); ++i)
    {
        AddWire(m_names[i], m_names[i + 1], {m_names[i], m_names[i + 1]});
    }
    const double delay = m_options.delay.GetSeconds();
    return [links = m_network.links, delay](uint32_t from, uint32_t to) {
        FlowRoute route;
        const bool isForward = from < to;
        for (uint32_t at = from; at != to; isForward ? ++at : --at)
        {
            const uint32_t link = isForward ? 2 * at : 2 * (at - 1) + 1;
            const uint32_t reverse = isForward ? link + 1 : link - 1;
            route.uses.push_back({link, 1});
            route.delaySeconds += delay;
            route.senders.push_back(links[link].get());
            route.answerers.push_back(links[reverse].get());
        }
        return route;
    };
}

FlowRouter
FlowNetworkBuilder::BuildWifi()
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
        m_cutWires.push_back(leaving);
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

uint32_t
FlowNetworkBuilder::AddWire(const std::string& nameA,
                            const std::string& nameB,
                            const std::vector<std::string>& devices)
{
    const double capacity = m_options.bandwidthBitsPerSecond * m_wireShare / 8;
    const uint32_t forth = m_flows->AddLink(capacity);
    const uint32_t back = m_flows->AddLink(capacity);
    m_flows->SetDuplex(forth, back, m_transport->GetAcknowledgementShare());
    AddCounter(nameA + " -> " + nameB);
    AddCounter(nameB + " -> " + nameA);
    const bool isCut =
        std::find(devices.begin(), devices.end(), m_options.cutDevice) != devices.end();
    auto& wires = isCut ? m_cutWires : m_wires;
    wires.insert(wires.end(), {forth, back});
    return forth;
}

void
FlowNetworkBuilder::AddCounter(const std::string& name)
{
    m_network.links.push_back(std::make_shared<LinkCounter>());
    m_network.links.back()->name = name;
}

void
FlowNetworkBuilder::ScheduleBandwidth()
{
    const auto schedule =
        [this](const Time& time, const std::vector<uint32_t>& wires, double capacity) {
            Simulator::Schedule(time, [flows = m_flows, wires, capacity] {
                for (const uint32_t wire : wires)
                {
                    flows->SetCapacity(wire, capacity);
                }
            });
        };
    for (const auto& step : m_options.bandwidthSteps)
    {
        const double capacity = step.bitsPerSecond * m_wireShare / 8;
        schedule(step.time, m_wires, capacity);
        if (step.time < m_options.cutTime)
        {
            schedule(step.time, m_cutWires, capacity);
        }
    }
    if (!m_cutWires.empty())
    {
        schedule(m_options.cutTime, m_cutWires, 0);
    }
}

} // namespace edgepipe
} // namespace ns3
