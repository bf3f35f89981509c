// SPDX-License-Identifier: GPL-2.0-only

#include "random-two-way-cut.h"
#include "shipped-two-way-cut.h"

#include "ns3/edgepipe-two-way-cut-cost.h"

namespace
{

/** Compare looking up with planning afresh at random bandwidths. */
void
ExpectLookupEqualsPlanning(TwoWayCutProblem problem,
                           double lowestBitsPerSecond,
                           double decades,
                           std::size_t times,
                           const std::string& name)
{
    Draws draws(problem.layers.size());
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    const auto envelope = planner->PlanEveryBandwidth(problem);
    for (std::size_t i = 0; i < times; ++i)
    {
        problem.uplinkBitsPerSecond = lowestBitsPerSecond * std::pow(10, decades * draws.Unit());
        const double afresh = EvaluateTwoWayCut(problem, planner->Plan(problem)).latencySeconds;
        const TwoWayCutPlan& plan = envelope->FindPlan(problem.uplinkBitsPerSecond);
        EXPECT_NEAR(EvaluateTwoWayCut(problem, plan).latencySeconds, afresh, 1e-9 * afresh)
            << name << " at " << problem.uplinkBitsPerSecond << " bit/s";
    }
    // At a breakpoint both neighbours cost the same, and each is strictly better on its side.
    for (std::size_t i = 1; i < envelope->GetSegments(); ++i)
    {
        const double start = envelope->GetLowestBitsPerSecond(i);
        const auto getLatency = [&](std::size_t segment, double factor) {
            problem.uplinkBitsPerSecond = start * factor;
            return EvaluateTwoWayCut(problem, envelope->GetPlan(segment)).latencySeconds;
        };
        EXPECT_GT(start, envelope->GetLowestBitsPerSecond(i - 1)) << name;
        EXPECT_EQ(envelope->FindSegment(start), i) << name;
        EXPECT_EQ(envelope->FindSegment(std::nextafter(start, 0)), i - 1) << name;
        EXPECT_NEAR(getLatency(i, 1), getLatency(i - 1, 1), 1e-9 * getLatency(i, 1)) << name;
        EXPECT_LT(getLatency(i, 1.01), getLatency(i - 1, 1.01)) << name;
        EXPECT_LT(getLatency(i - 1, 0.99), getLatency(i, 0.99)) << name;
    }
}

TEST(EdgepipeTwoWayCutEnvelope, EqualsPlanningAfreshForEveryShippedModel)
{
    for (const std::string device : {"raspberry-pi-3b", "xeon-1core"})
    {
        std::size_t segments = 0;
        const std::vector<ShippedTwoWayCut> cuts = ReadShippedTwoWayCuts(device);
        EXPECT_GE(cuts.size(), 15u);
        for (const auto& [name, problem] : cuts)
        {
            ExpectLookupEqualsPlanning(problem, 1e3, 7, 1000, name);
            segments += FindByName<TwoWayCutPlanner>("planner", "qdmp")
                            ->PlanEveryBandwidth(problem)
                            ->GetSegments();
        }
        EXPECT_GT(segments, 2 * cuts.size()) << device;
    }
}

TEST(EdgepipeTwoWayCutEnvelope, EqualsPlanningAfreshForRandomGraphs)
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        TwoWayCutProblem problem = RandomTwoWayCut::Make(seed, 1 + seed % 40);
        problem.delaySeconds = seed % 2 * 1e-3;
        ExpectLookupEqualsPlanning(problem, 8e4, 6, 50, "seed " + std::to_string(seed));
    }
}

TEST(EdgepipeTwoWayCutEnvelope, HasOneSegmentWhereBandwidthDoesNotMatter)
{
    TwoWayCutProblem problem;
    problem.layers = {{"a", {}, 10, 1, 2}};
    problem.inputBytes = 10;
    problem.uplinkBitsPerSecond = problem.downlinkBitsPerSecond = 1;
    const auto envelope =
        FindByName<TwoWayCutPlanner>("planner", "qdmp")->PlanEveryBandwidth(problem);
    ASSERT_EQ(envelope->GetSegments(), 1u);
    EXPECT_EQ(envelope->FindSegment(1e-300), 0u);
    EXPECT_EQ(envelope->FindSegment(1e300), 0u);
    EXPECT_TRUE(envelope->FindPlan(1).isOnDevice.at(0));
}

TEST(EdgepipeTwoWayCutEnvelope, IsNotThereForOtherPlanners)
{
    const TwoWayCutProblem problem = RandomTwoWayCut::Make(0, 5);
    EXPECT_EQ(FindByName<TwoWayCutPlanner>("planner", "edge-only")->PlanEveryBandwidth(problem),
              nullptr);
}

} // namespace
