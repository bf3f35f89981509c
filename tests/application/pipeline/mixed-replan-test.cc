// SPDX-License-Identifier: GPL-2.0-only

#include "replan-fixture.h"
#include "test.h"

namespace
{

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
