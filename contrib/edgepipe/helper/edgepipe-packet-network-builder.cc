/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-network-builder.h"

#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/edgepipe-packet-transport.h"
#include "ns3/edgepipe-wifi-data-loss.h"
#include "ns3/he-configuration.h"
#include "ns3/ht-configuration.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mac48-address.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// First random stream of a network; scenarios keep below it.
constexpr int64_t FIRST_STREAM = 1000;

/// Queue before a wire, Linux's default length. A shorter one, or one that drops by delay, would
/// make senders lose their own packets, which Linux prevents by means that ns-3 lacks.
constexpr const char* WIRE_QUEUE = "1000p";

/// How long a block-ack agreement is waited for. If it is answered later, as among busy stations
/// within ns-3's default of 1 ms, data has gone out without it, and ns-3's receiver then holds back
/// all that follows for a frame it has had already.
const Time ADDBA_TIMEOUT = MilliSeconds(200);

/// Where a Wi-Fi station is after it has been cut off: nobody hears it, and it hears nobody.
const Vector OUT_OF_RANGE(1e6, 0, 0);

} // namespace

PacketNetworkBuilder::PacketNetworkBuilder(NetworkOptions options, std::vector<std::string> names)
    : m_options(std::move(options)),
      m_names(std::move(names)),
      m_stream(FIRST_STREAM)
{
}

Network
PacketNetworkBuilder::Build(const std::set<uint32_t>& active)
{
    Ipv4AddressGenerator::Reset();
    Mac48Address::ResetAllocationIndex();
    m_network = Network();
    m_network.devices.Create(m_names.size());
    const auto addresses = m_options.link == "lan"   ? BuildLan()
                           : m_options.link == "p2p" ? BuildChain()
                                                     : BuildWifi(active);
    ScheduleBandwidth();
    auto transport = CreateObject<PacketTransport>();
    transport->SetAttribute("SegmentSize", UintegerValue(m_options.mtuBytes - TCP_IP_HEADERS));
    for (uint32_t i = 0; i < m_network.devices.GetN(); ++i)
    {
        transport->AddDevice(m_network.devices.Get(i), addresses[i]);
    }
    m_network.transport = transport;
    return m_network;
}

std::vector<Ipv4Address>
PacketNetworkBuilder::BuildLan()
{
    NodeContainer all(m_network.devices);
    all.Create(1);
    Ptr<Node> hub = all.Get(all.GetN() - 1);
    InternetStackHelper stack;
    stack.Install(all);
    m_wireShare = GetEthernetShare(m_options.mtuBytes);
    std::vector<Ipv4Address> found;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < m_names.size(); ++i)
    {
        Ptr<Node> node = m_network.devices.Get(i);
        const auto ends = Wire(node, m_names[i], hub, "switch", {m_names[i]});
        const auto interfaces = addresses.Assign(ends);
        addresses.NewNetwork();
        found.push_back(interfaces.GetAddress(0));
        Ipv4StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv4>())
            ->SetDefaultRoute(interfaces.GetAddress(1), interfaces.Get(0).second);
    }
    stack.AssignStreams(all, m_stream);
    return found;
}

