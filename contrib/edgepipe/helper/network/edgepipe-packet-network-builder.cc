/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-packet-network-builder.h"

#include "edgepipe-mobility.h"
#include "edgepipe-packet-defaults.h"
#include "edgepipe-saturating-sender.h"

#include "ns3/data-rate.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-paced-net-device.h"
#include "ns3/edgepipe-paced-queue-disc.h"
#include "ns3/edgepipe-packet-transport.h"
#include "ns3/edgepipe-port-queue-disc.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-routing-table-entry.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mac48-address.h"
#include "ns3/mobility-model.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/simple-channel.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

namespace ns3::edgepipe
{

namespace
{

/// Queue before a wire, Linux's default length. A shorter one, or one that drops by delay, would
/// make senders lose their own packets, which Linux prevents by means that ns-3 lacks.
constexpr const char* WIRE_QUEUE = "1000p";

/// First network of the wires and bearers, and the mask of their two addresses.
constexpr const char* LINKS = "172.16.0.0";
constexpr const char* LINK_MASK = "255.255.255.252";
/// First network of the cells.
constexpr const char* CELLS = "10.0.0.0";
/// The same beside LTE: ns-3 gives its devices and its core addresses from 7.0.0.0 to 14.0.0.255.
constexpr const char* CELLS_BESIDE_LTE = "128.0.0.0";

/// Position of a device that has been cut off: it hears no other, and no other hears it.
const Vector OUT_OF_RANGE(1e6, 0, 0);

/**
 * @param node a node with an Internet stack
 * @return its first address; the loopback address if it has no other
 */
Ipv4Address
GetFirstAddress(Ptr<Node> node)
{
    auto ip = node->GetObject<Ipv4>();
    return ip->GetNInterfaces() > 1 ? ip->GetAddress(1, 0).GetLocal() : Ipv4Address::GetLoopback();
}

/**
 * @param node a node with an Internet stack
 * @return its routes
 */
Ptr<Ipv4StaticRouting>
GetRoutes(Ptr<Node> node)
{
    return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
}

/**
 * Let stations upload all the time by TCP, each over one connection, by a PacketTransport of their
 * own that ends with the simulation.
 *
 * @param stations their nodes, with an Internet stack
 * @param hub the receiver, with an Internet stack
 * @param segmentBytes TCP payload per full segment, bytes
 */
void
StartUploads(const NodeContainer& stations, const PacketHub& hub, uint32_t segmentBytes)
{
    auto transport = CreateObject<PacketTransport>();
    transport->SetAttribute("SegmentSize", UintegerValue(segmentBytes));
    transport->SetAttribute("FirstConnect", TimeValue(hub.attached));
    for (auto node = stations.Begin(); node != stations.End(); ++node)
    {
        transport->AddNode(*node, GetFirstAddress(*node));
    }
    transport->AddNode(hub.node, hub.address);
    transport->Listen(hub.node, 0, Callback<void, const Message&>([](const Message&) {}));
    for (auto node = stations.Begin(); node != stations.End(); ++node)
    {
        SendWithoutEnd(transport, (*node)->GetId(), hub.node->GetId());
    }
    Simulator::ScheduleDestroy([transport] { transport->Dispose(); });
}

/**
 * @param device of a switch, without a queue
 * @param buffer of the switch
 */
void
InstallPort(Ptr<PointToPointNetDevice> device, std::shared_ptr<SwitchBuffer> buffer)
{
    device->GetQueue()->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, 1));
    TrafficControlHelper port;
    port.SetRootQueueDisc("ns3::edgepipe::PortQueueDisc");
    const auto installed = port.Install(device);
    DynamicCast<PortQueueDisc>(installed.Get(0))->SetBuffer(std::move(buffer));
}

/**
 * @param node a node with an Internet stack
 * @param address of one of its devices
 * @return a queue before the device, in place of any other
 */
