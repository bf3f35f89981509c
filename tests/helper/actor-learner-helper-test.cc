// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

#include "ns3/names.h"
#include "ns3/pointer.h"

namespace
{

/** Three actors and a server of a star made by script. */
class ActorLearnerHelperTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        const auto star = MakeStar(4, "100Mbps", "1ms");
        m_actors = NodeContainer(star.nodes.Get(0), star.nodes.Get(1), star.nodes.Get(2));
        m_server = star.nodes.Get(3);
    }

    /** Make the nodes edge devices with a transport. */
    void Equip()
    {
        EdgeDeviceHelper("raspberry-pi-4b").Install(m_actors);
        EdgeDeviceHelper("v100").Install(m_server);
        TransportHelper("ns3::edgepipe::PacketTransport")
            .Install(NodeContainer(m_actors, m_server));
    }

    /** @param applications whose steps are counted from now on */
    void CountSteps(const ApplicationContainer& applications)
    {
        for (uint32_t i = 1; i < applications.GetN(); ++i)
        {
            Connect(applications.Get(i), "StepEnd", [this](const StepRecord& step) {
                ++m_steps[step.actor];
            });
        }
    }

    NodeContainer m_actors;               //!< of the star
    Ptr<Node> m_server;                   //!< of the star
    std::map<uint32_t, uint32_t> m_steps; //!< ended, by node
};

} // namespace

TEST_F(ActorLearnerHelperTest, ActorsOfAStarStepFromTheirStartToTheirStop)
{
    Equip();
    ActorLearnerHelper helper("atari_cnn");
    helper.SetActorAttribute("EnvironmentSeconds",
                             StringValue("ns3::UniformRandomVariable[Min=0.04|Max=0.06]"));
    const auto applications = helper.Install(m_actors, m_server);
    EXPECT_EQ(Simulator::Now(), Time());
    ASSERT_EQ(applications.GetN(), 4U);
    // Every actor draws from a variable of its own.
    EXPECT_EQ(ActorLearnerHelper::AssignStreams(applications, 50), 3);
    PointerValue first;
    PointerValue second;
    applications.Get(1)->GetAttribute("EnvironmentSeconds", first);
    applications.Get(2)->GetAttribute("EnvironmentSeconds", second);
    EXPECT_NE(first.GetObject(), second.GetObject());
    UintegerValue stepBytes;
    applications.Get(1)->GetAttribute("StepBytes", stepBytes);
    EXPECT_EQ(stepBytes.Get(), 4U * 84 * 84); // four frames of an Atari game

    applications.Get(1)->SetStopTime(Seconds(2));
    applications.Get(2)->SetStartTime(Seconds(2));
    CountSteps(applications);
    std::vector<uint32_t> present;
    Connect(applications.Get(0), "PlanChange", [&present](const PlanChangeRecord& change) {
        present.push_back(change.actors);
    });
    Simulator::Stop(Seconds(4));
    Simulator::Run();
    EXPECT_EQ(present, (std::vector<uint32_t>{1, 2, 3, 2}));
    const uint32_t half = m_steps[m_actors.Get(0)->GetId()];
    EXPECT_GT(half, 20U);
    EXPECT_GT(m_steps[m_actors.Get(1)->GetId()], 20U);
    EXPECT_GT(m_steps[m_actors.Get(2)->GetId()], 1.7 * half);
}

TEST_F(ActorLearnerHelperTest, TellsTheServerOfTheWireAndTheDevice)
{
    Equip();
    const auto install = [this](const std::string& planner, auto change) {
        ActorLearnerHelper helper("atari_cnn");
        helper.SetPlanner(planner);
        change(helper);
        const auto applications = helper.Install(m_actors, m_server);
        CountSteps(applications);
        return DynamicCast<ActorServer>(applications.Get(0));
    };
    double asked = 0;
    // A wire of 100 Mbit/s as it is, one that is told to be fast, one that is asked for; the first
    // with a planner that is an object.
    const auto own = install("all-server", [](auto& helper) {
        helper.SetPlanner(FindByName<MultiActorPlanner>("planner", "igreedy"));
    });
    const auto told =
        install("igreedy", [](auto& helper) { helper.SetBandwidth(DataRate("10Gbps")); });
    const auto oracle = install("igreedy", [&](auto& helper) {
        helper.SetCapacity([&](uint32_t from, uint32_t to) {
            EXPECT_EQ(to, m_server->GetId());
            asked += 1;
            return 1e10;
        });
    });
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    const auto sum = [](const auto& server) {
        std::size_t cuts = 0;
        for (const auto& [actor, cut] : server->GetReplanner()->GetCuts())
        {
            cuts += cut;
        }
        return cuts;
    };
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(sum(told), sum(oracle));
    EXPECT_GT(sum(own), sum(told));
}

