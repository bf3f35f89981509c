// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

#include "ns3/csma-helper.h"
#include "ns3/edgepipe-lte-capacity.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-helper.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/mobility-helper.h"
#include "ns3/point-to-point-epc-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/position-allocator.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/ssid.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/wifi-helper.h"
#include "ns3/yans-wifi-helper.h"

#include <array>
#include <exception>

namespace
{

/// When a simulation ends at the latest, s.
constexpr double LATEST = 1000;
/// First random stream of a Wi-Fi cell, that of NetworkHelper's networks.
constexpr int64_t FIRST_STREAM = 1000;

/// Run transfers, and end the simulation. @return when each arrives, s
std::vector<double>
RunTransfers(Ptr<TensorTransport> transport,
             const NodeContainer& nodes,
             const std::vector<Transfer>& transfers)
{
    std::vector<double> ends(transfers.size(), 0);
    std::size_t left = transfers.size();
    std::exception_ptr refusal;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        transport->Listen(*node, 0, Callback<void, const Message&>([&](const Message& message) {
            ends[message.tag] = Simulator::Now().GetSeconds();
            if (--left == 0)
            {
                Simulator::Stop();
            }
        }));
    }
    for (std::size_t i = 0; i < transfers.size(); ++i)
    {
        const Transfer& transfer = transfers[i];
        const Message message{nodes.Get(transfer.from)->GetId(),
                              nodes.Get(transfer.to)->GetId(),
                              0,
                              i,
                              transfer.bytes,
                              ""};
        // An event that throws is never freed by ns-3.
        Simulator::Schedule(Seconds(transfer.start), [transport, message, &refusal] {
            try
            {
                transport->Send(message);
            }
            catch (...)
            {
                refusal = std::current_exception();
                Simulator::Stop();
            }
        });
    }
    Simulator::Stop(Seconds(LATEST));
    Simulator::Run();
    transport->Dispose();
    Simulator::Destroy();
    if (refusal)
    {
        std::rethrow_exception(refusal);
    }
    return ends;
}

} // namespace

OwnTopology
MakeStar(uint32_t leaves, const std::string& rate, const std::string& delay, uint32_t queue)
{
    OwnTopology made;
    made.nodes.Create(leaves);
    const NodeContainer middle(1);
    InternetStackHelper().Install(NodeContainer(made.nodes, middle));
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue(rate));
    wire.SetChannelAttribute("Delay", StringValue(delay));
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < leaves; ++i)
    {
        const auto ends = wire.Install(made.nodes.Get(i), middle.Get(0));
        if (queue > 0)
        {
            TrafficControlHelper discipline;
            discipline.SetRootQueueDisc("ns3::FifoQueueDisc",
                                        "MaxSize",
                                        StringValue(std::to_string(queue) + "p"));
            discipline.Install(ends);
        }
        addresses.Assign(ends);
        addresses.NewNetwork();
        made.devices.Add(ends.Get(0));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    return made;
}

OwnTopology
MakeChain(const std::string& rate, const std::string& delay)
{
    OwnTopology made;
    made.nodes.Create(4);
    InternetStackHelper().Install(made.nodes);
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue(rate));
    wire.SetChannelAttribute("Delay", StringValue(delay));
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < 3; ++i)
    {
        const auto ends = wire.Install(made.nodes.Get(i), made.nodes.Get(i + 1));
        addresses.Assign(ends);
        addresses.NewNetwork();
        made.devices.Add(ends);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    return made;
}

OwnTopology
MakeBus(uint32_t nodes, const std::string& rate, const std::string& delay)
{
    OwnTopology made;
    made.nodes.Create(nodes);
    InternetStackHelper stack;
    stack.Install(made.nodes);
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", StringValue(rate));
    bus.SetChannelAttribute("Delay", StringValue(delay));
    made.devices = bus.Install(made.nodes);
    stack.AssignStreams(made.nodes, FIRST_STREAM + bus.AssignStreams(made.devices, FIRST_STREAM));
    Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(made.devices);
    return made;
}

