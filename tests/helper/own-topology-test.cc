// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "own-topology.h"

#include "ns3/aodv-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/olsr-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/ssid.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

#include <cstdio>

namespace
{

/// @return a small message that opens the connection, and the transfer
std::vector<Transfer>
One(uint64_t bytes, double begin)
{
    return {{begin - 0.5, 0, 3, 16}, {begin, 0, 3, bytes}};
}

/// @return they, and two of half as much a little later, which cross them
std::vector<Transfer>
Cross(uint64_t bytes, double begin)
{
    return {{begin, 0, 3, bytes},
            {begin, 3, 0, bytes},
            {begin, 1, 2, bytes},
            {begin + 0.1, 0, 1, bytes / 2},
            {begin + 0.1, 2, 3, bytes / 2}};
}

/// @return from the last start to the last arrival, s
double
GetSeconds(const std::vector<Transfer>& transfers, const std::vector<double>& ends)
{
    double start = 0;
    for (const auto& transfer : transfers)
    {
        start = std::max(start, transfer.start);
    }
    EXPECT_GT(*std::min_element(ends.begin(), ends.end()), 0) << "one has not arrived";
    return *std::max_element(ends.begin(), ends.end()) - start;
}

/** A topology at both fidelities. */
struct Peer
{
    std::string name;   //!< of the test
    TopologyMaker make; //!< makes it
    uint64_t bytes;     //!< of a transfer
    double begin;       //!< of the transfers, s
    double tolerance;   //!< largest difference, relative
    uint32_t runs;      //!< of packets, whose random numbers differ; their mean counts
};

/// Topologies at both fidelities.
using OwnTopologyPeerTest = ::testing::TestWithParam<Peer>;

/** @return name of a test */
std::string
NamePeer(const testing::TestParamInfo<Peer>& info)
{
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Own,
    OwnTopologyPeerTest,
    ::testing::Values(
        Peer{"star", [] { return MakeStar(4, "100Mbps", "1ms"); }, 10000000, 1, 0.05, 1},
        Peer{"chain", [] { return MakeChain("100Mbps", "1ms"); }, 10000000, 1, 0.05, 1},
        Peer{"bus10", [] { return MakeBus(4, "10Mbps", "1us"); }, 1000000, 1, 0.05, 4},
        Peer{"wifi", [] { return MakeWifiCell(4, 5); }, 2500000, 1, 0.1, 3}),
    NamePeer);
INSTANTIATE_TEST_SUITE_P(
    Long,
    OwnTopologyPeerTest,
    ::testing::Values(
        Peer{"longChain", [] { return MakeChain("100Mbps", "7ms"); }, 10000000, 1, 0.15, 1},
        Peer{"bus100", [] { return MakeBus(4, "100Mbps", "6560ns"); }, 4000000, 1, 0.05, 4},
        Peer{"longBus", [] { return MakeBus(4, "100Mbps", "100us"); }, 4000000, 1, 0.1, 4},
        Peer{"wifiFar", [] { return MakeWifiCell(4, 20); }, 2500000, 1, 0.1, 3},
        Peer{"wifiTwo", [] { return MakeWifiCell(4, 5, 30); }, 2500000, 1, 0.2, 3},
        Peer{"wifiTwoApart", [] { return MakeWifiCell(4, 5, 100); }, 2500000, 1, 0.1, 3}),
    NamePeer);

/// Expect transfers that arrive at one time or another to take as long.
void
ExpectAlike(const std::vector<Transfer>& transfers,
            const std::vector<double>& own,
            const std::vector<double>& ours)
{
    for (std::size_t i = 0; i < own.size(); ++i)
    {
        const double start = transfers[i].start;
        EXPECT_NEAR((own[i] - start) / (ours[i] - start), 1, 0.01) << i;
    }
}

/// Networks that only one test needs.
class OwnTopologyTest : public testing::Test
{
  protected:
    /// @param make makes a topology of which node 0 sends to node 1 at 1 s
    /// @return what the InputError says, empty if there is none
    static std::string FindError(const TopologyMaker& make)
    {
        return ErrorOf([&make] { RunOwn("Flow", make, {{1, 0, 1, 1000}}); });
    }
};

/// @param use number of the one that is routed over, 0 or 1
/// @return a wire of 100 Mbit/s and one of 10 Mbit/s
OwnTopology
MakeTwoWires(uint32_t use)
{
    OwnTopology made;
    made.nodes.Create(2);
    InternetStackHelper().Install(made.nodes);
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    for (const std::string rate : {"100Mbps", "10Mbps"})
    {
        PointToPointHelper wire;
        wire.SetDeviceAttribute("DataRate", StringValue(rate));
        const auto ends = wire.Install(made.nodes);
        addresses.Assign(ends);
        addresses.NewNetwork();
        made.devices.Add(ends);
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        // More specific than those of the wires themselves, and the first of its kind is taken.
        const std::string next = use == 0 ? "10.1.0." : "10.1.1.";
        Ipv4StaticRoutingHelper()
            .GetStaticRouting(made.nodes.Get(i)->GetObject<Ipv4>())
            ->AddHostRouteTo(Ipv4Address(i == 0 ? "10.1.0.2" : "10.1.0.1"),
                             Ipv4Address((next + (i == 0 ? "2" : "1")).c_str()),
                             use + 1);
    }
    return made;
}

/// Ideal seconds of 10 MB of payload at 100 Mbit/s, over a wire.
const double TEN_MEGABYTES = 1e7 * 8 / 100e6 * 1502 / 1448;

} // namespace

