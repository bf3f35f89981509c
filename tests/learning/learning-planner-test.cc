// SPDX-License-Identifier: GPL-2.0-only

#include "planner/pipeline/random-pipeline-problem.h"

#include "ns3/edgepipe-plan-regression.h"
#include "ns3/edgepipe-policy-pipeline-planner.h"

namespace
{

/// The planners that learn within a budget.
const std::vector<std::string> LEARNERS{"ppo", "pg-mpss", "autopipe"};

Ptr<PipelinePlanner>
MakeLearner(const std::string& name, uint64_t evaluations, int64_t stream)
{
    auto planner = FindByName<PipelinePlanner>("planner", name);
    planner->SetAttribute("Evaluations", UintegerValue(evaluations));
    planner->SetAttribute("Stream", IntegerValue(stream));
    return planner;
}

/** @return a chain of 24 layers on eight devices, one of which is much faster than the others */
PipelineProblem
MakeChain()
{
    Draws draws(3);
    PipelineProblem problem;
    problem.microBatches = 8;
    problem.bandwidthBitsPerSecond = 1e8;
    for (std::size_t i = 0; i < 24; ++i)
    {
        problem.layers.push_back({"l" + std::to_string(i),
                                  i ? std::vector<std::size_t>{i - 1} : std::vector<std::size_t>{},
                                  draws.Integer(10000, 4000000),
                                  1000,
                                  10000000});
        const double seconds = 0.01 + 0.1 * draws.Unit();
        for (const auto& [type, factor] : {std::pair("fast", 1.0), std::pair("slow", 6.0)})
        {
            problem.costs[type].forwardSeconds.push_back(factor * seconds);
            problem.costs[type].backwardSeconds.push_back(2 * factor * seconds);
        }
    }
    for (std::size_t d = 0; d < 8; ++d)
    {
        problem.devices.push_back({"d" + std::to_string(d), d == 5 ? "fast" : "slow", 10000000000});
    }
    return problem;
}

/** @return the same chain with one cut in six that is cheap, which the layers' figures tell */
PipelineProblem
MakeChainOfUnequalCuts()
{
    PipelineProblem problem = MakeChain();
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        problem.layers[i].outputBytes = i % 6 == 2 ? 10000 : 10000000;
    }
    return problem;
}

/// @return the iteration time of its plan
double
GetSeconds(const PipelineProblem& problem, const Ptr<PipelinePlanner>& planner)
{
    return PipelineCostModel(problem).IterationSeconds(planner->Plan(problem));
}

TEST(EdgepipeLearningPlanners, KeepToTheirBudgetAndCountIt)
{
    const PipelineProblem problem = MakeChain();
    for (const auto& name : LEARNERS)
    {
        for (uint64_t evaluations : {1, 2, 17})
        {
            auto planner = MakeLearner(name, evaluations, 1);
            EXPECT_EQ(planner->GetEvaluations(), 0u);
            planner->Plan(problem);
            EXPECT_GT(planner->GetEvaluations(), 0u) << name;
            EXPECT_LE(planner->GetEvaluations(), evaluations) << name;
        }
    }
}

TEST(EdgepipeLearningPlanners, DecideTheSameByTheSameStream)
{
    const PipelineProblem problem = MakeChain();
    for (const auto& name : LEARNERS)
    {
        const double seconds = GetSeconds(problem, MakeLearner(name, 20, 1));
        EXPECT_EQ(GetSeconds(problem, MakeLearner(name, 20, 1)), seconds) << name;
        // So few that not everyone finds the best plan.
        const double first = GetSeconds(problem, MakeLearner(name, 8, 1));
        bool differs = false;
        for (int64_t stream = 2; stream < 10 && !differs; ++stream)
        {
            differs = GetSeconds(problem, MakeLearner(name, 8, stream)) != first;
        }
        EXPECT_TRUE(differs) << name;
        // The attribute counts from the stream that is assigned.
        const auto assigned = MakeLearner(name, 8, 0);
        EXPECT_EQ(assigned->AssignStreams(1), 1);
        EXPECT_EQ(GetSeconds(problem, assigned), first) << name;
    }
}

