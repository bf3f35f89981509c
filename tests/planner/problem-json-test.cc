// SPDX-License-Identifier: GPL-2.0-only

// What is refused, and in which words: tests/cli_test.py, two_way_cut_test.py, multi_actor_test.py.

#include "test.h"

#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-problem-json.h"
#include "ns3/edgepipe-ranges.h"

namespace
{

template <typename Problem>
Problem
Read(const std::string& text)
{
    return ReadProblem<Problem>(ParseJsonText(text, "p.json"));
}

/// Look at a problem as it is read, and once more as it is read from what is written of it.
template <typename Problem, typename Look>
void
LookTwice(const std::string& text, Look look)
{
    const auto problem = Read<Problem>(text);
    look(problem);
    const auto again = Read<Problem>(FormatProblem(problem));
    look(again);
    EXPECT_EQ(FormatProblem(again), FormatProblem(problem));
}

const std::string PIPELINE = R"({"problem": "pipeline", "microBatches": 8,
  "optimizerStates": 2, "recomputes": true,
  "layers": [
    {"name": "a", "inputs": [], "outputBytes": 4, "parameterBytes": 0, "activationBytes": 1},
    {"name": "b \"", "inputs": ["a"], "outputBytes": 5, "parameterBytes": 2, "activationBytes": 3}],
  "devices": [{"name": "d0", "type": "t", "memoryBytes": 1000, "downlinkBitsPerSecond": 0.1}],
  "costs": {"t": {"forwardSeconds": [0.1, 0.3333333333333333], "backwardSeconds": [0.2, 0.25]}},
  "bandwidthBitsPerSecond": 1e9})";

TEST(EdgepipeProblemJson, KeepsPartsOfMicroBatchesAndGroups)
{
    const auto with = [](const std::string& parts) {
        std::string text = PIPELINE;
        text.insert(text.find("\"layers\""), R"("microBatchSamples": 4, "sharesMedium": true, )");
        text.insert(text.find("}},"), R"(, "parts": [)" + parts + "]");
        return text;
    };
    const std::string one =
        R"({"samples": 1, "forwardSeconds": [0.05, 0.1], "backwardSeconds": [0.1, 0.1]})";
    LookTwice<PipelineProblem>(with(one), [](const PipelineProblem& problem) {
        EXPECT_EQ(problem.microBatchSamples, 4u);
        EXPECT_TRUE(problem.sharesMedium);
        EXPECT_TRUE(problem.TakesGroups());
        ASSERT_EQ(problem.costs.at("t").parts.size(), 1u);
        EXPECT_EQ(problem.costs.at("t").parts[0].samples, 1u);
        EXPECT_EQ(problem.costs.at("t").parts[0].forwardSeconds[1], 0.1);
        EXPECT_EQ(problem.costs.at("t").parts[0].backwardSeconds[0], 0.1);
    });
    auto problem = Read<PipelineProblem>(with(one));
    problem.devices.push_back({"d1", "t", 1000});
    const PipelinePlan plan{{{1, 0, 1, {{1, 3}, {0, 1}}}}};
    const auto json = MakePlanJson(problem, plan);
    EXPECT_EQ(json["stages"].dump(),
              R"([{"devices":[{"device":"d1","samples":3},{"device":"d0","samples":1}],)"
              R"("firstLayer":"a","lastLayer":"b \""}])");
    const auto root = ParseJsonText(json.dump(), "plan.json");
    EXPECT_TRUE(HasGroups(root));
    const auto read = ReadPlan<PipelinePlan>(root, problem);
    EXPECT_EQ(read.stages.at(0).device, 1u);
    EXPECT_EQ(MakePlanJson(problem, read), json);
    EXPECT_FALSE(Read<PipelineProblem>(with("")).TakesGroups());
    std::string two = one;
    two.replace(two.find("1,"), 1, "2");
    ExpectError([&] { Read<PipelineProblem>(with(two)); },
                "parts: found none of 1 sample, expected one, first");
    std::string many = one;
    many.replace(many.find("1,"), 1, "4");
    ExpectError([&] { Read<PipelineProblem>(with(one + ", " + many)); },
                "parts: found 4 samples, expected 2 or more, below the micro-batch's 4");
    std::string uncounted = with(one);
    uncounted.replace(uncounted.find("Samples\": 4"), 11, "Samples\": 0");
    ExpectError([&] { Read<PipelineProblem>(uncounted); },
                "microBatchSamples: found 0, expected 2 or more, since there are costs of parts");
}