TEST_P(OwnTopologyPeerTest, FlowsTakeAsLongAsPackets)
{
    const Peer& peer = GetParam();
    for (const auto& transfers : {One(2 * peer.bytes, peer.begin), Cross(peer.bytes, peer.begin)})
    {
        double packet = 0;
        for (uint32_t run = 1; run <= peer.runs; ++run)
        {
            RngSeedManager::SetRun(run);
            packet += GetSeconds(transfers, RunOwn("Packet", peer.make, transfers)) / peer.runs;
        }
        const double flow = GetSeconds(transfers, RunOwn("Flow", peer.make, transfers));
        EXPECT_NEAR(flow / packet, 1, peer.tolerance) << transfers.size() << " transfers";
    }
}

TEST_F(OwnTopologyTest, AStarIsTheLanOfTheOptions)
{
    NetworkOptions options;
    SetRate(options, 100e6);
    const auto rate = std::to_string(std::llround(100e6 * 1502 / 1538)) + "bps";
    const TopologyMaker make = [rate] { return MakeStar(4, rate, "20us", 1000); };
    const auto transfers = Cross(3000000, 1);
    for (const std::string fidelity : {"Flow", "Packet"})
    {
        SCOPED_TRACE(fidelity);
        options.fidelity = fidelity == "Flow" ? "flow" : "packet";
        ExpectAlike(transfers,
                    RunOwn(fidelity, make, transfers),
                    RunOptions(options, 4, transfers));
    }
}

TEST_F(OwnTopologyTest, AWifiCellIsThatOfTheOptions)
{
    NetworkOptions options;
    options.SetLink("wifi");
    options.Set("WifiStandard", StringValue("n"));
    options.Set("WifiWidth", UintegerValue(20));
    options.Set("Distance", DoubleValue(5));
    options.mtuBytes = 1000;
    const TopologyMaker make = [] { return MakeWifiCell(4, 5); };
    const auto crossing = Cross(1000000, 1);
    const TransportSetter set = [](TransportHelper& transport, auto&) {
        transport.Set("SegmentSize", UintegerValue(1000 - 52));
    };
    ExpectAlike(crossing, RunOwn("Flow", make, crossing, set), RunOptions(options, 4, crossing));
    // Packets have other random numbers: a transfer that averages over them.
    options.fidelity = "packet";
    const auto lone = One(5000000, 1);
    EXPECT_NEAR(GetSeconds(lone, RunOwn("Packet", make, lone, set)) /
                    GetSeconds(lone, RunOptions(options, 4, lone)),
                1,
                0.01);
}

