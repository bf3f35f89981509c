/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-network-builder.h"

#include "ns3/global-value.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/priority-queue-scheduler.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

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
    m_transport->SetUp(m_flows, Join());
    ScheduleBandwidth();
    m_network.transport = m_transport;
    return m_network;
}

uint32_t
FlowNetworkBuilder::AddWire(const std::string& nameA,
                            const std::string& nameB,
                            const std::vector<std::string>& devices)
{
    const uint32_t forth = Connect(nameA, nameB, m_options.bandwidthBitsPerSecond * m_wireShare);
    const bool isCut =
        std::find(devices.begin(), devices.end(), m_options.cutDevice) != devices.end();
    auto& wires = isCut ? m_cutWires : m_wires;
    wires.insert(wires.end(), {forth, forth + 1});
    return forth;
}

uint32_t
FlowNetworkBuilder::AddCable(const std::string& nameA, const std::string& nameB)
{
    const uint32_t forth =
        Connect(nameA,
                nameB,
                m_options.backhaulBitsPerSecond * GetEthernetShare(m_options.mtuBytes));
    if (nameA == m_options.cutDevice)
    {
        m_cutLinks.insert(m_cutLinks.end(), {forth, forth + 1});
    }
    return forth;
}

bool
FlowNetworkBuilder::IsWired(uint32_t device) const
{
    return m_options.wiredDevices.count(m_names[device]) > 0;
}

uint32_t
FlowNetworkBuilder::Connect(const std::string& nameA,
                            const std::string& nameB,
                            double bitsPerSecond)
{
    const uint32_t forth = m_flows->AddLink(bitsPerSecond / 8);
    const uint32_t back = m_flows->AddLink(bitsPerSecond / 8);
    m_flows->SetDuplex(forth, back, m_transport->GetAcknowledgementShare());
    AddCounter(nameA + " -> " + nameB);
    AddCounter(nameB + " -> " + nameA);
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
    for (const auto& links : {m_cutWires, m_cutLinks})
    {
        if (!links.empty())
        {
            schedule(m_options.cutTime, links, 0);
        }
    }
}

} // namespace edgepipe
} // namespace ns3
