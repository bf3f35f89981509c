// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/** @return 4 layers of 1 s forward and 1 s backward, 1000 bytes of weights each, on 3 devices */
PipelineProblem
MakeProblem()
{
    PipelineProblem problem;
    problem.microBatches = 1;
    problem.bandwidthBitsPerSecond = 8000;
    for (std::size_t i = 0; i < 4; ++i)
    {
        const std::vector<std::size_t> inputs =
            i > 0 ? std::vector<std::size_t>{i - 1} : std::vector<std::size_t>{};
        problem.layers.push_back({"layer-" + std::to_string(i), inputs, 0, 1000, 0});
    }
    for (std::size_t i = 0; i < 3; ++i)
    {
        problem.devices.push_back({"device-" + std::to_string(i), "some", 1000000});
    }
    problem.costs["some"] = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    return problem;
}

/** @return a decision by exact, on two stages of which the second's device is left a quarter */
PipelineDecision
Decide(const PipelineProblem& problem, const ReplanTerms& terms)
{
    const PipelinePlan plan{{{0, 0, 1}, {1, 2, 3}}};
    const auto planner = FindByName<PipelinePlanner>("planner", "exact");
    return DecidePipeline(problem, {{1, 0.25, 1}, 8000}, plan, *planner, terms);
}

} // namespace

TEST(PipelineDecider, DevicesTakeAsLongAsTheirSharesSay)
{
    const auto changed = ChangeProblem(MakeProblem(), {{1, 0.25, 0}, 500});
    EXPECT_EQ(changed.bandwidthBitsPerSecond, 500);
    EXPECT_EQ(changed.costs.size(), 3U);
    const PipelineCostModel costs(changed);
    EXPECT_DOUBLE_EQ(costs.FindStageSeconds(0, 0, 3).forward, 4);
    EXPECT_DOUBLE_EQ(costs.FindStageSeconds(1, 0, 3).backward, 16);
    EXPECT_DOUBLE_EQ(costs.FindStageSeconds(2, 0, 3).forward, 4e6);
    EXPECT_EQ(changed.devices[1].memoryBytes, 1000000U);
    EXPECT_EQ(changed.devices[2].memoryBytes, 0U);
}

TEST(PipelineDecider, DevicesHaveTheRatesThatWereMeasured)
{
    PipelineState state{{1, 1, 1}, 500};
    state.uplinks = {1000, 2000, 3000};
    state.downlinks = {4000, 5000, 6000};
    const auto changed = ChangeProblem(MakeProblem(), state);
    const PipelineCostModel costs(changed);
    EXPECT_EQ(costs.GetUplink(1), 2000);
    EXPECT_EQ(costs.GetDownlink(2), 6000);
    EXPECT_EQ(costs.GetBitsPerSecond(2, 0), 3000);
    EXPECT_EQ(costs.GetBitsPerSecond(2, 1), 3000);
}

TEST(PipelineDecider, SharesThatDifferInTheThirdDigitAreOneType)
{
    const auto changed = ChangeProblem(MakeProblem(), {{0.4, 0.3996, 0.9996}, 500});
    EXPECT_EQ(changed.devices[0].type, changed.devices[1].type);
    EXPECT_EQ(changed.devices[2].type, "some");
}

TEST(PipelineDecider, LayersWithWeightsMoveOnceAndOthersDoNot)
{
    PipelineProblem problem = MakeProblem();
    problem.layers[2].parameterBytes = 0;
    const auto moves = FindMoves(problem, {{{0, 0, 1}, {1, 2, 3}}}, {{{2, 0, 0}, {0, 1, 3}}});
    ASSERT_EQ(moves.size(), 2U);
    EXPECT_EQ(moves[0].layer, 0U);
    EXPECT_EQ(moves[0].from, 0U);
    EXPECT_EQ(moves[0].to, 2U);
    EXPECT_EQ(moves[1].layer, 3U);
    EXPECT_EQ(moves[1].from, 1U);
    EXPECT_EQ(moves[1].to, 0U);
}

TEST(PipelineDecider, TiedWeightsMoveWhereNoneOfThemAre)
{
    PipelineProblem problem = MakeProblem();
    problem.layers[0].parameterBytes = 900;
    problem.layers[3].tied = {{0, 500}};
    const PipelinePlan before{{{0, 0, 1}, {1, 2, 3}}};
    // Device 2 gets them with the last layer, from their owner.
    auto moves = FindMoves(problem, before, {{{0, 0, 2}, {2, 3, 3}}});
    ASSERT_EQ(moves.size(), 3U);
    EXPECT_EQ(moves[1].layer, 0U);
    EXPECT_EQ(moves[1].from, 0U);
    EXPECT_EQ(moves[1].to, 2U);
    EXPECT_EQ(moves[1].bytes, 500U);
    // Device 1 has a part of them.
    problem.layers[1].parameterBytes = 0;
    moves = FindMoves(problem, before, {{{1, 0, 3}}});
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].bytes, 400U);
    // Device 0 has all.
    problem.layers[3].parameterBytes = 0;
    problem.layers[2].parameterBytes = 0;
    EXPECT_TRUE(FindMoves(problem, before, {{{0, 0, 3}}}).empty());
}

