// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

#include "ns3/edgepipe-edge-device.h"

namespace
{

/** Four nodes of a star made by script, of which the last is no edge device. */
class AllOrNothingTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_nodes = MakeStar(4, "100Mbps", "1ms").nodes;
        m_devices = NodeContainer();
        for (uint32_t i = 0; i < 3; ++i)
        {
            m_devices.Add(m_nodes.Get(i));
        }
        EdgeDeviceHelper("raspberry-pi-5").Install(m_devices);
    }

    /** Give the nodes a transport by packets. */
    void Join()
    {
        TransportHelper("ns3::edgepipe::PacketTransport").Install(m_nodes);
    }

    /// Expect a refusal after which a good Install is the first on its nodes.
    template <typename Action>
    void ExpectNothing(Action action, const std::string& part)
    {
        ExpectError(action, part);
        for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
        {
            EXPECT_EQ(m_nodes.Get(i)->GetNApplications(), 0U) << part << ", node " << i;
        }
        EXPECT_EQ(TensorEndpoint::TakeJob(m_nodes), 0U) << part;
        Simulator::Destroy();
        SetUp();
        Join();
    }

    NodeContainer m_nodes;   //!< of the star
    NodeContainer m_devices; //!< those that are edge devices
};

} // namespace

TEST_F(AllOrNothingTest, OfWorkloads)
{
    Join();
    ExpectNothing(
        [this] {
            CooperativeInferenceHelper("alexnet").Install(
                NodeContainer(m_nodes.Get(0), m_nodes.Get(3)),
                m_nodes.Get(1));
        },
        "node 3 is no edge device");
    ExpectNothing(
        [this] {
            CooperativeInferenceHelper helper("alexnet");
            helper.SetReplannerAttribute("Nonsense", DoubleValue(1));
            helper.Install(m_nodes.Get(0), m_nodes.Get(1));
        },
        "found no \"Nonsense\" of ns3::edgepipe::InferenceReplanner");
    ExpectNothing(
        [this] {
            DataParallelHelper helper("mnist_cnn");
            helper.SetAttribute("Exchange", StringValue("merged-ring"));
            helper.Install(m_devices);
        },
        "whose merged steps are no messages");
    ExpectNothing(
        [this] {
            DataParallelHelper helper("mnist_cnn");
            helper.SetPlannerAttribute("Nonsense", DoubleValue(1));
            helper.Install(m_devices);
        },
        "found no \"Nonsense\" of ns3::edgepipe::");
    ExpectNothing(
        [this] {
            ActorLearnerHelper helper("atari_cnn");
            helper.SetActorAttribute("Unroll", BooleanValue(true));
            helper.Install(m_devices, m_nodes.Get(2));
        },
        "found no \"Unroll\" of ns3::edgepipe::ActorDevice");
    ExpectNothing([this] { PipelineHelper("mnist_cnn").Install(m_nodes); },
                  "node 3 is no edge device");
    ExpectNothing(
        [this] {
            PipelineHelper helper("mnist_cnn");
            helper.SetAdjacentAttribute("Nonsense", DoubleValue(1));
            helper.Install(m_devices);
        },
        "found no \"Nonsense\" of ns3::edgepipe::AdjacentScheduler");
    ExpectNothing([] { PipelineHelper("mnist_cnn").SetSchedule("nonsense"); }, "\"nonsense\"");
}

TEST_F(AllOrNothingTest, OfTypesThatShareAName)
{
    Join();
    DeviceSpec other = m_nodes.Get(0)->GetObject<EdgeDevice>()->GetSpec();
    other.peakFlopPerSecond *= 2;
    const auto spoil = [this, &other] { EdgeDeviceHelper(other).Install(m_nodes.Get(3)); };
    const std::string reason = "\"raspberry-pi-5\": found two with different figures";
    ExpectNothing(
        [&] {
            spoil();
            PipelineHelper("mnist_cnn").Install(m_nodes);
        },
        reason);
    ExpectNothing(
        [&] {
            spoil();
            DataParallelHelper("mnist_cnn").Install(m_nodes);
        },
        reason);
    ExpectNothing(
        [&] {
            spoil();
            CooperativeInferenceHelper("mnist_cnn").Install(m_nodes.Get(0), m_nodes.Get(3));
        },
        reason);
    ExpectNothing(
        [&] {
            spoil();
            ActorLearnerHelper("atari_cnn")
                .Install(NodeContainer(m_nodes.Get(0), m_nodes.Get(3)), m_nodes.Get(1));
        },
        reason);
}

TEST_F(AllOrNothingTest, OfDevicesAndTransports)
{
    EXPECT_THROW(
        EdgeDeviceHelper("raspberry-pi-5").Install(NodeContainer(m_nodes.Get(3), m_nodes.Get(0))),
        InputError);
    EXPECT_FALSE(m_nodes.Get(3)->GetObject<EdgeDevice>());
    const NodeContainer bare(1);
    for (const char* type : {"ns3::edgepipe::PacketTransport", "ns3::edgepipe::FlowTransport"})
    {
        TransportHelper helper(type);
        EXPECT_THROW(helper.Install(NodeContainer(m_nodes, bare)), InputError);
        EXPECT_THROW(helper.Install(NodeContainer(m_nodes, m_nodes.Get(0))), InputError);
        EXPECT_FALSE(m_nodes.Get(0)->GetObject<TensorEndpoint>()) << type;
    }
    Join();
    EXPECT_TRUE(m_nodes.Get(0)->GetObject<TensorEndpoint>());
}

TEST_F(AllOrNothingTest, OfPlannersAttributes)
{
    Join();
    const auto install = [this](const std::string& attribute) {
        return [this, attribute] {
            ActorLearnerHelper helper("atari_cnn");
            helper.SetPlannerAttribute(attribute, DoubleValue(0.5));
            helper.Install(m_devices, m_nodes.Get(2));
        };
    };
    EXPECT_NO_THROW(install("FairnessMargin")());
    Simulator::Destroy();
    SetUp();
    Join();
    ExpectNothing(install("RelativeGap"), "found no \"RelativeGap\" of ns3::edgepipe::DefpPlanner");
}