OwnTopology
MakeWifiCell(uint32_t stations, double distance, double apart)
{
    OwnTopology made;
    made.nodes.Create(stations);
    const uint32_t cells = apart > 0 ? 2 : 1;
    const auto findCell = [=](uint32_t station) { return station * cells / stations; };
    const NodeContainer accessPoints(cells);
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < stations; ++i)
    {
        const double angle = 2 * M_PI * i / stations;
        places->Add(Vector(apart * findCell(i) + distance * std::cos(angle),
                           distance * std::sin(angle),
                           0));
    }
    places->Add(Vector());
    places->Add(Vector(apart, 0, 0));
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.Install(NodeContainer(made.nodes, accessPoints));
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211n);
    wifi.SetRemoteStationManager("ns3::IdealWifiManager");
    WifiMacHelper mac;
    const std::array<SsidValue, 2> names{SsidValue(Ssid("edgepipe")), SsidValue(Ssid("other"))};
    for (uint32_t i = 0; i < stations; ++i)
    {
        mac.SetType("ns3::StaWifiMac", "Ssid", names[findCell(i)]);
        made.devices.Add(wifi.Install(phy, mac, made.nodes.Get(i)));
    }
    NetDeviceContainer all(made.devices);
    for (uint32_t cell = 0; cell < cells; ++cell)
    {
        mac.SetType("ns3::ApWifiMac", "Ssid", names[cell]);
        all.Add(wifi.Install(phy, mac, accessPoints.Get(cell)));
    }
    int64_t stream = FIRST_STREAM;
    stream += wifi.AssignStreams(all, stream);
    InternetStackHelper stack;
    stack.Install(NodeContainer(made.nodes, accessPoints));
    stack.AssignStreams(NodeContainer(made.nodes, accessPoints), stream);
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    for (uint32_t cell = 0; cell < cells; ++cell)
    {
        const uint32_t begin = cell * stations / cells;
        for (uint32_t i = begin; i < begin + stations / cells; ++i)
        {
            addresses.Assign(all.Get(i));
        }
        addresses.Assign(all.Get(stations + cell));
        addresses.NewNetwork();
    }
    if (cells > 1)
    {
        PointToPointHelper wire;
        wire.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        const auto ends = addresses.Assign(wire.Install(accessPoints));
        const auto leave = [](Ptr<Node> node, Ipv4Address by, uint32_t interface) {
            Ipv4StaticRoutingHelper()
                .GetStaticRouting(node->GetObject<Ipv4>())
                ->SetDefaultRoute(by, interface);
        };
        for (uint32_t i = 0; i < stations; ++i)
        {
            auto hub = accessPoints.Get(findCell(i))->GetObject<Ipv4>();
            leave(made.nodes.Get(i), hub->GetAddress(1, 0).GetLocal(), 1);
        }
        leave(accessPoints.Get(0), ends.GetAddress(1), 2);
        leave(accessPoints.Get(1), ends.GetAddress(0), 2);
    }
    return made;
}

OwnTopology
MakeLteCell(uint32_t stations, double distance, bool isAttached)
{
    OwnTopology made;
    made.nodes.Create(stations + 1);
    const NodeContainer server(made.nodes.Get(stations));
    NodeContainer phones;
    for (uint32_t i = 0; i < stations; ++i)
    {
        phones.Add(made.nodes.Get(i));
    }
    const NodeContainer tower(1);
    MobilityHelper mobility;
    mobility.Install(tower);
    auto places = CreateObject<ListPositionAllocator>();
    places->Add(Vector(distance, 0, 0));
    mobility.SetPositionAllocator(places);
    mobility.Install(phones);

    auto core = CreateObject<PointToPointEpcHelper>();
    auto lte = CreateObject<LteHelper>();
    lte->SetEpcHelper(core);
    lte->SetSchedulerType("ns3::RrFfMacScheduler");
    lte->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
    lte->SetPathlossModelAttribute("ReferenceLoss", DoubleValue(LteRadio::LOSS_AT_ONE_METER_DB));
    lte->SetPathlossModelAttribute("Exponent", DoubleValue(LteRadio::LOSS_EXPONENT));
    InternetStackHelper().Install(made.nodes);
    const auto cell = lte->InstallEnbDevice(tower);
    DynamicCast<LteEnbNetDevice>(cell.Get(0))->GetPhy()->SetTxPower(LteRadio::BASE_STATION_DBM);
    made.devices = lte->InstallUeDevice(phones);
    core->AssignUeIpv4Address(made.devices);
    const auto route = [](Ptr<Node> node) {
        return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
    };
    for (uint32_t i = 0; i < stations; ++i)
    {
        DynamicCast<LteUeNetDevice>(made.devices.Get(i))
            ->GetPhy()
            ->SetTxPower(LteRadio::DEVICE_DBM);
        route(phones.Get(i))->SetDefaultRoute(core->GetUeDefaultGatewayAddress(), 1);
    }
    if (isAttached)
    {
        lte->Attach(made.devices, cell.Get(0));
    }
    PointToPointHelper cable;
    cable.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    const auto ends = cable.Install(core->GetPgwNode(), server.Get(0));
    const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.255.252").Assign(ends);
    route(server.Get(0))->SetDefaultRoute(addresses.GetAddress(0), 1);
    Simulator::ScheduleDestroy([lte, core] {
        lte->Dispose();
        core->Dispose();
    });
    return made;
}

std::vector<double>
RunOwn(const std::string& fidelity,
       const TopologyMaker& make,
       const std::vector<Transfer>& transfers,
       const TransportSetter& set)
{
    Ipv4AddressGenerator::Reset();
    Mac48Address::ResetAllocationIndex();
    const OwnTopology made = make();
    TransportHelper helper("ns3::edgepipe::" + fidelity + "Transport");
    if (set)
    {
        set(helper, made);
    }
    return RunTransfers(helper.Install(made.nodes), made.nodes, transfers);
}

std::vector<double>
RunOptions(const NetworkOptions& options, uint32_t devices, const std::vector<Transfer>& transfers)
{
    std::vector<std::string> names;
    std::set<uint32_t> all;
    for (uint32_t i = 0; i < devices; ++i)
    {
        names.push_back("d" + std::to_string(i));
        all.insert(i);
    }
    const Network network = NetworkHelper(options, names).Build(all);
    return RunTransfers(network.transport, network.devices, transfers);
}
