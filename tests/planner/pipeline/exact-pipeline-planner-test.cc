// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-oracle.h"
#include "random-pipeline-problem.h"

#include "ns3/edgepipe-pipeline-search.h"

namespace
{

/// Tries every plan.
/// @return the least time by the cost model; infinite if no plan fits
double
FindLeast(const PipelineCostModel& model, PipelinePlan& plan, std::vector<bool>& isTaken)
{
    const auto& problem = model.GetProblem();
    const std::size_t first = plan.stages.empty() ? 0 : plan.stages.back().lastLayer + 1;
    if (first == problem.layers.size())
    {
        return model.IterationSeconds(plan);
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < problem.devices.size(); ++d)
    {
        for (std::size_t last = first; last < problem.layers.size() && !isTaken[d]; ++last)
        {
            const PipelineStage stage{d, first, last};
            if (!model.Fits(stage))
            {
                continue;
            }
            isTaken[d] = true;
            plan.stages.push_back(stage);
            least = std::min(least, FindLeast(model, plan, isTaken));
            plan.stages.pop_back();
            isTaken[d] = false;
        }
    }
    return least;
}

TEST(EdgepipeExactPipelinePlanner, BoundsWhatTiedWeightsCost)
{
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    uint64_t feasible = 0;
    uint64_t best = 0;
    uint64_t split = 0;
    for (uint64_t seed = 0; seed < 300; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        PipelineProblem problem = MakeRandomProblem(seed);
        TieWeights(problem, seed);
        const PipelineCostModel model(problem);
        PipelinePlan none;
        std::vector<bool> isTaken(problem.devices.size(), false);
        const double least = FindLeast(model, none, isTaken);
        if (std::isinf(least))
        {
            continue;
        }
        const PipelinePlan plan = planner->Plan(problem);
        const double seconds = model.IterationSeconds(plan);
        EXPECT_GE(seconds, least * (1 - 1e-9));
        EXPECT_LE(planner->GetLowerBoundSeconds(), least * (1 + 1e-9));
        ++feasible;
        best += seconds <= least * (1 + 1e-9);
        split += !model.FindTies(plan).empty();
    }
    EXPECT_GT(feasible, 100u);
    EXPECT_GT(best, feasible * 9 / 10);
    EXPECT_GT(split, 10u);
}

TEST(EdgepipeExactPipelinePlanner, EqualsBruteForceAndNoOtherPlannerBeatsIt)
{
    constexpr uint64_t problems = 1000;
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    uint64_t infeasible = 0;
    uint64_t severalStages = 0;
    uint64_t compared = 0;
    uint64_t ownRates = 0;
    for (uint64_t seed = 0; seed < problems; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        PipelineProblem problem = MakeRandomProblem(seed);
        PipelineOracle oracle(problem);
        std::optional<double> best = oracle.Enumerate();
        if (!best)
        {
            ++infeasible;
            EXPECT_EQ(ErrorOf([&] { planner->Plan(problem); }).substr(0, 28),
                      "planner exact: no plan fits:");
            continue;
        }
        PipelinePlan plan = planner->Plan(problem);
        EXPECT_NEAR(oracle.Simulate(plan), *best, 1e-9 * *best);
        severalStages += plan.stages.size() > 1 ? 1 : 0;
        ownRates +=
            std::any_of(problem.devices.begin(), problem.devices.end(), [](const auto& one) {
                return one.uplinkBitsPerSecond > 0 || one.downlinkBitsPerSecond > 0;
            });
        for (const std::string name :
             {"even", "dp", "dp-dgpas", "fastest-device", "ga", "pso", "exact"})
        {
            try
            {
                auto rival = FindByName<PipelinePlanner>("planner", name);
                rival->SetAttributeFailSafe("Evaluations", UintegerValue(300));
                PipelinePlan other = rival->Plan(problem);
                EXPECT_GE(oracle.Simulate(other), *best * (1 - 1e-9)) << name;
                compared += name == "exact" ? 0 : 1;
            }
            catch (const InputError&)
            {
                EXPECT_NE(name, "exact");
            }
        }
    }
    // The problems are of use only while all kinds of them occur.
    EXPECT_GT(infeasible, 50u);
    EXPECT_GT(severalStages, 300u);
    EXPECT_GT(compared, 300u);
    EXPECT_GT(ownRates, 200u);
}

/// ResNet-50 at batch 32: 176 layers with their residual connections. Costs are random, drawn anew
/// for every device type, so that nothing but the bounds can prune.
/// @return the problem, on 2, 1 and 12 devices of three types
PipelineProblem
MakeResNet50(uint64_t seed, uint32_t microBatches, double bandwidth)
{
    PipelineProblem problem;
    problem.microBatches = microBatches;
    problem.bandwidthBitsPerSecond = bandwidth;
    for (const auto& layer : ReadDnnGraph(EDGEPIPE_ROOT "/traces/models/resnet50.json").layers)
    {
        const uint64_t bytes = 32 * layer.outputBytes;
        problem.layers.push_back({layer.name, layer.inputs, bytes, layer.parameterBytes, bytes});
    }
    Draws draws(seed);
    const std::size_t counts[] = {2, 1, 12};
    for (std::size_t t = 0; t < 3; ++t)
    {
        std::string type = "t" + std::to_string(t);
        double speed = 1 + 5 * draws.Unit();
        for (std::size_t i = 0; i < problem.layers.size(); ++i)
        {
            problem.costs[type].forwardSeconds.push_back(speed * draws.Unit());
            problem.costs[type].backwardSeconds.push_back(2 * speed * draws.Unit());
        }
        for (std::size_t d = 0; d < counts[t]; ++d)
        {
            problem.devices.push_back({type + "-" + std::to_string(d), type, 1000000000000});
        }
    }
    return problem;
}

TEST(ExactPipelinePlanner, KnowsThatTransfersShareAMedium)
{
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    uint32_t others = 0;
    for (uint64_t seed = 0; seed < 600; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        PipelineProblem problem = MakeRandomProblem(seed);
        const std::optional<double> apart = PipelineOracle(problem).Enumerate();
        if (!apart)
        {
            continue;
        }
        const PipelinePlan unaware = planner->Plan(problem);
        problem.sharesMedium = true;
        const PipelineOracle oracle(problem);
        const double best = *oracle.Enumerate();
        const PipelinePlan plan = planner->Plan(problem);
        EXPECT_NEAR(oracle.Simulate(plan), best, 1e-9 * best);
        EXPECT_NEAR(PipelineCostModel(problem).IterationSeconds(plan), best, 1e-9 * best);
        EXPECT_NEAR(planner->GetLowerBoundSeconds(), best, 1e-9 * best);
        others += oracle.Simulate(unaware) > 1.01 * best;
    }
    EXPECT_GE(others, 5U); // where it matters
}

TEST(EdgepipeExactPipelinePlanner, NeedsFewPassesForResNet50OnFifteenDevices)
{
    uint64_t most = 0;
    for (uint32_t microBatches : {1u, 8u, 64u})
    {
        for (double bandwidth : {1e7, 1e9, 1e11})
        {
            for (uint64_t seed = 0; seed < 5; ++seed)
            {
                const PipelineProblem problem = MakeResNet50(seed, microBatches, bandwidth);
                ASSERT_EQ(problem.layers.size(), 176u);
                const uint64_t passes = SearchPipelines(PipelineCostModel(problem)).passes;
                most = std::max(most, passes);
                if (microBatches == 1)
                {
                    EXPECT_LE(passes, 2u) << "only a sum is to be minimised";
                }
            }
        }
    }
    // One pass is 176 layers * 3 classes * 78 states = 41184 steps, a fraction of a millisecond.
    EXPECT_LE(most, 500u);
}

/** @return a chain of layers of 1 s forward and backward whose tensors are empty */
PipelineProblem
MakeUniformChain(std::size_t layers, std::size_t devices)
{
    PipelineProblem problem;
    problem.bandwidthBitsPerSecond = 1;
    for (std::size_t i = 0; i < layers; ++i)
    {
        problem.layers.push_back({"l" + std::to_string(i), {}, 0, 1, 0});
        problem.costs["t"].forwardSeconds.push_back(1);
        problem.costs["t"].backwardSeconds.push_back(1);
    }
    for (std::size_t d = 0; d < devices; ++d)
    {
        problem.devices.push_back({"d" + std::to_string(d), "t", 2 * layers});
    }
    return problem;
}

TEST(EdgepipeExactPipelinePlanner, SettlesTiesByFewerStagesAndLowerDevices)
{
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    PipelineProblem problem = MakeUniformChain(6, 4);
    PipelinePlan plan = planner->Plan(problem);
    ASSERT_EQ(plan.stages.size(), 1u) << "with M = 1 every cut takes as long";
    EXPECT_EQ(plan.stages[0].device, 0u);

    problem.microBatches = 2;
    plan = planner->Plan(problem);
    // Four stages have a bottleneck of two layers, as three have.
    ASSERT_EQ(plan.stages.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(plan.stages[i].device, i);
        EXPECT_EQ(plan.stages[i].firstLayer, 2 * i);
    }
}

TEST(EdgepipeExactPipelinePlanner, SaysWhyNoPlanFits)
{
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    PipelineProblem problem = MakeUniformChain(6, 2);
    problem.devices[0].memoryBytes = problem.devices[1].memoryBytes = 5;
    EXPECT_EQ(
        ErrorOf([&] { planner->Plan(problem); }),
        "planner exact: no plan fits: no cut of the 6 layers fits the memory of the 2 devices");
}

TEST(EdgepipeExactPipelinePlanner, SaysSoWhenAProblemIsTooLarge)
{
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    // 2^100 ways to use a hundred devices, no two alike: refused before any memory is taken.
    PipelineProblem problem = MakeUniformChain(10, 100);
    for (std::size_t d = 0; d < problem.devices.size(); ++d)
    {
        problem.devices[d].memoryBytes += d;
    }
    EXPECT_EQ(ErrorOf([&] { planner->Plan(problem); }),
              "planner exact: the problem is too large: 10 layers and 100 devices of 100 kinds "
              "(type, memory and links) take more than MaxSteps = 50000000000 steps, or 2 GiB");
}

TEST(EdgepipeExactPipelinePlanner, SaysHowFarItsPlanMayBeFromTheBestWhereItHadToStop)
{
    const PipelineProblem problem = MakeResNet50(0, 8, 1e9);
    const PipelineCostModel costs(problem);
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    const double best = costs.IterationSeconds(planner->Plan(problem));
    EXPECT_EQ(planner->GetLowerBoundSeconds(), best);
    ASSERT_GT(SearchPipelines(costs).passes, 12u);
    EXPECT_EQ(SearchPipelines(costs, {}, {12}).passes, 12u);
    planner->SetAttribute("MaxSteps", UintegerValue(41184 * 12));
    const double found = costs.IterationSeconds(planner->Plan(problem));
    EXPECT_LE(planner->GetLowerBoundSeconds(), best * (1 + 1e-12));
    EXPECT_GT(planner->GetLowerBoundSeconds(), best / 2);
    EXPECT_GE(found, best * (1 - 1e-12));
}

TEST(EdgepipeExactPipelinePlanner, PlansEightDevicesThatAllDiffer)
{
    PipelineProblem problem = MakeResNet50(1, 8, 1e9);
    problem.devices.resize(8);
    for (std::size_t d = 0; d < problem.devices.size(); ++d)
    {
        problem.devices[d].memoryBytes += d;
        problem.devices[d].uplinkBitsPerSecond = 1e8 * (d + 1);
        problem.devices[d].downlinkBitsPerSecond = 1e9 / (d + 1);
    }
    auto planner = FindByName<PipelinePlanner>("planner", "exact");
    const PipelinePlan plan = planner->Plan(problem);
    EXPECT_EQ(planner->GetLowerBoundSeconds(), PipelineCostModel(problem).IterationSeconds(plan));
}

} // namespace
