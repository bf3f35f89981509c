// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-cost-provider.h"

namespace
{

/** @return the model that the profiles of these tests are of */
DnnGraph
MakeGraph()
{
    return {"net", {{"in", "input", {}, 0, 0, 8, 0}, {"fc", "linear", {0}, 1000, 40, 16, 8}}};
}

const std::string CORRECT = "# format: edgepipe-profile 2\n"
                            "# model: net\n"
                            "# device: box\n"
                            "# batch: 4\n"
                            "# mode: training\n"
                            "# origin: measured\n"
                            "# machine: a box: two cores\n"
                            "layer,operator,forwardSeconds,backwardSeconds,"
                            "isolatedForwardSeconds,isolatedBackwardSeconds\n"
                            "in,input,0,0,0,0\n"
                            "fc,linear,0.25,5e-1,0.125,0.375\n";

TEST(EdgepipeLayerCost, ReadsFiguresAndHeader)
{
    TemporaryFolder folder;
    LayerCost cost = ReadLayerProfile(folder.Write("p.csv", CORRECT), MakeGraph());
    EXPECT_EQ(cost.batch, 4u);
    EXPECT_EQ(cost.origin, "measured");
    EXPECT_EQ(cost.device, "box");
    EXPECT_EQ(cost.header.at("machine"), "a box: two cores");
    EXPECT_EQ(cost.forwardSeconds, (std::vector<double>{0, 0.25}));
    EXPECT_EQ(cost.backwardSeconds, (std::vector<double>{0, 0.5}));
    EXPECT_EQ(cost.isolatedForwardSeconds, (std::vector<double>{0, 0.125}));
    EXPECT_EQ(cost.isolatedBackwardSeconds, (std::vector<double>{0, 0.375}));
    EXPECT_EQ(cost.negativeValues, 0u);
}

TEST(EdgepipeLayerCost, CountsNegativeValuesAsZeroAndReportsThem)
{
    TemporaryFolder folder;
    std::string text = TemporaryFolder::Replace(CORRECT, "0.25,5e-1", "-0.25,-5e-1");
    LayerCost cost = ReadLayerProfile(folder.Write("p.csv", text), MakeGraph());
    EXPECT_EQ(cost.forwardSeconds[1], 0);
    EXPECT_EQ(cost.backwardSeconds[1], 0);
    EXPECT_EQ(cost.negativeValues, 2u);
}

TEST(EdgepipeLayerCost, AcceptsRowsInAnyOrderOtherLineEndsAndNoIsolatedColumns)
{
    TemporaryFolder folder;
    std::string text = CORRECT.substr(0, CORRECT.find("layer,")) +
                       "backwardSeconds,layer,forwardSeconds\r\n2,fc,1\r\n\r\n0,in,0\r\n";
    LayerCost cost = ReadLayerProfile(folder.Write("p.csv", text), MakeGraph());
    EXPECT_EQ(cost.forwardSeconds, (std::vector<double>{0, 1}));
    EXPECT_EQ(cost.backwardSeconds, (std::vector<double>{0, 2}));
    EXPECT_TRUE(cost.isolatedForwardSeconds.empty());
}

/**
 * @param mode of the passes; empty: that of an old file, which does not say
 * @param figures of layer fc
 * @return a profile
 */
std::string
MakeProfile(const std::string& mode, const std::string& figures = "0.125,0,0.125,0")
{
    std::string text = TemporaryFolder::Replace(CORRECT, "0.25,5e-1,0.125,0.375", figures);
    return mode.empty()
               ? TemporaryFolder::Replace(TemporaryFolder::Replace(text, "# mode: training\n", ""),
                                          "edgepipe-profile 2",
                                          "edgepipe-profile 1")
               : TemporaryFolder::Replace(text, "mode: training", "mode: " + mode);
}

TEST(EdgepipeLayerCost, HasAModeWhichOldFilesTellByTheirBackwardPasses)
{
    TemporaryFolder folder;
    const auto read = [&](const std::string& text) {
        return ReadLayerProfile(folder.Write("p.csv", text), MakeGraph()).mode;
    };
    EXPECT_EQ(read(CORRECT), PassKind::TRAINING);
    EXPECT_EQ(read(MakeProfile("evaluation")), PassKind::INFERENCE);
    EXPECT_EQ(read(MakeProfile("")), PassKind::INFERENCE);
    EXPECT_EQ(read(MakeProfile("", "1,2,1,2")), PassKind::TRAINING);
    const auto refuse = [&](const std::string& text) {
        return folder.MessageOf([&] { read(text); });
    };
    EXPECT_EQ(refuse(MakeProfile("inference")),
              "p.csv: mode: found \"inference\", expected training or evaluation");
    EXPECT_EQ(refuse(MakeProfile("evaluation", "1,2,1,2")),
              "p.csv: mode: found \"evaluation\", expected training, since there are backward "
              "passes");
    EXPECT_EQ(refuse(MakeProfile("training")),
              "p.csv: mode: found \"training\", expected evaluation, since backwardSeconds are 0 "
              "for every layer");
    EXPECT_EQ(refuse(TemporaryFolder::Replace(CORRECT, "# mode: training\n", "")),
              "p.csv: header line \"# mode: ...\" is missing");
}

TEST(EdgepipeLayerCost, SaysHowManyRunsWereTimedAndTheirSpread)
{
    TemporaryFolder folder;
    const auto read = [&](const std::string& more) {
        return ReadLayerProfile(folder.Write("p.csv", "# repeats: 15\n" + more + CORRECT),
                                MakeGraph())
            .runs;
    };
    EXPECT_EQ(read(""), "15 runs");
    EXPECT_EQ(read("# passSpreadSeconds: 0.015\n"), "15 runs, interquartile range 2 %");
    EXPECT_EQ(read("# passSpreadSeconds: 0.015\n# busy: load average 3\n"),
              "15 runs, interquartile range 2 %, on a busy machine");
    EXPECT_EQ(folder.MessageOf([&] { read("# passSpreadSeconds: -1\n"); }),
              "p.csv: passSpreadSeconds: found \"-1\", expected a number of 0 or more");
    EXPECT_EQ(ReadLayerProfile(folder.Write("p.csv", CORRECT), MakeGraph()).runs, "");
}

/** @return a device of round figures */
DeviceSpec
MakeSpec(const std::string& name)
{
    DeviceSpec spec{};
    spec.name = name;
    spec.peakFlopPerSecond = 100;
    spec.memoryBytes = 1;
    spec.memoryBandwidthBytesPerSecond = 1e9;
    spec.inferenceStack = spec.trainingStack = "some";
    StackSpec& stack = spec.stacks["some"];
    stack.processor = "arm";
    stack.weightBytes = 4;
    stack.tensorCoreGain = 1;
    stack.figures.fill(1);
    stack.figures[LAYER_OVERHEAD_SECONDS] = stack.figures[SATURATION_OUTPUTS] = 1e-9;
    stack.version = "Torch 9";
    return spec;
}

TEST(EdgepipeCostProvider, PrefersAProfileOverTheEstimate)
{
    TemporaryFolder folder;
    folder.Write("profiles/box/net.b4.csv", CORRECT);
    const std::vector<DeviceSpec> specs = {MakeSpec("box"), MakeSpec("crate")};
    auto costs = FindLayerCosts(folder.GetPath(), MakeGraph(), specs, 4, PassKind::TRAINING);
    EXPECT_EQ(costs.at("box").origin, "measured");
    EXPECT_EQ(costs.at("box").source, "profiles/box/net.b4.csv (runs not said)");
    EXPECT_EQ(costs.at("box").backwardSeconds[1], 0.5);
    EXPECT_EQ(costs.at("crate").origin, "estimated");
    // 1000 FLOP per sample, 4 samples, half of 100 FLOP/s.
    EXPECT_NEAR(costs.at("crate").forwardSeconds[1], 40, 1e-4);

    costs = FindLayerCosts(folder.GetPath(), MakeGraph(), specs, 2, PassKind::TRAINING);
    EXPECT_EQ(costs.at("box").origin, "estimated") << "the profile is of batch 4";
    EXPECT_EQ(costs.at("box").source,
              "roofline of device box, Torch 9; its profiles are of batch 4, not 2");

    costs = FindLayerCosts(folder.GetPath(), MakeGraph(), specs, 4, PassKind::INFERENCE);
    EXPECT_EQ(costs.at("box").forwardSeconds[1], 0.25);
    EXPECT_EQ(costs.at("box").backwardSeconds[1], 0);
}

TEST(EdgepipeCostProvider, InfersByEvaluationModeAndTrainsByTrainingMode)
{
    TemporaryFolder folder;
    folder.Write("profiles/box/net.b4.csv", CORRECT);
    const auto find = [&](uint32_t batch, PassKind kind) {
        return FindLayerCosts(folder.GetPath(), MakeGraph(), {MakeSpec("box")}, batch, kind)
            .at("box");
    };
    LayerCost cost = find(4, PassKind::INFERENCE);
    EXPECT_EQ(cost.origin, "estimated");
    EXPECT_EQ(cost.source,
              "from passes in training mode: profiles/box/net.b4.csv (runs not said); 90 % within "
              "/1.5 to x1.5");
    EXPECT_EQ(cost.forwardSeconds[1], 0.25);
    EXPECT_GT(cost.logSpread, 0);
    folder.Write("profiles/box/net.b4.evaluation.csv", MakeProfile("evaluation"));
    cost = find(4, PassKind::INFERENCE);
    EXPECT_EQ(cost.origin, "measured");
    EXPECT_EQ(cost.source, "profiles/box/net.b4.evaluation.csv (runs not said)");
    EXPECT_EQ(cost.forwardSeconds[1], 0.125);
    EXPECT_EQ(find(4, PassKind::TRAINING).forwardSeconds[1], 0.25);
    EXPECT_EQ(find(4, PassKind::TRAINING).origin, "measured");
    // Between a batch of each mode, inference is estimated and training is not.
    const std::string larger = TemporaryFolder::Replace(CORRECT, "batch: 4", "batch: 12");
    folder.Write("profiles/box/net.b12.csv", larger);
    EXPECT_EQ(find(8, PassKind::INFERENCE).source,
              "from passes in training mode: profiles/box/net.b4.evaluation.csv (measured), "
              "profiles/box/net.b12.csv (measured); 90 % within /1.5 to x1.5");
    EXPECT_EQ(find(8, PassKind::TRAINING).source,
              "profiles/box/net.b4.csv (measured), profiles/box/net.b12.csv (measured)");
    folder.Write("profiles/box/net.b12.evaluation.csv",
                 TemporaryFolder::Replace(MakeProfile("evaluation"), "batch: 4", "batch: 12"));
    EXPECT_EQ(find(8, PassKind::INFERENCE).origin, "interpolated");
    folder.Write("profiles/box/net.b4.evaluation.csv", CORRECT);
    EXPECT_EQ(
        folder.MessageOf([&] { find(4, PassKind::INFERENCE); }),
        "profiles/box/net.b4.evaluation.csv: mode: found training, expected evaluation as the "
        "file is called");
}

TEST(EdgepipeCostProvider, InterpolatesBetweenProfiledBatches)
{
    TemporaryFolder folder;
    folder.Write("profiles/box/net.b4.csv", CORRECT);
    std::string larger = CORRECT;
    larger.replace(larger.find("# batch: 4"), 10, "# batch: 12");
    larger.replace(larger.find("0.25"), 4, "0.75");
    folder.Write("profiles/box/net.b12.csv", larger);
    folder.Write("profiles/box/net.bx.csv", "of no batch");
    const auto find = [&](uint32_t batch, PassKind kind) {
        return FindLayerCosts(folder.GetPath(), MakeGraph(), {MakeSpec("box")}, batch, kind)
            .at("box");
    };
    const LayerCost cost = find(6, PassKind::TRAINING);
    EXPECT_EQ(cost.origin, "interpolated");
    EXPECT_EQ(cost.source,
              "profiles/box/net.b4.csv (measured), profiles/box/net.b12.csv (measured)");
    EXPECT_EQ(cost.batch, 6U);
    EXPECT_EQ(cost.isolatedForwardSeconds.size(), 2U);
    EXPECT_DOUBLE_EQ(cost.forwardSeconds[1], 0.375); // a quarter of the way
    EXPECT_DOUBLE_EQ(cost.backwardSeconds[1], 0.5);
    EXPECT_EQ(find(6, PassKind::INFERENCE).backwardSeconds[1], 0);
    EXPECT_EQ(find(12, PassKind::TRAINING).origin, "measured");
    EXPECT_EQ(find(13, PassKind::TRAINING).source,
              "roofline of device box, Torch 9; its profiles are of batch 4 to 12, not 13");
    // A profile may tell nothing of layers alone.
    folder.Write(
        "profiles/box/net.b12.csv",
        larger.substr(0, larger.find("layer,")) +
            "layer,operator,forwardSeconds,backwardSeconds\nin,input,0,0\nfc,linear,1,1\n");
    EXPECT_TRUE(find(6, PassKind::TRAINING).isolatedForwardSeconds.empty());
}

TEST(EdgepipeCostProvider, RefusesToTrainWithAProfileOfInferenceAlone)
{
    TemporaryFolder folder;
    const auto find = [&](PassKind kind) {
        return FindLayerCosts(folder.GetPath(), MakeGraph(), {MakeSpec("box")}, 4, kind);
    };
    for (const std::string file : {"net.b4.csv", "net.b4.evaluation.csv"})
    {
        const auto path =
            folder.Write("profiles/box/" + file,
                         MakeProfile(file == "net.b4.csv" ? "" : "evaluation", "0.25,0,0.125,0"));
        EXPECT_EQ(folder.MessageOf([&] { find(PassKind::TRAINING); }),
                  "profiles/box/" + file +
                      ": mode: found evaluation, expected a profile of training mode to train with "
                      "(profile_model.py --mode training)");
        EXPECT_EQ(find(PassKind::INFERENCE).at("box").forwardSeconds[1], 0.25);
        EXPECT_EQ(find(PassKind::INFERENCE).at("box").origin, "measured");
        std::filesystem::remove(path);
    }
}

TEST(EdgepipeCostProvider, RefusesTwoTypesOfOneName)
{
    TemporaryFolder folder;
    auto faster = MakeSpec("box");
    faster.stacks["some"].figures[LINEAR] = 2;
    const auto find = [&](const std::vector<DeviceSpec>& specs) {
        return folder.MessageOf(
            [&] { FindLayerCosts(folder.GetPath(), MakeGraph(), specs, 4, PassKind::INFERENCE); });
    };
    EXPECT_EQ(find({MakeSpec("box"), faster}),
              R"(device type "box": found two with different figures, expected a name for each)");
    faster.name = "crate";
    EXPECT_NO_THROW(FindLayerCosts(folder.GetPath(),
                                   MakeGraph(),
                                   {MakeSpec("box"), faster, MakeSpec("box")},
                                   4,
                                   PassKind::INFERENCE));
}

TEST(EdgepipeCostProvider, RefusesATypeThatWouldGetTheProfileOfAnotherByItsName)
{
    const std::string traces = std::string(EDGEPIPE_ROOT) + "/traces";
    auto spec = ReadDeviceSpec(traces + "/devices/xeon-1core.json");
    const auto graph = ReadDnnGraph(traces + "/models/mnist_cnn.json");
    EXPECT_NO_THROW(FindLayerCosts(traces, graph, {spec}, 1, PassKind::INFERENCE));
    spec.peakFlopPerSecond *= 2;
    const auto message =
        ErrorOf([&] { FindLayerCosts(traces, graph, {spec}, 1, PassKind::INFERENCE); });
    EXPECT_EQ(message,
              "device type \"xeon-1core\": found other figures than those of " + traces +
                  "/devices/xeon-1core.json, which has been profiled, expected another name");
    spec.name = "xeon-faster";
    EXPECT_EQ(FindLayerCosts(traces, graph, {spec}, 1, PassKind::INFERENCE).at(spec.name).origin,
              "estimated");
}

} // namespace
