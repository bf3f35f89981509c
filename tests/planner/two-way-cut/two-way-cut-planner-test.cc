// SPDX-License-Identifier: GPL-2.0-only

#include "random-two-way-cut.h"
#include "shipped-two-way-cut.h"
#include "two-way-cut-oracle.h"

#include "ns3/edgepipe-two-way-cut-beliefs.h"
#include "ns3/edgepipe-two-way-cut-cost.h"

namespace
{

/** @return seconds of a plan that a planner makes */
double
GetLatency(const Ptr<TwoWayCutPlanner>& planner, const TwoWayCutProblem& problem)
{
    return EvaluateTwoWayCut(problem, planner->Plan(problem)).latencySeconds;
}

/** @return a plan as a letter per layer: d for device, s for server */
std::string
Describe(const TwoWayCutPlan& plan)
{
    std::string text;
    for (const bool isOnDevice : plan.isOnDevice)
    {
        text += isOnDevice ? 'd' : 's';
    }
    return text;
}

/// @return a diamond: `a` reads the frame of 120 bytes, `b` and `c` read `a`, `d` reads both; a
///        byte takes 10 ms up and 1 ms down
TwoWayCutProblem
MakeDiamond()
{
    TwoWayCutProblem problem;
    problem.layers = {{"a", {}, 50, 1, 0.5},
                      {"b", {0}, 10, 2, 0.25},
                      {"c", {0}, 20, 3, 0.125},
                      {"d", {1, 2}, 4, 4, 1}};
    problem.inputBytes = 120;
    problem.uplinkBitsPerSecond = 800;
    problem.downlinkBitsPerSecond = 8000;
    return problem;
}

TEST(EdgepipeTwoWayCutCost, CountsEveryTensorOnce)
{
    TwoWayCutProblem problem = MakeDiamond();
    // The output of a crosses once although b and c read it.
    TwoWayCutCost cost = EvaluateTwoWayCut(problem, {{true, false, false, false}});
    EXPECT_EQ(cost.uplinkBytes, 50u);
    EXPECT_EQ(cost.downlinkBytes, 4u);
    EXPECT_DOUBLE_EQ(cost.deviceSeconds, 1);
    EXPECT_DOUBLE_EQ(cost.serverSeconds, 1.375);
    EXPECT_DOUBLE_EQ(cost.transferSeconds, 0.504);
    EXPECT_DOUBLE_EQ(cost.latencySeconds, 2.879);
    // It crosses for c, and so does the output of b.
    cost = EvaluateTwoWayCut(problem, {{true, true, false, false}});
    EXPECT_EQ(cost.uplinkBytes, 60u);
    EXPECT_EQ(EvaluateTwoWayCut(problem, {{true, true, true, false}}).uplinkBytes, 30u);
    EXPECT_EQ(EvaluateTwoWayCut(problem, {{false, false, false, false}}).uplinkBytes, 120u);
    cost = EvaluateTwoWayCut(problem, {{true, true, true, true}});
    EXPECT_EQ(cost.uplinkBytes + cost.downlinkBytes, 0u);
    EXPECT_DOUBLE_EQ(cost.latencySeconds, 10);
    problem.countResult = false;
    EXPECT_DOUBLE_EQ(EvaluateTwoWayCut(problem, {{true, false, false, false}}).latencySeconds,
                     2.875);
}

TEST(EdgepipeTwoWayCutCost, RefusesWhatIsNoClosedPartition)
{
    const TwoWayCutProblem problem = MakeDiamond();
    EXPECT_EQ(ErrorOf([&] {
                  EvaluateTwoWayCut(problem, {{true, false, true, true}});
              }),
              R"(layer "d" is on the device and reads "b" on the server)");
    EXPECT_EQ(ErrorOf([&] { EvaluateTwoWayCut(problem, {{true}}); }),
              "the plan places 1 layers, expected 4");
}

TEST(EdgepipeTwoWayCutProblem, RefusesBrokenProblems)
{
    using P = TwoWayCutProblem&;
    const std::vector<std::pair<std::function<void(P)>, std::string>> cases{
        {[](P p) { p.layers.Edit().clear(); }, "the problem has no layer, expected at least one"},
        {[](P p) {
             p.layers.Edit()[2].name = "a\n";
             p.layers.Edit()[3].name = "a\n";
         },
         R"(layer "a\n" is given twice)"},
        {[](P p) { p.layers.Edit()[1].inputs = {1}; },
         R"(layer "b" reads layer 1, expected a layer before it)"},
        {[](P p) { p.layers.Edit()[1].serverSeconds = -1; },
         R"(layer "b", serverSeconds: found -1, expected seconds, 0 or more)"},
        {[](P p) { p.layers.Edit()[1].deviceSeconds = NAN; },
         R"(layer "b", deviceSeconds: found nan, expected seconds, 0 or more)"},
        {[](P p) {
             p.isolated = {{1, 1}, {1, -2}, {1, 1}, {1, 1}};
         },
         R"(layer "b", isolated: found -2, expected seconds, 0 or more)"},
        {[](P p) {
             p.isolated = {{1, 1}};
         },
         "isolated: found 1 costs, expected none or one for each of 4 layers"},
        {[](P p) {
             p.predicted = {{1, 1}, {INFINITY, 2}, {1, 1}, {1, 1}};
         },
         R"(layer "b", predicted: found inf, expected seconds, 0 or more)"},
        {[](P p) { p.layers.Edit()[1].deviceSeconds = 1e201; },
         "the layers take 1e+201 s in all, expected at most 1e+200 s"},
        {[](P p) { p.inputBytes = uint64_t{1} << 63; }, "the tensors hold 2^63 bytes or more"},
        {[](P p) { p.uplinkBitsPerSecond = 0; },
         "uplinkBitsPerSecond: found 0, expected a number above 0"},
        {[](P p) { p.delaySeconds = -1; }, "delaySeconds: found -1, expected seconds, 0 or more"},
        {[](P p) { p.downlinkBitsPerSecond = INFINITY; },
         "downlinkBitsPerSecond: found inf, expected a number above 0"},
    };
    for (const auto& [change, message] : cases)
    {
        TwoWayCutProblem problem = MakeDiamond();
        change(problem);
        EXPECT_EQ(ErrorOf([&] { ValidateTwoWayCutProblem(problem); }), message);
    }
}

/** A planner as someone else's module would add one; its plan is never closed. */
class BackwardPlanner : public Named<BackwardPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "backward"; //!< to be found by

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        TwoWayCutPlan plan{std::vector<bool>(problem.layers.size(), false)};
        plan.isOnDevice.back() = true;
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(BackwardPlanner);

TEST(EdgepipeTwoWayCutPlanner, IsFoundByNameAndItsPlanIsChecked)
{
    EXPECT_EQ(GetNames<TwoWayCutPlanner>(),
              (std::set<std::string>{"backward",
                                     "cloud-only",
                                     "dads",
                                     "edge-only",
                                     "exact",
                                     "neurosurgeon",
                                     "qdmp"}));
    for (const auto& name : GetNames<TwoWayCutPlanner>())
    {
        EXPECT_EQ(FindByName<TwoWayCutPlanner>("planner", name)->MayUseLink(), name != "edge-only");
    }
    EXPECT_EQ(
        ErrorOf([] { FindByName<TwoWayCutPlanner>("planner", "backward")->Plan(MakeDiamond()); }),
        R"(planner backward: layer "d" is on the device and reads "b" on the server)");
}

TEST(EdgepipeTwoWayCutPlanner, LetsTheResultSwayTheDecisionOrNot)
{
    // All on the server: 1.2 s up, 1.875 s there, 0.004 s down. All on the device: 10 s.
    TwoWayCutProblem problem = MakeDiamond();
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    EXPECT_EQ(planner->GetDecisionSeconds(), 0);
    EXPECT_EQ(Describe(planner->Plan(problem)), "dsss");
    EXPECT_GT(planner->GetDecisionSeconds(), 0);
    problem.downlinkBitsPerSecond = 1;
    EXPECT_EQ(Describe(planner->Plan(problem)), "dddd");
    planner->SetAttribute("CountResult", BooleanValue(false));
    EXPECT_EQ(Describe(planner->Plan(problem)), "dsss");
}

TEST(EdgepipeTwoWayCutPlanner, CountsTheDelayOfMessages)
{
    // The first layer on the device: 2.879 s without delays. All on the device: 10 s.
    TwoWayCutProblem problem = MakeDiamond();
    for (const std::string name : {"qdmp", "exact", "dads", "neurosurgeon"})
    {
        const auto planner = FindByName<TwoWayCutPlanner>("planner", name);
        planner->SetAttributeFailSafe("CountInput", BooleanValue(true));
        problem.countResult = true;
        problem.delaySeconds = 3.5;
        EXPECT_EQ(Describe(planner->Plan(problem)), "dsss") << name;
        EXPECT_NEAR(GetLatency(planner, problem), 9.879, 1e-12) << name;
        problem.delaySeconds = 3.6;
        EXPECT_EQ(Describe(planner->Plan(problem)), "dddd") << name;
        EXPECT_EQ(GetLatency(planner, problem), 10) << name;
        problem.countResult = false;
        EXPECT_EQ(Describe(planner->Plan(problem)), "dsss") << name;
    }
}

TEST(EdgepipeQdmpPlanner, FindsTheBestOfAllClosedPartitions)
{
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    std::set<std::size_t> onDevice;
    uint64_t inBetween = 0;
    for (uint64_t seed = 0; seed < 3000; ++seed)
    {
        TwoWayCutProblem problem = RandomTwoWayCut::Make(seed, 1 + seed / 4 % 16);
        if (seed % 3 == 0)
        {
            problem.uplinkBitsPerSecond = 1e-9; // hardly moves
        }
        problem.delaySeconds = seed / 64 % 2 * 1e-3;
        const double best = TwoWayCutOracle(problem).Enumerate();
        const TwoWayCutPlan plan = planner->Plan(problem);
        EXPECT_NEAR(EvaluateTwoWayCut(problem, plan).latencySeconds, best, 1e-12 * (1 + best))
            << "seed " << seed;
        const std::string text = Describe(plan);
        inBetween += text.find('d') != std::string::npos && text.find('s') != std::string::npos;
    }
    EXPECT_GT(inBetween, 400u);
}

TEST(EdgepipeQdmpPlanner, FindsTheMinimumCutOfLargeGraphs)
{
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    for (uint64_t seed = 0; seed < 100; ++seed)
    {
        TwoWayCutProblem problem = RandomTwoWayCut::Make(seed, seed < 80 ? 1000 : 400);
        for (std::size_t i = 0; i < 199 && seed >= 80; ++i)
        {
            // Branches nested deeply, as in a U-Net of 200 levels.
            problem.layers.Edit()[399 - i].inputs.push_back(i);
        }
        EXPECT_NEAR(GetLatency(planner, problem) * 1e9,
                    TwoWayCutOracle(problem).FindMaximumFlow(),
                    1e-3)
            << "seed " << seed;
    }
}

TEST(EdgepipeDadsPlanner, TakesTheUploadForFreeUnlessToldOtherwise)
{
    TwoWayCutProblem problem = MakeDiamond();
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "dads");
    EXPECT_EQ(Describe(planner->Plan(problem)), "ssss");
    planner->SetAttribute("CountInput", BooleanValue(true));
    EXPECT_EQ(Describe(planner->Plan(problem)), "dsss");
}

