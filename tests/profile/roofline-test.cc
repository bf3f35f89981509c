// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-cost-provider.h"

namespace
{

/** 1000 FLOP/s, 100 bytes/s, 1 s per call on a CPU; every figure differs, and none is of caches. */
DeviceSpec
MakeEstimatedSpec(const std::string& processor)
{
    DeviceSpec spec{};
    spec.name = "slow";
    spec.peakFlopPerSecond = 1000;
    spec.memoryBandwidthBytesPerSecond = 100;
    spec.inferenceStack = spec.trainingStack = "some";
    StackSpec& stack = spec.stacks["some"];
    stack.processor = processor;
    stack.weightBytes = 4;
    stack.tensorCoreGain = 1;
    stack.inferenceSpread = 0.1;
    stack.trainingSpread = 0.2;
    stack.figures = {2,   0.8,  0.5, 0.25, 0.1, 0.625, // rates
                     0.5, 0.1,  0.2, 0.05, 1,          // bandwidths
                     2,   3,    4,   1.5,  0.5, 0.25,  // backward
                     1,   1e-9, 1,   1};               // overhead, saturation, caches
    return spec;
}

/** @return a small network with a layer per class of operators */
DnnGraph
MakeEstimatedGraph()
{
    return {"net",
            {
                {"in", "input", {}, 0, 0, 400, 0, 1},
                // A place of the kernel and an input channel are 2 FLOP for each of 100 numbers.
                {"conv3", "conv2d", {0}, 1800, 36, 400, 0, 1},
                {"conv1", "conv2d", {1}, 200, 4, 400, 0, 1},
                {"conv5", "conv2d", {2}, 5000, 100, 400, 0, 1},
                {"grouped", "grouped_conv2d", {3}, 14400, 40, 400, 0, 1},
                {"depthwise", "depthwise_conv2d", {4}, 1800, 36, 400, 0, 1},
                {"norm", "batch_norm", {5}, 200, 8, 400, 0, 1},
                {"pool", "pool", {6}, 400, 0, 100, 0, 1},
                {"flat", "flatten", {7}, 0, 0, 100, 0, 25},
                {"fc", "linear", {8}, 100, 400, 20, 0, 5},
                {"drop", "dropout", {9}, 0, 0, 20, 0, 5},
                {"sum", "add", {9, 10}, 15, 0, 60, 0, 5},
                {"lrn", "lrn", {11}, 0, 0, 40, 0, 5},
            }};
}

TEST(EdgepipeRoofline, AgreesWithTheHandComputedInferenceCosts)
{
    LayerCost cost =
        EstimateLayerCosts(MakeEstimatedGraph(), MakeEstimatedSpec("arm"), 1, PassKind::INFERENCE);
    EXPECT_EQ(cost.origin, "estimated");
    EXPECT_EQ(cost.logSpread, 0.1);
    const std::vector<double> expected{
        0,                                       // the input computes nothing
        1 + 0.9 + 16 + 3 * 36 / 50.,             // 1800 / 2000, 800 / 50, weights of Winograd
        1 + 0.25 + 16 + 4 / 50.,                 // 200 / 800
        1 + 10 + 16 + 2,                         // 5000 / 500
        1 + 14400 / 125. + 16 + 40 / 50.,        // eight channels a group: half the rate
        1 + 18 + 16 + 36 / 50.,                  // 1800 / 100
        1 + 40 + 0.4,                            // 808 bytes at 20 a second, whatever the FLOP
        1 + 50,                                  // 500 at 10
        0,                                       // a flattened tensor is the same
        1 + 100 / 625. + 120 / 50. + 400 / 100., // weights have a bandwidth of their own
        0,                                       // inference drops nothing
        1 + 100 / 50.,                           // two inputs and the output
        1 + 100 / 5.,
    };
    ASSERT_EQ(cost.forwardSeconds.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_NEAR(cost.forwardSeconds[i], expected[i], 1e-6)
            << MakeEstimatedGraph().layers[i].name;
        EXPECT_EQ(cost.fixedSeconds[i], expected[i] > 0 ? 1 : 0);
    }
    EXPECT_EQ(cost.backwardSeconds, std::vector<double>(expected.size(), 0));
}

TEST(EdgepipeRoofline, NoOperatorComputesForNothing)
{
    const std::vector<std::string> operators{"input",
                                             "linear",
                                             "attention",
                                             "recurrent",
                                             "batch_norm",
                                             "relu",
                                             "activation",
                                             "pool",
                                             "add",
                                             "mul",
                                             "cat",
                                             "flatten",
                                             "dropout",
                                             "softmax",
                                             "lrn",
                                             "other"};
    for (const char* processor : {"arm", "x86", "gpu"})
    {
        DeviceSpec spec = MakeEstimatedSpec(processor);
        spec.stacks["some"].fusesActivations = true;
        for (const std::string& name : operators)
        {
            SCOPED_TRACE(processor + (" " + name));
            const DnnGraph graph{
                "net",
                {{"in", "input", {}, 0, 0, 400, 0, 1}, {"all", name, {0}, 1000000, 0, 400, 0, 1}}};
            const auto inference = EstimateLayerCosts(graph, spec, 2, PassKind::INFERENCE);
            // 625 FLOP/s; tensors take 16 s.
            EXPECT_GE(inference.forwardSeconds[1], 2 * 1600 - 1e-9);
            EXPECT_LT(inference.forwardSeconds[1], 2 * 1600 + 40 + 320);
            const auto training = EstimateLayerCosts(graph, spec, 2, PassKind::TRAINING);
            EXPECT_GE(training.backwardSeconds[1], 4 * 2 * 1600 - 1e-9);
        }
    }
    DnnGraph few{"net", {{"in", "input", {}, 0, 0, 400, 0, 1}, {"all", "relu", {0}, 3200, 0, 400}}};
    DeviceSpec spec = MakeEstimatedSpec("arm");
    spec.stacks["some"].fusesActivations = true;
    EXPECT_EQ(EstimateLayerCosts(few, spec, 1, PassKind::INFERENCE).forwardSeconds[1], 0);
}

TEST(EdgepipeRoofline, AttentionAndRecurrenceAreProductsOfMatrices)
{
    const DnnGraph graph{"net",
                         {{"in", "input", {}, 0, 0, 400, 0, 1},
                          {"mixed", "attention", {0}, 1250, 0, 400, 0, 1},
                          {"kept", "recurrent", {1}, 1250, 400, 400, 0, 1}}};
    const auto cost = EstimateLayerCosts(graph, MakeEstimatedSpec("arm"), 1, PassKind::TRAINING);
    EXPECT_NEAR(cost.forwardSeconds[1], 1 + 2 + 16, 1e-6);
    EXPECT_NEAR(cost.forwardSeconds[2], 1 + 2 + 16 + 4, 1e-6);
    EXPECT_NEAR(cost.backwardSeconds[2], 1 + 4 * (2 + 16 + 4), 1e-6);
}

TEST(EdgepipeRoofline, HalfPrecisionKeepsItsClassesAndMovesHalfTheBytes)
{
    for (const double weightBytes : {4., 2.})
    {
        DeviceSpec spec = MakeEstimatedSpec("arm");
        spec.stacks["some"].weightBytes = weightBytes;
        DnnGraph graph = MakeEstimatedGraph();
        const auto full = EstimateLayerCosts(graph, spec, 1, PassKind::INFERENCE);
        for (DnnLayer& layer : graph.layers)
        {
            layer.outputs = layer.CountOutputs();
            layer.outputBytes /= 2;
            layer.parameterBytes /= 2;
        }
        const auto half = EstimateLayerCosts(graph, spec, 1, PassKind::INFERENCE);
        const double weights = (weightBytes == 4 ? 0.5 : 0) * 3 * 36 / 50;
        EXPECT_NEAR(half.forwardSeconds[1], full.forwardSeconds[1] - 8 - weights, 1e-6);
        EXPECT_NEAR(half.forwardSeconds[4] + 8, full.forwardSeconds[4], 0.5) << "grouped";
        spec.stacks["some"].figures[SATURATION_OUTPUTS] = 300;
        EXPECT_NEAR(EstimateLayerCosts(graph, spec, 1, PassKind::INFERENCE).forwardSeconds[2],
                    half.forwardSeconds[2] + 0.25 * 3,
                    1e-6)
            << "of 100 numbers";
    }
}

TEST(EdgepipeRoofline, WeightsOfAByteAreReadWhole)
{
    DeviceSpec spec = MakeEstimatedSpec("arm");
    DnnGraph graph = MakeEstimatedGraph();
    for (DnnLayer& layer : graph.layers)
    {
        layer.parameters = layer.parameterBytes / 4;
        layer.parameterBytes /= 4;
    }
    spec.stacks["some"].weightBytes = 1;
    const auto ofFloats = EstimateLayerCosts(MakeEstimatedGraph(), spec, 1, PassKind::INFERENCE);
    for (const double weightBytes : {1., 2., 4.})
    {
        spec.stacks["some"].weightBytes = weightBytes;
        EXPECT_EQ(EstimateLayerCosts(graph, spec, 1, PassKind::INFERENCE).forwardSeconds,
                  ofFloats.forwardSeconds);
    }
}

TEST(EdgepipeRoofline, TrainsABatchAndMultipliesTheWorkBackward)
{
    LayerCost cost =
        EstimateLayerCosts(MakeEstimatedGraph(), MakeEstimatedSpec("x86"), 3, PassKind::TRAINING);
    EXPECT_EQ(cost.batch, 3u);
    EXPECT_EQ(cost.logSpread, 0.2);
    EXPECT_NEAR(cost.forwardSeconds[1], 1 + 2.7 + 48 + 2.16, 1e-6) << "weights are read once";
    EXPECT_NEAR(cost.backwardSeconds[1], 1 + 2.7 + 48 + 2.16, 1e-6)
        << "of the network's input nobody wants the gradient: half of twice";
    EXPECT_NEAR(cost.backwardSeconds[2], 1 + 2 * (0.75 + 48 + 0.08), 1e-6);
    EXPECT_NEAR(cost.backwardSeconds[5], 1 + 3 * (54 + 48 + 0.72), 1e-6);
    EXPECT_NEAR(cost.backwardSeconds[6], 1 + 0.25 * (120 + 0.4), 1e-6);
    EXPECT_NEAR(cost.backwardSeconds[7], 1 + 0.5 * 150, 1e-6);
    EXPECT_NEAR(cost.backwardSeconds[9], 1 + 4 * (300 / 625. + 360 / 50. + 4), 1e-6);
    EXPECT_NEAR(cost.forwardSeconds[10], 1 + 120 / 50., 1e-6);
    EXPECT_EQ(cost.backwardSeconds[11], 0) << "gradients pass an addition as they are";
    EXPECT_EQ(cost.backwardSeconds[0], 0);
}

TEST(EdgepipeRoofline, LaunchesOfAGpuOverlapAndSmallOutputsDoNotFillIt)
{
    DeviceSpec spec = MakeEstimatedSpec("gpu");
    StackSpec& stack = spec.stacks["some"];
    stack.figures[LAYER_OVERHEAD_SECONDS] = 50;
    stack.figures[SATURATION_OUTPUTS] = 300;
    stack.tensorCoreGain = 2;
    const LayerCost cost = EstimateLayerCosts(MakeEstimatedGraph(), spec, 1, PassKind::TRAINING);
    EXPECT_EQ(cost.forwardSeconds[2], 50) << "the launch takes longer than the work";
    EXPECT_EQ(cost.fixedSeconds[2], 50);
    EXPECT_EQ(cost.backwardSeconds[2], 75) << "two products are launched";
    const double computing = 14400 / 250. * (1 + 300 / 100.);
    const double moving = 16 + 40 / 50.;
    EXPECT_NEAR(cost.forwardSeconds[4],
                std::pow(std::pow(computing, 1.5) + std::pow(moving, 1.5), 2. / 3),
                1e-6);
    EXPECT_EQ(cost.fixedSeconds[4], 0) << "half the batch would take half as long";
}

TEST(EdgepipeRoofline, AConvolutionWithoutOutputTakesATime)
{
    DnnGraph graph = MakeEstimatedGraph();
    graph.layers[1].outputBytes = 0;
    for (const char* processor : {"arm", "gpu"})
    {
        const auto cost =
            EstimateLayerCosts(graph, MakeEstimatedSpec(processor), 1, PassKind::INFERENCE);
        EXPECT_TRUE(std::isfinite(cost.forwardSeconds[1]));
    }
}

TEST(EdgepipeRoofline, FusedLayersCostNothingAndCachesAreFaster)
{
    DeviceSpec spec = MakeEstimatedSpec("arm");
    StackSpec& stack = spec.stacks["some"];
    stack.fusesActivations = true;
    stack.figures[CACHE_SPEEDUP] = 4;
    stack.figures[CACHE_BYTES] = 800;
    EXPECT_EQ(
        EstimateLayerCosts(MakeEstimatedGraph(), spec, 1, PassKind::INFERENCE).forwardSeconds[6],
        0);
    const auto training = EstimateLayerCosts(MakeEstimatedGraph(), spec, 1, PassKind::TRAINING);
    // 800 bytes of tensors are as many as the cache has: 1 / (1 + 3 / 2); the weights are few.
    EXPECT_NEAR(training.forwardSeconds[6], 1 + 40 / 2.5 + 0.4 / 4, 1e-3);
}

} // namespace
