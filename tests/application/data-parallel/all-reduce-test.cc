// SPDX-License-Identifier: GPL-2.0-only

#include "application/pipeline/pipeline-fixture.h"
#include "data-parallel-fixture.h"

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
        one.Set("DataParallelWorker::Iterations", 2);
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
        one.Set("DataParallelWorker::Iterations", 3);
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

using OverlappedRing = BothFidelities;

TEST_P(OverlappedRing, SumsABucketWhileTheNextIsComputed)
{
    struct Row
    {
        std::string name;
        uint64_t unit;         // bytes of gradients: 2, 1 and 1 of it, ready at 20, 30 and 40 ms
        uint64_t bucketBytes;  // of all but the first bucket
        uint64_t memory;       // bytes
        double exchangeBegins; // after which the exchange never pauses, s
        double units;          // exchanged from then on
    };

    const uint64_t enough = 8000000000;
    // One after the other, 115 kB/ms: 2 MB take 17 ms, 200 kB 2 ms.
    for (const Row& row : {Row{"the network limits", 1000000, 1, enough, 20e-3, 4},
                           Row{"the device limits", 100000, 1, enough, 40e-3, 1},
                           Row{"two layers a bucket", 100000, 150000, enough, 40e-3, 2},
                           Row{"after the backward pass", 1000000, 0, enough, 40e-3, 4},
                           Row{"the second pass of 20 ms", 1000000, 1, 16000000, 30e-3, 4}})
    {
        for (const uint32_t n : {2U, 4U})
        {
            SCOPED_TRACE(row.name + ", workers: " + std::to_string(n));
            DataParallelCase one(n, 4 * row.unit, 5e-3);
            for (auto& node : one.nodes)
            {
                node.memoryBytes = row.memory;
                node.cost.gradients = {{2 * row.unit, 0.5}, {row.unit, 0.75}, {row.unit, 1}};
            }
            one.network.fidelity = GetParam();
            one.Set("DataParallelWorker::Iterations", 3);
            one.Set("DataParallelWorker::BucketBytes", row.bucketBytes);
            one.Set("DataParallelWorker::FirstBucketBytes", 1);
            one.control = one.network;
            const auto result = one.Run();
            ASSERT_TRUE(result.isFinished);
            const double bandwidth = GOODPUT / (1 + 54.0 / 2 / 1502);
            const double units = 2.0 * (n - 1) / n * row.unit / bandwidth * row.units;
            const double expected = row.exchangeBegins + units + 1e-3;
            EXPECT_NEAR(result.updates.back().GetIterationSeconds(), expected, 0.01 * expected);
            EXPECT_EQ(result.updates.back().samples, 8 * n);
            if (GetParam() == std::string("flow"))
            {
                one.Set("DataParallelHelper::Exchange", "merged-ring");
                EXPECT_NEAR(one.Run().updates.back().GetIterationSeconds(),
                            expected,
                            0.01 * expected);
            }
        }
    }
}

INSTANTIATE_BOTH_FIDELITIES(OverlappedRing);

TEST(GradientBuckets, AreFullOnceTheyHaveTheirBytes)
{
    DataParallelCost cost;
    cost.parameterBytes = 16;
    cost.gradients = {{2, 0.5}, {2, 0.6}, {6, 0.7}, {5, 0.8}, {1, 0.9}};
    const auto show = [&](uint64_t bucketBytes, uint64_t firstBytes) {
        std::ostringstream text;
        for (const auto& bucket : FillBuckets(cost, bucketBytes, firstBytes))
        {
            text << bucket.bytes << "@" << bucket.readyShare << " ";
        }
        return text.str();
    };
    EXPECT_EQ(show(10, 3), "4@0.6 11@0.8 1@1 ");
    EXPECT_EQ(show(10, 10), "10@0.7 6@1 ");
    EXPECT_EQ(show(0, 3), "16@1 ");
    cost.gradients = {};
    EXPECT_EQ(show(10, 3), "16@1 ");
}

TEST(GradientBuckets, AreReadyFromTheLastLayerOn)
{
    const DnnGraph graph = ReadDnnGraph(FindTracesFile("model", "alexnet", "models"));
    const Cluster cluster =
        ReadCluster(FindTracesFile("cluster", "bno-testbed", "clusters"), GetTracesFolder());
    std::map<std::string, LayerCost> layers;
    const auto costs = FindDataParallelCosts(GetTracesFolder(), graph, cluster.specs, &layers);
    const std::string device = cluster.specs.front().name;
    const auto& gradients = costs.at(device).gradients;
    const LayerCost& cost = layers.at(device);
    // AlexNet has five convolutions and three linear layers; fc8 makes the first gradients.
    ASSERT_EQ(gradients.size(), 8);
    EXPECT_EQ(gradients.front().bytes, 4 * (4096 * 1000 + 1000));
    double forward = 0;
    for (const double seconds : cost.forwardSeconds)
    {
        forward += seconds;
    }
    EXPECT_NEAR(gradients.front().readyShare,
                (forward + cost.backwardSeconds.back()) / cost.GetSeconds(),
                1e-9);
    EXPECT_NEAR(gradients.back().readyShare, 1, 1e-2);
}

TEST(MergedRing, TakesTheTimeOfTheRingStepByStep)
{
    for (const uint32_t n : {2U, 4U, 8U, 16U})
    {
        for (const uint64_t bytes : {400000ULL, 4000000ULL, 100000000ULL})
        {
            SCOPED_TRACE(testing::Message() << n << " workers, " << bytes << " bytes");
            DataParallelCase one(n, bytes, 1e-4);
            one.Set("DataParallelWorker::Iterations", 4);
            one.control = one.network;
            const auto steps = one.Run();
            one.Set("DataParallelHelper::Exchange", "merged-ring");
            const auto merged = one.Run();
            ASSERT_TRUE(steps.isFinished);
            ASSERT_TRUE(merged.isFinished);
            EXPECT_EQ(steps.exchangeTransfers, 2 * n + 4 * n * 2 * (n - 1));
            EXPECT_EQ(merged.exchangeTransfers, 3 * n + 4 * n);
            // Two hellos of 16 bytes, and three of 16, 5,000 and 10,000.
            EXPECT_EQ(steps.nodes.back().exchangeBytes + 8384, merged.nodes.back().exchangeBytes);
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
        one.Set("DataParallelHelper::Exchange", "parameter-server");
        one.Set("DataParallelWorker::Iterations", 5);
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