TEST(EdgepipeDadsPlanner, BelievesTheTimesOfLayersRunAlone)
{
    TwoWayCutProblem problem = MakeDiamond();
    problem.isolated = {{9, 0}, {2, 0.25}, {3, 0.125}, {4, 1}};
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "dads");
    planner->SetAttribute("CountInput", BooleanValue(true));
    EXPECT_EQ(Describe(planner->Plan(problem)), "ssss");
    planner->SetAttribute("Belief", StringValue("in-context"));
    EXPECT_EQ(Describe(planner->Plan(problem)), "dsss");
}

TEST(EdgepipeTwoWayCutBeliefs, ByFlopSharesOutWhatAllLayersTake)
{
    // 4 and 2 s in all, by FLOP 1 : 2 : 1 : 0.
    TwoWayCutProblem problem = MakeDiamond();
    const std::vector<std::pair<double, double>> seconds{{1, 0.5}, {1, 0.5}, {1, 0.5}, {1, 0.5}};
    for (std::size_t i = 0; i < seconds.size(); ++i)
    {
        auto& layer = problem.layers.Edit()[i];
        std::tie(layer.deviceSeconds, layer.serverSeconds) = seconds[i];
    }
    problem.isolated = {{9, 8}, {7, 6}, {5, 4}, {3, 2}};
    EXPECT_EQ(TwoWayCutBeliefs(problem, "predicted").Get(1).deviceSeconds, 7);
    EXPECT_EQ(TwoWayCutBeliefs(problem, "in-context").Get(1).serverSeconds, 0.5);
    EXPECT_THROW(TwoWayCutBeliefs(problem, "flop"), InputError);
    EXPECT_THROW(TwoWayCutBeliefs(problem, "flops"), InputError);
    const std::vector<double> flop{10, 20, 10, 0};
    for (std::size_t i = 0; i < flop.size(); ++i)
    {
        problem.layers.Edit()[i].flop = flop[i];
    }
    const TwoWayCutBeliefs beliefs(problem, "flop");
    for (std::size_t i = 0; i < flop.size(); ++i)
    {
        EXPECT_NEAR(beliefs.Get(i).deviceSeconds, flop[i] / 10, 1e-12);
        EXPECT_NEAR(beliefs.Get(i).serverSeconds, flop[i] / 20, 1e-12);
    }
}

