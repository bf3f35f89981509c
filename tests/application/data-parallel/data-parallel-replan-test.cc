// SPDX-License-Identifier: GPL-2.0-only

#include "application/pipeline/pipeline-fixture.h"
#include "data-parallel-fixture.h"
#include "links.h"

namespace
{

/** Cells of the matrix, at one level. */
class DataParallelReplanning : public BothFidelities
{
  protected:
    /// @return two workers that are alike, of 1 ms a sample, whose shares `optimal` decides
    DataParallelCase MakeTwo(uint64_t parameterBytes, uint64_t baseBatch) const
    {
        DataParallelCase one(2, parameterBytes, 1e-3);
        one.network.fidelity = GetParam();
        one.planner = "optimal";
        one.Set("DataParallelHelper::BaseBatch", baseBatch);
        one.SetUpdateInterval(MilliSeconds(200));
        return one;
    }
};

INSTANTIATE_PACKETS_LONG(DataParallelReplanning);

} // namespace

TEST_P(DataParallelReplanning, GivesALoadedWorkerLess)
{
    auto one = MakeTwo(400000, 60);
    one.Set("DataParallelWorker::Iterations", 120);
    one.loads = {{"worker-1", "", {{Time(), 1}, {Seconds(2), 0.5}}}};
    const auto result = one.Run();
    ASSERT_TRUE(result.isFinished);
    EXPECT_EQ(result.shares.front().samples, (std::vector<uint64_t>{30, 30}));
    // 40 samples of 1 ms take as long as 20 of 2 ms.
    EXPECT_EQ(result.shares.back().samples, (std::vector<uint64_t>{40, 20}));
    one.loads.front().device = "worker-0";
    EXPECT_EQ(one.Run().shares.back().samples, (std::vector<uint64_t>{20, 40}));
    one.loads.front().device = "worker-1";
    one.planner = "bno";
    one.Set("DataParallelHelper::Normalize", true);
    const auto bno = one.Run();
    EXPECT_LT(bno.shares.back().samples[1], bno.shares.front().samples[1]);
}

TEST_P(DataParallelReplanning, GivesAWorkerBehindASlowLinkLess)
{
    // The second worker's gradients take 10.5 ms to the parameter server at 1 Gbit/s, and 105 ms at
    // 100 Mbit/s: so much longer the first one may compute.
    auto one = MakeTwo(1250000, 200);
    one.Set("DataParallelHelper::Exchange", "parameter-server");
    one.Set("DataParallelWorker::Iterations", 40);
    SetLaterRates(one.network, {{Seconds(2), 100e6}});
    const auto result = one.Run();
    ASSERT_TRUE(result.isFinished);
    const auto& first = result.shares.at(1).samples;
    EXPECT_NEAR(first[0], 105, 1);
    EXPECT_EQ(first[0] + first[1], 200U);
    const auto& last = result.shares.back().samples;
    EXPECT_NEAR(last[0], 153, 2);
    EXPECT_EQ(last[0] + last[1], 200U);
}

TEST_P(DataParallelReplanning, PaysForPlanning)
{
    auto one = MakeTwo(400000, 60);
    one.Set("DataParallelWorker::Iterations", 60);
    one.SetUpdateInterval(Seconds(1));
    const auto free = one.Run();
    one.Set("Replanner::FixedPlanningTime", MilliSeconds(300));
    const auto paid = one.Run();
    ASSERT_TRUE(paid.isFinished);
    ASSERT_GT(paid.plans, 1U);
    // The first worker's device plans instead of computing, and the other one waits for it; all of
    // that but for what it plans while gradients are on the wire, some 10 ms.
    const double seconds = (paid.end - free.end).GetSeconds();
    EXPECT_LE(seconds, 0.3 * (paid.plans + 1));
    EXPECT_GE(seconds, 0.29 * paid.plans - 0.01);
}

TEST_P(DataParallelReplanning, DecidesAsOftenAsMetricsChangeByMoreThanTheThreshold)
{
    auto one = MakeTwo(400000, 60);
    one.control = one.network;
    one.Set("DataParallelWorker::Iterations", 120);
    EXPECT_GT(one.Run().plans, 10U);
    one.Set("DataParallelHelper::ReplanThreshold", 0.1);
    const uint32_t alike = one.Run().plans;
    EXPECT_LE(alike, 2U); // the first ping has opened a connection
    one.loads = {{"worker-1", "", {{Time(), 1}, {Seconds(2), 0.5}}}};
    const auto loaded = one.Run();
    EXPECT_GT(loaded.plans, alike);
    EXPECT_LE(loaded.plans, alike + 2); // a report may mix both loads
    EXPECT_EQ(loaded.shares.back().samples, (std::vector<uint64_t>{40, 20}));
}

