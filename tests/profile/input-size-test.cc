// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

TEST(EdgepipeInputSize, ScalesWhatStandsBeforeTheFirstLinearLayer)
{
    DnnGraph graph;
    graph.name = "net";
    graph.layers = {{"input", "input", {}, 0, 0, 1200, 0},
                    {"conv", "conv2d", {0}, 4000, 100, 800, 1200},
                    {"flat", "flatten", {1}, 0, 0, 800, 0},
                    {"fc", "linear", {2}, 160, 320, 40, 800},
                    {"act", "relu", {3}, 10, 0, 40, 40}};
    const DnnGraph scaled = ScaleInput(graph, 10, 5);
    EXPECT_EQ(scaled.name, "net-5px");
    EXPECT_EQ(scaled.layers[0].outputBytes, 300U);
    EXPECT_EQ(scaled.layers[1].flop, 1000U);
    EXPECT_EQ(scaled.layers[1].outputBytes, 200U);
    EXPECT_EQ(scaled.layers[1].activationBytes, 300U);
    EXPECT_EQ(scaled.layers[1].parameterBytes, 100U);
    EXPECT_EQ(scaled.layers[3].flop, 160U) << "a linear layer has its inputs";
    EXPECT_EQ(scaled.layers[4].outputBytes, 40U) << "and so has what reads it";
}

TEST(EdgepipeInputSize, IsReadFromTheModelFile)
{
    EXPECT_EQ(ReadInputSide(EDGEPIPE_ROOT "/traces/models/resnet50.json"), 224U);
    EXPECT_EQ(ReadInputSide(EDGEPIPE_ROOT "/traces/models/mnist_cnn.json"), 28U);
    const std::string file = testing::TempDir() + "input-size-test.json";
    std::ofstream(file) << R"({"format": "edgepipe-model 1", "inputShape": [7]})";
    EXPECT_THROW(ReadInputSide(file), InputError);
}
