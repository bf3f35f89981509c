// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/// @return three layers on two devices, one three times as fast as the other
PipelineProblem
MakeProblem()
{
    PipelineProblem problem;
    problem.layers = {{"a", {}, 1, 1, 1}, {"b", {0}, 1, 1, 1}, {"c", {1}, 1, 1, 1}};
    problem.devices = {{"slow", "slow", 100}, {"fast", "fast", 100}};
    problem.costs["slow"] = {{3, 1.5, 1.5}, {6, 3, 3}};
    problem.costs["fast"] = {{1, 0.5, 0.5}, {2, 1, 1}};
    problem.bandwidthBitsPerSecond = 1e9;
    return problem;
}

const PipelinePlan PLAN{{{0, 0, 0}, {1, 1, 2}}};

} // namespace

TEST(EdgepipeBubbleIndex, PassesAreThoseOfTheStagesLayers)
{
    const auto passes = GetStagePasses(MakeProblem(), PLAN);
    ASSERT_EQ(passes.size(), 2U);
    EXPECT_DOUBLE_EQ(passes[0].forward, 3);
    EXPECT_DOUBLE_EQ(passes[0].backward, 6);
    EXPECT_DOUBLE_EQ(passes[1].forward, 1);
    EXPECT_DOUBLE_EQ(passes[1].backward, 2);
}

TEST(EdgepipeBubbleIndex, HeterogeneityIsTheVariationOfSpeeds)
{
    // Speeds 1/18 and 1/6 have the mean 1/9, from which each is 1/18 away: half the mean.
    EXPECT_NEAR(GetHeterogeneity(MakeProblem(), PLAN), 0.5, 1e-12);
    const PipelinePlan alone{{{0, 0, 2}}};
    EXPECT_DOUBLE_EQ(GetHeterogeneity(MakeProblem(), alone), 0);
}

TEST(EdgepipeBubbleIndex, AreaIsEquation11)
{
    const std::vector<PassSeconds> passes{{2, 4}, {1, 3}, {5, 7}};
    // (3-1)(int_0^2 + log 5) + (3-2)(int_0^1 + log 4), the last stage counts nothing.
    const double exponential = 2 * (1 - std::exp(-1.0)) / 0.5 + (1 - std::exp(-0.5)) / 0.5;
    EXPECT_NEAR(GetBubbleArea(10, passes, 0.5),
                10 + exponential + 2 * std::log(5.0) + std::log(4.0),
                1e-12);
    EXPECT_NEAR(GetBubbleArea(10, passes, 0),
                10 + 2 * (2 + std::log(5.0)) + 1 + std::log(4.0),
                1e-12);
    // A lambda next to 0 is no cliff.
    EXPECT_NEAR(GetBubbleArea(10, passes, 1e-12), GetBubbleArea(10, passes, 0), 1e-9);
}

TEST(EdgepipeBubbleIndex, IndexIsEquation14)
{
    // T_pb = 0.25 * 2 * 20 = 10; one term, of stage 1: T_f = 3, T_b = 6, lambda = 0.5.
    const double area = 10 + (1 - std::exp(-1.5)) / 0.5 + std::log(7.0);
    EXPECT_NEAR(GetBubbleIndex(MakeProblem(), PLAN, 0.25, 20), area / 40, 1e-12);
    const double flat = 10 + 3 + std::log(7.0);
    EXPECT_NEAR(GetBubbleIndex(MakeProblem(), PLAN, 0.25, 20, 0.0), flat / 40, 1e-12);
    EXPECT_EQ(GetBubbleIndex(MakeProblem(), PLAN, 0, 0), 0);
}