TEST_F(ActorLearnerHelperTest, TwoJobsAndAPipelineShareNodes)
{
    Equip();
    ActorLearnerHelper helper("atari_cnn");
    CountSteps(helper.Install(m_actors, m_server));
    helper.SetPlanner("all-server");
    const auto second = helper.Install(NodeContainer(m_actors.Get(0), m_actors.Get(1)), m_server);
    UintegerValue number;
    second.Get(1)->GetAttribute("JobNumber", number);
    EXPECT_EQ(number.Get(), 1U);
    uint32_t served = 0;
    Connect(second.Get(0), "Served", [&served](const ServedRecord&) { ++served; });
    PipelineHelper pipeline("mnist_cnn");
    pipeline.SetPlanner("even");
    uint32_t iterations = 0;
    Connect(pipeline.Install(m_actors).Get(0), "IterationEnd", [&iterations](uint32_t) {
        ++iterations;
    });
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    EXPECT_EQ(m_steps.size(), 3U);
    EXPECT_GT(served, 10U);
    EXPECT_EQ(iterations, 1U);
}

TEST_F(ActorLearnerHelperTest, ConfigPathsReachTheApplications)
{
    Equip();
    ActorLearnerHelper helper("atari_cnn");
    helper.SetActorAttribute("JoinAtStart", BooleanValue(false));
    const auto applications = helper.Install(m_actors, m_server);
    const std::string path = "/NodeList/*/ApplicationList/*/$ns3::edgepipe::";
    Config::Set(path + "ActorDevice/Unroll", UintegerValue(7));
    Config::Set(path + "ActorServer/Learner/BatchSteps", UintegerValue(70));
    UintegerValue found;
    applications.Get(3)->GetAttribute("Unroll", found);
    EXPECT_EQ(found.Get(), 7U);
    const auto learner = DynamicCast<ActorServer>(applications.Get(0))->GetLearner();
    learner->GetAttribute("BatchSteps", found);
    EXPECT_EQ(found.Get(), 70U);
    uint32_t joined = 0;
    Config::ConnectWithoutContext(
        path + "ActorServer/PlanChange",
        Callback<void, const PlanChangeRecord&>([&joined](const PlanChangeRecord&) { ++joined; }));
    const auto actor = DynamicCast<ActorDevice>(applications.Get(2));
    Simulator::Schedule(Seconds(1), &ActorDevice::Join, actor);
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    EXPECT_EQ(joined, 1U);
    EXPECT_TRUE(actor->IsIn());
}

TEST_F(ActorLearnerHelperTest, WhatCannotBeInstalledIsNamed)
{
    ExpectError([] { ActorLearnerHelper("no_such_model"); }, "no_such_model");
    ActorLearnerHelper helper("atari_cnn");
    ExpectError([&] { helper.SetPlanner("best"); }, "defp");
    const std::string server = "node " + std::to_string(m_server->GetId());
    EXPECT_EQ(ErrorOf([&] { helper.Install(m_actors, m_server); }),
              server + " is no edge device, expected EdgeDeviceHelper::Install before");
    EdgeDeviceHelper("raspberry-pi-4b").Install(NodeContainer(m_actors, m_server));
    ExpectError([&] { helper.Install(m_actors, m_server); }, "found no transport");
    TransportHelper("ns3::edgepipe::PacketTransport").Install(NodeContainer(m_actors, m_server));
    EXPECT_EQ(ErrorOf([&] { helper.Install(m_actors, m_server); }), "");
    ActorLearnerHelper given({{10, 20}, {100, 50, 1}, 1}, {1, 1});
    ExpectError([&] { given.Install(m_actors, m_server); }, "found no speed");
    ExpectError(
        [&] {
            ActorLearnerHelper({{10, 20}, {100, 50, 1}, 1}, {1}).Install(m_actors, m_server);
        },
        "parameters of 1 layers, expected 2");
}
