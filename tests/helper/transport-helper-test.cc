// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

#include "ns3/arp-cache.h"
#include "ns3/csma-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

namespace
{

const std::string PACKET = "ns3::edgepipe::PacketTransport"; //!< the one that needs a stack

/** Nodes of a topology made by script, and what they have received. */
class TransportHelperTest : public testing::Test
{
  protected:
    /// Join a star whose nodes' ids are not their numbers.
    void JoinStar(uint32_t leaves)
    {
        const NodeContainer other(1);
        m_nodes = MakeStar(leaves, "100Mbps", "1ms").nodes;
    }

    /// Have each node's messages recorded.
    void ListenAll(Ptr<TensorTransport> transport)
    {
        for (auto node = m_nodes.Begin(); node != m_nodes.End(); ++node)
        {
            transport->Listen(*node,
                              7,
                              Callback<void, const Message&>([this](const Message& message) {
                                  m_received.push_back(message);
                              }));
        }
    }

    /// @return an attribute of a node's Wi-Fi, or of its queue of that name
    static Time ReadWifi(uint32_t node, const std::string& queue, const std::string& attribute)
    {
        const auto wifi = DynamicCast<WifiNetDevice>(NodeList::GetNode(node)->GetDevice(0));
        PointerValue access;
        TimeValue value;
        if (queue.empty())
        {
            wifi->GetMac()->GetAttribute(attribute, value);
            return value.Get();
        }
        wifi->GetMac()->GetAttribute(queue, access);
        access.GetObject()->GetAttribute(attribute, value);
        return value.Get();
    }

    NodeContainer m_nodes;           //!< that send and receive
    std::vector<Message> m_received; //!< in the order of arrival
};

} // namespace

TEST_F(TransportHelperTest, NodesOfAStarReachEachOtherByTheirIds)
{
    JoinStar(3);
    auto transport = TransportHelper(PACKET).Install(m_nodes);
    ListenAll(transport);
    const uint32_t from = m_nodes.Get(2)->GetId();
    const uint32_t to = m_nodes.Get(0)->GetId();
    EXPECT_NE(to, 0U);
    transport->Send({from, to, 7, 42, 100000, "body"});
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    ASSERT_EQ(m_received.size(), 1U);
    EXPECT_EQ(m_received[0].from, from);
    EXPECT_EQ(m_received[0].to, to);
    EXPECT_EQ(m_received[0].tag, 42U);
    EXPECT_EQ(m_received[0].body, "body");
    EXPECT_EQ(transport->GetDeliveredBytes(), 100000U);
}

TEST_F(TransportHelperTest, ABusCarriesMessagesAmongNodesOfTwoInstalls)
{
    m_nodes.Create(4);
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
    const auto devices = bus.Install(m_nodes);
    InternetStackHelper().Install(m_nodes);
    TransportHelper helper(PACKET);
    const NodeContainer half(m_nodes.Get(0), m_nodes.Get(1));
    const NodeContainer rest(m_nodes.Get(2), m_nodes.Get(3));
    auto transport = helper.Install(half);
    EXPECT_EQ(helper.Install(rest), transport);
    // Addresses may come after the transport.
    Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(devices);
    ListenAll(transport);
    for (uint32_t i = 0; i < 4; ++i)
    {
        transport->Send(
            {m_nodes.Get(i)->GetId(), m_nodes.Get((i + 1) % 4)->GetId(), 7, i, 20000, ""});
    }
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(m_received.size(), 4U);
    EXPECT_TRUE(transport->GetPending().empty());
}