TEST(EdgepipeProblemJson, KeepsEveryFigureOfAPipeline)
{
    LookTwice<PipelineProblem>(PIPELINE, [](const PipelineProblem& problem) {
        EXPECT_EQ(problem.microBatches, 8u);
        EXPECT_EQ(problem.optimizerStates, 2u);
        EXPECT_TRUE(problem.recomputes);
        ASSERT_EQ(problem.layers.size(), 2u);
        EXPECT_EQ(problem.layers[1].name, "b \"");
        EXPECT_EQ(problem.layers[1].inputs, std::vector<std::size_t>{0});
        EXPECT_EQ(problem.layers[1].outputBytes, 5u);
        EXPECT_EQ(problem.layers[1].parameterBytes, 2u);
        EXPECT_EQ(problem.layers[1].activationBytes, 3u);
        EXPECT_EQ(problem.devices.at(0).type, "t");
        EXPECT_EQ(problem.devices.at(0).memoryBytes, 1000u);
        EXPECT_EQ(problem.devices.at(0).uplinkBitsPerSecond, 0);
        EXPECT_EQ(problem.devices.at(0).downlinkBitsPerSecond, 0.1);
        EXPECT_EQ(problem.costs.at("t").forwardSeconds[1], 1.0 / 3);
        EXPECT_EQ(problem.costs.at("t").backwardSeconds[0], 0.2);
        EXPECT_EQ(problem.bandwidthBitsPerSecond, 1e9);
    });
}

const std::string CUT = R"({"problem": "two-way-cut",
  "layers": [
    {"name": "a", "inputs": [], "outputBytes": 1000, "deviceSeconds": 0.5, "serverSeconds": 0.125,
     "isolatedDeviceSeconds": 0.625, "isolatedServerSeconds": 0.15,
     "predictedDeviceSeconds": 0.55, "predictedServerSeconds": 0.12},
    {"name": "b", "inputs": ["a"], "outputBytes": 20, "deviceSeconds": 2, "serverSeconds": 0.25,
     "isolatedDeviceSeconds": 3, "isolatedServerSeconds": 0.75,
     "predictedDeviceSeconds": 4, "predictedServerSeconds": 0.875}],
  "inputBytes": 8000, "uplinkBitsPerSecond": 64000, "downlinkBitsPerSecond": 1280,
  "countResult": false})";

TEST(EdgepipeProblemJson, KeepsEveryFigureOfATwoWayCut)
{
    const auto look = [](const TwoWayCutProblem& problem) {
        ASSERT_EQ(problem.layers.size(), 2u);
        EXPECT_EQ(problem.layers[1].name, "b");
        EXPECT_EQ(problem.layers[1].inputs, std::vector<std::size_t>{0});
        EXPECT_EQ(problem.layers[1].outputBytes, 20u);
        EXPECT_EQ(problem.layers[1].deviceSeconds, 2);
        EXPECT_EQ(problem.layers[1].serverSeconds, 0.25);
        EXPECT_EQ(problem.isolated.Get().at(0).deviceSeconds, 0.625);
        EXPECT_EQ(problem.isolated.Get().at(0).serverSeconds, 0.15);
        EXPECT_EQ(problem.predicted.Get().at(0).deviceSeconds, 0.55);
        EXPECT_EQ(problem.predicted.Get().at(0).serverSeconds, 0.12);
        EXPECT_EQ(problem.inputBytes, 8000u);
        EXPECT_EQ(problem.uplinkBitsPerSecond, 64000);
        EXPECT_EQ(problem.downlinkBitsPerSecond, 1280);
        EXPECT_FALSE(problem.countResult);
    };
    LookTwice<TwoWayCutProblem>(CUT, look);
    EXPECT_TRUE(
        Read<TwoWayCutProblem>(TemporaryFolder::Replace(CUT, ",\n  \"countResult\": false", ""))
            .countResult);
    auto problem = Read<TwoWayCutProblem>(CUT);
    EXPECT_EQ(FormatProblem(problem).find("flop"), std::string::npos);
    problem.layers.Edit()[1].flop = 2.5e9;
    const auto again = Read<TwoWayCutProblem>(FormatProblem(problem));
    EXPECT_EQ(again.layers.Get().at(0).flop, 0);
    EXPECT_EQ(again.layers.Get().at(1).flop, 2.5e9);
}