std::vector<Ipv4Address>
PacketNetworkBuilder::BuildChain()
{
    InternetStackHelper stack;
    stack.Install(m_network.devices);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    std::vector<Ipv4Address> found(m_names.size(), Ipv4Address::GetLoopback());
    for (uint32_t i = 0; i + 1 < m_names.size(); ++i)
    {
        const auto ends = Wire(m_network.devices.Get(i),
                               m_names[i],
                               m_network.devices.Get(i + 1),
                               m_names[i + 1],
                               {m_names[i], m_names[i + 1]});
        const auto interfaces = addresses.Assign(ends);
        addresses.NewNetwork();
        if (i == 0)
        {
            found[0] = interfaces.GetAddress(0);
        }
        found[i + 1] = interfaces.GetAddress(1);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    stack.AssignStreams(m_network.devices, m_stream);
    return found;
}

std::vector<Ipv4Address>
PacketNetworkBuilder::BuildWifi(const std::set<uint32_t>& active)
{
    NodeContainer all;
    auto positions = CreateObject<ListPositionAllocator>();
    for (const uint32_t i : active)
    {
        all.Add(m_network.devices.Get(i));
        const double angle = 2 * M_PI * i / m_names.size();
        positions->Add(Vector(m_options.wifiDistanceMeters * std::cos(angle),
                              m_options.wifiDistanceMeters * std::sin(angle),
                              0));
    }
    const NodeContainer accessPoint(1);
    all.Add(accessPoint);
    positions->Add(Vector(0, 0, 0));
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(all);
    for (const uint32_t i : active)
    {
        if (m_names[i] == m_options.cutDevice)
        {
            auto position = m_network.devices.Get(i)->GetObject<MobilityModel>();
            Simulator::Schedule(m_options.cutTime,
                                [position] { position->SetPosition(OUT_OF_RANGE); });
        }
    }

    const auto& standard = m_options.wifiStandard;
    WifiHelper wifi;
    wifi.SetStandard(standard == "n"    ? WIFI_STANDARD_80211n
                     : standard == "ac" ? WIFI_STANDARD_80211ac
                                        : WIFI_STANDARD_80211ax);
    wifi.SetRemoteStationManager(m_options.wifiRateControl == "ideal"
                                     ? "ns3::IdealWifiManager"
                                     : "ns3::MinstrelHtWifiManager");
    YansWifiPhyHelper phy;
    const WifiBand& band = *FindWifiBand(standard, m_options.wifiBandGhz);
    YansWifiChannelHelper air;
    air.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    air.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                           "ReferenceLoss",
                           DoubleValue(band.lossAtOneMeterDb));
    phy.SetChannel(air.Create());
    const uint32_t width =
        m_options.wifiChannelMhz ? m_options.wifiChannelMhz : std::min(80U, band.widestMhz);
    phy.Set("ChannelSettings",
            StringValue("{0, " + std::to_string(width) + ", " + band.name + ", 0}"));
    WifiMacHelper mac;
    const SsidValue ssid(Ssid("edgepipe"));
    NetDeviceContainer stations;
    for (const uint32_t i : active)
    {
        // Stations that cannot hear each other and associate at the same instant collide again and
        // again, so each begins a little later than the one before. They do not move and know one
        // access point, so that lost beacons are no reason to look for another; and ns-3.37 aborts
        // when a station gives up while it is associating.
        mac.SetType("ns3::StaWifiMac",
                    "Ssid",
                    ssid,
                    "WaitBeaconTimeout",
                    TimeValue(MilliSeconds(120 + 5 * stations.GetN())),
                    "MaxMissedBeacons",
                    UintegerValue(UINT32_MAX));
        stations.Add(wifi.Install(phy, mac, m_network.devices.Get(i)));
        SetUpRadio(stations.Get(stations.GetN() - 1), m_names[i]);
    }
    mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
    const auto hub = wifi.Install(phy, mac, accessPoint);
    SetUpRadio(hub.Get(0), "access point");
    const NetDeviceContainer devices(stations, hub);
    m_stream += wifi.AssignStreams(devices, m_stream);

    InternetStackHelper stack;
    stack.Install(NodeContainer(m_network.devices, accessPoint));
    stack.AssignStreams(all, m_stream);
    const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
    std::vector<Ipv4Address> found(m_names.size(), Ipv4Address::GetLoopback());
    uint32_t station = 0;
    for (const uint32_t i : active)
    {
        found[i] = interfaces.GetAddress(station);
        // ns-3 drops everything for 100 s after an address was not resolved, such as before the
        // station was associated; hosts try again at the next packet.
        const auto [ip, interface] = interfaces.Get(station);
        auto cache = DynamicCast<Ipv4L3Protocol>(ip)->GetInterface(interface)->GetArpCache();
        cache->SetDeadTimeout(Seconds(1));
        ++station;
    }
    return found;
}

void
PacketNetworkBuilder::SetUpRadio(Ptr<NetDevice> netDevice, const std::string& name)
{
    auto radio = DynamicCast<WifiNetDevice>(netDevice);
    radio->SetMtu(m_options.mtuBytes);
    if (const uint32_t guard = m_options.wifiGuardIntervalNs)
    {
        if (m_options.wifiStandard == "ax")
        {
            radio->GetHeConfiguration()->SetAttribute("GuardInterval",
                                                      TimeValue(NanoSeconds(guard)));
        }
        else
        {
            radio->GetHtConfiguration()->SetAttribute("ShortGuardIntervalSupported",
                                                      BooleanValue(guard == 400));
        }
    }
    PointerValue queue;
    radio->GetMac()->GetAttribute("BE_Txop", queue);
    queue.GetObject()->SetAttribute("AddBaResponseTimeout", TimeValue(ADDBA_TIMEOUT));
    if (auto loss = MakeLoss({}))
    {
        radio->GetPhy()->SetPostReceptionErrorModel(CreateObject<WifiDataLoss>(loss));
    }
    Count(radio->GetPhy(), "PhyTxEnd", name + " -> air");
}

NetDeviceContainer
PacketNetworkBuilder::Wire(Ptr<Node> a,
                           const std::string& nameA,
                           Ptr<Node> b,
                           const std::string& nameB,
                           const std::vector<std::string>& devices)
{
    PointToPointHelper wire;
    wire.SetDeviceAttribute(
        "DataRate",
        DataRateValue(DataRate(std::llround(m_options.bandwidthBitsPerSecond * m_wireShare))));
    wire.SetDeviceAttribute("Mtu", UintegerValue(m_options.mtuBytes));
    wire.SetChannelAttribute("Delay", TimeValue(m_options.delay));
    const auto ends = wire.Install(a, b);
    m_wires.Add(ends);
    TrafficControlHelper queue;
    queue.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue(WIRE_QUEUE));
    queue.Install(ends);
    for (uint32_t end = 0; end < 2; ++end)
    {
        if (auto loss = MakeLoss(devices))
        {
            ends.Get(end)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        Count(ends.Get(end), "PhyTxEnd", (end ? nameB + " -> " + nameA : nameA + " -> " + nameB));
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
