// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/csma-helper.h"
#include "ns3/edgepipe-inference-device.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/yans-wifi-helper.h"

namespace
{

/** What planners are told of the network where a script tells them nothing. */
class FirstBandwidthTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// Join two Pis, a router and a server: a bus of 100 Mbit/s, and a wire of 20 Mbit/s up and 5
    /// down.
    void Join(bool isRouted = true)
    {
        m_all.Create(4);
        InternetStackHelper().Install(m_all);
        CsmaHelper bus;
        bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        addresses.Assign(bus.Install(NodeContainer(m_all.Get(0), m_all.Get(1), m_all.Get(2))));
        addresses.NewNetwork();
        PointToPointHelper wire;
        wire.SetDeviceAttribute("DataRate", StringValue("20Mbps"));
        m_wire = wire.Install(m_all.Get(2), m_all.Get(3));
        m_wire.Get(1)->SetAttribute("DataRate", StringValue("5Mbps"));
        addresses.Assign(m_wire);
        if (isRouted)
        {
            Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        }
        m_job = NodeContainer(m_all.Get(0), m_all.Get(1), m_all.Get(3));
        EdgeDeviceHelper("raspberry-pi-5").Install(m_job);
        TransportHelper("ns3::edgepipe::FlowTransport").Install(m_job);
    }

    NodeContainer m_all;       //!< Pis, router, server
    NodeContainer m_job;       //!< without the router
    NetDeviceContainer m_wire; //!< from the router to the server
};

} // namespace

TEST_F(FirstBandwidthTest, IsTheLeastOnTheWay)
{
    Join();
    const auto server = m_job.Get(2);
    EXPECT_EQ(FindLeastDataRate(m_job.Get(0), m_job.Get(1)), 100e6);
    EXPECT_EQ(FindLeastDataRate(m_job.Get(0), server), 20e6);
    EXPECT_EQ(FindLeastDataRate(server, m_job.Get(0)), 5e6);
    EXPECT_EQ(FindLeastDataRate(m_job, m_job), 5e6);
    EXPECT_EQ(FindLeastDataRate(server, server), 5e6) << "alone, of its own";
}

TEST_F(FirstBandwidthTest, OfEachWayDecidesTheCut)
{
    Join();
    CooperativeInferenceHelper helper("alexnet");
    const auto device =
        DynamicCast<InferenceDevice>(helper.Install(m_job.Get(0), m_job.Get(2)).Get(1));
    std::vector<double> rates;
    Connect(device, "PlanChange", [&rates](const PlanRecord& plan) {
        rates.insert(rates.end(), {plan.uplinkBitsPerSecond, plan.downlinkBitsPerSecond});
    });
    Simulator::Stop(Seconds(0.1));
    Simulator::Run();
    ASSERT_GE(rates.size(), 2U);
    EXPECT_EQ(rates[0], 20e6);
    EXPECT_EQ(rates[1], 5e6);
}

TEST_F(FirstBandwidthTest, WithoutARouteIsTheNodesOwnAndSaysSo)
{
    Join(false);
    testing::internal::CaptureStderr();
    EXPECT_EQ(FindLeastDataRate(m_job, m_job.Get(2)), 5e6);
    EXPECT_EQ(FindLeastDataRate(m_job.Get(0), m_job.Get(1)), 100e6);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("edgepipe: the first plan assumes the DataRate of the nodes' own net "
                        "devices, since node 0: found no route to 10.1.1.2"),
              0U)
        << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(FirstBandwidthTest, IsRefusedWhereALinkHasNoRate)
{
    Join();
    NodeContainer station(1);
    InternetStackHelper().Install(station);
    WifiHelper wifi;
    wifi.SetRemoteStationManager("ns3::IdealWifiManager");
    MobilityHelper().Install(NodeContainer(station, m_all.Get(3)));
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    Ipv4AddressHelper("10.2.0.0", "255.255.255.0")
        .Assign(wifi.Install(phy, mac, NodeContainer(m_all.Get(3), station)));
    Ipv4GlobalRoutingHelper::RecomputeRoutingTables();
    EXPECT_EQ(ErrorOf([&] { FindLeastDataRate(m_job.Get(0), station); }),
              "node 3: found a ns3::WifiNetDevice on the way to node 4, which has no DataRate: "
              "expected SetBandwidth to tell the helper what planners assume");
}