TEST_P(DataParallelReplanning, LetsAWorkerIn)
{
    for (const std::string exchange : {"ring", "parameter-server"})
    {
        SCOPED_TRACE(exchange);
        constexpr uint64_t PARAMETER_BYTES = 300000;
        DataParallelCase one(3, PARAMETER_BYTES, 1e-3);
        one.network.fidelity = GetParam();
        one.Set("DataParallelHelper::Exchange", exchange);
        one.Set("DataParallelWorker::Iterations", 40);
        one.SetUpdateInterval(MilliSeconds(200));
        one.nodes[2].join = MilliSeconds(300);
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished);
        ASSERT_EQ(result.shares.size(), 2U);
        EXPECT_EQ(result.shares[0].samples, (std::vector<uint64_t>{12, 12, 0}));
        EXPECT_EQ(result.shares[1].samples, (std::vector<uint64_t>{8, 8, 8}));
        EXPECT_GE(result.shares[1].decided, MilliSeconds(300));
        ASSERT_EQ(result.updates.size(), 40U);
        uint64_t three = 0;
        for (const auto& update : result.updates)
        {
            three += update.version;
            EXPECT_EQ(update.samples, 24U);
        }
        const uint64_t first = result.shares[1].iteration;
        EXPECT_EQ(three, 40 - first);
        EXPECT_GT(result.updates[first].start, result.shares[1].decided);
        EXPECT_EQ(result.nodes[2].samples, 8 * three);
        // Two send each other half of the gradients twice, three a third four times; or the server
        // sends all of the weights to each other worker. Two hellos to each at first, and once all
        // of the weights to the one that joins.
        const uint64_t sixths = exchange == "ring" ? 6 * first + 8 * three : 6 * first + 12 * three;
        EXPECT_EQ(result.nodes[0].exchangeBytes, (sixths + 6) * PARAMETER_BYTES / 6 + 32);
        // It computes 8 samples of 1 ms as the others do, but first its weights take 2.5 ms at
        // 1 Gbit/s, and as long again while the server sends another worker the same.
        const double weights = exchange == "ring" ? 2.5e-3 : 5e-3;
        const auto& joined = result.updates[first];
        EXPECT_NEAR((joined.lastComputed - joined.start).GetSeconds(), 8e-3 + weights, 0.5e-3);
        EXPECT_EQ(ShowDataParallel(one.Run()), ShowDataParallel(result));
    }
}

TEST_P(DataParallelReplanning, DecidesForThoseThatAreLeft)
{
    for (const std::string exchange : {"ring", "parameter-server"})
    {
        SCOPED_TRACE(exchange);
        DataParallelCase one(3, 60000, 1e-3);
        one.network.fidelity = GetParam();
        one.Set("DataParallelHelper::Exchange", exchange);
        one.planner = "optimal";
        one.Set("DataParallelHelper::BaseBatch", 120);
        one.Set("DataParallelWorker::Iterations", 100);
        one.SetUpdateInterval(MilliSeconds(200));
        one.control = one.network;
        one.Set("DataParallelHelper::ReplanThreshold",
                10); // but for who is in, nothing changes by so much
        one.nodes[2].cost.sampleSeconds = 2e-3;
        one.nodes[1].leave = Seconds(2);
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished);
        ASSERT_EQ(result.updates.size(), 100U);
        ASSERT_EQ(result.shares.size(), 3U);
        EXPECT_EQ(result.plans, 2U);
        EXPECT_EQ(result.shares[0].samples, (std::vector<uint64_t>{40, 40, 40}));
        // Speeds are as 2 to 2 to 1, and then as 2 to 1; gradients take 0.5 ms to a server.
        const uint64_t most = exchange == "ring" ? 0 : 1;
        EXPECT_NEAR(result.shares[1].samples[1], 48, most);
        EXPECT_NEAR(result.shares[1].samples[2], 24, most);
        EXPECT_EQ(result.shares[2].samples[1], 0U);
        EXPECT_NEAR(result.shares[2].samples[0], 80, most);
        EXPECT_NEAR(result.shares[2].samples[2], 40, most);
        EXPECT_NEAR(result.shares[2].decided.GetSeconds(), 2, 0.01);
        const auto& last = result.updates.back();
        EXPECT_EQ(last.samples, 120U);
        EXPECT_EQ(last.version, 2U);
        EXPECT_NEAR((last.lastComputed - last.start).GetSeconds(), 80e-3, 2e-3);
        // Who has left tells of itself no more.
        one.Set("DataParallelWorker::Iterations", 150);
        EXPECT_EQ(one.Run().nodes[1].controlBytes, result.nodes[1].controlBytes);
    }
}

TEST_P(DataParallelReplanning, WeighsANewWorkerByItsOwnMetrics)
{
    auto one = MakeTwo(60000, 120);
    one.nodes.push_back(one.nodes[1]);
    one.nodes[2].name = "slow";
    one.nodes[2].cost.sampleSeconds = 2e-3;
    one.nodes[2].join = Seconds(1);
    one.nodes[2].leave = Seconds(4);
    one.Set("DataParallelWorker::Iterations", 100);
    const auto result = one.Run();
    ASSERT_TRUE(result.isFinished);
    std::vector<std::vector<uint64_t>> shares;
    for (const auto& version : result.shares)
    {
        shares.push_back(version.samples);
    }
    // A mean share until it has said how fast it is.
    const std::vector<std::vector<uint64_t>> expected{{60, 60, 0},
                                                      {40, 40, 40},
                                                      {48, 48, 24},
                                                      {60, 60, 0}};
    EXPECT_EQ(shares, expected);
}

TEST_P(DataParallelReplanning, NobodyJoinsWhatHasEnded)
{
    DataParallelCase one(2, 60000, 1e-3);
    one.network.fidelity = GetParam();
    one.Set("DataParallelWorker::Iterations", 5);
    one.nodes[1].join = Seconds(100);
    const auto result = one.Run();
    EXPECT_TRUE(result.isFinished);
    EXPECT_EQ(result.updates.size(), 5U);
    EXPECT_LT(result.end, Seconds(1));
}
