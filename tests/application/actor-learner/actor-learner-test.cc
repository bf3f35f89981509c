// SPDX-License-Identifier: GPL-2.0-only

#include "actor-learner-fixture.h"
#include "links.h"

namespace
{

/// What FixedCutPlanner answers.
std::size_t g_fixedCut = 0;

/** Gives every actor the same cut, whatever the budgets. */
class FixedCutPlanner : public Named<FixedCutPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "test-fixed-cut"; //!< to be found by

    bool KeepsBudgets() const override
    {
        return false;
    }

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        return {std::vector<std::size_t>(problem.actors.size(), g_fixedCut)};
    }
};

NS_OBJECT_ENSURE_REGISTERED(FixedCutPlanner);

/// @return actors of different speeds that share a LAN, without training
ActorOptions
MakeOptions(uint32_t actors)
{
    ActorOptions o;
    o.model = {{8000000, 30000000, 60000000, 10000000}, {112896, 56448, 15488, 1024, 76}, 43e9};
    o.parameterBytes = {2000, 40000, 300000, 4000000};
    SetRate(o.network, 100e6);
    for (uint32_t i = 0; i < actors; ++i)
    {
        o.actors.push_back({"actor-" + std::to_string(i), (4 + i % 7) * 1e9});
    }
    o.changes = JoinAll(actors);
    o.environmentSeconds = 0.05;
    o.Set("Learner::BatchSteps", 0);
    o.Set("ActorReplanner::Meetings", false);
    o.duration = Seconds(3);
    return o;
}

/// Expect that no step was lost, answered twice or taken in twice.
void
ExpectConserved(const ActorOptions& o, const ActorLearnerResult& result)
{
    ASSERT_TRUE(result.isFinished);
    EXPECT_EQ(result.begun, result.steps.size());
    std::map<uint32_t, uint32_t> next;
    uint64_t requests = 0;
    uint64_t onServer = 0;
    for (const auto& step : result.steps)
    {
        EXPECT_EQ(step.step, next[step.actor]++);
        const bool isRequest = step.cut < o.model.layerFlop.size();
        requests += isRequest;
        onServer += step.cut == 0;
        EXPECT_LE(step.begun, step.observed);
        EXPECT_LE(step.observed, step.computed);
        EXPECT_LE(step.computed, step.ended);
        if (isRequest)
        {
            EXPECT_LT(step.computed, step.uploaded);
            EXPECT_LT(step.uploaded, step.served);
            EXPECT_LT(step.served, step.ended);
        }
    }
    EXPECT_EQ(result.served, requests);
    EXPECT_GE(result.takenIn, onServer);
    EXPECT_LE(result.takenIn, result.steps.size());
}

/// Expect that steps in progress keep budgets that never change, at every instant.
void
ExpectWithinBudgets(const ActorOptions& o, const ActorLearnerResult& result)
{
    const std::size_t all = o.model.layerFlop.size();
    std::multimap<std::pair<Time, int>, std::pair<double, double>> events;
    for (const auto& step : result.steps)
    {
        double flop = 0;
        for (std::size_t i = step.cut; i < all; ++i)
        {
            flop += o.model.layerFlop[i];
        }
        const double bytes = step.cut < all ? o.model.outputBytes[step.cut] : 0;
        events.insert({{step.begun, 1}, {flop, bytes}});
        events.insert({{step.ended, 0}, {-flop, -bytes}});
    }
    double flop = 0;
    double bytes = 0;
    const auto& limits = result.budgets.front().plan;
    for (const auto& [when, change] : events)
    {
        flop += change.first;
        bytes += change.second;
        ASSERT_LE(flop, limits.flop);
        ASSERT_LE(bytes, limits.bytes);
    }
}

} // namespace

