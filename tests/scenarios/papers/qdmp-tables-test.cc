/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-tables-study.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-two-way-cut-beliefs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3::edgepipe;

namespace
{

const std::string TRACES = EDGEPIPE_ROOT "/traces";
const std::string FILE_NAME = TRACES + "/published/qdmp-tables.json";

/// Half a unit of the last digit printed.
constexpr double ROUNDING = 0.005 + 1e-9;

/**
 * @param study to run
 * @param options more than the traces and the results' folder
 */
void
RunStudy(QdmpTablesStudy& study, const std::vector<std::string>& options)
{
    const std::string out = testing::TempDir() + "qdmp-tables-test";
    std::vector<std::string> words{"qdmp-tables",
                                   "--traces=" + TRACES,
                                   "--repeats=1",
                                   "--simulate=false",
                                   "--out=" + out};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
    {
        pointers.push_back(word.data());
    }
    EXPECT_EQ(study.Run(static_cast<int>(pointers.size()), pointers.data()), 0);
    std::filesystem::remove_all(out);
}

} // namespace

TEST(QdmpCalibration, ReproducesTheEdgeOnlyAndCloudOnlyColumns)
{
    const PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    const QdmpOutcome outcome(TRACES, {}, published, {"3G", "4G"});
    ASSERT_EQ(outcome.models.size(), 6u);
    for (const std::string planner : {"edge-only", "cloud-only"})
    {
        for (const std::string network : {"3G", "4G"})
        {
            for (std::size_t i = 0; i < published.models.size(); ++i)
            {
                EXPECT_NEAR(outcome.Find(i, network, planner)->cost.latencySeconds,
                            published.models[i].latencySeconds.at(network).at(planner),
                            ROUNDING)
                    << published.models[i].name << " " << network << " " << planner;
            }
        }
    }
}

TEST(QdmpCalibration, LooksAtNoOtherColumn)
{
    const PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    const QdmpCalibration calibration(TRACES, {});
    for (PublishedQdmpModel model : published.models)
    {
        const CalibratedModel before = calibration.Calibrate(model, published.networks);
        for (auto& [network, row] : model.latencySeconds)
        {
            for (const std::string planner : {"neurosurgeon", "dads", "qdmp"})
            {
                row.erase(planner);
            }
        }
        const CalibratedModel after = calibration.Calibrate(model, published.networks);
        EXPECT_EQ(before.deviceFactor, after.deviceFactor) << model.name;
        EXPECT_EQ(before.serverFactor, after.serverFactor) << model.name;
    }
}

TEST(QdmpCalibration, SendsAByteForEveryElementOfAFrame)
{
    const PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    for (const uint32_t tensorBytes : {4u, 1u})
    {
        QdmpAssumptions assumptions;
        assumptions.tensorBytes = tensorBytes;
        const QdmpCalibration calibration(TRACES, assumptions);
        const CalibratedModel model =
            calibration.Calibrate(published.models.front(), published.networks);
        EXPECT_EQ(model.problem.inputBytes, 224u * 224 * 3);
        EXPECT_EQ(model.problem.layers.at(0).outputBytes, 224u * 224 * 3);
        EXPECT_EQ(model.problem.layers.at(1).outputBytes, 64u * 55 * 55 * tensorBytes);
    }
}

TEST(QdmpCalibration, SetUpRaisesWhatOthersBelieveAndNothingElse)
{
    const PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    QdmpAssumptions assumptions;
    assumptions.setUpShare = 0.5;
    const CalibratedModel model =
        QdmpCalibration(TRACES, assumptions).Calibrate(published.models.at(4), published.networks);
    std::vector<double> inContext;
    double total = 0;
    for (std::size_t i = 0; i < model.problem.layers.size(); ++i)
    {
        const double seconds = model.problem.layers[i].deviceSeconds;
        total += seconds;
        if (seconds > 0)
        {
            inContext.push_back(seconds);
        }
    }
    EXPECT_NEAR(total, 0.8, 1e-9);
    std::sort(inContext.begin(), inContext.end());
    ASSERT_EQ(inContext.size(), 69u);
    for (std::size_t i = 1; i < model.problem.layers.size(); ++i)
    {
        EXPECT_NEAR(model.problem.isolated[i].deviceSeconds,
                    model.problem.layers[i].deviceSeconds + inContext[34] / 2,
                    1e-12);
    }
    EXPECT_EQ(model.problem.isolated[0].deviceSeconds, 0);
}

