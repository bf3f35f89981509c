// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-oracle.h"
#include "random-pipeline-problem.h"

#include "ns3/edgepipe-pipeline-keys.h"

namespace
{

/** A chain of many layers on devices of two types, one in four of which is fast and large. */
PipelineProblem
MakeChain(std::size_t layers, std::size_t devices, uint64_t seed)
{
    Draws draws(seed);
    PipelineProblem problem;
    problem.microBatches = 8;
    problem.bandwidthBitsPerSecond = 1e6;
    for (std::size_t i = 0; i < layers; ++i)
    {
        problem.layers.push_back({"l" + std::to_string(i),
                                  i ? std::vector<std::size_t>{i - 1} : std::vector<std::size_t>{},
                                  draws.Integer(1000, 100000),
                                  1000 * draws.Integer(0, 1000),
                                  1000 * draws.Integer(0, 100)});
        problem.costs["slow"].forwardSeconds.push_back(draws.Unit());
        problem.costs["slow"].backwardSeconds.push_back(2 * draws.Unit());
        problem.costs["fast"].forwardSeconds.push_back(draws.Unit() / 4);
        problem.costs["fast"].backwardSeconds.push_back(draws.Unit() / 2);
    }
    problem.layers.back().outputBytes = 0; // so that the loss keeps nothing
    for (std::size_t i = 0; i < devices; ++i)
    {
        const bool isFast = i % 4 == 3;
        problem.devices.push_back({"d" + std::to_string(i),
                                   isFast ? "fast" : "slow",
                                   (isFast ? 16000000 : 8000000) * layers / devices});
    }
    return problem;
}

double
PlanSeconds(const std::string& name,
            const PipelineProblem& problem,
            uint64_t evaluations,
            int64_t stream)
{
    const bool isRandom = name == "random-search";
    const auto planner = FindByName<PipelinePlanner>("planner", isRandom ? "ga" : name);
    if (isRandom)
    {
        // The first generation of ga is drawn.
        planner->SetAttribute("Population", UintegerValue(evaluations));
    }
    planner->SetAttribute("Evaluations", UintegerValue(evaluations));
    planner->AssignStreams(stream);
    const PipelinePlan plan = planner->Plan(problem);
    EXPECT_EQ(planner->GetEvaluations(), evaluations);
    return PipelineCostModel(problem).IterationSeconds(plan);
}

/** In how many of ten problems it finds a better plan than drawing as often does. */
int
CountWins(const std::string& name)
{
    int wins = 0;
    for (int seed = 0; seed < 10; ++seed)
    {
        const auto problem = MakeChain(60, 12, seed);
        wins += PlanSeconds(name, problem, 4000, 10 * seed) <
                PlanSeconds("random-search", problem, 4000, 10 * seed + 5);
    }
    return wins;
}

TEST(EdgepipeSearchPipelinePlanners, AreBetterThanDrawingAsOften)
{
    // By chance 9 or more happen once in 93 times.
    EXPECT_GE(CountWins("ga"), 9);
    EXPECT_GE(CountWins("pso"), 9);
}

TEST(EdgepipeSearchPipelinePlanners, FindTheOptimumOfMostSmallProblems)
{
    const auto isFound = [](const char* name, const PipelineProblem& problem, double enough) {
        bool isGood = false;
        // None of its plans may fit.
        ErrorOf([&] { isGood = PlanSeconds(name, problem, 3000, 1000) <= enough; });
        return isGood;
    };
    int problems = 0;
    int ga = 0;
    int pso = 0;
    for (uint64_t seed = 0; problems < 100; ++seed)
    {
        const PipelineProblem problem = MakeRandomProblem(seed);
        const auto best = PipelineOracle(problem).Enumerate();
        if (!best)
        {
            continue;
        }
        ++problems;
        const double enough = *best * (1 + 1e-9);
        ga += isFound("ga", problem, enough);
        pso += isFound("pso", problem, enough);
    }
    EXPECT_GE(ga, 90);
    EXPECT_GE(pso, 90);
}

TEST(EdgepipeSearchPipelinePlanners, DecideTheSameWhateverWasMadeBefore)
{
    const auto problem = MakeChain(40, 8, 7);
    const PipelineCostModel costs(problem);
    for (const std::string name : {"ga", "pso"})
    {
        const auto plan = [&] {
            return costs.IterationSeconds(
                FindByName<PipelinePlanner>("planner", name)->Plan(problem));
        };
        const double first = plan();
        const uint64_t next = RngSeedManager::GetNextStreamIndex();
        EXPECT_EQ(plan(), first);
        // Nothing of ours takes part in the streams that ns-3 gives out by itself.
        EXPECT_EQ(RngSeedManager::GetNextStreamIndex(), next + 1);
        CreateObject<UniformRandomVariable>();
        FindByName<PipelinePlanner>("planner", "ga");
        EXPECT_EQ(plan(), first);
        EXPECT_NE(PlanSeconds(name, problem, 500, 3), PlanSeconds(name, problem, 500, 4));
    }
}

TEST(EdgepipeSearchPipelinePlanners, TakeStagesThatNeedNoMemoryAndSayWhenNothingFits)
{
    PipelineProblem problem = MakeChain(20, 4, 1);
    for (auto& layer : problem.layers)
    {
        layer.parameterBytes = layer.activationBytes = layer.outputBytes = 0;
    }
    PlanSeconds("ga", problem, 100, 1);
    for (auto& layer : problem.layers)
    {
        layer.parameterBytes = 1000;
    }
    // Each layer fits somewhere, all together nowhere.
    for (auto& device : problem.devices)
    {
        device.memoryBytes = 2000;
    }
    auto planner = FindByName<PipelinePlanner>("planner", "ga");
    planner->SetAttribute("Evaluations", UintegerValue(200));
    EXPECT_EQ(ErrorOf([&] { planner->Plan(problem); }),
              "planner ga: none of 200 plans fits the memory of the devices; its attribute "
              "Evaluations allows more");
}

TEST(EdgepipePipelineKeys, CoverEveryLayerWithADeviceEach)
{
    Draws draws(5);
    for (uint64_t seed = 0; seed < 300; ++seed)
    {
        PipelineProblem problem = MakeRandomProblem(seed);
        for (auto& device : problem.devices)
        {
            device.memoryBytes = uint64_t{1} << 40;
        }
        const PipelineCostModel costModel(problem);
        PipelineKeys keys(costModel);
        std::vector<double> point;
        for (std::size_t i = 0; i < keys.GetSize(); ++i)
        {
            point.push_back(draws.Integer(0, 3) ? draws.Unit() : ClampKey(draws.Integer(0, 1)));
        }
        const PipelinePlan plan = keys.Decode(point);
        costModel.CheckPlan(plan);
        EXPECT_EQ(keys.Evaluate(point), costModel.IterationSeconds(plan));
    }
}

} // namespace