TEST(EdgepipeTwoWayCutBeliefs, DecideWherePlannersCut)
{
    // Sending the frame takes 10 s, a's output 0.1 s. The device takes 5 s for a or 5 s for b.
    TwoWayCutProblem problem;
    problem.layers = {{"a", {}, 10, 5, 0, 0}, {"b", {0}, 10, 0, 0, 1}};
    problem.inputBytes = 1000;
    problem.uplinkBitsPerSecond = 800;
    problem.downlinkBitsPerSecond = 1e9;
    problem.countResult = false;
    const auto dads = FindByName<TwoWayCutPlanner>("planner", "dads");
    dads->SetAttribute("CountInput", BooleanValue(true));
    const auto neurosurgeon = FindByName<TwoWayCutPlanner>("planner", "neurosurgeon");
    for (const Ptr<TwoWayCutPlanner>& planner :
         {Ptr<TwoWayCutPlanner>(dads), Ptr<TwoWayCutPlanner>(neurosurgeon)})
    {
        planner->SetAttribute("Belief", StringValue("in-context"));
        EXPECT_EQ(planner->Plan(problem).isOnDevice[1], true) << planner->GetName();
        planner->SetAttribute("Belief", StringValue("flop"));
        EXPECT_EQ(Describe(planner->Plan(problem)), "ds") << planner->GetName();
    }
}

