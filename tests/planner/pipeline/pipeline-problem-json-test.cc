// SPDX-License-Identifier: GPL-2.0-only

#include "profile/input-test-support.h"

#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-pipeline-problem-json.h"

#include <string>
#include <vector>

using namespace ns3::edgepipe;

namespace
{

const std::string CORRECT = R"({"problem": "pipeline", "microBatches": 8,
  "layers": [
    {"name": "a", "inputs": [], "outputBytes": 4, "parameterBytes": 0, "activationBytes": 1},
    {"name": "b", "inputs": ["a"], "outputBytes": 5, "parameterBytes": 2, "activationBytes": 3}],
  "devices": [{"name": "d0", "type": "t", "memoryBytes": 1000}],
  "costs": {"t": {"forwardSeconds": [0.1, 0.5], "backwardSeconds": [0.2, 0.25]}},
  "bandwidthBitsPerSecond": 1e9})";

TEST(EdgepipePipelineProblemJson, ReadsEveryFigure)
{
    TemporaryFolder folder;
    PipelineProblem problem =
        ReadProblem<PipelineProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    EXPECT_EQ(problem.microBatches, 8u);
    ASSERT_EQ(problem.layers.size(), 2u);
    EXPECT_EQ(problem.layers[1].name, "b");
    EXPECT_EQ(problem.layers[1].inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(problem.layers[1].outputBytes, 5u);
    EXPECT_EQ(problem.layers[1].parameterBytes, 2u);
    EXPECT_EQ(problem.layers[1].activationBytes, 3u);
    EXPECT_EQ(problem.devices.at(0).memoryBytes, 1000u);
    EXPECT_EQ(problem.costs.at("t").forwardSeconds[1], 0.5);
    EXPECT_EQ(problem.costs.at("t").backwardSeconds[0], 0.2);
    EXPECT_EQ(problem.bandwidthBitsPerSecond, 1e9);
}

TEST(EdgepipePipelineProblemJson, ReadsWhatItWrites)
{
    TemporaryFolder folder;
    PipelineProblem problem =
        ReadProblem<PipelineProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    problem.layers[1].name = "quoted \"b\"";
    problem.costs["t"].forwardSeconds[1] = 1.0 / 3;
    problem.bandwidthBitsPerSecond = 941.4e6 / 7;
    problem.devices[0].downlinkBitsPerSecond = 1e8 / 3;
    const std::string text = FormatProblem(problem);
    const PipelineProblem again =
        ReadProblem<PipelineProblem>(ReadJsonFile(folder.Write("q.json", text)));
    EXPECT_EQ(again.microBatches, 8u);
    ASSERT_EQ(again.layers.size(), 2u);
    EXPECT_EQ(again.layers[1].name, "quoted \"b\"");
    EXPECT_EQ(again.layers[1].inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(again.layers[1].activationBytes, 3u);
    EXPECT_EQ(again.devices.at(0).memoryBytes, 1000u);
    EXPECT_EQ(again.devices.at(0).type, "t");
    EXPECT_EQ(again.devices.at(0).uplinkBitsPerSecond, 0);
    EXPECT_EQ(again.devices.at(0).downlinkBitsPerSecond, 1e8 / 3);
    EXPECT_EQ(again.costs.at("t").forwardSeconds[1], 1.0 / 3);
    EXPECT_EQ(again.costs.at("t").backwardSeconds[0], 0.2);
    EXPECT_EQ(again.bandwidthBitsPerSecond, 941.4e6 / 7);
    EXPECT_EQ(FormatProblem(again), text);
}

TEST(EdgepipePipelineProblemJson, WritesAPlanWithNames)
{
    TemporaryFolder folder;
    PipelineProblem problem =
        ReadProblem<PipelineProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    EXPECT_EQ(FormatPipelinePlan(problem, {{{0, 0, 1}}}, "even", 2.5, 0.125),
              R"({"planner":"even","formatVersion":1,"layerCount":2,)"
              R"("stages":[{"device":"d0","firstLayer":"a","lastLayer":"b"}],)"
              R"("iterationSeconds":2.5,"decisionSeconds":0.125})");
}

TEST(EdgepipePipelineProblemJson, RefusesBrokenProblems)
{
    const std::vector<BrokenInput> cases = {
        {"another problem",
         "\"pipeline\"",
         "\"cut\"",
         R"(problem: found "cut", expected "pipeline")"},
        {"no micro-batch",
         "\"microBatches\": 8",
         "\"microBatches\": 0",
         "microBatches: found 0, expected a positive integer"},
        {"more micro-batches than fit",
         "\"microBatches\": 8",
         "\"microBatches\": 4294967296",
         "microBatches: found 4294967296, expected a positive integer, at most 4294967295"},
        {"an input that is no layer",
         "[\"a\"]",
         "[\"c\"]",
         R"(layers[1].inputs[0]: found "c", expected the name of a layer that stands before this one)"},
        {"a layer that reads itself",
         "[\"a\"]",
         "[\"b\"]",
         R"(layers[1].inputs[0]: found "b", expected the name of a layer that stands before this one)"},
        {"a layer twice",
         "\"name\": \"b\"",
         "\"name\": \"a\"",
         R"(layers[1].name: found "a", expected a name that no other layer has)"},
        {"negative bytes",
         "\"outputBytes\": 5",
         "\"outputBytes\": -5",
         "layers[1].outputBytes: found -5, expected an integer, 0 or more"},
        {"a device of an unknown type",
         "\"type\": \"t\"",
         "\"type\": \"u\"",
         R"(device "d0" is of type "u", for which there are no costs)"},
        {"a cost too few",
         "[0.1, 0.5]",
         "[0.1]",
         "costs.t.forwardSeconds: found 1 costs, expected one for each of 2 layers"},
        {"a negative cost",
         "0.25",
         "-0.25",
         "costs.t.backwardSeconds[1]: found -0.25, expected a number of at least 0"},
        {"no bandwidth", "1e9", "0", "bandwidthBitsPerSecond: found 0, expected a number above 0"},
        {"an unknown key",
         "\"memoryBytes\"",
         "\"memory\"",
         R"(devices[0]: unknown key "memory", expected one of name, type, memoryBytes, )"
         "uplinkBitsPerSecond, downlinkBitsPerSecond, delaySeconds"},
        {"a device that sends nothing",
         "\"memoryBytes\": 1000",
         "\"memoryBytes\": 1000, \"uplinkBitsPerSecond\": 0",
         "devices[0].uplinkBitsPerSecond: found 0, expected a number above 0"},
        {"no device",
         R"([{"name": "d0", "type": "t", "memoryBytes": 1000}])",
         "[]",
         "the problem has no device, expected at least one"},
    };
    TemporaryFolder folder;
    for (const BrokenInput& broken : cases)
    {
        std::string text = TemporaryFolder::Replace(CORRECT, broken.from, broken.to);
        ASSERT_NE(text, CORRECT) << broken.description;
        std::string file = folder.Write("p.json", text);
        EXPECT_EQ(folder.MessageOf([&] { ReadProblem<PipelineProblem>(ReadJsonFile(file)); }),
                  std::string("p.json: ") + broken.message)
            << broken.description;
    }
}

TEST(EdgepipePipelineProblemBuilder, ScalesTensorsButNotWeightsToTheMicroBatch)
{
    DnnGraph graph{"net", {{"in", "input", {}, 0, 0, 8, 0}, {"fc", "linear", {0}, 9, 40, 16, 7}}};
    Cluster cluster{};
    cluster.devices = {{"box-0", "box", 0, 1000}, {"box-1", "box", 0, 2000}};
    LayerCost cost;
    cost.source = "p.csv";
    cost.batch = 4;
    cost.forwardSeconds = {0, 1};
    cost.backwardSeconds = {0, 2};
    PipelineProblem problem = BuildPipelineProblem(graph, cluster, {{"box", cost}}, 4, 3, 1e6);
    EXPECT_EQ(problem.microBatches, 3u);
    EXPECT_EQ(problem.layers[1].inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(problem.layers[1].outputBytes, 64u);
    EXPECT_EQ(problem.layers[1].activationBytes, 28u);
    EXPECT_EQ(problem.layers[1].parameterBytes, 40u);
    EXPECT_EQ(problem.devices[1].name, "box-1");
    EXPECT_EQ(problem.devices[1].memoryBytes, 2000u);
    EXPECT_EQ(problem.costs.at("box").backwardSeconds[1], 2);
    EXPECT_EQ(problem.bandwidthBitsPerSecond, 1e6);

    TemporaryFolder folder;
    EXPECT_EQ(folder.MessageOf([&] {
        BuildPipelineProblem(graph, cluster, {{"box", cost}}, 8, 3, 1e6);
    }),
              "p.csv: costs are of batches of 4, expected 8, the micro-batch size");
}

} // namespace