Ptr<PacedQueueDisc>
ReplaceQueue(Ptr<Node> node, Ipv4Address address)
{
    const auto ip = node->GetObject<Ipv4>();
    const auto device = ip->GetNetDevice(ip->GetInterfaceForAddress(address));
    const auto control = node->GetObject<TrafficControlLayer>();
    if (control->GetRootQueueDiscOnDevice(device))
    {
        control->DeleteRootQueueDiscOnDevice(device);
    }
    const auto queue = CreateObject<PacedQueueDisc>();
    control->SetRootQueueDiscOnDevice(device, queue);
    return queue;
}

} // namespace

PacketNetworkBuilder::PacketNetworkBuilder(Topology topology)
    : m_topology(std::move(topology)),
      m_stream(random_streams::NETWORK.first)
{
}

Network
PacketNetworkBuilder::Build(const std::set<uint32_t>& active)
{
    Ipv4AddressGenerator::Reset();
    Mac48Address::ResetAllocationIndex();
    m_network.devices.Create(m_topology.devices);
    m_nodes.assign(m_network.devices.Begin(), m_network.devices.End());
    m_nodes.resize(m_topology.nodes.size());
    const auto isLte = [](const Medium& medium) {
        const auto* cell = std::get_if<CellMedium>(&medium);
        return cell && cell->link->GetName() == "lte";
    };
    const auto& media = m_topology.media;
    m_cellAddresses.SetBase(AnyOf(media, isLte) ? CELLS_BESIDE_LTE : CELLS, CELL_MASK);
    for (uint32_t i = 0; i < m_topology.media.size(); ++i)
    {
        if (std::holds_alternative<CellMedium>(m_topology.media[i]))
        {
            BuildCell(i, active);
        }
    }
    InternetStackHelper stack;
    for (auto& node : m_nodes)
    {
        node = node ? node : CreateObject<Node>();
        if (!node->GetObject<Ipv4>())
        {
            stack.Install(node);
        }
    }
    Ipv4AddressHelper addresses(LINKS, LINK_MASK);
    for (uint32_t i = 0; i + 1 < m_nodes.size(); ++i)
    {
        if (!std::holds_alternative<CellMedium>(m_topology.GetMedium(i)))
        {
            const auto* wire = std::get_if<WireMedium>(&m_topology.GetMedium(i));
            const auto interfaces = addresses.Assign(
                wire ? Wire(i, *wire) : Carry(i, std::get<BearerMedium>(m_topology.GetMedium(i))));
            addresses.NewNetwork();
            GetRoutes(m_nodes[i])
                ->SetDefaultRoute(interfaces.GetAddress(1), interfaces.Get(0).second);
            m_ways[i] = {interfaces.GetAddress(0), interfaces.Get(1).second};
        }
    }
    const Ipv4Mask mask(LINK_MASK);
    for (const auto& [node, way] : m_ways)
    {
        RouteDown(m_topology.nodes[node].parent, way.address.CombineMask(mask), mask);
    }
    for (const auto& [node, hub] : m_cells)
    {
        RouteDown(node, hub.address.CombineMask(hub.mask), hub.mask);
    }
    NodeContainer stacks(m_onAir);
    for (const auto& node : m_nodes)
    {
        if (!m_onAir.Contains(node->GetId()))
        {
            stacks.Add(node);
        }
    }
    AssignStreams([&](int64_t first) { return stack.AssignStreams(stacks, first); });
    for (const auto& upload : m_uploads)
    {
        upload();
    }
    ScheduleBandwidth();
    SetPacketDefaults();
    auto transport = CreateObject<PacketTransport>();
    transport->SetAttribute("SegmentSize", UintegerValue(m_topology.mtuBytes - TCP_IP_HEADERS));
    transport->SetAttribute("FirstConnect", TimeValue(m_attached));
    for (uint32_t i = 0; i < m_topology.devices; ++i)
    {
        transport->AddNode(m_nodes[i], GetFirstAddress(m_nodes[i]));
    }
    m_network.transport = transport;
    return m_network;
}

