// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-cost-draw.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/global-value.h"

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
        DrawCosts(drawn, {}, 0, kind, draw);
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
    DrawCosts(drawn, {}, 0, PassKind::TRAINING, 7);
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

TEST(EdgepipeCostDraw, DrawnMemoryIsTheRuleTimesWhatPeaksWereMeasuredAbove)
{
    EXPECT_EQ(DrawMemoryFactor(0), 1);
    std::vector<double> logs;
    for (uint32_t draw = 1; draw <= DRAWS; ++draw)
    {
        logs.push_back(std::log(DrawMemoryFactor(draw)) - 0.155);
    }
    ExpectNormal(logs, 0.063);
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

TEST(EdgepipeCostDraw, LayersThatDoTheSameAreDrawnTogetherAndTheTotalAsWithoutThem)
{
    const DnnGraph graph{"net",
                         {{"a", "conv2d", {}, 10, 0, 8, 0},
                          {"b", "conv2d", {0}, 10, 0, 8, 0},
                          {"c", "conv2d", {1}, 20, 0, 8, 0},
                          {"d", "relu", {2}, 10, 0, 8, 0}}};
    LayerCost cost = MakeEstimate("box");
    cost.forwardSeconds = cost.backwardSeconds = cost.fixedSeconds = {1, 1, 1, 1};
    std::vector<double> sameOperator;
    std::vector<double> otherOperator;
    std::vector<double> otherPass;
    for (uint32_t draw = 1; draw <= DRAWS; ++draw)
    {
        LayerCost drawn = cost;
        DrawCosts(drawn, graph, 0.5, PassKind::TRAINING, draw);
        EXPECT_NEAR(drawn.GetSeconds() / cost.GetSeconds(),
                    DrawFactor("box", PassKind::TRAINING, 0.2, draw),
                    1e-9);
        EXPECT_EQ(drawn.forwardSeconds[0], drawn.forwardSeconds[1]);
        const auto compare = [&](double a) { return std::log(a / drawn.forwardSeconds[0]); };
        sameOperator.push_back(compare(drawn.forwardSeconds[2]));
        otherOperator.push_back(compare(drawn.forwardSeconds[3]));
        otherPass.push_back(compare(drawn.backwardSeconds[0]));
    }
    ExpectNormal(sameOperator, 0.5 * std::sqrt(2));
    ExpectNormal(otherOperator, 0.5 * 2);
    ExpectNormal(otherPass, 0.5 * 2 * std::sqrt(1 - 0.7));
}

/** Times of two stages, before and behind every cut, of one type of device or of two. */
std::vector<double>
ListBottlenecks(const LayerCost& first, const LayerCost& second)
{
    double before = 0;
    double behind = second.GetSeconds();
    std::vector<double> seconds;
    for (std::size_t i = 0; i < first.forwardSeconds.size(); ++i)
    {
        before += first.forwardSeconds[i] + first.backwardSeconds[i];
        behind -= second.forwardSeconds[i] + second.backwardSeconds[i];
        seconds.push_back(std::max(before, behind));
    }
    return seconds;
}

TEST(EdgepipeCostDraw, AnOrderThatSurvivesIsSeldomWrong)
{
    // Of all profiled types: the plan that is best by estimate, against close ones, by profiles.
    const std::string traces = EDGEPIPE_ROOT "/traces";
    const uint32_t draws = 100;
    TemporaryFolder folder; // without profiles
    std::vector<DeviceSpec> specs{ReadDeviceSpec(traces + "/devices/xeon-1core.json"),
                                  ReadDeviceSpec(traces + "/devices/h200.json")};
    for (const std::string stack : {"pytorch-tf32", "pytorch-fp16"})
    {
        specs.push_back(ReadDeviceSpec(traces + "/devices/h200.json", stack));
    }
    std::size_t survivors = 0;
    std::size_t wrong = 0;
    std::size_t plans = 0;
    std::size_t regretted = 0; // more than 95 % of the draws say
    for (const auto& profile : std::filesystem::directory_iterator(traces + "/profiles/h200"))
    {
        const std::string name = profile.path().stem().string(); // MODEL.bBATCH
        const uint32_t batch = std::stoul(name.substr(name.find(".b") + 2));
        const std::string model = name.substr(0, name.find(".b"));
        if (model.size() % 2 != batch % 2)
        {
            continue; // one batch of each
        }
        const DnnGraph graph = ReadDnnGraph(traces + "/models/" + model + ".json");
        const auto measured = FindLayerCosts(traces, graph, specs, batch, PassKind::TRAINING);
        std::vector<std::map<std::string, LayerCost>> drawn;
        for (uint32_t draw = 0; draw <= draws; ++draw)
        {
            GlobalValue::Bind("EdgepipeCostDraw", UintegerValue(draw));
            drawn.push_back(
                FindLayerCosts(folder.GetPath(), graph, specs, batch, PassKind::TRAINING));
        }
        GlobalValue::Bind("EdgepipeCostDraw", UintegerValue(0));
        for (std::size_t a = 0; a < specs.size(); ++a)
        {
            for (std::size_t b = a; b < specs.size(); ++b)
            {
                std::vector<std::vector<double>> times;
                for (const auto& costs : drawn)
                {
                    times.push_back(
                        ListBottlenecks(costs.at(specs[a].name), costs.at(specs[b].name)));
                }
                const auto truth =
                    ListBottlenecks(measured.at(specs[a].name), measured.at(specs[b].name));
                const auto& estimate = times.front();
                const std::size_t best =
                    std::min_element(estimate.begin(), estimate.end()) - estimate.begin();
                const auto regret = [best](const std::vector<double>& one) {
                    return one[best] / *std::min_element(one.begin(), one.end());
                };
                std::vector<double> regrets = Map(times, regret);
                std::sort(regrets.begin() + 1, regrets.end()); // the first is not drawn
                ++plans;
                regretted += regret(truth) > regrets[1 + 95 * draws / 100];
                for (std::size_t other = 0; other < estimate.size();
                     other += 1 + estimate.size() / 40)
                {
                    if (estimate[other] < 1.02 * estimate[best] || // a tie
                        estimate[other] > 1.5 * estimate[best] ||
                        std::abs(truth[other] / truth[best] - 1) < 0.02)
                    {
                        continue;
                    }
                    const auto reversals =
                        std::count_if(times.begin() + 1, times.end(), [=](const auto& one) {
                            return one[other] < 0.98 * one[best]; // no tie
                        });
                    const bool survives = reversals <= 0.05 * draws;
                    survivors += survives;
                    wrong += survives && truth[other] < truth[best];
                }
            }
        }
    }
    EXPECT_GT(survivors, 100U);
    EXPECT_LE(wrong, 0.05 * survivors) << survivors;
    EXPECT_GT(plans, 100U);
    EXPECT_LE(regretted, 0.1 * plans) << plans;
}

} // namespace