TEST(EdgepipePolicyPlanners, DrawBetterPlansTheMoreTheyLearn)
{
    const PipelineProblem problem = MakeChainOfUnequalCuts();
    for (const std::string name : {"ppo", "pg-mpss"})
    {
        for (const bool learns : {true, false})
        {
            auto planner = MakeLearner(name, 640, 1);
            planner->SetAttribute("Starts", UintegerValue(1));
            planner->SetAttribute("BatchPlans", UintegerValue(8));
            planner->SetAttributeFailSafe("RelieveSlowest", BooleanValue(false));
            // Steps so small that nothing is learned.
            planner->SetAttribute("LearningRate", DoubleValue(learns ? 5e-3 : 1e-9));
            std::vector<double> batches;
            ASSERT_TRUE(planner->TraceConnectWithoutContext(
                "Batch",
                Callback<void, uint64_t, double>(
                    [&batches](uint64_t, double seconds) { batches.push_back(seconds); })));
            planner->Plan(problem);
            ASSERT_EQ(batches.size(), 80u);
            const auto mean = [&batches](std::size_t first) {
                return std::accumulate(batches.begin() + first, batches.begin() + first + 20, 0.0);
            };
            const double gain = mean(0) / mean(60);
            if (learns)
            {
                EXPECT_GT(gain, 1.5) << name;
            }
            else
            {
                EXPECT_NEAR(gain, 1, 0.2) << name;
            }
        }
    }
}

TEST(EdgepipePgMpssPlanner, ReplicatesTheSlowestStageWhereMicroBatchesMayBeSplit)
{
    PipelineProblem problem = MakeChain();
    problem.microBatchSamples = 4;
    for (auto& [type, costs] : problem.costs)
    {
        for (const uint32_t samples : {1, 2})
        {
            PartCost part{samples, costs.forwardSeconds, costs.backwardSeconds};
            for (auto* pass : {&part.forwardSeconds, &part.backwardSeconds})
            {
                for (double& seconds : *pass)
                {
                    seconds *= samples / 4.0;
                }
            }
            costs.parts.push_back(part);
        }
    }
    double replicated = 0;
    double split = 0;
    bool hasGroup = false;
    for (int64_t stream = 1; stream <= 4; ++stream)
    {
        auto planner = MakeLearner("pg-mpss", 150, stream);
        for (const auto& stage : planner->Plan(problem).stages)
        {
            hasGroup |= stage.group.size() > 1;
        }
        replicated += GetSeconds(problem, planner);
        planner->SetAttribute("Replicate", BooleanValue(false));
        split += GetSeconds(problem, planner);
    }
    EXPECT_TRUE(hasGroup);
    EXPECT_LT(replicated, split);
}

TEST(EdgepipePgMpssPlanner, SplitsTheSlowestStageOnlyWhereThatHelps)
{
    const PipelineProblem problem = MakeChain();
    double with = 0;
    double without = 0;
    for (int64_t stream = 1; stream <= 4; ++stream)
    {
        auto planner = MakeLearner("pg-mpss", 150, stream);
        with += GetSeconds(problem, planner);
        planner->SetAttribute("RelieveSlowest", BooleanValue(false));
        without += GetSeconds(problem, planner);
    }
    EXPECT_LT(with, without);
}

TEST(EdgepipeAutoPipePlanner, TrustsNoPredictionOfItsCostModel)
{
    // The plan returned is the fastest of those looked at with the true model; with no look left
    // after the samples, it is a sample.
    PipelineProblem problem = MakeChainOfUnequalCuts();
    problem.devices[5].memoryBytes = 860000000; // ten layers, so that others have to be chosen
    auto samples = MakeLearner("autopipe", 200, 4);
    samples->SetAttribute("SampleShare", DoubleValue(1));
    auto learns = MakeLearner("autopipe", 400, 4);
    learns->SetAttribute("SampleShare", DoubleValue(0.5));
    learns->SetAttribute("Episodes", UintegerValue(100));
    learns->SetAttribute("Rounds", UintegerValue(2));
    EXPECT_LT(GetSeconds(problem, learns), GetSeconds(problem, samples) * (1 - 1e-9));
    EXPECT_EQ(samples->GetEvaluations(), 200u);
}

