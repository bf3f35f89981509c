/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replan-fixture.h"

#include "ns3/edgepipe-link-beliefs.h"
#include "ns3/edgepipe-pipeline-cost-model.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** @return two fast devices and, between them, a slow one */
PipelineProblem
MakeProblem()
{
    PipelineProblem problem = MakePipeline("exact").problem;
    problem.devices.resize(3);
    problem.devices[1].uplinkBitsPerSecond = 1e6;
    problem.devices[1].downlinkBitsPerSecond = 4e6;
    return problem;
}

TEST(LinkBeliefs, AMeasurementTellsOfTheSlowerEnd)
{
    LinkBeliefs links(MakeProblem());
    links.Tell({{1, 2, 1.03e6}}); // as believed
    EXPECT_EQ(links.GetUplinks(), (std::vector<double>{1e8, 1e6, 1e8}));
    links.Tell({{1, 2, 523e3}});
    EXPECT_EQ(links.GetUplinks(), (std::vector<double>{1e8, 520e3, 1e8}));
    EXPECT_EQ(links.GetDownlinks(), (std::vector<double>{1e8, 4e6, 1e8}));
    links.Tell({{1, 2, 8.51e6}});
    EXPECT_EQ(links.GetUplinks()[1], 8.5e6);
    EXPECT_EQ(links.GetDownlinks()[2], 1e8);
    links.Tell({{0, 1, 2e8}});
    EXPECT_EQ(links.GetUplinks()[0], 2e8);
    EXPECT_EQ(links.GetDownlinks()[1], 2e8);
}

TEST(LinkBeliefs, OfLikeEndsBothAreDoubtedUntilAnotherPairClearsOne)
{
    LinkBeliefs links(MakeProblem());
    links.Tell({{0, 2, 3e7}});
    EXPECT_EQ(links.GetUplinks()[0], 3e7);
    EXPECT_EQ(links.GetDownlinks()[2], 3e7);
    links.Tell({{2, 0, 1e8}, {0, 2, 1e8}});
    EXPECT_EQ(links.GetUplinks()[0], 1e8);
    EXPECT_EQ(links.GetDownlinks()[2], 1e8);
}

TEST(LinkBeliefs, ALinkThatIsSlowWithBothNeighboursIsToBlame)
{
    PipelineProblem problem = MakeProblem();
    problem.devices[1].uplinkBitsPerSecond = problem.devices[1].downlinkBitsPerSecond = 0;
    LinkBeliefs links(problem);
    links.Tell({{0, 1, 2e6}, {1, 0, 1e6}, {1, 2, 1e6}, {2, 1, 2e6}});
    EXPECT_EQ(links.GetUplinks(), (std::vector<double>{1e8, 1e6, 1e8}));
    EXPECT_EQ(links.GetDownlinks(), (std::vector<double>{1e8, 2e6, 1e8}));
}

/** Devices on wires of their own, one of which changes in mid-run. */
class MixedReplan : public BothFidelities
{
};

TEST_P(MixedReplan, AStageLeavesTheDeviceWhoseLinkFalls)
{
    Pipeline pipeline = MakePipeline("exact");
    auto& network = pipeline.options.network;
    network.fidelity = GetParam();
    pipeline.options.iterations = 16;
    NetworkOptions fast = network;
    NetworkOptions falling = network;
    falling.bandwidthSteps = {{Seconds(6), 1e5}};
    network.link = "mixed";
    network.groups = {{"", {"device-0", "device-1", "device-3", "device-4"}, fast},
                      {"", {"device-2"}, falling}};
    for (auto& device : pipeline.problem.devices)
    {
        device.uplinkBitsPerSecond = device.downlinkBitsPerSecond = 0.94e8;
    }
    pipeline.problem.bandwidthBitsPerSecond = 0.94e8;
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ASSERT_GE(result.planChanges.size(), 1U);
    const auto& last = result.planChanges.back();
    EXPECT_GT(last.decided, Seconds(6));
    for (const auto& stage : last.decision.plan.stages)
    {
        EXPECT_NE(stage.device, 2U);
    }
    // What is known of the others has not changed.
    EXPECT_NEAR(last.state.uplinks[4], 0.94e8, 1e6);
    EXPECT_LT(last.state.downlinks[2], 1.1e5);
    // Four devices go on as fast as they did, or faster.
    EXPECT_LT(GetLastIterations(result, 2), 1.4);
    // With one bandwidth for all, planners would put all on one device.
    EXPECT_EQ(last.decision.plan.stages.size(), 4U);
}

INSTANTIATE_BOTH_FIDELITIES(MixedReplan);

} // namespace