TEST(QdmpAnchors, ScaleTheLayersOnEachSideOfThem)
{
    DnnGraph graph;
    graph.name = "net";
    for (const char* name : {"a", "b", "c", "d"})
    {
        graph.layers.push_back({});
        graph.layers.back().name = name;
    }
    const std::vector<QdmpAnchor> anchors{{"Net", "3G", "b", 2, 1}, {"Net", "4G", "b", 4, 3}};
    std::vector<double> device{1, 2, 3, 1};
    ShapeByAnchors(graph, device, anchors, false);
    EXPECT_EQ(device, (std::vector<double>{1, 2, 3, 1})) << "3 of 7 s are up to b";
    std::vector<double> server{1, 1, 3, 5};
    ShapeByAnchors(graph, server, anchors, true);
    EXPECT_EQ(server, (std::vector<double>{4, 4, 0.75, 1.25})) << "2 of 10 s are after b";
    EXPECT_THROW(ShapeByAnchors(graph, device, {{"Net", "3G", "b", 8, 1}}, false), InputError);
    EXPECT_THROW(ShapeByAnchors(graph, device, {{"Net", "3G", "e", 1, 1}}, false), InputError);
}

TEST(QdmpCalibration, AnchoredExecutionTakesWhatQdmpsOwnCellsImplyAndKeepsTheSums)
{
    const PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    QdmpAssumptions assumptions;
    assumptions.execution = "anchored";
    assumptions.belief = "roofline";
    const CalibratedModel model =
        QdmpCalibration(TRACES, assumptions).Calibrate(published.models.at(2), published.networks);
    double device = 0;
    double server = 0;
    double believed = 0;
    bool isAfter = false;
    for (std::size_t i = 0; i < model.problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = model.problem.layers[i];
        device += isAfter ? 0 : layer.deviceSeconds;
        believed += isAfter ? 0 : model.problem.isolated[i].deviceSeconds;
        server += isAfter ? layer.serverSeconds : 0;
        isAfter |= layer.name == "pool4";
    }
    EXPECT_NEAR(device, 1 / 2.03, 1e-5);
    EXPECT_NEAR(server, 0.92 - 1 / 2.03 - 256 * 14 * 14 * 8 / 1.1e6, 1e-5);
    EXPECT_GT(believed, 1.5 * device) << "who believes the roofline knows of no anchor";
    EXPECT_NEAR(TwoWayCutBeliefs(model.problem, "flop").Get(1).deviceSeconds /
                    TwoWayCutBeliefs(model.problem, "flop").Get(1).serverSeconds,
                model.deviceSeconds / model.serverSeconds,
                1e-9);
}

TEST(QdmpCalibration, RefusesACloudThatIsFasterThanTheUpload)
{
    PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    published.models.resize(1);
    for (auto& [network, row] : published.models[0].latencySeconds)
    {
        row["cloud-only"] = 0.2;
    }
    try
    {
        QdmpOutcome(TRACES, {}, published, {"3G"});
        ADD_FAILURE() << "it is taken";
    }
    catch (const InputError& error)
    {
        EXPECT_NE(std::string(error.what()).find("AlexNet: found cloud-only latencies below"),
                  std::string::npos)
            << error.what();
    }
}

TEST(QdmpOutcome, NoPlannerIsFasterThanQdmpUnderAnyAssumption)
{
    const PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    for (const uint32_t tensorBytes : {4u, 2u, 1u})
    {
        for (const std::string device : {"raspberry-pi-3b", "xeon-1core"})
        {
            for (const double setUp : {0.0, 0.5, 2.0})
            {
                const QdmpOutcome outcome(TRACES,
                                          {device, "rtx-2080-ti", tensorBytes, setUp},
                                          published,
                                          {"CAT1", "3G", "4G", "Wi-Fi"});
                EXPECT_EQ(outcome.cells.size(), 6u * 4 * GetQdmpPlanners().size());
                EXPECT_TRUE(outcome.FindFasterThanQdmp().empty());
            }
        }
    }
}

TEST(QdmpOutcome, ThroughputIsThatOfTheSlowestOfThree)
{
    const PublishedQdmp published = ReadPublishedQdmp(FILE_NAME);
    const QdmpOutcome outcome(TRACES, {}, published, {"3G", "4G"});
    // A frame over 5.85 Mbit/s takes longer than AlexNet on the server.
    EXPECT_NEAR(outcome.Find(0, "4G", "cloud-only")->framesPerSecond,
                5.85e6 / (224 * 224 * 3 * 8),
                1e-9);
    EXPECT_NEAR(outcome.Find(0, "4G", "edge-only")->framesPerSecond, 1 / 0.73, 1e-9);
    const QdmpCell& serial = *outcome.Find(0, "4G", "cloud-only-serial");
    EXPECT_NEAR(serial.framesPerSecond, 1 / serial.cost.latencySeconds, 1e-9);
    EXPECT_EQ(outcome.Find(0, "Wi-Fi", "qdmp"), nullptr) << "a network that was not asked for";
}

