// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-oracle.h"
#include "random-pipeline-problem.h"

#include <limits>

namespace
{

/** A planner as someone else's module would add one; its plan is always wrong. */
class ForgetfulPlanner : public Named<ForgetfulPlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "forgetful"; //!< to be found by

  private:
    PipelinePlan DoPlan(const PipelineProblem&, const PipelineCostModel&) override
    {
        return {};
    }
};

NS_OBJECT_ENSURE_REGISTERED(ForgetfulPlanner);

/** @return a problem of five equal layers on the given number of equal devices */
PipelineProblem
MakeFiveLayers(std::size_t devices)
{
    PipelineProblem problem;
    problem.bandwidthBitsPerSecond = 1e9;
    for (std::size_t i = 0; i < 5; ++i)
    {
        problem.layers.push_back({"l" + std::to_string(i), {}, 1, 10, 1});
        problem.costs["t"].forwardSeconds.push_back(1);
        problem.costs["t"].backwardSeconds.push_back(1);
    }
    for (std::size_t d = 0; d < devices; ++d)
    {
        problem.devices.push_back({"d" + std::to_string(d), "t", 1000});
    }
    return problem;
}

/// @return its stages as "device:first-last ..."
std::string
Describe(const PipelinePlan& plan)
{
    std::string text;
    for (const PipelineStage& stage : plan.stages)
    {
        text += (text.empty() ? "" : " ") + std::to_string(stage.device) + ":" +
                std::to_string(stage.firstLayer) + "-" + std::to_string(stage.lastLayer);
    }
    return text;
}

TEST(EdgepipePipelinePlanner, IsFoundByNameWhereverItIsRegistered)
{
    EXPECT_EQ(FindByName<PipelinePlanner>("planner", "dp")->GetInstanceTypeId().GetName(),
              "ns3::edgepipe::DpPipelinePlanner");
    EXPECT_EQ(
        FindByName<PipelinePlanner>("planner", "ns3::edgepipe::EvenPipelinePlanner")->GetName(),
        "even");
    EXPECT_EQ(FindByName<PipelinePlanner>("planner", "forgetful")->GetName(), "forgetful");
    EXPECT_EQ(GetNames<PipelinePlanner>(),
              (std::set<std::string>{"autopipe",
                                     "dp",
                                     "dp-dgpas",
                                     "even",
                                     "exact",
                                     "fastest-device",
                                     "forgetful",
                                     "ga",
                                     "grdqn",
                                     "grdqn-as-printed",
                                     "grdqn-improved",
                                     "grdqn-stage-aware",
                                     "hybrid",
                                     "pg-mpss",
                                     "pipedream",
                                     "ppo",
                                     "pso"}));
    EXPECT_EQ(ErrorOf([] { FindByName<PipelinePlanner>("planner", "eaxct"); }),
              R"(planner: found "eaxct", expected one of: autopipe, dp, dp-dgpas, even, exact, )"
              "fastest-device, forgetful, ga, grdqn, grdqn-as-printed, grdqn-improved, "
              "grdqn-stage-aware, hybrid, pg-mpss, pipedream, ppo, pso, "
              "exec:COMMAND, plan:FILE");
}

TEST(EdgepipePipelinePlanner, ChecksTheProblemAndThePlan)
{
    PipelineProblem problem = MakeFiveLayers(2);
    EXPECT_EQ(ErrorOf([&] { FindByName<PipelinePlanner>("planner", "forgetful")->Plan(problem); }),
              R"(planner forgetful: the stages end before layer "l0")");
    problem.microBatches = 0;
    EXPECT_EQ(ErrorOf([&] { FindByName<PipelinePlanner>("planner", "even")->Plan(problem); }),
              "microBatches: found 0, expected a positive integer");
}

TEST(EdgepipePipelinePlanner, CountsThePlansItLookedAt)
{
    auto counts = [](const std::string& name) {
        auto planner = FindByName<PipelinePlanner>("planner", name);
        EXPECT_EQ(planner->GetEvaluations(), 0u) << name;
        EXPECT_EQ(planner->GetDecisionSeconds(), 0);
        planner->Plan(MakeFiveLayers(3));
        EXPECT_GT(planner->GetDecisionSeconds(), 0);
        return planner->GetEvaluations();
    };
    EXPECT_EQ(counts("dp"), 0u);
    EXPECT_EQ(counts("ga"), 20000u);
    EXPECT_EQ(counts("pso"), 20000u);
}

TEST(EdgepipeEvenPipelinePlanner, GivesTheFirstStagesTheLayersThatAreLeftOver)
{
    auto planner = FindByName<PipelinePlanner>("planner", "even");
    EXPECT_EQ(Describe(planner->Plan(MakeFiveLayers(1))), "0:0-4");
    EXPECT_EQ(Describe(planner->Plan(MakeFiveLayers(3))), "0:0-1 1:2-3 2:4-4");
    EXPECT_EQ(Describe(planner->Plan(MakeFiveLayers(9))), "0:0-0 1:1-1 2:2-2 3:3-3 4:4-4");
}

