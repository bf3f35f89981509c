// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-oracle.h"
#include "random-pipeline-problem.h"

#include "ns3/edgepipe-pipeline-search.h"

namespace
{

TEST(EdgepipeDivisionPlacement, EqualsTheBestOfAllPlacements)
{
    uint32_t placed = 0;
    uint32_t refused = 0;
    for (uint64_t seed = 0; seed < 600; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const PipelineProblem problem = MakeRandomProblem(seed);
        const PipelineCostModel costModel(problem);
        Draws draws(seed + 1000);
        PipelineDivision division;
        std::vector<std::size_t> lasts;
        for (std::size_t first = 0; first < problem.layers.size(); first = lasts.back() + 1)
        {
            lasts.push_back(draws.Integer(first, problem.layers.size() - 1));
            division.emplace_back(first, lasts.back());
        }
        const auto best = PipelineOracle(problem).EnumeratePlacements(lasts);
        const PipelinePlan plan = PlaceDivision(costModel, division);
        ASSERT_EQ(plan.stages.empty(), !best);
        ++(best ? placed : refused);
        if (best)
        {
            costModel.CheckPlan(plan);
            EXPECT_EQ(GetDivision(plan), division);
            EXPECT_NEAR(PipelineOracle(problem).Simulate(plan), *best, 1e-9 * *best);
        }
    }
    EXPECT_GT(placed, 150u);
    EXPECT_GT(refused, 50u);
}

} // namespace