const std::string ACTORS = R"({"problem": "multi-actor",
  "layerFlop": [100, 200], "outputBytes": [50, 20, 5],
  "actors": [
    {"name": "a", "flopPerSecond": 100, "bytesPerSecond": 125.5},
    {"name": "b", "flopPerSecond": 50, "bytesPerSecond": 100, "layerSeconds": [0.1, 2]}],
  "serverFlopPerSecond": 1000, "serverLayerSeconds": [0.01, 0], "computeBudgetFlop": 300.5,
  "bandwidthBudgetBytes": 60, "delta": 1.5})";

TEST(EdgepipeProblemJson, KeepsEveryFigureOfActors)
{
    LookTwice<MultiActorProblem>(ACTORS, [](const MultiActorProblem& problem) {
        EXPECT_EQ(problem.model.layerFlop, (std::vector<uint64_t>{100, 200}));
        EXPECT_EQ(problem.model.outputBytes, (std::vector<uint64_t>{50, 20, 5}));
        EXPECT_EQ(problem.model.serverFlopPerSecond, 1000);
        EXPECT_EQ(problem.model.serverLayerSeconds, (std::vector<double>{0.01, 0}));
        ASSERT_EQ(problem.actors.size(), 2u);
        EXPECT_EQ(problem.actors[0].name, "a");
        EXPECT_EQ(problem.actors[0].bytesPerSecond, 125.5);
        EXPECT_TRUE(problem.actors[0].layerSeconds.empty());
        EXPECT_EQ(problem.actors[1].flopPerSecond, 50);
        EXPECT_EQ(problem.actors[1].layerSeconds, (std::vector<double>{0.1, 2}));
        EXPECT_EQ(problem.budgets.computeFlop, 300.5);
        EXPECT_EQ(problem.budgets.bandwidthBytes, 60);
        EXPECT_EQ(problem.budgets.delta, 1.5);
    });
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
    EXPECT_EQ(problem.model, "net");
    EXPECT_EQ(problem.microBatches, 3u);
    EXPECT_EQ(problem.layers[1].inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(problem.layers[1].outputBytes, 64u);
    EXPECT_EQ(problem.layers[1].activationBytes, 28u);
    EXPECT_EQ(problem.layers[1].parameterBytes, 40u);
    EXPECT_EQ(problem.devices[1].name, "box-1");
    EXPECT_EQ(problem.devices[1].memoryBytes, 1600u) << "a fifth is left free";
    EXPECT_EQ(problem.costs.at("box").backwardSeconds[1], 2);
    EXPECT_EQ(problem.bandwidthBitsPerSecond, 1e6);
    EXPECT_EQ(problem.optimizerStates, 1u) << "SGD with momentum";
    EXPECT_FALSE(problem.recomputes);

    // Where activations are computed again a backward pass begins with the forward pass.
    Config::SetDefault("ns3::edgepipe::TrainingMemory::Recompute", BooleanValue(true));
    problem = BuildPipelineProblem(graph, cluster, {{"box", cost}}, 4, 3, 1e6);
    Config::Reset();
    EXPECT_TRUE(problem.recomputes);
    EXPECT_EQ(problem.costs.at("box").forwardSeconds[1], 1);
    EXPECT_EQ(problem.costs.at("box").backwardSeconds[1], 3);

    Config::SetDefault("ns3::edgepipe::TrainingMemory::MemoryMargin", DoubleValue(0));
    problem = BuildPipelineProblem(graph, cluster, {{"box", cost}}, 4, 3, 1e6);
    Config::Reset();
    EXPECT_EQ(problem.devices[1].memoryBytes, 2000u);

    EXPECT_EQ(ErrorOf([&] {
                  BuildPipelineProblem(graph, cluster, {{"box", cost}}, 8, 3, 1e6);
              }),
              "p.csv: costs are of batches of 4, expected 8, the micro-batch size");
}

TEST(EdgepipePipelineProblemBuilder, SaysWhatIsLeftFreeWhereAPlanDoesNotFit)
{
    DnnGraph graph{"net", {{"in", "input", {}, 0, 0, 8, 0}, {"fc", "linear", {0}, 9, 40, 16, 7}}};
    Cluster cluster{};
    cluster.devices = {{"box-0", "box", 0, 1000}};
    LayerCost cost;
    cost.batch = 4;
    cost.forwardSeconds = cost.backwardSeconds = {0, 1};
    const auto refuse = [&] {
        const auto problem = BuildPipelineProblem(graph, cluster, {{"box", cost}}, 4, 20, 1e6);
        PipelineCostModel(problem).CheckLayersFit();
    };
    EXPECT_EQ(ErrorOf(refuse),
              R"(no plan fits: layer "fc" needs 2.09 kB, no device has more than 800 B )"
              "(plans leave 20 % of its memory free)");
}

TEST(EdgepipePipelineProblemBuilder, CountsTheMemoryThatPyTorchTakes)
{
    // The peak that PyTorch 1.13 with oneDNN reached on a PC in two iterations of SGD with
    // momentum, less the 0.25e9 bytes of a process that has imported it. Its allocator keeps some
    // unused.
    const std::map<std::string, std::pair<uint32_t, double>> measured{
        {"vgg16", {16, 3.72e9 - 0.25e9}},
        {"resnet50", {16, 2.59e9 - 0.25e9}},
        {"alexnet", {32, 1.33e9 - 0.25e9}},
        {"mobilenet_v2", {16, 1.95e9 - 0.25e9}}};
    std::vector<double> logs;
    for (const auto& [name, peak] : measured)
    {
        const DnnGraph graph =
            ReadDnnGraph(std::string(EDGEPIPE_ROOT "/traces/models/") + name + ".json");
        Cluster cluster{};
        cluster.devices = {{"box-0", "box", 0, uint64_t{1} << 40}};
        LayerCost cost;
        cost.batch = peak.first;
        cost.forwardSeconds = cost.backwardSeconds = std::vector<double>(graph.layers.size(), 1);
        const PipelineProblem problem =
            BuildPipelineProblem(graph, cluster, {{"box", cost}}, peak.first, 1, 1e6);
        const PipelineCostModel model(problem);
        const double bytes = model.StageMemoryBytes(0, graph.layers.size() - 1);
        EXPECT_GT(bytes, 0.8 * peak.second) << name;
        EXPECT_LT(bytes, 1.02 * peak.second) << name;
        logs.push_back(std::log(peak.second / bytes));
    }
    // What DrawMemoryFactor takes them for.
    const double mean = Mean(logs);
    EXPECT_NEAR(mean, 0.155, 0.001);
    const double squares = Sum(logs, [mean](double log) { return (log - mean) * (log - mean); });
    EXPECT_NEAR(std::sqrt(squares / 3), 0.063, 0.0005);
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
    EXPECT_EQ(problem.layers.Get().at(2).inputs, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(problem.layers.Get().at(2).outputBytes, 16u);
    EXPECT_EQ(problem.layers.Get().at(2).deviceSeconds, 3);
    EXPECT_EQ(problem.layers.Get().at(2).serverSeconds, 1);
    EXPECT_TRUE(problem.isolated.empty());
    device.isolatedForwardSeconds = {0, 0, 5};
    EXPECT_TRUE(BuildTwoWayCutProblem(graph, device, server, {1e6, 2e6}).isolated.empty());
    server.isolatedForwardSeconds = {0, 0, 2};
    problem = BuildTwoWayCutProblem(graph, device, server, {1e6, 2e6});
    EXPECT_EQ(problem.isolated.Get().at(2).deviceSeconds, 5);
    EXPECT_EQ(problem.isolated.Get().at(2).serverSeconds, 2);

    SetPredictedSeconds(problem, {0, 0, 7}, {0, 0, 6});
    EXPECT_EQ(problem.predicted.Get().at(2).deviceSeconds, 7);
    EXPECT_EQ(problem.predicted.Get().at(2).serverSeconds, 6);

    EXPECT_EQ(ErrorOf([&] {
                  SetPredictedSeconds(problem, {0, 0, 7}, {6});
              }),
              "predicted seconds: found 3 for the device and 1 for the server, expected one for "
              "each of 3 layers");
    device.batch = 32;
    EXPECT_EQ(ErrorOf([&] {
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
