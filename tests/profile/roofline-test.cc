// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-cost-provider.h"

namespace
{

/** 1000 FLOP/s, 100 bytes/s, 1 s per layer; every efficiency differs. */
DeviceSpec
MakeSpec()
{
    DeviceSpec spec{};
    spec.name = "slow";
    spec.peakFlopPerSecond = 1000;
    spec.memoryBandwidthBytesPerSecond = 100;
    spec.layerOverheadSeconds = 1;
    spec.inference = {{"conv2d", 0.5},
                      {"grouped_conv2d", 0.25},
                      {"depthwise_conv2d", 0.1},
                      {"linear", 0.8}};
    spec.training = {{"conv2d", 0.4},
                     {"grouped_conv2d", 0.2},
                     {"depthwise_conv2d", 0.05},
                     {"linear", 0.625}};
    return spec;
}

/** @return a small network with one layer per class of operators */
DnnGraph
MakeGraph()
{
    return {"net",
            {
                {"in", "input", {}, 0, 0, 100, 0},
                {"conv", "conv2d", {0}, 10000, 40, 60, 0},
                {"grouped", "grouped_conv2d", {1}, 10000, 0, 20, 0},
                {"depthwise", "depthwise_conv2d", {2}, 10000, 0, 20, 0},
                {"fc", "linear", {3}, 100, 400, 20, 0},
                {"sum", "add", {3, 4}, 1000000, 0, 60, 0},
            }};
}

TEST(EdgepipeRoofline, AgreesWithTheHandComputedInferenceCosts)
{
    LayerCost cost = EstimateLayerCosts(MakeGraph(), MakeSpec(), 1, PassKind::INFERENCE);
    EXPECT_EQ(cost.origin, "estimated");
    ASSERT_EQ(cost.forwardSeconds.size(), 6u);
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[0], 0) << "the input computes nothing";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[1], 21) << "1 + max(10000 / 500, 200 / 100)";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[2], 41) << "1 + max(10000 / 250, 80 / 100)";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[3], 101) << "1 + max(10000 / 100, 40 / 100)";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[4], 5.4) << "1 + max(100 / 800, 440 / 100)";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[5], 2) << "1 + 100 / 100, whatever its FLOP";
    EXPECT_EQ(cost.backwardSeconds, std::vector<double>(6, 0));
}

TEST(EdgepipeRoofline, TrainsABatchWithTrainingEfficienciesAndTwiceTheWorkBackward)
{
    LayerCost cost = EstimateLayerCosts(MakeGraph(), MakeSpec(), 3, PassKind::TRAINING);
    EXPECT_EQ(cost.batch, 3u);
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[1], 76) << "1 + max(30000 / 400, 520 / 100)";
    EXPECT_DOUBLE_EQ(cost.backwardSeconds[1], 151) << "1 + max(60000 / 400, 1040 / 100)";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[2], 151) << "1 + max(30000 / 200, 240 / 100)";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[3], 601) << "1 + max(30000 / 50, 120 / 100)";
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[4], 6.2) << "1 + max(300 / 625, 520 / 100)";
    EXPECT_DOUBLE_EQ(cost.backwardSeconds[4], 11.4) << "1 + max(600 / 625, 1040 / 100)";
    EXPECT_DOUBLE_EQ(cost.backwardSeconds[5], 7) << "1 + 600 / 100";
    EXPECT_DOUBLE_EQ(cost.backwardSeconds[0], 0);
}

} // namespace