TEST(EdgepipePlanRegression, LearnsWhatDecidesAnIteration)
{
    // One device type and free links: by eq. (1) the time is the sum of the stages' seconds and
    // M - 1 times the largest of them, both of which are among the figures.
    PipelineProblem problem = MakeChain();
    problem.bandwidthBitsPerSecond = 1e15;
    for (auto& device : problem.devices)
    {
        device.type = "fast";
    }
    const PipelineCostModel costModel(problem);
    PlanRegression regression(costModel);
    Draws draws(8);
    const auto draw = [&] {
        PipelinePlan plan;
        std::size_t first = 0;
        while (first < 24)
        {
            const std::size_t device = plan.stages.size();
            const std::size_t last = device == 7 ? 23 : draws.Integer(first, 23);
            plan.stages.push_back({device, first, last});
            first = last + 1;
        }
        return plan;
    };
    for (int i = 0; i < 50; ++i)
    {
        const PipelinePlan plan = draw();
        regression.Add(plan, costModel.IterationSeconds(plan));
    }
    regression.Fit();
    for (int i = 0; i < 50; ++i)
    {
        const PipelinePlan plan = draw();
        const double seconds = costModel.IterationSeconds(plan);
        EXPECT_NEAR(regression.PredictSeconds(plan), seconds, 5e-3 * seconds);
    }
}

TEST(EdgepipePolicy, HasTheGradientOfItsLoss)
{
    const std::vector<std::size_t> allowed{0, 2, 3};
    const std::vector<float> logits{0.3F, 9, -0.7F, 1.1F};
    const auto loss = [&](const std::vector<float>& z, double before, double advantage) {
        const auto p = FindProbabilities(z.data(), 4, allowed);
        const double ratio = p[2] / before;
        double entropy = 0;
        for (double each : p)
        {
            entropy -= each > 0 ? each * std::log(each) : 0;
        }
        return -std::min(ratio * advantage, std::clamp(ratio, 0.8, 1.2) * advantage) -
               0.1 * entropy;
    };
    const auto probabilities = FindProbabilities(logits.data(), 4, allowed);
    EXPECT_EQ(probabilities[1], 0);
    EXPECT_NEAR(probabilities[0] + probabilities[2] + probabilities[3], 1, 1e-12);
    // Within the clip, and beyond it on either side.
    for (const double before : {probabilities[2], probabilities[2] / 2, probabilities[2] * 2})
    {
        for (const double advantage : {1.5, -0.5})
        {
            const auto gradient = GetPolicyGradient(probabilities, 2, before, advantage, 0.2, 0.1);
            for (std::size_t i = 0; i < logits.size(); ++i)
            {
                auto higher = logits;
                auto lower = logits;
                higher[i] += 0.01F;
                lower[i] -= 0.01F;
                const double slope =
                    (loss(higher, before, advantage) - loss(lower, before, advantage)) / 0.02;
                EXPECT_NEAR(gradient[i], slope, 2e-4) << before << " " << advantage << " " << i;
            }
        }
    }
}

TEST(EdgepipeLearningPlanners, TellHowFarTheyHaveCome)
{
    const PipelineProblem problem = MakeChain();
    for (const auto& name : LEARNERS)
    {
        auto planner = MakeLearner(name, 100, 1);
        std::vector<double> shares;
        ASSERT_TRUE(planner->TraceConnectWithoutContext(
            "Progress",
            Callback<void, double, const std::string&>(
                [&shares](double done, const std::string&) { shares.push_back(done); })));
        planner->Plan(problem);
        EXPECT_GT(shares.size(), 2u) << name;
        EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end())) << name;
        EXPECT_LE(shares.back(), 1) << name;
    }
}

} // namespace
