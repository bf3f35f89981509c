/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-network-builder.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/edgepipe-packet-transport.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/mac48-address.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Queue before a wire, Linux's default length. A shorter one, or one that drops by delay, would
/// make senders lose their own packets, which Linux prevents by means that ns-3 lacks.
constexpr const char* WIRE_QUEUE = "1000p";

} // namespace

PacketNetworkBuilder::PacketNetworkBuilder(NetworkOptions options, std::vector<std::string> names)
    : m_options(std::move(options)),
      m_names(std::move(names)),
      m_stream(random_streams::NETWORK.first)
{
}

Network
PacketNetworkBuilder::Build(const std::set<uint32_t>& active)
{
    Ipv4AddressGenerator::Reset();
    Mac48Address::ResetAllocationIndex();
    m_network = Network();
    m_network.devices.Create(m_names.size());
    const auto addresses = Join(active);
    ScheduleBandwidth();
    auto transport = CreateObject<PacketTransport>();
    transport->SetAttribute("SegmentSize", UintegerValue(m_options.mtuBytes - TCP_IP_HEADERS));
    transport->SetAttribute("FirstConnect", TimeValue(m_attached));
    for (uint32_t i = 0; i < m_network.devices.GetN(); ++i)
    {
        transport->AddNode(m_network.devices.Get(i), addresses[i]);
    }
    m_network.transport = transport;
    return m_network;
}

NetDeviceContainer
PacketNetworkBuilder::Wire(Ptr<Node> a,
                           const std::string& nameA,
                           Ptr<Node> b,
                           const std::string& nameB,
                           const std::vector<std::string>& devices)
{
    const auto ends = Connect({a, b},
                              {nameA, nameB},
                              m_options.bandwidthBitsPerSecond * m_wireShare,
                              m_options.delay,
                              devices);
    m_wires.Add(ends);
    return ends;
}

NetDeviceContainer
PacketNetworkBuilder::Cable(Ptr<Node> a,
                            const std::string& nameA,
                            Ptr<Node> b,
                            const std::string& nameB)
{
    return Connect({a, b},
                   {nameA, nameB},
                   m_options.backhaulBitsPerSecond * GetEthernetShare(m_options.mtuBytes),
                   m_options.backhaulDelay,
                   {nameA});
}

bool
PacketNetworkBuilder::IsWired(uint32_t device) const
{
    return m_options.wiredDevices.count(m_names[device]) > 0;
}

NetDeviceContainer
PacketNetworkBuilder::Connect(const std::array<Ptr<Node>, 2>& nodes,
                              const std::array<std::string, 2>& names,
                              double bitsPerSecond,
                              const Time& delay,
                              const std::vector<std::string>& devices)
{
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", DataRateValue(DataRate(std::llround(bitsPerSecond))));
    wire.SetDeviceAttribute("Mtu", UintegerValue(m_options.mtuBytes));
    wire.SetChannelAttribute("Delay", TimeValue(delay));
    const auto ends = wire.Install(nodes[0], nodes[1]);
    TrafficControlHelper queue;
    queue.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue(WIRE_QUEUE));
    queue.Install(ends);
    for (uint32_t end = 0; end < 2; ++end)
    {
        if (auto loss = MakeLoss(devices))
        {
            ends.Get(end)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        Count(ends.Get(end), "PhyTxEnd", names[end] + " -> " + names[1 - end]);
    }
    return ends;
}

void
PacketNetworkBuilder::ScheduleBandwidth()
{
    for (const auto& step : m_options.bandwidthSteps)
    {
        const DataRate rate(std::llround(step.bitsPerSecond * m_wireShare));
        Simulator::Schedule(step.time, [wires = m_wires, rate] {
            for (auto end = wires.Begin(); end != wires.End(); ++end)
            {
                (*end)->SetAttribute("DataRate", DataRateValue(rate));
            }
        });
    }
}

Ptr<RateErrorModel>
PacketNetworkBuilder::MakeLoss(const std::vector<std::string>& devices)
{
    const bool isCut =
        !m_options.cutDevice.empty() &&
        std::find(devices.begin(), devices.end(), m_options.cutDevice) != devices.end();
    if (m_options.lossRate == 0 && !isCut)
    {
        return nullptr;
    }
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(m_options.lossRate);
    m_stream += model->AssignStreams(m_stream);
    if (isCut)
    {
        Simulator::Schedule(m_options.cutTime, &RateErrorModel::SetRate, model, 1.0);
    }
    return model;
}

void
PacketNetworkBuilder::Count(Ptr<Object> device, const std::string& trace, const std::string& name)
{
    auto counter = std::make_shared<LinkCounter>();
    counter->name = name;
    m_network.links.push_back(counter);
    device->TraceConnectWithoutContext(
        trace,
        Callback<void, Ptr<const Packet>>(
            [counter](Ptr<const Packet> packet) { counter->bytes += packet->GetSize(); }));
}

} // namespace edgepipe
} // namespace ns3