TEST_F(TransportHelperTest, ConfigPathsReachTheTransport)
{
    JoinStar(2);
    auto transport = TransportHelper(PACKET).Install(m_nodes);
    uint32_t ended = 0;
    Config::ConnectWithoutContext(
        "/NodeList/1/$ns3::edgepipe::TensorEndpoint/Transport/TransferEnd",
        Callback<void, uint64_t, const Message&>([&](uint64_t, const Message&) { ++ended; }));
    Config::Set("/NodeList/2/$ns3::edgepipe::TensorEndpoint/Transport/SegmentSize",
                UintegerValue(536));
    UintegerValue segment;
    transport->GetAttribute("SegmentSize", segment);
    EXPECT_EQ(segment.Get(), 536U);
    ListenAll(transport);
    transport->Send({m_nodes.Get(0)->GetId(), m_nodes.Get(1)->GetId(), 7, 0, 1000, ""});
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(ended, 1U);
}

TEST_F(TransportHelperTest, ANodeIsReachedAtTheAddressItsEndpointNames)
{
    // Two networks join the nodes, and the first addresses are those of the one that is down.
    m_nodes.Create(2);
    InternetStackHelper().Install(m_nodes);
    PointToPointHelper wire;
    const auto dead = Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(wire.Install(m_nodes));
    const auto live = Ipv4AddressHelper("10.2.0.0", "255.255.255.0").Assign(wire.Install(m_nodes));
    dead.Get(0).first->SetDown(dead.Get(0).second);
    auto transport = TransportHelper(PACKET).Install(m_nodes);
    EXPECT_EQ(TensorEndpoint::FindAddress(m_nodes.Get(1)), dead.GetAddress(1));
    m_nodes.Get(1)->GetObject<TensorEndpoint>()->SetAttribute("Address",
                                                              Ipv4AddressValue(live.GetAddress(1)));
    EXPECT_EQ(TensorEndpoint::FindAddress(m_nodes.Get(1)), live.GetAddress(1));
    ListenAll(transport);
    transport->Send({m_nodes.Get(0)->GetId(), m_nodes.Get(1)->GetId(), 7, 0, 1000, ""});
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(m_received.size(), 1U);
}

TEST_F(TransportHelperTest, TheSimulationsEndDisposesOfTheTransport)
{
    JoinStar(2);
    uint32_t disposed = 0;
    {
        auto transport = TransportHelper(PACKET).Install(m_nodes);
        ListenAll(transport);
        transport->Send({m_nodes.Get(0)->GetId(), m_nodes.Get(1)->GetId(), 7, 0, 100000000, ""},
                        Callback<void>([&disposed] { ++disposed; }));
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        EXPECT_EQ(transport->GetPending().size(), 1U);
        Simulator::Destroy();
        EXPECT_TRUE(transport->GetPending().empty());
        EXPECT_EQ(transport->GetReferenceCount(), 1U); // that of this test
    }
    EXPECT_EQ(disposed, 0U);
}

TEST_F(TransportHelperTest, WhatCannotBeInstalledIsNamed)
{
    EXPECT_EQ(ErrorOf([] { TransportHelper("ns3::TcpCubic"); }),
              "transport: found \"ns3::TcpCubic\", expected a subclass of "
              "ns3::edgepipe::TensorTransport, such as ns3::edgepipe::PacketTransport or "
              "ns3::edgepipe::FlowTransport");
    EXPECT_NE(ErrorOf([] { TransportHelper("PacketTransport"); }), "");
    EXPECT_NE(ErrorOf([] { TransportHelper("ns3::edgepipe::TensorTransport"); }), "");
    TransportHelper helper(PACKET);
    EXPECT_EQ(ErrorOf([&] { helper.Set("Segments", UintegerValue(1)); }),
              "transport: found no attribute \"Segments\" of ns3::edgepipe::PacketTransport that "
              "takes such a value");
    EXPECT_NE(ErrorOf([&] { helper.Set("SegmentSize", BooleanValue(true)); }), "");
    EXPECT_EQ(ErrorOf([&] { helper.Set("SegmentSize", UintegerValue(1000)); }), "");
    EXPECT_EQ(ErrorOf([&] { helper.Set("DelayedAckTimeout", TimeValue(Time(0))); }), "");

    m_nodes.Create(1);
    EXPECT_EQ(ErrorOf([&] { helper.Install(m_nodes); }),
              "node 0: found no TCP, expected an Internet stack to be installed before the "
              "transport");
    InternetStackHelper().Install(m_nodes);
    EXPECT_EQ(ErrorOf([&] { TensorEndpoint::FindTransport(m_nodes.Get(0)); }),
              "node 0: found no transport, expected one installed by TransportHelper");
    EXPECT_EQ(ErrorOf([&] { TensorEndpoint::FindAddress(m_nodes.Get(0)); }),
              "node 0: found no IPv4 address, expected one besides the loopback");
    helper.Install(m_nodes);
    EXPECT_EQ(ErrorOf([&] { helper.Install(m_nodes); }),
              "node 0: found a transport installed already, expected none");
    EXPECT_EQ(ErrorOf([&] { TransportHelper(PACKET).Install(m_nodes); }),
              "node 0: found a transport installed already, expected none");
}

