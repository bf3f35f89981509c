// SPDX-License-Identifier: GPL-2.0-only

#include "planner/pipeline/pipeline-oracle.h"
#include "planner/pipeline/random-pipeline-problem.h"

#include "ns3/edgepipe-pipeline-scales.h"
#include "ns3/edgepipe-representable-plan.h"
#include "ns3/edgepipe-stage-fit.h"

namespace
{

/// @return a chain of 5 to 9 layers of two or three kinds, on 2 to 4 devices, some of them small
PipelineProblem
MakeAliasedProblem(uint64_t seed)
{
    Draws draws(seed);
    PipelineProblem problem;
    problem.microBatches = 4;
    problem.bandwidthBitsPerSecond = std::pow(10, 2 + 3 * draws.Unit());
    const uint64_t kinds = draws.Integer(2, 3);
    std::vector<PipelineLayer> layers;
    std::vector<double> seconds;
    for (uint64_t k = 0; k < kinds; ++k)
    {
        layers.push_back(
            {"", {}, draws.Integer(1, 100), draws.Integer(1, 100), draws.Integer(1, 20)});
        seconds.push_back(0.1 + draws.Unit());
    }
    uint64_t needed = 0;
    const std::size_t count = draws.Integer(5, 9);
    for (std::size_t i = 0; i < count; ++i)
    {
        const uint64_t kind = draws.Integer(0, kinds - 1);
        PipelineLayer layer = layers[kind];
        layer.name = "l" + std::to_string(i);
        if (i > 0)
        {
            layer.inputs.push_back(i - 1);
        }
        needed += 2 * (layer.parameterBytes + layer.outputBytes) +
                  problem.microBatches * layer.activationBytes;
        problem.layers.push_back(layer);
        for (const auto& [type, factor] : std::map<std::string, double>{{"fast", 1}, {"slow", 3}})
        {
            problem.costs[type].forwardSeconds.push_back(factor * seconds[kind]);
            problem.costs[type].backwardSeconds.push_back(2 * factor * seconds[kind]);
        }
    }
    const std::size_t devices = draws.Integer(2, 4);
    for (std::size_t d = 0; d < devices; ++d)
    {
        const double share = 0.3 + 0.9 * draws.Unit();
        problem.devices.push_back({"d" + std::to_string(d),
                                   draws.Unit() < 0.5 ? "fast" : "slow",
                                   static_cast<uint64_t>(share * static_cast<double>(needed))});
    }
    return problem;
}

/// @return last layers of the stages that following it leads to, masks looked up layer by layer
std::vector<std::size_t>
Follow(const PipelineCostModel& costModel, const std::vector<bool>& splits)
{
    const StageFit fit(costModel);
    const auto states = PipelineScales(costModel).NumberStates();
    std::vector<std::size_t> lasts;
    std::size_t first = 0;
    for (std::size_t layer = 0; layer + 1 < states.size(); ++layer)
    {
        std::vector<bool> isTaken(costModel.GetProblem().devices.size(), false);
        for (std::size_t r = 0; r <= lasts.size(); ++r)
        {
            isTaken[fit.GetLargestFirst()[r]] = true;
        }
        const bool maySplit = fit.CanComplete(layer + 1, isTaken);
        const bool mayContinue =
            fit.FindEnd(first, fit.GetLargestFirst()[lasts.size()]) > layer + 1;
        if (!mayContinue || (maySplit && splits[states[layer]]))
        {
            lasts.push_back(layer);
            first = layer + 1;
        }
    }
    lasts.push_back(states.size() - 1);
    return lasts;
}

TEST(EdgepipeRepresentablePlan, EqualsTheBestOfAllFunctionsOfTheState)
{
    uint32_t compared = 0;
    uint32_t worseThanExact = 0;
    for (uint64_t seed = 0; seed < 400; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const PipelineProblem problem = MakeAliasedProblem(seed);
        const PipelineCostModel costModel(problem);
        if (!CanGrowPlans(costModel))
        {
            continue;
        }
        const auto states = PipelineScales(costModel).NumberStates();
        const std::size_t count = 1 + *std::max_element(states.begin(), states.end());
        ASSERT_LT(count, 10u);
        std::optional<double> best;
        for (uint32_t function = 0; function < 1u << count; ++function)
        {
            std::vector<bool> splits;
            for (std::size_t state = 0; state < count; ++state)
            {
                splits.push_back(function >> state & 1);
            }
            const auto seconds =
                PipelineOracle(problem).EnumeratePlacements(Follow(costModel, splits));
            best = best && (!seconds || *best < *seconds) ? best : seconds;
        }
        ASSERT_TRUE(best);
        const RepresentablePlan found = FindRepresentablePlan(costModel, 100000);
        costModel.CheckPlan(found.plan);
        EXPECT_NEAR(found.seconds, *best, 1e-9 * *best);
        EXPECT_EQ(found.lowerBoundSeconds, found.seconds);
        const RepresentablePlan hurried = FindRepresentablePlan(costModel, 1);
        EXPECT_GE(hurried.seconds, *best * (1 - 1e-9));
        EXPECT_LE(hurried.lowerBoundSeconds, *best * (1 + 1e-9));
        ++compared;
        worseThanExact += *best > 1.001 * *PipelineOracle(problem).Enumerate();
    }
    EXPECT_GT(compared, 200u);
    EXPECT_GT(worseThanExact, 50u);
}

} // namespace