TEST_F(OwnTopologyTest, AnLteCellIsThatOfTheOptions)
{
    NetworkOptions options;
    options.SetLink("lte");
    options.Set("Distance", DoubleValue(500));
    options.wiredDevices = {"d3"};
    const auto transfers = Cross(1000000, 1);
    const TopologyMaker make = [] { return MakeLteCell(3, 500); };
    ExpectAlike(transfers, RunOwn("Flow", make, transfers), RunOptions(options, 4, transfers));
    const auto lone = One(2000000, 1);
    const double packet = GetSeconds(lone, RunOwn("Packet", make, lone));
    EXPECT_NEAR(GetSeconds(lone, RunOwn("Flow", make, lone)) / packet, 1, 0.1);
}

TEST_F(OwnTopologyTest, PathsAreThoseOfTheNodesRouting)
{
    const std::vector<Transfer> transfers{{0, 0, 1, 10000000}};
    for (const uint32_t use : {0, 1})
    {
        const auto ends = RunOwn(
            "Flow",
            [use] { return MakeTwoWires(use); },
            transfers);
        EXPECT_NEAR(ends[0], (use == 0 ? 1 : 10) * TEN_MEGABYTES, 0.02 * ends[0]);
    }
}

TEST_F(OwnTopologyTest, ARouteThatChangesIsTakenUpWithinThePeriod)
{
    // Half of the bytes go by the fast wire, which then gets a tenth of its rate.
    const double slow = 0.5 * TEN_MEGABYTES;
    for (const bool isRead : {false, true})
    {
        const auto ends = RunOwn(
            "Flow",
            [slow] {
                const OwnTopology made = MakeTwoWires(0);
                for (uint32_t end = 0; end < 2; ++end)
                {
                    Simulator::Schedule(Seconds(slow), [device = made.devices.Get(end)] {
                        device->SetAttribute("DataRate", StringValue("10Mbps"));
                    });
                }
                return made;
            },
            {{0, 0, 1, 10000000}},
            [isRead](TransportHelper& helper, const OwnTopology&) {
                helper.Set("RoutePeriod", TimeValue(isRead ? MilliSeconds(10) : Time()));
            });
        EXPECT_NEAR(ends[0], isRead ? 11 * slow : TEN_MEGABYTES, 0.02 * ends[0]);
    }
    // Then the fast wire goes down, and the route moves to the other.
    const auto ends = RunOwn(
        "Flow",
        [slow] {
            const OwnTopology made = MakeTwoWires(0);
            Simulator::Schedule(Seconds(slow), [nodes = made.nodes] {
                for (uint32_t i = 0; i < 2; ++i)
                {
                    auto ip = nodes.Get(i)->GetObject<Ipv4>();
                    auto routes = Ipv4StaticRoutingHelper().GetStaticRouting(ip);
                    ip->SetDown(1);
                    routes->AddHostRouteTo(Ipv4Address(i == 0 ? "10.1.0.2" : "10.1.0.1"),
                                           Ipv4Address(i == 0 ? "10.1.1.2" : "10.1.1.1"),
                                           2);
                }
            });
            return made;
        },
        {{0, 0, 1, 10000000}},
        [](TransportHelper& helper, const OwnTopology&) {
            helper.Set("RoutePeriod", TimeValue(MilliSeconds(10)));
        });
    EXPECT_NEAR(ends[0], 11 * slow, 0.02 * ends[0]);
}

TEST_F(OwnTopologyTest, BackgroundTrafficTakesItsRateWhileItLasts)
{
    const auto run = [](const Time& stop) {
        return RunOwn(
            "Flow",
            [] { return MakeTwoWires(0); },
            {{0, 0, 1, 10000000}},
            [stop](TransportHelper& helper, const OwnTopology& made) {
                helper.AddBackground(made.nodes.Get(0),
                                     made.nodes.Get(1),
                                     DataRate("50Mbps"),
                                     Time(),
                                     stop);
            })[0];
    };
    EXPECT_NEAR(run(Seconds(100)), 2 * TEN_MEGABYTES, 0.02);
    EXPECT_NEAR(run(Seconds(0.4)), TEN_MEGABYTES + 0.2, 0.02);
}