TEST(EdgepipeDadsPlanner, FindsTheBestPartitionWithoutItsFlawsByAnyAlgorithm)
{
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "dads");
    planner->SetAttribute("CountInput", BooleanValue(true));
    planner->SetAttribute("Belief", StringValue("in-context"));
    for (const char* algorithm : {"boykov-kolmogorov", "push-relabel", "edmonds-karp"})
    {
        planner->SetAttribute("Algorithm", StringValue(algorithm));
        for (uint64_t seed = 0; seed < 200; ++seed)
        {
            TwoWayCutProblem problem = RandomTwoWayCut::Make(seed, 1 + seed % 12);
            problem.delaySeconds = seed / 64 % 2 * 1e-3;
            EXPECT_NEAR(GetLatency(planner, problem), TwoWayCutOracle(problem).Enumerate(), 1e-9)
                << algorithm << ", seed " << seed;
        }
    }
}

TEST(EdgepipeNeurosurgeonPlanner, CutsTheOrderOfTheLayersByWhatItPredicts)
{
    TwoWayCutProblem problem = MakeDiamond();
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "neurosurgeon");
    EXPECT_EQ(Describe(planner->Plan(problem)), "dsss");
    // After c, 30 bytes are alive: 0.3 s instead of 0.5 s after a.
    problem.predicted = {{1, 0.5}, {0.25, 0.25}, {0.25, 0.125}, {4, 1}};
    EXPECT_EQ(Describe(planner->Plan(problem)), "ddds");
    // After b there are 60, those of a and of b.
    problem.predicted = {{1, 0.5}, {0.125, 0.25}, {9, 0.125}, {4, 1}};
    EXPECT_EQ(Describe(planner->Plan(problem)), "ddss");
    problem.predicted.Edit()[1] = {0.2, 0.25};
    EXPECT_EQ(Describe(planner->Plan(problem)), "dsss");
    // What was timed alone stands in for what was not predicted.
    problem.predicted = {};
    problem.isolated = {{1.5, 0.5}, {2, 0.25}, {3, 0.125}, {4, 1}};
    EXPECT_EQ(Describe(planner->Plan(problem)), "ssss");
}

/// @return a chain of two layers: all on the server takes 0.1 s up and 3 s there, 3.1 s; the first
///        one on the device takes 2 s there, 0.1 s up and 1.5 s on the server, 3.6 s
TwoWayCutProblem
MakeChainForThroughput()
{
    TwoWayCutProblem problem;
    problem.layers = {{"a", {}, 10, 2, 1.5}, {"b", {0}, 0, 9, 1.5}};
    problem.inputBytes = 10;
    problem.uplinkBitsPerSecond = 800;
    problem.downlinkBitsPerSecond = 800;
    return problem;
}