void
PacketNetworkBuilder::BuildCell(uint32_t medium, const std::set<uint32_t>& active)
{
    const auto& cell = std::get<CellMedium>(m_topology.media[medium]);
    uint32_t parent = m_topology.nodes.size() - 1;
    std::set<uint32_t> onAir;
    for (uint32_t i = 0; i < m_topology.devices; ++i)
    {
        if (m_topology.nodes[i].medium == medium)
        {
            parent = m_topology.nodes[i].parent;
            if (active.count(i))
            {
                onAir.insert(i);
            }
        }
    }
    NodeContainer stations;
    std::vector<std::string> names;
    for (const uint32_t i : onAir)
    {
        InstallMobility(m_topology.GetPlace(i), m_network.devices, {i});
        const TopologyNode& node = m_topology.nodes[i];
        stations.Add(m_nodes[i]);
        names.push_back(node.name);
        if (node.end != Time::Max())
        {
            auto position = m_nodes[i]->GetObject<MobilityModel>();
            Simulator::Schedule(node.end, [position] { position->SetPosition(OUT_OF_RANGE); });
        }
    }
    NodeContainer competitors;
    competitors.Create(cell.link->GetCompetitors());
    PlaceCompetitors(*cell.link, competitors);
    stations.Add(competitors);
    for (uint32_t i = 1; i <= competitors.GetN(); ++i)
    {
        names.push_back("competitor " + std::to_string(i));
    }
    const PacketHub hub = cell.link->Install(m_topology.mtuBytes, stations, names, *this);
    m_nodes[parent] = hub.node;
    m_cells.emplace_back(parent, hub);
    m_attached = std::max(m_attached, hub.attached);
    m_onAir.Add(stations);
    m_onAir.Add(hub.node);
    for (auto station = stations.Begin(); station != stations.End(); ++station)
    {
        // Interface 0 is the loopback, 1 the radio.
        GetRoutes(*station)->SetDefaultRoute(hub.address, 1);
    }
    Limit(onAir, stations, hub);
    if (competitors.GetN() > 0)
    {
        m_uploads.push_back([competitors, hub, segment = m_topology.mtuBytes - TCP_IP_HEADERS] {
            StartUploads(competitors, hub, segment);
        });
    }
}

void
PacketNetworkBuilder::Limit(const std::set<uint32_t>& devices,
                            const NodeContainer& stations,
                            const PacketHub& hub)
{
    Ptr<PacedQueueDisc> down;
    for (const uint32_t i : devices)
    {
        const auto limits = m_topology.GetPlace(i).GetLimits();
        if (!limits)
        {
            continue;
        }
        const Ipv4Address address = GetFirstAddress(m_nodes[i]);
        if (std::isfinite((*limits)[1].bitsPerSecond))
        {
            down = down ? down : ReplaceQueue(hub.node, hub.address);
            down->AddPacer(address, (*limits)[1].MakePacer(), QUEUE_PACKETS);
        }
        if (std::isfinite((*limits)[0].bitsPerSecond))
        {
            ReplaceQueue(m_nodes[i], address)
                ->AddPacer(Ipv4Address::GetAny(), (*limits)[0].MakePacer(), QUEUE_PACKETS);
        }
    }
    for (auto station = stations.Begin(); down && station != stations.End(); ++station)
    {
        // An access point's radio passes frames between stations on before any queue of its own,
        // so let them go through its routing.
        const auto routes = GetRoutes(*station);
        for (uint32_t i = routes->GetNRoutes(); i-- > 0;)
        {
            const auto route = routes->GetRoute(i);
            if (route.GetInterface() == 1 && !route.IsDefault())
            {
                routes->RemoveRoute(i);
            }
        }
    }
}

