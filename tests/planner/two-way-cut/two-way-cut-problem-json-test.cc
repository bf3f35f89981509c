// SPDX-License-Identifier: GPL-2.0-only

#include "profile/input-test-support.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"
#include "ns3/edgepipe-two-way-cut-problem-json.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

const std::string CORRECT = R"({"problem": "two-way-cut",
  "layers": [
    {"name": "a", "inputs": [], "outputBytes": 1000, "deviceSeconds": 0.5, "serverSeconds": 0.125,
     "isolatedDeviceSeconds": 0.625, "isolatedServerSeconds": 0.15,
     "predictedDeviceSeconds": 0.55, "predictedServerSeconds": 0.12},
    {"name": "b", "inputs": ["a"], "outputBytes": 20, "deviceSeconds": 2, "serverSeconds": 0.25,
     "isolatedDeviceSeconds": 3, "isolatedServerSeconds": 0.75,
     "predictedDeviceSeconds": 4, "predictedServerSeconds": 0.875}],
  "inputBytes": 8000, "uplinkBitsPerSecond": 64000, "downlinkBitsPerSecond": 1280,
  "countResult": false})";

TEST(EdgepipeTwoWayCutProblemJson, ReadsEveryFigure)
{
    TemporaryFolder folder;
    const TwoWayCutProblem problem =
        ReadProblem<TwoWayCutProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    ASSERT_EQ(problem.layers.size(), 2u);
    EXPECT_EQ(problem.layers[1].name, "b");
    EXPECT_EQ(problem.layers[1].inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(problem.layers[1].outputBytes, 20u);
    EXPECT_EQ(problem.layers[1].deviceSeconds, 2);
    EXPECT_EQ(problem.layers[1].serverSeconds, 0.25);
    EXPECT_EQ(problem.isolated.at(0).deviceSeconds, 0.625);
    EXPECT_EQ(problem.isolated.at(0).serverSeconds, 0.15);
    EXPECT_EQ(problem.predicted.at(0).deviceSeconds, 0.55);
    EXPECT_EQ(problem.predicted.at(0).serverSeconds, 0.12);
    EXPECT_EQ(problem.inputBytes, 8000u);
    EXPECT_EQ(problem.uplinkBitsPerSecond, 64000);
    EXPECT_EQ(problem.downlinkBitsPerSecond, 1280);
    EXPECT_FALSE(problem.countResult);
    const std::string bare = TemporaryFolder::Replace(CORRECT, ",\n  \"countResult\": false", "");
    EXPECT_TRUE(
        ReadProblem<TwoWayCutProblem>(ReadJsonFile(folder.Write("p.json", bare))).countResult);
}

TEST(EdgepipeTwoWayCutProblemJson, ReadsWhatItWrites)
{
    TemporaryFolder folder;
    TwoWayCutProblem problem =
        ReadProblem<TwoWayCutProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    problem.layers[1].name = "quoted \"b\"";
    problem.layers[1].deviceSeconds = 1.0 / 3;
    EXPECT_EQ(FormatProblem(problem).find("flop"), std::string::npos);
    problem.layers[1].flop = 2.5e9;
    problem.uplinkBitsPerSecond = 5.85e6 / 7;
    const std::string text = FormatProblem(problem);
    const TwoWayCutProblem again =
        ReadProblem<TwoWayCutProblem>(ReadJsonFile(folder.Write("q.json", text)));
    EXPECT_EQ(again.layers.at(1).name, "quoted \"b\"");
    EXPECT_EQ(again.layers.at(1).deviceSeconds, 1.0 / 3);
    EXPECT_EQ(again.layers.at(0).flop, 0);
    EXPECT_EQ(again.layers.at(1).flop, 2.5e9);
    EXPECT_EQ(again.layers.at(1).inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(again.isolated.at(0).serverSeconds, 0.15);
    EXPECT_EQ(again.predicted.at(0).deviceSeconds, 0.55);
    EXPECT_EQ(again.uplinkBitsPerSecond, 5.85e6 / 7);
    EXPECT_EQ(again.inputBytes, 8000u);
    EXPECT_FALSE(again.countResult);
    EXPECT_EQ(FormatProblem(again), text);
}

TEST(EdgepipeTwoWayCutProblemJson, WritesAPlanWithNamesAndItsCost)
{
    TemporaryFolder folder;
    TwoWayCutProblem problem =
        ReadProblem<TwoWayCutProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    problem.countResult = true;
    // 1000 bytes take 0.125 s up, 20 bytes as long down.
    const std::string plan =
        R"({"planner":"qdmp","formatVersion":1,"layerCount":2,"deviceLayers":["a"],)"
        R"("serverLayers":["b"],"latencySeconds":1.0,)"
        R"("deviceSeconds":0.5,"serverSeconds":0.25,"transferSeconds":0.25,"uplinkBytes":1000,)"
        R"("decisionSeconds":0.125)";
    EXPECT_EQ(FormatTwoWayCutPlan(problem, {{true, false}}, "qdmp", 0.125), plan + "}");
    problem.countResult = false;
    // b costs 1.75 s more on the device and saves 8000 bits: 8000 / 1.75. With a on the server
    // 0.375 s are saved and 56,000 bits more are sent.
    const auto envelope =
        FindByName<TwoWayCutPlanner>("planner", "qdmp")->PlanEveryBandwidth(problem);
    problem.countResult = true;
    EXPECT_EQ(FormatTwoWayCutPlan(problem, {{true, false}}, "qdmp", 0.125, envelope.get()),
              plan + R"(,"envelope":[{"fromUplinkBitsPerSecond":0.0,"deviceLayers":["a","b"],)"
                     R"("deviceSeconds":2.5,"serverSeconds":0.0,"uplinkBytes":0},)"
                     R"({"fromUplinkBitsPerSecond":4571.428571428572,"deviceLayers":["a"],)"
                     R"("deviceSeconds":0.5,"serverSeconds":0.25,"uplinkBytes":1000},)"
                     R"({"fromUplinkBitsPerSecond":149333.33333333334,"deviceLayers":[],)"
                     R"("deviceSeconds":0.0,"serverSeconds":0.375,"uplinkBytes":8000}]})");
}

TEST(EdgepipeTwoWayCutProblemJson, RefusesBrokenProblems)
{
    const std::vector<BrokenInput> cases = {
        {"another problem",
         "\"two-way-cut\"",
         "\"pipeline\"",
         R"(problem: found "pipeline", expected "two-way-cut")"},
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
         "\"outputBytes\": 20",
         "\"outputBytes\": -20",
         "layers[1].outputBytes: found -20, expected an integer, 0 or more"},
        {"a negative cost",
         "\"deviceSeconds\": 2",
         "\"deviceSeconds\": -2",
         "layers[1].deviceSeconds: found -2, expected a number of at least 0"},
        {"half a belief",
         "\"isolatedDeviceSeconds\": 0.625, ",
         "",
         R"(layers[0]: key "isolatedDeviceSeconds" is missing)"},
        {"the FLOP of one layer only",
         "\"outputBytes\": 20",
         "\"flop\": 5, \"outputBytes\": 20",
         R"(layers[0]: key "flop" is missing)"},
        {"no bandwidth up",
         "64000",
         "0",
         "uplinkBitsPerSecond: found 0, expected a number above 0"},
        {"a bandwidth down in words",
         "1280",
         "\"fast\"",
         R"(downlinkBitsPerSecond: found "fast", expected a number above 0)"},
        {"a count that is no truth value",
         "false",
         "0",
         "countResult: found 0, expected true or false"},
        {"more bytes than are counted",
         "8000",
         "1e30",
         "inputBytes: found 1e+30, expected an integer, 0 or more, at most 9007199254740992"},
        {"costs too long to add up",
         "\"deviceSeconds\": 2",
         "\"deviceSeconds\": 1e300",
         "the layers take 1e+300 s in all, expected at most 1e+200 s"},
        {"an unknown key",
         "\"inputBytes\"",
         "\"frameBytes\"",
         R"(unknown key "frameBytes", expected one of problem, formatVersion, model, layers, )"
         "inputBytes, uplinkBitsPerSecond, downlinkBitsPerSecond, countResult, objective"},
        {"an unknown objective",
         "\"countResult\": false",
         "\"countResult\": false, \"objective\": \"energy\"",
         "objective: found \"energy\", expected latency or throughput"},
    };
    TemporaryFolder folder;
    for (const BrokenInput& broken : cases)
    {
        const std::string text = TemporaryFolder::Replace(CORRECT, broken.from, broken.to);
        ASSERT_NE(text, CORRECT) << broken.description;
        const std::string file = folder.Write("p.json", text);
        EXPECT_EQ(folder.MessageOf([&] { ReadProblem<TwoWayCutProblem>(ReadJsonFile(file)); }),
                  std::string("p.json: ") + broken.message)
            << broken.description;
    }
}

TEST(EdgepipeTwoWayCutProblemBuilder, KeepsTheModelAsItIs)
{
    const DnnGraph graph{"net",
                         {{"in", "input", {}, 0, 0, 8, 0},
                          {"aux", "input", {}, 0, 0, 4, 0},
                          {"fc", "linear", {0, 1}, 9, 40, 16, 7}}};
    LayerCost device;
    device.source = "d.csv";
    device.forwardSeconds = {0, 0, 3};
    LayerCost server = device;
    server.forwardSeconds = {0, 0, 1};
    TwoWayCutProblem problem = BuildTwoWayCutProblem(graph, device, server, {1e6, 2e6});
    EXPECT_EQ(problem.inputBytes, 12u);
    EXPECT_EQ(problem.uplinkBitsPerSecond, 1e6);
    EXPECT_EQ(problem.downlinkBitsPerSecond, 2e6);
    EXPECT_TRUE(problem.countResult);
    EXPECT_EQ(problem.layers.at(2).inputs, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(problem.layers.at(2).outputBytes, 16u);
    EXPECT_EQ(problem.layers.at(2).deviceSeconds, 3);
    EXPECT_EQ(problem.layers.at(2).serverSeconds, 1);
    EXPECT_TRUE(problem.isolated.empty());
    device.isolatedForwardSeconds = {0, 0, 5};
    EXPECT_TRUE(BuildTwoWayCutProblem(graph, device, server, {1e6, 2e6}).isolated.empty());
    server.isolatedForwardSeconds = {0, 0, 2};
    problem = BuildTwoWayCutProblem(graph, device, server, {1e6, 2e6});
    EXPECT_EQ(problem.isolated.at(2).deviceSeconds, 5);
    EXPECT_EQ(problem.isolated.at(2).serverSeconds, 2);

    SetPredictedSeconds(problem, {0, 0, 7}, {0, 0, 6});
    EXPECT_EQ(problem.predicted.at(2).deviceSeconds, 7);
    EXPECT_EQ(problem.predicted.at(2).serverSeconds, 6);

    TemporaryFolder folder;
    EXPECT_EQ(folder.MessageOf([&] {
        SetPredictedSeconds(problem, {0, 0, 7}, {6});
    }),
              "predicted seconds: found 3 for the device and 1 for the server, expected one for "
              "each of 3 layers");
    device.batch = 32;
    EXPECT_EQ(folder.MessageOf([&] {
        BuildTwoWayCutProblem(graph, device, server, {1e6, 2e6});
    }),
              "d.csv: costs are of batches of 32, expected 1, a frame");
}

TEST(EdgepipeTwoWayCutProblemBuilder, CountsBytesAsElementsAreSent)
{
    const DnnGraph graph{"net",
                         {{"in", "input", {}, 0, 0, 80, 0}, {"fc", "linear", {0}, 9, 40, 16, 7}}};
    LayerCost cost;
    cost.forwardSeconds = {0, 3};
    const auto build = [&](uint32_t frame, uint32_t tensor) {
        return BuildTwoWayCutProblem(graph, cost, cost, {1e6, 2e6}, {frame, tensor});
    };
    const TwoWayCutProblem camera = build(1, 4);
    EXPECT_EQ(camera.inputBytes, 20u);
    EXPECT_EQ(camera.layers[0].outputBytes, 20u) << "the frame itself, if the device reads it";
    EXPECT_EQ(camera.layers[1].outputBytes, 16u);
    const TwoWayCutProblem quantised = build(4, 2);
    EXPECT_EQ(quantised.inputBytes, 80u);
    EXPECT_EQ(quantised.layers[1].outputBytes, 8u);
}

} // namespace