TEST(PipelineDecider, TheBusiestDirectionOfADeviceTakesLongest)
{
    // Device 0 sends 3000 bytes and receives 500, device 1 receives 2000, device 2 1000.
    const std::vector<LayerMove> moves{{0, 0, 1, 2000}, {1, 0, 2, 1000}, {2, 1, 0, 500}};
    PipelineProblem problem = MakeProblem();
    const PipelineCostModel costs(problem);
    EXPECT_DOUBLE_EQ(PredictMoveSeconds(costs, moves, false), 3);
    EXPECT_DOUBLE_EQ(PredictMoveSeconds(costs, moves, true), 3.5);
    EXPECT_DOUBLE_EQ(PredictMoveSeconds(costs, {}, false), 0);
    // What device 1 receives takes 16 s, or 4 s for all else and 16 s for that on a shared medium.
    problem.devices[1].downlinkBitsPerSecond = 1000;
    EXPECT_DOUBLE_EQ(PredictMoveSeconds(costs, moves, false), 16);
    EXPECT_DOUBLE_EQ(PredictMoveSeconds(costs, moves, true), 17.5);
    problem.devices[2].delaySeconds = 0.5;
    EXPECT_DOUBLE_EQ(PredictMoveSeconds(costs, moves, false), 16.5);
    EXPECT_DOUBLE_EQ(PredictMoveSeconds(costs, moves, true), 18);
}

TEST(PipelineDecider, AMoveIsWorthItFromTheHorizonOnThatPaysItBack)
{
    // One micro-batch: an iteration takes 2 x 2 s + 2 x 2 s / 0.25 = 20 s under the old plan and
    // 8 s under any that leaves device 1 out. Both its layers move: 2000 bytes, 2 s at 8 kbit/s.
    const auto once = Decide(MakeProblem(), {1, false, 0, 0});
    EXPECT_DOUBLE_EQ(once.oldSeconds, 20);
    EXPECT_DOUBLE_EQ(once.newSeconds, 8);
    EXPECT_EQ(once.moveBytes, 2000U);
    EXPECT_DOUBLE_EQ(once.moveSeconds, 2);
    EXPECT_TRUE(once.isWorthIt);

    PipelineProblem heavy = MakeProblem();
    for (auto& layer : heavy.layers)
    {
        layer.parameterBytes = 17900; // 2 layers: 35.8 s, three iterations save 36 s
        layer.activationBytes = 0;
    }
    EXPECT_FALSE(Decide(heavy, {2, false, 0, 0}).isWorthIt);
    EXPECT_TRUE(Decide(heavy, {3, false, 0, 0}).isWorthIt);
    EXPECT_FALSE(Decide(heavy, {3, false, 0.3, 0}).isWorthIt);
    EXPECT_TRUE(Decide(heavy, {3, false, 0.1, 0}).isWorthIt);
}

TEST(PipelineDecider, APlannerWithoutAPlanLeavesTheOneInForce)
{
    PipelineProblem problem = MakeProblem();
    const auto planner = FindByName<PipelinePlanner>("planner", "exact");
    const PipelinePlan plan{{{0, 0, 3}}};
    const auto decision =
        DecidePipeline(problem, {{0, 0, 0}, 8000}, plan, *planner, {10, false, 0, 0});
    EXPECT_FALSE(decision.problemWithPlan.empty());
    EXPECT_FALSE(decision.isWorthIt);
    EXPECT_EQ(decision.plan.stages.size(), 1U);
}

TEST(PipelineDecider, WhatIsLeftUnchangedIsNotWorthAMove)
{
    const auto planner = FindByName<PipelinePlanner>("planner", "exact");
    const PipelineProblem problem = MakeProblem();
    const PipelinePlan best = planner->Plan(problem);
    const auto decision =
        DecidePipeline(problem, {{1, 1, 1}, 8000}, best, *planner, {10, false, 0, 0});
    EXPECT_FALSE(decision.isWorthIt);
    EXPECT_DOUBLE_EQ(decision.oldSeconds, decision.newSeconds);
}