NetDeviceContainer
PacketNetworkBuilder::Wire(uint32_t node, const WireMedium& wire)
{
    const TopologyNode& lower = m_topology.nodes[node];
    PointToPointHelper link;
    const double rate = wire.bitsPerSecond * wire.GetPppShare(m_topology.mtuBytes);
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(std::llround(rate))));
    link.SetDeviceAttribute("Mtu", UintegerValue(m_topology.mtuBytes));
    link.SetChannelAttribute("Delay", TimeValue(wire.delay));
    const auto ends = link.Install(m_nodes[node], m_nodes[lower.parent]);
    TrafficControlHelper queue;
    queue.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue(WIRE_QUEUE));
    if (wire.portBytes == 0 && wire.sharedBytes == 0)
    {
        queue.Install(ends);
    }
    else
    {
        queue.Install(ends.Get(0));
        auto& buffer = m_buffers[lower.parent];
        buffer =
            buffer ? buffer
                   : std::make_shared<SwitchBuffer>(SwitchBuffer{wire.portBytes, wire.sharedBytes});
        InstallPort(DynamicCast<PointToPointNetDevice>(ends.Get(1)), buffer);
    }
    for (uint32_t end = 0; end < 2; ++end)
    {
        if (auto loss = MakeLoss(lower.end))
        {
            ends.Get(end)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        Count(ends.Get(end), "PhyTxEnd", NameTransmitter(node, end == 0));
    }
    m_wires[lower.medium].Add(ends);
    return ends;
}

NetDeviceContainer
PacketNetworkBuilder::Carry(uint32_t node, const BearerMedium& bearer)
{
    const TopologyNode& lower = m_topology.nodes[node];
    auto channel = CreateObject<SimpleChannel>();
    const bool isRecorded = bearer.HasRecordedDelay();
    channel->SetAttribute("Delay", TimeValue(isRecorded ? Time() : bearer.delay));
    NetDeviceContainer ends;
    for (const auto& rate : bearer.rates)
    {
        const bool isUp = rate.direction == TraceDirection::UP;
        auto end = CreateObject<PacedNetDevice>();
        end->SetAddress(Mac48Address::Allocate());
        end->SetMtu(m_topology.mtuBytes);
        end->SetPacer(rate.MakePacer());
        if (isRecorded)
        {
            end->SetDelays(bearer.MakeDelays(isUp ? 0 : 1));
        }
        end->SetAttribute("QueueSize", UintegerValue(bearer.queuePackets));
        end->SetAttribute("Jitter", TimeValue(bearer.jitter));
        AssignStreams([end](int64_t first) { return end->AssignStreams(first); });
        if (auto loss = MakeLoss(lower.end))
        {
            end->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        Count(end, "PhyTxEnd", NameTransmitter(node, isUp));
        m_nodes[isUp ? node : lower.parent]->AddDevice(end);
        end->SetChannel(channel);
        ends.Add(end);
    }
    return ends;
}

void
PacketNetworkBuilder::RouteDown(uint32_t node, Ipv4Address network, Ipv4Mask mask)
{
    const auto& nodes = m_topology.nodes;
    for (uint32_t at = node; nodes[at].parent != at; at = nodes[at].parent)
    {
        const Way& way = m_ways.at(at);
        GetRoutes(m_nodes[nodes[at].parent])
            ->AddNetworkRouteTo(network, mask, way.address, way.interface);
    }
}

void
PacketNetworkBuilder::ScheduleBandwidth()
{
    for (const auto& [medium, wires] : m_wires)
    {
        const auto& wire = std::get<WireMedium>(m_topology.media[medium]);
        for (const auto& step : wire.steps)
        {
            const DataRate rate(
                std::llround(step.bitsPerSecond * wire.GetPppShare(m_topology.mtuBytes)));
            Simulator::Schedule(step.time, [wires = wires, rate] {
                for (auto end = wires.Begin(); end != wires.End(); ++end)
                {
                    (*end)->SetAttribute("DataRate", DataRateValue(rate));
                }
            });
        }
    }
}

Ptr<RateErrorModel>
PacketNetworkBuilder::MakeLoss(const Time& end)
{
    const bool isCut = end != Time::Max();
    if (m_topology.lossRate == 0 && !isCut)
    {
        return nullptr;
    }
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(m_topology.lossRate);
    AssignStreams([model](int64_t first) { return model->AssignStreams(first); });
    if (isCut)
    {
        Simulator::Schedule(end, &RateErrorModel::SetRate, model, 1.0);
    }
    return model;
}

void
PacketNetworkBuilder::Count(Ptr<Object> device, const std::string& trace, const std::string& name)
{
    Connect(device, trace, [counter = AddCounter(name)](Ptr<const Packet> packet) {
        counter->bytes += packet->GetSize();
    });
}

} // namespace ns3::edgepipe