TEST(ActorLearner, ResponseOfALoneActorIsThatOfEquation6AtBothLevels)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        for (const char* link : {"lan", "p2p"})
        {
            for (const double bitsPerSecond : {20e6, 100e6, 1e9})
            {
                for (g_fixedCut = 0; g_fixedCut <= 4; ++g_fixedCut)
                {
                    ActorOptions o = MakeOptions(1);
                    o.planner = "test-fixed-cut";
                    o.network.fidelity = fidelity;
                    SetKind(o.network, link);
                    SetRate(o.network, bitsPerSecond);
                    o.Set("ActorDevice::StepBytes", 1);
                    const auto result = RunActorLearner(o, {});
                    ExpectConserved(o, result);
                    const auto s = Summarise(o, result, Seconds(1));
                    ASSERT_GT(s.requests, 10U);
                    EXPECT_EQ(s.cuts.begin()->first, g_fixedCut);
                    // Written out, not taken from the planner's cost.
                    double expected = 0;
                    for (std::size_t i = 0; i < 4; ++i)
                    {
                        expected += o.model.layerFlop[i] / (i < g_fixedCut ? 4e9 : 43e9);
                    }
                    const double goodput = GetWireGoodput(o.network) / 8;
                    expected +=
                        g_fixedCut < 4 ? (o.model.outputBytes[g_fixedCut] + 76) / goodput : 0;
                    // Eq. 6 leaves the delay out: there and back, over one wire or two.
                    const double delay =
                        (link == std::string("lan") ? 4 : 2) * GetDelay(o.network).GetSeconds();
                    EXPECT_NEAR(s.predictedSeconds, expected + (g_fixedCut < 4 ? delay : 0), 1e-6);
                    EXPECT_NEAR(s.meanSeconds, expected, 0.05 * expected)
                        << fidelity << ' ' << link << ' ' << bitsPerSecond << " cut " << g_fixedCut;
                }
            }
        }
    }
}

TEST(ActorLearner, ResponseOfALoneActorIsThatOfTheProfileWhereThatExecutes)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        for (g_fixedCut = 0; g_fixedCut <= 4; ++g_fixedCut)
        {
            ActorOptions o = MakeOptions(1);
            o.planner = "test-fixed-cut";
            o.network.fidelity = fidelity;
            SetRate(o.network, 100e6);
            o.Set("ActorDevice::StepBytes", 1);
            o.believesProfile = true;
            // By eq. 5 they take 2, 7.5, 15 and 2.5 ms, and 0.19, 0.7, 1.4 and 0.23 ms.
            const std::vector<double> actor{0.01, 0.012, 0.005, 0.001};
            const std::vector<double> server{0.002, 0.003, 0.0001, 0.0005};
            o.actors.front().layerSeconds = actor;
            o.model.serverLayerSeconds = server;
            o.serverBatchSeconds = {server};
            const auto result = RunActorLearner(o, {});
            ExpectConserved(o, result);
            const auto s = Summarise(o, result, Seconds(1));
            double layers = 0;
            double believed = 0;
            for (std::size_t i = 0; i < 4; ++i)
            {
                layers += i < g_fixedCut ? actor[i] : server[i];
                believed += o.model.layerFlop[i] / (i < g_fixedCut ? 4e9 : 43e9);
            }
            const double goodput = GetWireGoodput(o.network) / 8;
            const double link =
                g_fixedCut < 4 ? (o.model.outputBytes[g_fixedCut] + 76) / goodput : 0;
            const double delay = g_fixedCut < 4 ? 4 * GetDelay(o.network).GetSeconds() : 0;
            EXPECT_NEAR(s.predictedSeconds, layers + link + delay, 1e-6);
            EXPECT_NEAR(s.profileSeconds, layers + link, 1e-6);
            EXPECT_NEAR(s.eq5Seconds, believed + link, 1e-6);
            EXPECT_NEAR(s.meanSeconds, s.predictedSeconds, 0.05 * s.predictedSeconds)
                << fidelity << " cut " << g_fixedCut;
        }
    }
}

TEST(ActorLearner, ActorsWaitForTheServerAndTheWireWhereEquation6DoesNot)
{
    ActorOptions o = MakeOptions(16);
    o.planner = "all-server";
    o.environmentSeconds = 0.005;
    const auto result = RunActorLearner(o, {});
    ExpectConserved(o, result);
    const auto s = Summarise(o, result, Seconds(1));
    EXPECT_GT(s.meanSeconds, 3 * s.predictedSeconds);
    EXPECT_GT(s.queueSeconds, 0);
    EXPECT_GT(s.p99Seconds, s.medianSeconds);
}