TEST(QdmpTables, KeepToTheModelsAndNetworksAskedFor)
{
    ScenarioOptions options("qdmp-tables", "");
    QdmpTablesStudy study(options);
    RunStudy(study, {"--model=googlenet,alexnet", "--networks=4G,CAT1"});
    EXPECT_EQ(study.GetOutcome().models.size(), 2u);
    EXPECT_EQ(study.GetOutcome().models[0].graph.name, "googlenet") << "in the order named";
    EXPECT_EQ(study.GetOutcome().cells.size(), 2u * 2 * GetQdmpPlanners().size());
    EXPECT_FALSE(study.GetSweep());
}

TEST(QdmpSweep, GoesFromAllOnTheDeviceToAllOnTheServer)
{
    ScenarioOptions options("qdmp-tables", "");
    QdmpTablesStudy study(options);
    RunStudy(study, {"--model=resnet18", "--tensor-element-bytes=1"});
    ASSERT_TRUE(study.GetSweep());
    const QdmpSweep& sweep = *study.GetSweep();
    ASSERT_EQ(sweep.points.size(), 31u);
    EXPECT_EQ(sweep.points.back().uplinkBitsPerSecond, 15e6);
    EXPECT_NEAR(sweep.points[0].qdmpSeconds, 0.8, 1e-9);
    EXPECT_TRUE(std::isinf(sweep.points[0].cloudSeconds));
    const double serverSeconds = study.GetOutcome().models[0].serverSeconds;
    EXPECT_NEAR(sweep.cloudBeatsEdgeBitsPerSecond, 224 * 224 * 3 * 8 / (0.8 - serverSeconds), 1e-3);
    EXPECT_GE(sweep.allCloudBitsPerSecond, sweep.cloudBeatsEdgeBitsPerSecond * (1 - 1e-9));
    double last = 1e9;
    for (const QdmpSweepPoint& point : sweep.points)
    {
        EXPECT_LE(point.qdmpSeconds, std::min(point.cloudSeconds, sweep.edgeSeconds) + 1e-9);
        EXPECT_LE(point.qdmpSeconds, last);
        last = point.qdmpSeconds;
        if (point.uplinkBitsPerSecond > sweep.allCloudBitsPerSecond)
        {
            EXPECT_NEAR(point.qdmpSeconds, point.cloudSeconds, 1e-9);
        }
    }
}

TEST(PublishedQdmp, RefusesMistakesInOneLine)
{
    std::stringstream text;
    text << std::ifstream(FILE_NAME).rdbuf();
    const std::string correct = text.str();
    const std::string folder = testing::TempDir() + "published-qdmp-test";
    std::filesystem::create_directories(folder);
    const std::string file = folder + "/p.json";
    const std::vector<std::array<std::string, 3>> cases{
        {"\"cloud-only\": 1.14", "\"cloud-only\": 0", "expected a number above 0"},
        {"\"cloud-only\": 1.14", "\"cloud_only\": 1.14", "cloud-only"},
        {"\"neurosurgeon\": 0.69", "\"neurosurgeon\": 0.69, \"x\": 1", "unknown planner \"x\""},
        {"\"CAT1\": 0.05", "\"CAT2\": 0.05", "unknown network \"CAT2\""},
        {"\"layers\": 24", "\"layers\": 0", "layers"},
        {"\"4G\": {\"cloud-only\": 4.06", "\"CAT1\": {\"cloud-only\": 4.06", "4G"},
        {"edgepipe-qdmp-tables 1", "edgepipe-qdmp-tables 2", "edgepipe-qdmp-tables 1"},
    };
    for (const auto& [from, to, expected] : cases)
    {
        std::string broken = correct;
        const std::size_t at = broken.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        broken.replace(at, from.size(), to);
        std::ofstream(file) << broken;
        try
        {
            ReadPublishedQdmp(file);
            ADD_FAILURE() << to << " is taken";
        }
        catch (const InputError& error)
        {
            const std::string message = error.what();
            EXPECT_NE(message.find(expected), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
    }
    std::filesystem::remove_all(folder);
}