TEST_F(TransportHelperTest, EveryWifiDeviceOfAnOwnScriptLosesTheDefaultsThatStallTcp)
{
    // Nodes 0 to 3 are stations, 4 the access point, which has no transport.
    m_nodes = MakeWifiCell(4, 5).nodes;
    const std::string wifi = "/NodeList/3/DeviceList/0/$ns3::WifiNetDevice/Mac/";
    Config::Set(wifi + "BE_Txop/AddBaResponseTimeout", TimeValue(MilliSeconds(7)));
    Config::Set(wifi + "$ns3::StaWifiMac/WaitBeaconTimeout", TimeValue(MilliSeconds(300)));
    TransportHelper(PACKET).Install({m_nodes.Get(0), m_nodes.Get(1)});
    for (const uint32_t node : {0, 1, 2, 4})
    {
        for (const std::string queue : {"BE_Txop", "BK_Txop", "VI_Txop", "VO_Txop"})
        {
            EXPECT_EQ(ReadWifi(node, queue, "AddBaResponseTimeout"), MilliSeconds(200)) << node;
        }
        const auto ip = NodeList::GetNode(node)->GetObject<Ipv4L3Protocol>();
        EXPECT_EQ(ip->GetInterface(1)->GetArpCache()->GetDeadTimeout(), Seconds(1)) << node;
    }
    for (const uint32_t node : {0, 1, 2})
    {
        EXPECT_EQ(ReadWifi(node, "", "WaitBeaconTimeout"), MilliSeconds(120 + 5 * node));
    }
    // What the script says stands.
    EXPECT_EQ(ReadWifi(3, "BE_Txop", "AddBaResponseTimeout"), MilliSeconds(7));
    EXPECT_EQ(ReadWifi(3, "", "WaitBeaconTimeout"), MilliSeconds(300));
}

TEST_F(TransportHelperTest, DevicesInstalledAfterTheTransportLoseThoseDefaultsToo)
{
    m_nodes.Create(2);
    InternetStackHelper().Install(m_nodes);
    TransportHelper(PACKET).Install(m_nodes);
    Ipv4AddressHelper("10.2.0.0", "255.255.255.0").Assign(CsmaHelper().Install(m_nodes));
    const auto ip = m_nodes.Get(0)->GetObject<Ipv4L3Protocol>();
    const auto cache = ip->GetInterface(1)->GetArpCache();
    EXPECT_EQ(cache->GetDeadTimeout(), Seconds(100));
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    EXPECT_EQ(cache->GetDeadTimeout(), Seconds(1));
    // What ns-3 makes only as the simulation runs.
    TypeId::AttributeInformation room;
    TypeId::LookupByName("ns3::LteRlcUm").LookupAttributeByName("MaxTxBufferSize", &room);
    EXPECT_EQ(room.initialValue->SerializeToString(room.checker), "2200000");
    MakeWifiCell(1, 5);
    EXPECT_EQ(ReadWifi(2, "BE_Txop", "AddBaResponseTimeout"), MilliSeconds(200));
}