TEST_F(OwnTopologyTest, DevicesThatFlowsCannotReadHaveToBeDeclared)
{
    const TopologyMaker make = [] {
        OwnTopology made;
        made.nodes.Create(2);
        InternetStackHelper().Install(made.nodes);
        made.devices = SimpleNetDeviceHelper().Install(made.nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(made.devices);
        return made;
    };
    EXPECT_EQ(FindError(make),
              "node 0: found a ns3::SimpleNetDevice on the way to node 1, whose capacity flows "
              "cannot read: expected TransportHelper::DeclareCapacity to tell it");
    Simulator::Destroy();
    for (const bool isShared : {false, true})
    {
        const auto ends =
            RunOwn("Flow",
                   make,
                   {{0, 0, 1, 10000000}, {0, 1, 0, 10000000}},
                   [isShared](TransportHelper& helper, const OwnTopology& made) {
                       helper.DeclareCapacity(made.devices,
                                              {DataRate("100Mbps"), MilliSeconds(1), isShared});
                   });
        EXPECT_NEAR(ends[0], (isShared ? 2 : 1) * TEN_MEGABYTES, 0.05 * ends[0]);
    }
}

TEST_F(OwnTopologyTest, ARouteThatWasNotComparedWithPacketsIsToldOfOnce)
{
    const auto tell = [](const TopologyMaker& make, const TransportSetter& set = nullptr) {
        testing::internal::CaptureStderr();
        RunOwn("Flow", make, {{1, 0, 3, 1000}, {1, 3, 0, 1000}}, set);
        return testing::internal::GetCapturedStderr();
    };
    const std::string checks = ", where they have hardly been compared with packets; "
                               "ns3::edgepipe::PacketTransport checks a result\n";
    EXPECT_EQ(tell([] { return MakeStar(4, "100Mbps", "1ms"); }), "");
    EXPECT_EQ(tell([] { return MakeWifiCell(4, 5); }), "");
    EXPECT_EQ(tell([] { return MakeWifiCell(4, 5, 100); }),
              "edgepipe: flows from node 0 to node 3 cross several media that are no wires" +
                  checks);
    EXPECT_EQ(
        tell([] { return MakeBus(4, "100Mbps", "1us"); },
             [](TransportHelper& helper, const OwnTopology& made) {
                 helper.DeclareCapacity(made.devices, {DataRate("6Mbps"), MilliSeconds(1), true});
             }),
        "edgepipe: flows from node 0 to node 3 cross a medium that was declared or is the "
        "user's own" +
            checks);
}

TEST_F(OwnTopologyTest, RoutesThatDoNotExistYetAreRefusedAndThoseOfOlsrFound)
{
    const TopologyMaker make = [] {
        OwnTopology made;
        made.nodes.Create(3);
        OlsrHelper olsr;
        InternetStackHelper stack;
        stack.SetRoutingHelper(olsr);
        stack.Install(made.nodes);
        olsr.AssignStreams(made.nodes, 1);
        PointToPointHelper wire;
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        for (uint32_t i = 0; i < 2; ++i)
        {
            addresses.Assign(wire.Install(made.nodes.Get(i), made.nodes.Get(i + 1)));
            addresses.NewNetwork();
        }
        return made;
    };
    EXPECT_GT(RunOwn("Flow", make, {{20, 0, 2, 1000}})[0], 20);
    EXPECT_THROW(RunOwn("Flow", make, {{0.001, 0, 2, 1000}}), InputError);
}

TEST_F(OwnTopologyTest, ReactiveRoutingIsRefused)
{
    const auto error = FindError([] {
        OwnTopology made;
        made.nodes.Create(2);
        InternetStackHelper stack;
        stack.SetRoutingHelper(AodvHelper());
        stack.Install(made.nodes);
        PointToPointHelper wire;
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(wire.Install(made.nodes));
        return made;
    });
    EXPECT_EQ(error,
              "node 0: found routing by ns3::aodv::RoutingProtocol, expected static, global or "
              "OLSR: at flow level no packet asks for a route");
}

TEST_F(OwnTopologyTest, OfAccessPointsWithOneSsidTheOneItIsAssociatedWithCounts)
{
    const TopologyMaker make = [] {
        OwnTopology made = MakeWifiCell(2, 5);
        // The first one goes far away, and another takes its place.
        const auto device = DynamicCast<WifiNetDevice>(made.devices.Get(0));
        NodeList::GetNode(2)->GetObject<MobilityModel>()->SetPosition(Vector(0, 30, 0));
        const NodeContainer accessPoint(1);
        MobilityHelper().Install(accessPoint);
        YansWifiPhyHelper phy;
        phy.SetChannel(DynamicCast<YansWifiChannel>(device->GetPhy()->GetChannel()));
        phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));
        WifiHelper wifi;
        wifi.SetStandard(WIFI_STANDARD_80211n);
        wifi.SetRemoteStationManager("ns3::IdealWifiManager");
        WifiMacHelper mac;
        mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("edgepipe")));
        wifi.Install(phy, mac, accessPoint);
        return made;
    };
    const std::vector<Transfer> transfers{{1, 0, 1, 1000000}};
    const double near = RunOwn(
                            "Flow",
                            [] { return MakeWifiCell(2, 5); },
                            transfers)[0] -
                        1;
    const double far = RunOwn(
                           "Flow",
                           [] { return MakeWifiCell(2, 30); },
                           transfers)[0] -
                       1;
    EXPECT_GT(far, 1.2 * near) << "the distance does not matter";
    EXPECT_NEAR((RunOwn("Flow", make, transfers)[0] - 1) / near, 1, 0.01);
    EXPECT_EQ(ErrorOf([&make] {
                  RunOwn("Flow", make, {{0.001, 0, 1, 1000}});
              }),
              "node 0: found 2 access points of its SSID on its Wi-Fi device, expected one, or the "
              "first message after it has associated with one of them, or "
              "TransportHelper::DeclareCapacity");
}