TEST(EdgepipeFastestDevicePipelinePlanner, TakesTheFastestDeviceThatHoldsTheModel)
{
    auto planner = FindByName<PipelinePlanner>("planner", "fastest-device");
    PipelineProblem problem = MakeFiveLayers(4);
    problem.devices[1].type = problem.devices[2].type = "fast";
    problem.costs["fast"] = problem.costs["t"];
    for (double& seconds : problem.costs["fast"].forwardSeconds)
    {
        seconds /= 2;
    }
    EXPECT_EQ(Describe(planner->Plan(problem)), "1:0-4");
    problem.devices[1].memoryBytes = 50;
    EXPECT_EQ(Describe(planner->Plan(problem)), "2:0-4");
    problem.devices[2].memoryBytes = 50;
    EXPECT_EQ(Describe(planner->Plan(problem)), "0:0-4");
    for (auto& device : problem.devices)
    {
        device.memoryBytes = 50;
    }
    EXPECT_EQ(
        ErrorOf([&] { planner->Plan(problem); }),
        "planner fastest-device: no plan fits: no device's memory holds the whole model; stage 0 "
        "(layers \"l0\" to \"l4\") needs 112 B, but d0 has 50 B");
    // Never better than the optimum, and the least over devices by hand.
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        const PipelineProblem drawn = MakeRandomProblem(seed);
        const PipelineCostModel costs(drawn);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t d = 0; d < drawn.devices.size(); ++d)
        {
            const PipelinePlan alone{{{d, 0, drawn.layers.size() - 1}}};
            if (PipelineOracle(drawn).Fits(alone.stages.front()))
            {
                least = std::min(least, costs.IterationSeconds(alone));
            }
        }
        if (std::isinf(least))
        {
            EXPECT_THROW(planner->Plan(drawn), InputError) << seed;
            continue;
        }
        EXPECT_EQ(costs.IterationSeconds(planner->Plan(drawn)), least) << seed;
    }
}

