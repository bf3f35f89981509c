// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-layer-regression.h"

namespace
{

const std::string TRACES = EDGEPIPE_ROOT "/traces";

/** @return a chain behind an input of 8 bytes: `convs` of one operator, then a relu */
DnnGraph
MakeChain(std::size_t convs)
{
    DnnGraph graph{"net", {{"in", "input", {}, 0, 0, 8, 0}}};
    for (uint64_t i = 0; i < convs; ++i)
    {
        const uint64_t j = i + 1;
        graph.layers.push_back(
            {"c" + std::to_string(i), "conv2d", {i}, j * j * 1000, j % 3, j * j * j % 17, 0});
    }
    graph.layers.push_back({"r", "relu", {convs}, 5, 0, 5, 0});
    return graph;
}

/** @return what the layers of a chain take by a known rule */
std::vector<double>
GetTrueSeconds(const DnnGraph& graph)
{
    std::vector<double> seconds{0};
    for (std::size_t i = 1; i + 1 < graph.layers.size(); ++i)
    {
        const DnnLayer& layer = graph.layers[i];
        seconds.push_back(0.5 + 1e-4 * layer.flop + 0.25 * graph.layers[i - 1].outputBytes +
                          0.125 * layer.outputBytes + 2 * layer.parameterBytes);
    }
    seconds.push_back(3);
    return seconds;
}

TEST(EdgepipeLayerRegression, FindsALinearRule)
{
    const DnnGraph graph = MakeChain(9);
    LayerCost cost;
    cost.forwardSeconds = GetTrueSeconds(graph);
    LayerRegression regression;
    regression.AddExamples(graph, cost);
    regression.Fit();
    const DnnGraph other = MakeChain(20);
    const std::vector<double> expected = GetTrueSeconds(other);
    const std::vector<double> predicted = regression.Predict(other);
    ASSERT_EQ(predicted.size(), expected.size());
    EXPECT_EQ(predicted[0], 0);
    for (std::size_t i = 1; i + 1 < expected.size(); ++i)
    {
        EXPECT_NEAR(predicted[i], expected[i], 1e-9) << i;
    }
}

TEST(EdgepipeLayerRegression, PrefersTimesOfLayersRunAlone)
{
    const DnnGraph graph = MakeChain(6);
    LayerCost cost;
    cost.forwardSeconds.assign(8, 1);
    cost.isolatedForwardSeconds.assign(8, 2);
    LayerRegression regression;
    regression.AddExamples(graph, cost);
    regression.Fit();
    EXPECT_NEAR(regression.Predict(graph)[3], 2, 1e-9);
    // One example of relu says nothing of the five coefficients, and yet it is met.
    EXPECT_NEAR(regression.Predict(graph)[7], 2, 1e-9);
}

TEST(EdgepipeLayerRegression, NeverPredictsLessThanNothing)
{
    DnnGraph graph = MakeChain(2);
    LayerCost cost;
    cost.forwardSeconds = {0, 0, 5, 1};
    graph.layers[1].flop = 1000;
    graph.layers[2].flop = 2000;
    for (DnnLayer& layer : graph.layers)
    {
        layer.outputBytes = layer.parameterBytes = 0;
    }
    LayerRegression regression;
    regression.AddExamples(graph, cost);
    regression.Fit();
    // The line through (1000, 0) and (2000, 5).
    graph.layers[1].flop = 500;
    EXPECT_EQ(regression.Predict(graph)[1], 0);
    graph.layers[1].flop = 1500;
    EXPECT_NEAR(regression.Predict(graph)[1], 2.5, 1e-9);
}

TEST(EdgepipeLayerRegression, NamesAnOperatorWithoutExamples)
{
    TemporaryFolder folder;
    EXPECT_EQ(folder.MessageOf([] { LayerRegression().Predict(MakeChain(1)); }),
              R"(layer "c0": found operator "conv2d", of which there is no example to predict its )"
              "time from");
    EXPECT_EQ(folder.MessageOf([&] { FitLayerRegression(folder.GetPath(), {}, 1); }),
              "models: found no model to predict times from");
}

TEST(EdgepipeLayerRegression, PredictsWhatWasMeasuredRoughly)
{
    for (const std::string device : {"xeon-1core", "raspberry-pi-4b"})
    {
        const DeviceSpec spec = ReadDeviceSpec(TRACES + "/devices/" + device + ".json");
        const LayerRegression regression = FitLayerRegression(TRACES, spec, 1);
        for (const std::string model : {"googlenet", "resnet50", "vgg16"})
        {
            const DnnGraph graph = ReadDnnGraph(TRACES + "/models/" + model + ".json");
            const LayerCost cost =
                FindLayerCosts(TRACES, graph, {spec}, 1, PassKind::INFERENCE).at(device);
            const std::vector<double> predicted = regression.Predict(graph);
            const auto sum = [](const std::vector<double>& seconds) {
                return std::accumulate(seconds.begin(), seconds.end(), 0.0);
            };
            const double ratio = sum(predicted) / sum(cost.isolatedForwardSeconds);
            EXPECT_NEAR(ratio, 1, 0.5) << model << " on " << device;
            EXPECT_NE(predicted, cost.isolatedForwardSeconds);
        }
    }
}

} // namespace
