// SPDX-License-Identifier: GPL-2.0-only

#include "multi-actor-oracle.h"
#include "random-multi-actor.h"

#include "ns3/edgepipe-defp-pair.h"
#include "ns3/edgepipe-multi-actor-cost.h"

namespace
{

/** @return the network of three layers that the tests below work out by hand */
MultiActorModel
MakeModel()
{
    return {{100, 0, 200}, {50, 20, 20, 5}, 1000};
}

TEST(EdgepipeMultiActorProblem, TurnsBudgetsIntoWholeNumbers)
{
    EXPECT_EQ(GetMultiActorLimits({10.75, 10, 3}).flop, 10u);
    EXPECT_EQ(GetMultiActorLimits({10.75, 10, 3}).bytes, 3u);
    // 0.3 / 0.1 is rounded to 2.9999999999999996, though 3 * 0.1 exceeds 0.3.
    EXPECT_EQ(GetMultiActorLimits({0, 0.3, 0.1}).bytes, 2u);
    EXPECT_EQ(GetMultiActorLimits({0, 0.6, 0.2}).bytes, 2u); // 3 * 0.2 exceeds 0.6
    EXPECT_EQ(GetMultiActorLimits({1e300, 1e300, 1e-200}).bytes, uint64_t{1} << 53);
    EXPECT_EQ(GetMultiActorLimits({1e300, 0, 1}).flop, uint64_t{1} << 63);
    for (uint64_t i = 0; i < 1000; ++i)
    {
        Draws draws(i);
        const double delta = draws.Unit() + 1e-9;
        const double budget = draws.Unit() * 1e6;
        const uint64_t bytes = GetMultiActorLimits({0, budget, delta}).bytes;
        EXPECT_LE(delta * bytes, budget);
        EXPECT_GT(delta * (bytes + 1), budget);
    }
}

TEST(EdgepipeMultiActorCost, AddsUpAndMeasuresSpread)
{
    MultiActorProblem problem;
    problem.model = MakeModel();
    problem.actors = {{"a", 100, 100}, {"b", 50, 100}};
    problem.budgets = {500, 140, 2};
    const MultiActorCost cost = EvaluateMultiActor(problem, {{0, 1}});
    // 3 - 0.85 s and 6 - 2.45 s; mean 2.85, each 0.7 off. Cuts 0 and 1 are 0.5 off.
    EXPECT_DOUBLE_EQ(cost.totalReductionSeconds, 5.7);
    EXPECT_DOUBLE_EQ(cost.reductionVariance, 0.49);
    EXPECT_DOUBLE_EQ(cost.cutVariance, 0.25);
    EXPECT_EQ(cost.computeUsedFlop, 500u);
    EXPECT_EQ(cost.bandwidthUsedBytes, 140);
    EXPECT_TRUE(cost.isWithinBudgets);
    problem.budgets.computeFlop = 499;
    EXPECT_FALSE(EvaluateMultiActor(problem, {{0, 1}}).isWithinBudgets);
    problem.budgets = {500, 139, 2};
    EXPECT_FALSE(EvaluateMultiActor(problem, {{0, 1}}).isWithinBudgets);
}

TEST(EdgepipeMultiActorCost, IsTheSameAfterChangesAsAnew)
{
    MultiActorProblem problem = RandomMultiActor::Make(1, 30, RandomMultiActor::ELASTIC);
    const std::size_t layers = problem.model.layerFlop.size();
    MultiActorPlan plan{std::vector<std::size_t>(29, layers)};
    MultiActorEvaluation evaluation;
    const auto expectSame = [&](const std::string& after) {
        MultiActorProblem present = problem;
        present.actors.resize(plan.cuts.size());
        const MultiActorCost kept = evaluation.Evaluate(present, plan);
        const MultiActorCost anew = EvaluateMultiActor(present, plan);
        EXPECT_EQ(kept.totalReductionSeconds, anew.totalReductionSeconds) << after;
        EXPECT_EQ(kept.cutVariance, anew.cutVariance) << after;
        EXPECT_EQ(kept.reductionVariance, anew.reductionVariance) << after;
        EXPECT_EQ(kept.computeUsedFlop, anew.computeUsedFlop) << after;
    };
    expectSame("the first plan");
    plan.cuts[7] = 0;
    expectSame("another cut");
    problem.actors[7].flopPerSecond /= 3;
    evaluation.Forget(7);
    expectSame("a report");
    plan.cuts.push_back(1);
    expectSame("a join");
    plan.cuts.erase(plan.cuts.begin() + 3);
    problem.actors.erase(problem.actors.begin() + 3);
    evaluation.Remove(3);
    expectSame("a departure");
}

TEST(EdgepipeMultiActorRest, TellsWhatTwoWouldGain)
{
    MultiActorProblem problem;
    problem.model = MakeModel();
    problem.actors = {{"a", 100, 100}, {"b", 50, 100}, {"c", 100, 100}};
    problem.budgets = {300, 60, 1};
    // Actor b would save 5.15 s by what a holds, 3 s more; c would save no more than a.
    MultiActorRest rest = MeasureMultiActorRest(problem, {{0, 3, 3}});
    EXPECT_EQ(rest.pairs, 3u);
    EXPECT_EQ(rest.pairsThatGain, 1u);
    EXPECT_DOUBLE_EQ(rest.largestGainSeconds, 3);
    rest = MeasureMultiActorRest(problem, {{3, 0, 3}});
    EXPECT_EQ(rest.pairsThatGain, 0u);
    EXPECT_EQ(rest.largestGainSeconds, 0);
    // Cut 1 is one that no plan needs; b with all on the server gains 5.15 - 3.55 s.
    EXPECT_DOUBLE_EQ(MeasureMultiActorRest(problem, {{3, 1, 3}}).largestGainSeconds, 1.6);
    EXPECT_EQ(ErrorOf([&] {
                  MeasureMultiActorRest(problem, {{0, 0, 3}});
              }),
              "the plan takes more than the budgets");
}

TEST(EdgepipeDefpPair, CutsCloserWithinItsMargin)
{
    // Together 10 s at cuts 0 and 4, 9.5 s at cuts 2 and 2, 9.2 s at cuts 2 and 3.
    const std::vector<MultiActorCut> cuts{{0, 10, 0, 0, 9.0},
                                          {2, 6, 0, 0, 4.75},
                                          {3, 5, 0, 0, 4.45},
                                          {4, 2, 0, 0, 1.0},
                                          {9, 0, 0, 0, 0}};
    const DefpPlayer nothing{cuts, 4};
    const auto choose = [&](double margin) {
        const DefpPair pair = ChooseDefpPair(nothing, nothing, {12, 0}, margin);
        return std::to_string(cuts[pair.first].cut) + std::to_string(cuts[pair.second].cut) + " " +
               std::to_string(pair.gainSeconds).substr(0, 4);
    };
    EXPECT_EQ(choose(0), "40 10.0");
    EXPECT_EQ(choose(0.04), "40 10.0");
    EXPECT_EQ(choose(0.06), "22 9.50");
    EXPECT_EQ(choose(0.5), "22 9.50");
    // Nothing is given up once it is had.
    const DefpPlayer most{cuts, 0};
    const DefpPlayer little{cuts, 3};
    const DefpPair pair = ChooseDefpPair(most, little, {0, 0}, 0.5);
    EXPECT_EQ(pair.first, 0u);
    EXPECT_EQ(pair.second, 3u);
    EXPECT_EQ(pair.gainSeconds, 0);
}

TEST(EdgepipeMultiActorProblemBuilder, CutsAGraphByItsOrder)
{
    // The sum reads the image's stem and the branch behind it; two heads are the result.
    const DnnGraph graph{"net",
                         {{"image", "input", {}, 0, 0, 100, 0},
                          {"stem", "conv2d", {0}, 10, 0, 40, 0},
                          {"branch", "conv2d", {1}, 20, 0, 30, 0},
                          {"sum", "add", {1, 2}, 5, 0, 25, 0},
                          {"policy", "linear", {3}, 6, 0, 7, 0},
                          {"value", "linear", {3}, 3, 0, 4, 0}}};
    const MultiActorModel model = BuildMultiActorModel(graph, 1e12);
    EXPECT_EQ(model.layerFlop, (std::vector<uint64_t>{10, 20, 5, 6, 3}));
    EXPECT_EQ(model.outputBytes, (std::vector<uint64_t>{100, 40, 70, 25, 25, 11}));
    EXPECT_EQ(model.serverFlopPerSecond, 1e12);
}

TEST(EdgepipeMultiActorProblem, RefusesBrokenProblems)
{
    const auto messageAfter = [](void (*change)(MultiActorProblem&)) {
        MultiActorProblem problem;
        problem.model = MakeModel();
        problem.actors = {{"a", 100, 100}, {"b", 50, 100}};
        problem.budgets = {500, 140, 1};
        change(problem);
        return ErrorOf([&] { ValidateMultiActorProblem(problem); });
    };
    using P = MultiActorProblem&;
    EXPECT_EQ(messageAfter([](P) {}), "");
    EXPECT_EQ(messageAfter([](P p) { p.model.layerFlop.clear(); }),
              "layerFlop: found no layer, expected at least one");
    EXPECT_EQ(messageAfter([](P p) { p.model.outputBytes.pop_back(); }),
              "outputBytes: found 3 sizes, expected 4, of the input and of every layer's output");
    EXPECT_EQ(messageAfter([](P p) { p.model.layerFlop[0] = uint64_t{1} << 63; }),
              "layerFlop: found 2^63 FLOP or more in all, expected less");
    EXPECT_EQ(messageAfter([](P p) { p.model.outputBytes[1] = uint64_t{1} << 53; }),
              "outputBytes: found 9007199254740992, expected less than 2^53");
    EXPECT_EQ(messageAfter([](P p) { p.model.outputBytes[1] = uint64_t{1} << 52; }),
              "found 2 actors that may ask for 2^63 FLOP or 2^53 bytes or more in all, expected "
              "less");
    EXPECT_EQ(messageAfter([](P p) { p.model.serverFlopPerSecond = NAN; }),
              "serverFlopPerSecond: found nan, expected a number above 0");
    EXPECT_EQ(messageAfter([](P p) { p.actors.clear(); }),
              "actors: found none, expected at least one");
    EXPECT_EQ(messageAfter([](P p) { p.actors[1].name = "a"; }), R"(actor "a" is given twice)");
    EXPECT_EQ(messageAfter([](P p) { p.actors[1].bytesPerSecond = 0; }),
              R"(actor "b", bytesPerSecond: found 0, expected a number above 0)");
    EXPECT_EQ(messageAfter([](P p) { p.actors[1].flopPerSecond = INFINITY; }),
              R"(actor "b", flopPerSecond: found inf, expected a number above 0)");
    EXPECT_EQ(messageAfter([](P p) { p.budgets.computeFlop = -1; }),
              "computeBudgetFlop: found -1, expected a number of at least 0");
    EXPECT_EQ(messageAfter([](P p) { p.budgets.bandwidthBytes = NAN; }),
              "bandwidthBudgetBytes: found nan, expected a number of at least 0");
    EXPECT_EQ(messageAfter([](P p) { p.budgets.delta = 0; }),
              "delta: found 0, expected a number above 0");
}

} // namespace