TEST(EdgepipeDgpasDpPipelinePlanner, BalancesLayersByTheirMeanCost)
{
    auto planner = FindByName<PipelinePlanner>("planner", "dp-dgpas");
    PipelineProblem problem = MakeFiveLayers(2);
    problem.costs["t"] = {{1, 1, 1, 1, 4}, {0, 0, 0, 0, 0}};
    EXPECT_EQ(Describe(planner->Plan(problem)), "0:0-3 1:4-4");
    // Three devices gain nothing over two: the last layer alone is half of the work.
    problem.devices.push_back({"d2", "t", 1000});
    EXPECT_EQ(Describe(planner->Plan(problem)), "0:0-3 1:4-4");
    // Speed does not matter, how the work is spread does: on "u" the first layer is all of it,
    // so the mean weights are (0.125 + 1) / 2 and then 0.0625, 0.0625, 0.0625 and 0.25.
    problem.devices = {{"d0", "t", 1000}, {"d1", "u", 1000}};
    problem.costs["u"] = {{1000, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
    EXPECT_EQ(Describe(planner->Plan(problem)), "0:0-0 1:1-4");
}

TEST(EdgepipeDgpasDpPipelinePlanner, RespectsTheMemoryOfTheDeviceEachStageGets)
{
    auto planner = FindByName<PipelinePlanner>("planner", "dp-dgpas");
    PipelineProblem problem = MakeFiveLayers(2);
    problem.devices[0].memoryBytes = 24; // a loss each, and its gradient
    EXPECT_EQ(Describe(planner->Plan(problem)), "0:0-0 1:1-4");
    problem.devices[1].memoryBytes = 89;
    EXPECT_EQ(
        ErrorOf([&] { planner->Plan(problem); }),
        "planner dp-dgpas: no plan fits: no cut into stages fits the memory of the devices, taken "
        "in their order");
}

/// @param order devices that stages are given in turn
/// @param measure what a plan is worth
/// @return the least over all cuts into stages that fit; infinite when none does
double
FindLeast(const PipelineProblem& problem,
          const std::vector<std::size_t>& order,
          const std::function<double(const PipelinePlan&)>& measure)
{
    const PipelineOracle oracle(problem);
    double best = std::numeric_limits<double>::infinity();
    const std::size_t inner = problem.layers.size() - 1;
    for (uint64_t cuts = 0; cuts < uint64_t{1} << inner; ++cuts)
    {
        PipelinePlan plan;
        bool fits = true;
        for (std::size_t i = 0, first = 0; i <= inner; ++i)
        {
            if (i == inner || (cuts >> i & 1))
            {
                fits = fits && plan.stages.size() < order.size();
                const std::size_t device = fits ? order[plan.stages.size()] : 0;
                plan.stages.push_back({device, first, i});
                fits = fits && oracle.Fits(plan.stages.back());
                first = i + 1;
            }
        }
        best = fits ? std::min(best, measure(plan)) : best;
    }
    return best;
}

/// @return the weight of the heaviest stage; a layer's is its mean share of the devices' work
double
FindHeaviest(const PipelineProblem& problem, const PipelinePlan& plan)
{
    std::vector<double> weights(problem.layers.size(), 0);
    for (const PipelineDevice& device : problem.devices)
    {
        const LayerSeconds& costs = problem.costs.at(device.type);
        const double total =
            std::accumulate(costs.forwardSeconds.begin(), costs.forwardSeconds.end(), 0.0) +
            std::accumulate(costs.backwardSeconds.begin(), costs.backwardSeconds.end(), 0.0);
        for (std::size_t i = 0; i < weights.size() && total > 0; ++i)
        {
            weights[i] += (costs.forwardSeconds[i] + costs.backwardSeconds[i]) / total;
        }
    }
    double heaviest = 0;
    for (const PipelineStage& stage : plan.stages)
    {
        heaviest = std::max(heaviest,
                            std::accumulate(weights.begin() + stage.firstLayer,
                                            weights.begin() + stage.lastLayer + 1,
                                            0.0));
    }
    return heaviest;
}

/// @return the longest that a stage or a transfer takes, forward and backward, layer by layer
double
FindBottleneck(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const PipelineOracle oracle(problem);
    double bottleneck = 0;
    for (std::size_t r = 0; r < plan.stages.size(); ++r)
    {
        const PipelineStage& stage = plan.stages[r];
        const auto& costs = problem.costs.at(problem.devices[stage.device].type);
        double seconds = 0;
        for (std::size_t i = stage.firstLayer; i <= stage.lastLayer; ++i)
        {
            seconds += costs.forwardSeconds[i] + costs.backwardSeconds[i];
        }
        bottleneck = std::max(bottleneck, seconds);
        if (r > 0)
        {
            const std::size_t before = plan.stages[r - 1].device;
            const std::size_t last = stage.firstLayer - 1;
            bottleneck = std::max(bottleneck,
                                  oracle.TransferSeconds(last, before, stage.device) +
                                      oracle.TransferSeconds(last, stage.device, before));
        }
    }
    return bottleneck;
}

TEST(EdgepipeDpPipelinePlanner, BalancesByOwnSpeedsAndTransfers)
{
    auto planner = FindByName<PipelinePlanner>("planner", "dp");
    uint64_t planned = 0;
    for (uint64_t seed = 0; seed < 500; ++seed)
    {
        const PipelineProblem problem = MakeRandomProblem(seed);
        std::vector<std::size_t> order(problem.devices.size());
        std::iota(order.begin(), order.end(), 0);
        const auto seconds = [&problem](std::size_t device) {
            const auto& costs = problem.costs.at(problem.devices[device].type);
            double sum = 0;
            for (std::size_t i = 0; i < costs.forwardSeconds.size(); ++i)
            {
                sum += costs.forwardSeconds[i] + costs.backwardSeconds[i];
            }
            return sum;
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return seconds(a) < seconds(b);
        });
        const double best = FindLeast(problem, order, [&problem](const PipelinePlan& plan) {
            return FindBottleneck(problem, plan);
        });
        if (std::isinf(best))
        {
            EXPECT_THROW(planner->Plan(problem), InputError) << seed;
            continue;
        }
        ++planned;
        EXPECT_NEAR(FindBottleneck(problem, planner->Plan(problem)), best, 1e-9 * best) << seed;
    }
    EXPECT_GT(planned, 200u);
}

TEST(EdgepipeDgpasDpPipelinePlanner, FindsTheBestBalanceOfAllCuts)
{
    auto planner = FindByName<PipelinePlanner>("planner", "dp-dgpas");
    uint64_t planned = 0;
    uint64_t infeasible = 0;
    for (uint64_t seed = 0; seed < 500; ++seed)
    {
        PipelineProblem problem = MakeRandomProblem(seed);
        std::vector<std::size_t> order(problem.devices.size());
        std::iota(order.begin(), order.end(), 0);
        const double best = FindLeast(problem, order, [&problem](const PipelinePlan& plan) {
            return FindHeaviest(problem, plan);
        });
        try
        {
            EXPECT_NEAR(FindHeaviest(problem, planner->Plan(problem)), best, 1e-9) << seed;
            ++planned;
        }
        catch (const InputError&)
        {
            EXPECT_EQ(best, std::numeric_limits<double>::infinity()) << "seed " << seed;
            ++infeasible;
        }
    }
    EXPECT_GT(planned, 100u);
    EXPECT_GT(infeasible, 50u);
}

} // namespace
