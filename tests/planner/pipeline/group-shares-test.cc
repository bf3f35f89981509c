// SPDX-License-Identifier: GPL-2.0-only
//
// The shares of a group by PipelinePlanner::GroupShares: figures worked out by hand.

#include "test.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-group-shares.h"
#include "ns3/edgepipe-pipeline-planner.h"

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

constexpr uint64_t AMPLE = 1000000; // bytes

/// @return one layer, micro-batches of 30 samples, and three devices whose sample takes 1, 2 and 3
///         seconds of either pass
PipelineProblem
MakeSharesProblem()
{
    PipelineProblem problem;
    problem.layers = {{"layer", {}, 500, 300, 30}};
    problem.microBatchSamples = 30;
    problem.bandwidthBitsPerSecond = 4000;
    for (int k = 1; k <= 3; ++k)
    {
        const std::string name = std::to_string(k);
        problem.devices.push_back({name, "type" + name, AMPLE});
        LayerSeconds& cost = problem.costs["type" + name];
        cost.forwardSeconds = cost.backwardSeconds = {30.0 * k};
        cost.parts = {{1, {1.0 * k}, {1.0 * k}}};
    }
    return problem;
}

/// @return the samples of each device
std::vector<uint32_t>
ListShares(const PipelineProblem& problem, const std::string& planner)
{
    PipelinePlan plan{{{0, 0, 0, {{0, 28}, {1, 1}, {2, 1}}}}};
    const PipelineCostModel costs(problem);
    ShareGroups(costs,
                planner.empty() ? nullptr : FindByName<BatchSharesPlanner>("planner", planner),
                plan);
    costs.CheckPlan(plan);
    std::vector<uint32_t> samples;
    for (const StageReplica& replica : plan.stages.front().group)
    {
        samples.push_back(replica.samples);
    }
    return samples;
}

} // namespace

TEST(GroupShares, AreThoseOfTheBatchSharesPlanner)
{
    const PipelineProblem problem = MakeSharesProblem();
    EXPECT_EQ(ListShares(problem, "equal"), (std::vector<uint32_t>{10, 10, 10}));
    // In proportion to 1, 1/2 and 1/3; the slowest device takes 34 s, and 36 s with 16, 9 and 5.
    EXPECT_EQ(ListShares(problem, ""), (std::vector<uint32_t>{17, 8, 5}));
    EXPECT_EQ(ListShares(problem, "optimal"), (std::vector<uint32_t>{17, 8, 5}));
    // Shares of the speed, of unused memory, 2/3 each, and of latency, 0 each since all links are
    // alike.
    const double whole = 1 + 1.0 / 2 + 1.0 / 3;
    std::vector<double> weights;
    for (int k = 1; k <= 3; ++k)
    {
        weights.push_back((1 / (k * whole) + 2.0 / 3) / 3);
    }
    const auto expected = SplitBatch(30, weights);
    EXPECT_EQ(ListShares(problem, "bno"), std::vector<uint32_t>(expected.begin(), expected.end()));
}

TEST(GroupShares, SeeLinks)
{
    PipelineProblem problem = MakeSharesProblem();
    problem.devices[0].uplinkBitsPerSecond = 1000;
    problem.devices[0].delaySeconds = 3;
    problem.devices[2].delaySeconds = 4;
    // 300 bytes of gradients take 2.4 s from the first device, 0.6 s from the others; to the
    // others and back another 6 and 14 s.
    const std::vector<double> latencies{2.4, 6.6, 14.6};
    const double whole = 1 + 1.0 / 2 + 1.0 / 3;
    std::vector<double> weights;
    for (int k = 1; k <= 3; ++k)
    {
        weights.push_back((1 / (k * whole) + 2.0 / 3 + 1 - latencies[k - 1] / 14.6) / 3);
    }
    const auto expected = SplitBatch(30, weights);
    EXPECT_EQ(ListShares(problem, "bno"), std::vector<uint32_t>(expected.begin(), expected.end()));
}

TEST(GroupShares, KeepWithinTheMemory)
{
    PipelineProblem problem = MakeSharesProblem();
    const PipelineCostModel costs(problem);
    const PipelineStage stage{0, 0, 0, {{0, 28}, {1, 1}, {2, 1}}};
    problem.devices[0].memoryBytes = costs.ReplicaMemoryBytes(stage, 4);
    problem.devices[1].memoryBytes = costs.ReplicaMemoryBytes(stage, 12);
    EXPECT_EQ(ListShares(problem, "equal"), (std::vector<uint32_t>{4, 10, 16}));
    problem.devices[2].memoryBytes = costs.ReplicaMemoryBytes(stage, 13);
    EXPECT_THROW(ListShares(problem, "equal"), InputError);
    problem.devices[2].memoryBytes = costs.ReplicaMemoryBytes(stage, 14);
    EXPECT_EQ(ListShares(problem, "equal"), (std::vector<uint32_t>{4, 12, 14}));
    problem.devices[1].memoryBytes = costs.ReplicaMemoryBytes(stage, 1) - 1;
    EXPECT_THROW(ListShares(problem, "equal"), InputError);
}

TEST(GroupShares, OfAnUnknownNameAreRefusedBeforeTheFirstGroup)
{
    const auto planner = FindByName<PipelinePlanner>("planner", "even");
    planner->SetAttribute("GroupShares", StringValue("best"));
    ExpectError([&] { planner->Plan(MakeSharesProblem()); }, "GroupShares: found \"best\"");
}
