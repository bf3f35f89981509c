// SPDX-License-Identifier: GPL-2.0-only

#include "application/pipeline/pipeline-fixture.h"
#include "data-parallel-fixture.h"
#include "test.h"

namespace
{

/// TCP payload and bytes on the wire of a full segment, as the flow level counts them.
constexpr double WIRE_SHARE = 1448.0 / 1502;

using AllReduceBytes = BothFidelities;

TEST_P(AllReduceBytes, EveryWorkerSendsTwiceTheGradientsButForTwoChunks)
{
    for (const uint32_t n : {1U, 2U, 3U, 5U})
    {
        SCOPED_TRACE(n);
        DataParallelCase one(n, 400001, 1e-3);
        one.network.fidelity = GetParam();
        one.Set("DataParallelWorker::Iterations", UintegerValue(2));
        one.control = one.network;
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished) << ShowDataParallel(result);
        const double share = 2.0 * (n - 1) / n;
        const double payload = 2 * share * 400001;
        uint64_t all = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            // Beside gradients there are two hellos of 16 bytes; chunks differ by a byte.
            EXPECT_NEAR(result.nodes[i].exchangeBytes, payload + (n > 1 ? 32 : 0), 2 * 2);
            all += result.nodes[i].exchangeBytes;
            // Wires of the data network come first, two each: up and down.
            const double wire = result.links[2 * i].bytes;
            EXPECT_EQ(result.links[2 * i].name, "worker-" + std::to_string(i) + " -> switch");
            EXPECT_GE(wire, payload);
            // On the wire, with headers and the acknowledgements of what comes the other way.
            const double onWire = payload / WIRE_SHARE * (1 + 54.0 / 2 / 1502);
            EXPECT_NEAR(wire, onWire, 0.02 * onWire + (n > 1 ? 1000 : 0));
        }
        EXPECT_EQ(all, n > 1 ? 2 * 2 * (n - 1) * 400001ULL + 32 * n : 0);
    }
}

INSTANTIATE_BOTH_FIDELITIES(AllReduceBytes);

/// Payload bytes/s of a wire of DataParallelCase's LAN.
constexpr double GOODPUT = 1e9 / 8 * 1448 / 1538;

using RingTime = BothFidelities;

TEST_P(RingTime, IsComputingPlusTheBytesOverTheBandwidthPlusTheUpdate)
{
    for (const uint32_t n : {2U, 4U})
    {
        SCOPED_TRACE(n);
        DataParallelCase one(n, 4000000, 5e-3);
        one.network.fidelity = GetParam();
        one.Set("DataParallelWorker::Iterations", UintegerValue(3));
        one.control = one.network;
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished);
        // Every wire carries the acknowledgements of as much as it carries gradients.
        const double bandwidth = GOODPUT / (1 + 54.0 / 2 / 1502);
        const double expected = 8 * 5e-3 + 2.0 * (n - 1) / n * 4e6 / bandwidth + 1e-3;
        EXPECT_NEAR(result.updates.back().GetIterationSeconds(), expected, 0.01 * expected);
    }
}

INSTANTIATE_BOTH_FIDELITIES(RingTime);

TEST(MergedRing, TakesTheTimeOfTheRingStepByStep)
{
    for (const uint32_t n : {2U, 4U, 8U, 16U})
    {
        for (const uint64_t bytes : {400000ULL, 4000000ULL, 100000000ULL})
        {
            SCOPED_TRACE(testing::Message() << n << " workers, " << bytes << " bytes");
            DataParallelCase one(n, bytes, 1e-4);
            one.Set("DataParallelWorker::Iterations", UintegerValue(4));
            one.control = one.network;
            const auto steps = one.Run();
            one.Set("DataParallelHelper::Exchange", StringValue("merged-ring"));
            const auto merged = one.Run();
            ASSERT_TRUE(steps.isFinished);
            ASSERT_TRUE(merged.isFinished);
            EXPECT_EQ(steps.exchangeTransfers, 2 * n + 4 * n * 2 * (n - 1));
            EXPECT_EQ(merged.exchangeTransfers, 3 * n + 4 * n);
            // Two hellos of 16 bytes, and three of 16, 5,000 and 10,000.
            EXPECT_EQ(steps.nodes.back().exchangeBytes + 14984, merged.nodes.back().exchangeBytes);
            const double expected = steps.updates.back().exchangeSeconds;
            EXPECT_NEAR(merged.updates.back().exchangeSeconds, expected, 0.005 * expected);
        }
    }
}

TEST(ParameterServer, MovesAllGradientsUpAndAllWeightsDownOneLink)
{
    for (const uint32_t n : {2U, 4U})
    {
        SCOPED_TRACE(n);
        DataParallelCase one(n, 12000000, 5e-3);
        one.Set("DataParallelHelper::Exchange", StringValue("parameter-server"));
        one.Set("DataParallelWorker::Iterations", UintegerValue(5));
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished);
        const double expected = 8 * 5e-3 + 2.0 * (n - 1) * 12e6 / GOODPUT + 1e-3;
        EXPECT_NEAR(result.updates.front().GetIterationSeconds(), expected, 0.01 * expected);
        // Later the workers drift apart, and some gradients move while others are computed.
        EXPECT_LE(result.updates.back().GetIterationSeconds(), 1.01 * expected);
        EXPECT_EQ(result.nodes[0].exchangeBytes, (n - 1) * (5 * 12000000ULL + 32));
        EXPECT_EQ(result.nodes[1].exchangeBytes, 5 * 12000000ULL + 32);
    }
}

} // namespace