TEST(ActorLearner, TrajectoriesTakeFromTheWireWhatEquation6CountsOn)
{
    g_fixedCut = 2;
    for (const char* fidelity : {"flow", "packet"})
    {
        ActorOptions o = MakeOptions(1);
        o.planner = "test-fixed-cut";
        o.network.fidelity = fidelity;
        SetRate(o.network, 20e6);
        const auto s = Summarise(o, RunActorLearner(o, {}), Seconds(1));
        EXPECT_GT(s.meanSeconds, 1.2 * s.predictedSeconds) << fidelity;
    }
}

TEST(ActorLearner, NoRequestIsLostAndNoBudgetBrokenWhileActorsComeAndGo)
{
    uint64_t moved = 0;
    uint64_t leaves = 0;
    for (const char* planner : {"defp", "ogreedy", "igreedy"})
    {
        for (uint64_t run = 1; run <= 4; ++run)
        {
            RngSeedManager::SetRun(run);
            ActorOptions o = MakeOptions(12);
            o.planner = planner;
            o.duration = Seconds(10);
            o.Set("Learner::BatchSteps", 200);
            o.Set("Learner::UpdateSeconds", 0.02);
            SetRate(o.network, 1e9);
            o.budgets = {0.4, 0.5, run % 2 == 0, 8};
            o.changes = DrawActorChanges(12, 6, 300, o.duration, 77);
            const auto result = RunActorLearner(o, {});
            SCOPED_TRACE(std::string(planner) + ", run " + std::to_string(run));
            ExpectConserved(o, result);
            MultiActorLimits before{0, 0};
            for (const auto& use : result.budgets)
            {
                // Budgets that shrink are in force once actors have stepped back.
                ASSERT_LE(use.held.flop, std::max(use.plan.flop, before.flop));
                ASSERT_LE(use.held.bytes, std::max(use.plan.bytes, before.bytes));
                if (use.isSettled)
                {
                    ASSERT_LE(use.held.flop, use.plan.flop);
                    ASSERT_LE(use.held.bytes, use.plan.bytes);
                }
                before = use.held;
            }
            if (!o.budgets.isElastic)
            {
                ExpectWithinBudgets(o, result);
            }
            for (const auto& change : result.changes)
            {
                moved += change.moved;
                leaves += change.kind == PlanChangeRecord::LEAVE;
            }
        }
    }
    EXPECT_GT(moved, 50U);
    EXPECT_GT(leaves, 50U);
}

TEST(ActorLearner, ParametersGoOnlyToActorsThatRunLayersAndOnlyOfThese)
{
    ActorOptions o = MakeOptions(3);
    o.planner = "test-fixed-cut";
    o.Set("Learner::BatchSteps", 20);
    o.Set("Learner::UpdateSeconds", 0.001);
    SetRate(o.network, 1e9);
    uint64_t last = 0;
    for (g_fixedCut = 0; g_fixedCut <= 4; ++g_fixedCut)
    {
        const auto result = RunActorLearner(o, {});
        uint64_t bytes = 0;
        for (const auto& span : result.spans)
        {
            bytes += span.parameterBytes;
        }
        EXPECT_GT(result.updates.size(), 2U);
        const auto s = Summarise(o, result, Seconds(1));
        if (g_fixedCut == 0)
        {
            EXPECT_EQ(bytes, 0U);
            EXPECT_EQ(s.actorLag.steps, 0U);
        }
        else
        {
            EXPECT_GT(bytes, last);
            EXPECT_GT(s.actorLag.mean, 0);
            EXPECT_LT(s.serverLag.mean, s.actorLag.mean);
        }
        last = bytes;
    }
}

TEST(ActorLearner, ARunThatIsStuckSaysWhoWaitsForWhat)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        ActorOptions o = MakeOptions(3);
        o.planner = "all-server";
        o.network.fidelity = fidelity;
        o.network.cutDevice = "actor-1";
        o.network.cutTime = Seconds(1);
        o.Set("StallMonitor::Timeout", Seconds(5));
        const auto result = RunActorLearner(o, {});
        EXPECT_FALSE(result.isFinished);
        ExpectDiagnosis(result, {"actor-1: step [0-9]+ waits for "});
        EXPECT_EQ(ShowDiagnosis(result).find("actor-2: step"), std::string::npos);
    }
}