TEST_F(OwnTopologyTest, PathLossByChanceIsRefused)
{
    const auto error = FindError([] {
        OwnTopology made = MakeWifiCell(2, 5);
        PointerValue loss;
        DynamicCast<WifiNetDevice>(made.devices.Get(0))
            ->GetPhy()
            ->GetChannel()
            ->GetAttribute("PropagationLossModel", loss);
        loss.Get<PropagationLossModel>()->SetNext(CreateObject<NakagamiPropagationLossModel>());
        return made;
    });
    EXPECT_EQ(error,
              "node 0: found ns3::NakagamiPropagationLossModel on its channel, expected path loss "
              "without chance at flow level, or TransportHelper::DeclareCapacity");
}

TEST_F(OwnTopologyTest, AnLteDeviceThatIsNotAttachedYetIsRefused)
{
    EXPECT_EQ(
        FindError([] { return MakeLteCell(1, 500, false); }),
        "node 0: found its LTE device attached to no base station, expected the first message "
        "after it is, or TransportHelper::DeclareCapacity");
}

TEST_F(OwnTopologyTest, ARefusedMessageLeavesNothingBehind)
{
    NodeContainer nodes(3);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.1.0.0", "255.255.255.0")
        .Assign(PointToPointHelper().Install(nodes.Get(0), nodes.Get(1)));
    const auto transport = TransportHelper("ns3::edgepipe::FlowTransport").Install(nodes);
    bool hasArrived = false;
    transport->Listen(1, 0, Callback<void, const Message&>([&hasArrived](const Message&) {
                          hasArrived = true;
                      }));
    EXPECT_THROW(transport->Send({0, 2, 0, 0, 1000, ""}), InputError);
    EXPECT_THROW(transport->Send({0, 2, 0, 0, 1000, ""}), InputError);
    EXPECT_TRUE(transport->GetPending().empty());
    transport->Send({0, 1, 0, 0, 1000, ""});
    Simulator::Run();
    EXPECT_TRUE(hasArrived);
}