TEST(EdgepipeExactCutPlanner, SharesWorkOutWhereThroughputIsTheObjective)
{
    TwoWayCutProblem problem = MakeChainForThroughput();
    for (const std::string name : {"exact", "neurosurgeon"})
    {
        const auto planner = FindByName<TwoWayCutPlanner>("planner", name);
        problem.objective = TwoWayCutObjective::LATENCY;
        EXPECT_EQ(Describe(planner->Plan(problem)), "ss") << name;
        problem.objective = TwoWayCutObjective::THROUGHPUT;
        EXPECT_EQ(Describe(planner->Plan(problem)), "ds") << name;
        EXPECT_FALSE(planner->PlanEveryBandwidth(problem)) << name;
    }
    EXPECT_EQ(Describe(FindByName<TwoWayCutPlanner>("planner", "edge-only")->Plan(problem)), "dd");
    EXPECT_EQ(Describe(FindByName<TwoWayCutPlanner>("planner", "cloud-only")->Plan(problem)), "ss");
}

TEST(EdgepipeExactCutPlanner, FindsTheShortestBottleneckOfAllClosedPartitions)
{
    const auto exact = FindByName<TwoWayCutPlanner>("planner", "exact");
    const auto neurosurgeon = FindByName<TwoWayCutPlanner>("planner", "neurosurgeon");
    const auto qdmp = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    uint64_t better = 0;
    for (uint64_t seed = 0; seed < 1000; ++seed)
    {
        TwoWayCutProblem problem = RandomTwoWayCut::Make(seed, 1 + seed / 4 % 15);
        const auto latencyPlan = qdmp->Plan(problem);
        EXPECT_NEAR(GetLatency(exact, problem), GetLatency(qdmp, problem), 1e-12)
            << "seed " << seed;
        problem.objective = TwoWayCutObjective::THROUGHPUT;
        const double best = TwoWayCutOracle(problem).EnumerateBottlenecks();
        const auto bottleneck = [&problem](const TwoWayCutPlan& plan) {
            return GetBottleneckSeconds(EvaluateTwoWayCut(problem, plan));
        };
        EXPECT_NEAR(bottleneck(exact->Plan(problem)), best, 1e-12 * (1 + best)) << "seed " << seed;
        EXPECT_GE(bottleneck(neurosurgeon->Plan(problem)), best * (1 - 1e-12)) << "seed " << seed;
        better += bottleneck(latencyPlan) > best * (1 + 1e-9);
    }
    // The cut of least latency is often another.
    EXPECT_GT(better, 200u);
}

TEST(EdgepipeExactCutPlanner, PlansShippedModelsForThroughputInFewSteps)
{
    const auto exact = FindByName<TwoWayCutPlanner>("planner", "exact");
    exact->SetAttribute("MostSteps", UintegerValue(2000000));
    for (auto& [name, problem] : ReadShippedTwoWayCuts("raspberry-pi-3b"))
    {
        problem.uplinkBitsPerSecond = 1.1e6;
        const double latencyPlans =
            GetBottleneckSeconds(EvaluateTwoWayCut(problem, exact->Plan(problem)));
        problem.objective = TwoWayCutObjective::THROUGHPUT;
        EXPECT_LE(GetBottleneckSeconds(EvaluateTwoWayCut(problem, exact->Plan(problem))),
                  latencyPlans)
            << name;
    }
}

TEST(EdgepipeExactCutPlanner, RefusesWhatCannotBeDone)
{
    TwoWayCutProblem problem = MakeChainForThroughput();
    problem.objective = TwoWayCutObjective::THROUGHPUT;
    for (const std::string name : {"qdmp", "dads"})
    {
        const auto planner = FindByName<TwoWayCutPlanner>("planner", name);
        const std::string expected = "planner " + name +
                                     ": objective: found \"throughput\", expected latency, which "
                                     "is all that it plans for";
        EXPECT_EQ(ErrorOf([&] { planner->Plan(problem); }), expected);
        EXPECT_EQ(ErrorOf([&] { planner->PlanEveryBandwidth(problem); }), expected);
    }
    const auto exact = FindByName<TwoWayCutPlanner>("planner", "exact");
    exact->SetAttribute("MostSteps", UintegerValue(2));
    EXPECT_EQ(ErrorOf([&] { exact->Plan(problem); }),
              "planner exact: has placed 2 layers and not seen all partitions, expected a network "
              "with fewer layers side by side, or a larger attribute MostSteps");
}

} // namespace
