// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/point-to-point-helper.h"

namespace
{

/** Workers of a star made by script, and what monitors say. */
class StallMonitorHelperTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_nodes = MakeStar(3, "100Mbps", "1ms").nodes;
        TransportHelper("ns3::edgepipe::FlowTransport").Install(m_nodes);
    }

    /// @return a monitor of all nodes, whose reasons are recorded
    Ptr<StallMonitor> Watch(const Time& timeout)
    {
        StallMonitorHelper helper;
        helper.SetAttribute("Timeout", TimeValue(timeout));
        const auto monitor = helper.Install(m_nodes);
        Connect(monitor, "Stalled", [this](const std::vector<std::string>& reasons) {
            m_reasons = reasons;
        });
        return monitor;
    }

    /// Run until nothing is left to do, or for long. @return when it ended
    static Time Run()
    {
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        return Simulator::Now();
    }

    NodeContainer m_nodes;              //!< of the star
    std::vector<std::string> m_reasons; //!< of a stall
};

/** @return what trains a small model */
PipelineHelper
MakeSmallTraining()
{
    PipelineHelper helper("mnist_cnn");
    helper.SetPlanner("even");
    helper.SetMicroBatches(2, 4);
    return helper;
}

} // namespace

TEST_F(StallMonitorHelperTest, SeveralLetASimulationEndWhoseWorkIsDone)
{
    EdgeDeviceHelper("raspberry-pi-5").Install(m_nodes);
    MakeSmallTraining().Install(m_nodes);
    Watch(Seconds(3));
    Watch(Seconds(5));
    Simulator::Schedule(Seconds(20), [] {});
    Simulator::Schedule(Seconds(30), [] {});
    Simulator::Run();
    EXPECT_TRUE(m_reasons.empty());
    EXPECT_GE(Simulator::Now(), Seconds(30)) << "what was yet to happen has not";
    EXPECT_LE(Simulator::Now(), Seconds(36));
}

TEST_F(StallMonitorHelperTest, EachOfSeveralNoticesAStall)
{
    EdgeDeviceHelper("raspberry-pi-5").Install(m_nodes);
    m_nodes.Get(1)->GetObject<ComputeDevice>()->SetAvailableShare(0);
    MakeSmallTraining().Install(m_nodes);
    Watch(Seconds(8));
    const auto first = Watch(Seconds(3));
    EXPECT_LT(Run(), Seconds(5));
    EXPECT_TRUE(first->HasStalled());
    EXPECT_FALSE(m_reasons.empty());
}

TEST_F(StallMonitorHelperTest, NamesDevicesAsTheyAreWhenItSpeaks)
{
    EdgeDeviceHelper("raspberry-pi-5").Install(m_nodes);
    const auto monitor = Watch(Seconds(3));
    // A node that the monitor has never seen sends to one that it watches.
    NodeContainer late(1);
    InternetStackHelper().Install(late);
    PointToPointHelper wire;
    const auto ends = wire.Install(late.Get(0), m_nodes.Get(0));
    Ipv4AddressHelper("10.9.0.0", "255.255.255.0").Assign(ends);
    Ipv4GlobalRoutingHelper::RecomputeRoutingTables();
    const auto transport = TensorEndpoint::FindTransport(m_nodes.Get(0));
    transport->AddNode(late.Get(0));
    transport->Send({late.Get(0)->GetId(), m_nodes.Get(0)->GetId(), 1, 0, 1000000, ""});
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    ASSERT_EQ(monitor->Diagnose().size(), 1U);
    EXPECT_EQ(monitor->Diagnose()[0].rfind("node " + std::to_string(late.Get(0)->GetId()) +
                                               " -> raspberry-pi-5-0: ",
                                           0),
              0U)
        << monitor->Diagnose()[0];
}

TEST_F(StallMonitorHelperTest, ARefusedTrainingIsReportedByItsRefusal)
{
    EdgeDeviceHelper small("raspberry-pi-5");
    small.SetMemoryAttribute("Capacity", UintegerValue(1000));
    small.Install(m_nodes);
    // What the planner does not know: a plan of one's own is not weighed.
    PipelineHelper helper = MakeSmallTraining();
    helper.SetPlan({{{0, 0, 5}, {1, 6, 11}}});
    helper.Install(m_nodes);
    Watch(Seconds(3));
    EXPECT_LT(Run(), Seconds(5));
    ASSERT_FALSE(m_reasons.empty());
    EXPECT_NE(m_reasons[0].find("weights, gradients, optimizer and tensors at work need "),
              std::string::npos)
        << m_reasons[0];
    for (const auto& reason : m_reasons)
    {
        EXPECT_EQ(reason.find("to accept their assignments"), std::string::npos) << reason;
    }
}

TEST_F(StallMonitorHelperTest, ARefusedDataParallelTrainingToo)
{
    EdgeDeviceHelper small("raspberry-pi-5");
    small.SetMemoryAttribute("Capacity", UintegerValue(1000));
    small.Install(m_nodes);
    DataParallelHelper("mnist_cnn").Install(m_nodes);
    Watch(Seconds(3));
    EXPECT_LT(Run(), Seconds(10));
    ASSERT_FALSE(m_reasons.empty());
    EXPECT_NE(m_reasons[0].find("weights, gradients and optimizer need "), std::string::npos)
        << m_reasons[0];
}

TEST_F(StallMonitorHelperTest, WatchesNothingWhereANodeIsNoDevice)
{
    EdgeDeviceHelper("raspberry-pi-5").Install(NodeContainer(m_nodes.Get(0), m_nodes.Get(1)));
    const auto transport = TensorEndpoint::FindTransport(m_nodes.Get(0));
    const uint32_t before = transport->GetReferenceCount();
    EXPECT_THROW(Watch(Seconds(3)), InputError);
    EXPECT_EQ(transport->GetReferenceCount(), before);
}
