// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-cost-draw.h"
#include "ns3/global-value.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <numeric>

namespace
{

constexpr uint32_t DRAWS = 2000;

/** @return costs of two layers, estimated with a spread */
LayerCost
MakeEstimate(const std::string& device)
{
    LayerCost cost;
    cost.device = device;
    cost.origin = "estimated";
    cost.forwardSeconds = {1, 2};
    cost.backwardSeconds = {3, 4};
    cost.fixedSeconds = {0.5, 0.5};
    cost.logSpread = 0.2;
    return cost;
}

/** @return the logarithms of the draws' factors, of a figure that get takes from costs */
template <typename Get>
std::vector<double>
ListLogs(const LayerCost& cost, PassKind kind, Get get)
{
    std::vector<double> logs;
    for (uint32_t draw = 1; draw <= DRAWS; ++draw)
    {
        LayerCost drawn = cost;
        DrawCosts(drawn, kind, draw);
        logs.push_back(std::log(get(drawn) / get(cost)));
    }
    return logs;
}

/** Expects logarithms of a normal distribution about 0, to four errors of so many draws. */
void
ExpectNormal(const std::vector<double>& logs, double spread)
{
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / DRAWS;
    const double squares = std::inner_product(logs.begin(), logs.end(), logs.begin(), 0.0);
    EXPECT_NEAR(mean, 0, 4 * spread / std::sqrt(DRAWS));
    EXPECT_NEAR(std::sqrt(squares / DRAWS), spread, 4 * spread / std::sqrt(2.0 * DRAWS));
}

/** @return correlation of logarithms about 0 */
double
Correlate(const std::vector<double>& a, const std::vector<double>& b)
{
    const auto product = [](const auto& x, const auto& y) {
        return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    return product(a, b) / std::sqrt(product(a, a) * product(b, b));
}

const auto FIRST = [](const LayerCost& cost) { return cost.forwardSeconds[0]; };
const auto SECOND = [](const LayerCost& cost) { return cost.forwardSeconds[1]; };

TEST(EdgepipeCostDraw, AnEstimateHasOneLogNormalFactorForAllItsTimes)
{
    const LayerCost cost = MakeEstimate("box");
    ExpectNormal(ListLogs(cost, PassKind::TRAINING, FIRST), 0.2);
    LayerCost drawn = cost;
    DrawCosts(drawn, PassKind::TRAINING, 7);
    const double factor = drawn.forwardSeconds[0];
    EXPECT_NE(factor, 1);
    EXPECT_DOUBLE_EQ(drawn.forwardSeconds[1], 2 * factor);
    EXPECT_DOUBLE_EQ(drawn.backwardSeconds[1], 4 * factor);
    EXPECT_DOUBLE_EQ(drawn.fixedSeconds[0], 0.5 * factor);
}

TEST(EdgepipeCostDraw, TypesAndKindsOfPassAreDrawnApart)
{
    const auto box = ListLogs(MakeEstimate("box"), PassKind::TRAINING, FIRST);
    const double error = 4 / std::sqrt(DRAWS);
    EXPECT_NEAR(Correlate(box, ListLogs(MakeEstimate("crate"), PassKind::TRAINING, FIRST)),
                0,
                error);
    EXPECT_NEAR(Correlate(box, ListLogs(MakeEstimate("box"), PassKind::INFERENCE, FIRST)),
                0,
                error);
    EXPECT_EQ(box, ListLogs(MakeEstimate("box"), PassKind::TRAINING, FIRST));
}

TEST(EdgepipeCostDraw, MeasuredLayersAreDrawnApartByTheSpreadOfTheirMedians)
{
    TemporaryFolder folder;
    const DnnGraph graph{"net",
                         {{"in", "input", {}, 0, 0, 8, 0}, {"fc", "linear", {0}, 1000, 40, 16, 8}}};
    const auto path = folder.Write("p.csv",
                                   "# format: edgepipe-profile 1\n# model: net\n# device: box\n"
                                   "# batch: 4\n# origin: measured\n# repeats: 4\n"
                                   "layer,forwardSeconds,backwardSeconds,forwardSpreadSeconds,"
                                   "backwardSpreadSeconds\n"
                                   "in,1,1,0,0.2\nfc,1,1,0.1,0\n");
    const LayerCost cost = ReadLayerProfile(path, graph);
    // Of a median of 4 repeats whose quarters are 1.349 standard deviations apart.
    const double spread = 0.1 / 1.349 * std::sqrt(M_PI / 2 / 4);
    EXPECT_NEAR(cost.forwardSpreadSeconds[1], spread, 1e-6);
    ExpectNormal(ListLogs(cost, PassKind::TRAINING, SECOND), spread);
    const auto backward = [](const LayerCost& one) { return one.backwardSeconds[0]; };
    EXPECT_NEAR(Correlate(ListLogs(cost, PassKind::TRAINING, SECOND),
                          ListLogs(cost, PassKind::TRAINING, backward)),
                0,
                4 / std::sqrt(DRAWS));
    for (const double log : ListLogs(cost, PassKind::TRAINING, FIRST))
    {
        EXPECT_EQ(log, 0) << "without spread";
    }
    const std::string text =
        "# format: edgepipe-profile 1\n# model: net\n# device: box\n# batch: 4\n"
        "# origin: measured\n# repeats: 0\n"
        "layer,forwardSeconds,backwardSeconds\nin,0,0\nfc,1,1\n";
    EXPECT_NE(folder.MessageOf([&] { ReadLayerProfile(folder.Write("q.csv", text), graph); })
                  .find("repeats: found \"0\""),
              std::string::npos);
}

TEST(EdgepipeCostDraw, TheGlobalValueDrawsWhatIsFound)
{
    const std::string traces = EDGEPIPE_ROOT "/traces";
    const DnnGraph graph = ReadDnnGraph(traces + "/models/alexnet.json");
    const auto spec = ReadDeviceSpec(traces + "/devices/raspberry-pi-5.json");
    const auto find = [&](uint32_t batch) {
        return FindLayerCosts(traces, graph, {spec}, batch, PassKind::TRAINING).at(spec.name);
    };
    const double one = find(1).GetSeconds();
    const double many = find(8).GetSeconds();
    GlobalValue::Bind("EdgepipeCostDraw", UintegerValue(3));
    const double factor = find(1).GetSeconds() / one;
    EXPECT_NE(factor, 1);
    EXPECT_NEAR(find(8).GetSeconds() / many, factor, 1e-12) << "batches meet the same draw";
    GlobalValue::Bind("EdgepipeCostDraw", UintegerValue(0));
    EXPECT_EQ(find(1).GetSeconds(), one);
}

} // namespace
