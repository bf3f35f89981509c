// SPDX-License-Identifier: GPL-2.0-only

#include "application/pipeline/pipeline-fixture.h"
#include "data-parallel-fixture.h"
#include "links.h"

namespace
{

/** @return the sum of some shares */
uint64_t
Sum(const std::vector<uint64_t>& samples)
{
    return std::accumulate(samples.begin(), samples.end(), uint64_t{0});
}

/** Four workers whose shares change at every report. */
DataParallelCase
MakeChanging(const std::string& exchange, const std::string& planner)
{
    DataParallelCase one(4, 400000, 1e-3);
    one.Set("DataParallelHelper::Exchange", exchange);
    one.planner = planner;
    one.Set("DataParallelWorker::Iterations", 200);
    one.SetUpdateInterval(MilliSeconds(30));
    one.Set("DataParallelFirstNode::MissingAfter", MilliSeconds(500));
    // The first is slowest, so that those behind it in the ring run ahead of it.
    one.nodes[0].cost.sampleSeconds = 2e-3;
    return one;
}

using Shares = testing::TestWithParam<const char*>;

TEST_P(Shares, ChangeForAllWorkersInTheSameIteration)
{
    for (const char* planner : {"random", "optimal", "bno"})
    {
        SCOPED_TRACE(planner);
        const auto result = MakeChanging(GetParam(), planner).Run();
        ASSERT_TRUE(result.isFinished) << ShowDataParallel(result);
        ASSERT_EQ(result.updates.size(), 200);
        if (planner == std::string("random"))
        {
            EXPECT_GT(result.shares.size(), 50);
        }
        EXPECT_GT(result.shares.size(), 1);
        uint64_t all = 0;
        for (std::size_t i = 0; i < result.updates.size(); ++i)
        {
            SCOPED_TRACE(i);
            const auto& update = result.updates[i];
            const auto& shares = result.shares[update.version];
            // Every worker had its share of the same version.
            EXPECT_EQ(update.samples, Sum(shares.samples));
            EXPECT_TRUE(shares.isInForce);
            EXPECT_LE(shares.iteration, i);
            EXPECT_GE(update.version, i > 0 ? result.updates[i - 1].version : 0);
            EXPECT_LE(shares.decided, update.start);
            if (planner != std::string("bno"))
            {
                EXPECT_EQ(update.samples, 32);
            }
            all += update.samples;
        }
        uint64_t computed = 0;
        for (const auto& node : result.nodes)
        {
            computed += node.samples;
        }
        EXPECT_EQ(computed, all);
    }
}

TEST_P(Shares, TakeEffectInTheIterationAfterTheNextToBegin)
{
    auto one = MakeChanging(GetParam(), "given-shares");
    GivenSharesPlanner::decide = [](const auto&) { return std::vector<uint64_t>{2, 10, 10, 10}; };
    const auto result = one.Run();
    ASSERT_EQ(result.shares.size(), 2);
    const auto& change = result.shares[1];
    ASSERT_TRUE(change.isInForce);
    // Announced with the gradients of the iteration in which it was decided, or, where these were
    // on their way by the time the last worker had confirmed it, with the next.
    const auto& before = result.updates[change.iteration - 1];
    const auto& earlier = result.updates[change.iteration - 2];
    EXPECT_LT(change.decided, before.lastComputed);
    EXPECT_GT(change.decided, earlier.start);
    EXPECT_EQ(before.version, 0);
    EXPECT_EQ(result.updates[change.iteration].version, 1);
}

TEST_P(Shares, OfBnoMakeTheBaseBatchIfNormalized)
{
    auto one = MakeChanging(GetParam(), "bno");
    one.Set("DataParallelHelper::Normalize", true);
    for (const bool allPairs : {false, true})
    {
        one.Set("DataParallelReporter::AllPairs", allPairs);
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished);
        for (const auto& update : result.updates)
        {
            EXPECT_EQ(update.samples, 32);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Exchange,
                         Shares,
                         testing::Values("ring", "merged-ring", "parameter-server"),
                         [](const auto& info) {
                             std::string name = info.param;
                             name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                             return name;
                         });

TEST(DataParallelMetrics, AreThoseOfTheDevice)
{
    DataParallelCase one(3, 400000, 1e-3);
    one.planner = "given-shares";
    one.Set("DataParallelWorker::Iterations", 60);
    one.SetUpdateInterval(MilliSeconds(20));
    one.network.Set("Delay", TimeValue(MilliSeconds(2)));
    one.control = one.network;
    one.nodes[1].cost.sampleSeconds = 4e-3;
    one.loads = {{"worker-2", "", {{Time(), 0.5}}}};
    for (const bool allPairs : {false, true})
    {
        BatchSharesProblem asked;
        GivenSharesPlanner::decide = [&asked](const BatchSharesProblem& problem) {
            asked = problem;
            return std::vector<uint64_t>{8, 8, 8};
        };
        one.Set("DataParallelReporter::AllPairs", allPairs);
        ASSERT_TRUE(one.Run().isFinished);
        EXPECT_NEAR(asked.nodes[0].opsPerSecond, 1e12, 1e6);
        EXPECT_NEAR(asked.nodes[1].opsPerSecond, 0.25e12, 1e6);
        // Half of it is busy with something else.
        EXPECT_NEAR(asked.nodes[2].opsPerSecond, 0.5e12, 1e6);
        EXPECT_EQ(asked.nodes[0].memoryBytesInUse, 3 * 400000 + 8 * 1000000);
        ASSERT_EQ(asked.nodes[1].latenciesSeconds.size(), allPairs ? 3 : 1);
        // There and back, over two wires each.
        EXPECT_NEAR(asked.nodes[1].latenciesSeconds[0], 8e-3, 1e-4);
        EXPECT_EQ(asked.nodes[0].latenciesSeconds[0], 0);
        if (allPairs)
        {
            EXPECT_NEAR(asked.nodes[1].latenciesSeconds[2], 8e-3, 1e-4);
            EXPECT_EQ(asked.nodes[1].latenciesSeconds[1], 0);
        }
    }
}

using CutControl = BothFidelities;

TEST_P(CutControl, FreezesSharesWhileTrainingGoesOn)
{
    auto one = MakeChanging("ring", "random");
    one.network.fidelity = GetParam();
    one.Set("DataParallelWorker::Iterations", 80);
    one.control = one.network;
    one.control->cutDevice = "worker-2";
    one.control->cutTime = MilliSeconds(600);
    const auto result = one.Run();
    ASSERT_TRUE(result.isFinished) << ShowDataParallel(result);
    EXPECT_EQ(result.updates.size(), 80);
    EXPECT_GT(result.end, MilliSeconds(1300));
    EXPECT_GT(result.shares.size(), 5);
    for (const auto& shares : result.shares)
    {
        EXPECT_LT(shares.decided, MilliSeconds(640));
    }
    ASSERT_EQ(result.missing.size(), 1);
    EXPECT_EQ(result.missing[0].rank, 2);
    EXPECT_LT(result.missing[0].since, MilliSeconds(600));
    EXPECT_GT(result.missing[0].since, MilliSeconds(500));
    EXPECT_TRUE(result.missing[0].until.IsZero());
}

INSTANTIATE_BOTH_FIDELITIES(CutControl);

TEST(CutNetwork, IsDiagnosedInWords)
{
    auto one = MakeChanging("ring", "equal");
    one.network.cutDevice = "worker-1";
    one.network.cutTime = MilliSeconds(500);
    one.Set("StallMonitor::Timeout", Seconds(5));
    for (const char* monitor : {"none", "oracle", "probe", "passive"})
    {
        SCOPED_TRACE(monitor);
        one.monitor = monitor;
        one.Set("DataParallelHelper::Exchange", "ring");
        auto result = one.Run();
        EXPECT_FALSE(result.isFinished);
        EXPECT_LT(result.end, Seconds(10));
        ExpectDiagnosis(result,
                        {"worker-2: waits for gradients of iteration .* from worker 1",
                         "a link on its way is down"});

        one.Set("DataParallelHelper::Exchange", "parameter-server");
        result = one.Run();
        EXPECT_FALSE(result.isFinished);
        ExpectDiagnosis(result, {"worker-0: waits for gradients of iteration .* from workers 1"});
    }
}

TEST(CutNetwork, IsDiagnosedWhileDecisionsGoOn)
{
    auto one = MakeChanging("ring", "equal");
    one.network.cutDevice = "worker-1";
    one.network.cutTime = MilliSeconds(500);
    one.Set("StallMonitor::Timeout", Seconds(5));
    one.control.emplace();
    SetRate(*one.control, 1e9);
    one.monitor = "oracle";
    one.Set("Replanner::FixedPlanningTime", MilliSeconds(25));
    const auto result = one.Run();
    EXPECT_FALSE(result.isFinished);
    EXPECT_GT(result.plans, 100U);
    EXPECT_LT(result.end, Seconds(20));
}

TEST(DataParallelMemory, LimitsThePassesAndRefusesWhatDoesNotFit)
{
    DataParallelCase one(2, 400000, 1e-3);
    one.nodes[0].cost.passSeconds = 0.1;
    one.nodes[1].cost.passSeconds = 0.1;
    one.Set("DataParallelWorker::Iterations", 1);
    // Room for 3 of 8 samples: 3 passes.
    // Weights, gradients, and gradients as the exchange packs them.
    one.nodes[1].memoryBytes = 3 * 400000 + 3500000;
    auto result = one.Run();
    ASSERT_TRUE(result.isFinished);
    EXPECT_NEAR((result.updates[0].lastComputed - result.updates[0].start).GetSeconds(),
                8e-3 + 0.3,
                1e-3);
    EXPECT_EQ(result.peakMemoryBytes[1], 3 * 400000 + 3000000);

    // A sample's largest tensor and its gradient, and the state of Adam.
    one.nodes[1].cost.largestBytes = 250000;
    one.nodes[1].cost.optimizerStates = 2;
    one.nodes[1].memoryBytes = 5 * 400000 + 3500000;
    EXPECT_EQ(one.Run().peakMemoryBytes[1], 5 * 400000 + 2 * 1500000);
    one.nodes[1].cost.largestBytes = 0;
    one.nodes[1].cost.optimizerStates = 0;

    one.nodes[1].memoryBytes = 3 * 400000 + 999999;
    result = one.Run();
    EXPECT_FALSE(result.isFinished);
    ExpectDiagnosis(result,
                    {"worker-1: the activations of one sample need 1000000 bytes, 999999 of"});

    one.nodes[1].memoryBytes = 1199999;
    result = one.Run();
    EXPECT_FALSE(result.isFinished);
    ExpectDiagnosis(result, {"worker-1: weights, gradients and optimizer need 1200000 bytes"});
}

TEST(DataParallel, SaysHowFarItIsDuringAnUpdate)
{
    for (const std::string exchange : {"ring", "merged-ring", "parameter-server"})
    {
        SCOPED_TRACE(exchange);
        DataParallelCase one(4, 1000000, 1e-3);
        one.Set("DataParallelHelper::Exchange", exchange);
        one.Set("DataParallelWorker::Iterations", 2);
        std::vector<double> shares;
        one.Run([&](double share) { shares.push_back(share); });
        EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
        EXPECT_EQ(shares.back(), 1);
        for (const double least : {0.2, 0.7})
        {
            EXPECT_TRUE(std::any_of(shares.begin(), shares.end(), [least](double share) {
                return share > least && share < least + 0.2;
            }));
        }
        // Reports tell how far messages are.
        SetRate(one.network, 4e6);
        one.control = one.network;
        one.SetUpdateInterval(MilliSeconds(1));
        shares.clear();
        one.Run([&](double share) { shares.push_back(share); });
        EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
        EXPECT_GT(std::count_if(shares.begin(),
                                shares.end(),
                                [](double share) { return share > 0 && share < 0.08; }),
                  2);
    }
}

} // namespace
