/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "application/pipeline/pipeline-fixture.h"
#include "data-parallel-fixture.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** Cells of the matrix, at one level. */
class DataParallelReplanning : public BothFidelities
{
  protected:
    /**
     * @param parameterBytes of the model
     * @param baseBatch samples of both together
     * @return two workers that are alike, of 1 ms a sample, whose shares `optimal` decides
     */
    DataParallelCase MakeTwo(uint64_t parameterBytes, uint64_t baseBatch) const
    {
        DataParallelCase one(2, parameterBytes, 1e-3);
        one.options.network.fidelity = GetParam();
        one.options.planner = "optimal";
        one.options.baseBatch = baseBatch;
        one.options.updateInterval = MilliSeconds(200);
        return one;
    }
};

INSTANTIATE_BOTH_FIDELITIES(DataParallelReplanning);

} // namespace

TEST_P(DataParallelReplanning, GivesALoadedWorkerLess)
{
    auto one = MakeTwo(400000, 60);
    one.options.iterations = 120;
    one.nodes[1].loadSteps = {{Time(), 1}, {Seconds(2), 0.5}};
    const auto result = one.Run();
    ASSERT_TRUE(result.isComplete);
    EXPECT_EQ(result.shares.front().samples, (std::vector<uint64_t>{30, 30}));
    // 40 samples of 1 ms take as long as 20 of 2 ms.
    EXPECT_EQ(result.shares.back().samples, (std::vector<uint64_t>{40, 20}));
    one.options.planner = "bno";
    one.options.normalize = true;
    const auto bno = one.Run();
    EXPECT_LT(bno.shares.back().samples[1], bno.shares.front().samples[1]);
}

TEST_P(DataParallelReplanning, GivesAWorkerBehindASlowLinkLess)
{
    // The second worker's gradients take 10.5 ms to the parameter server at 1 Gbit/s, and 105 ms at
    // 100 Mbit/s: so much longer the first one may compute.
    auto one = MakeTwo(1250000, 200);
    one.options.exchange = "parameter-server";
    one.options.iterations = 40;
    one.options.network.bandwidthSteps = {{Seconds(2), 100e6}};
    const auto result = one.Run();
    ASSERT_TRUE(result.isComplete);
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
    one.options.iterations = 60;
    one.options.updateInterval = Seconds(1);
    const auto free = one.Run();
    one.options.planning.fixed = MilliSeconds(300);
    const auto paid = one.Run();
    ASSERT_TRUE(paid.isComplete);
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
    one.options.control = one.options.network;
    one.options.iterations = 120;
    EXPECT_GT(one.Run().plans, 10U);
    one.options.replanThreshold = 0.1;
    const uint32_t alike = one.Run().plans;
    EXPECT_LE(alike, 2U); // the first ping has opened a connection
    one.nodes[1].loadSteps = {{Time(), 1}, {Seconds(2), 0.5}};
    const auto loaded = one.Run();
    EXPECT_GT(loaded.plans, alike);
    EXPECT_LE(loaded.plans, alike + 2); // a report may mix both loads
    EXPECT_EQ(loaded.shares.back().samples, (std::vector<uint64_t>{40, 20}));
}
