// SPDX-License-Identifier: GPL-2.0-only

#include "runs/case-plan.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ns3::edgepipe;

namespace
{

/// Four layers in a row, 100 bytes of weights and 10 of output each, and one beside them.
DnnGraph
MakeGraph()
{
    return {"small",
            {{"a", "input", {}, 0, 0, 10, 0},
             {"b", "conv", {0}, 0, 100, 10, 0},
             {"c", "conv", {1}, 0, 100, 30, 0},
             {"d", "conv", {0, 1}, 0, 100, 10, 0}}};
}

/// A device that runs the layers before one.
PlanPart
MakePart(const std::string& device, std::size_t from, std::size_t to)
{
    return MakeLayerPart(device, MakeGraph(), [=](std::size_t i) { return i >= from && i < to; });
}

TEST(CasePlan, SaysWhoRunsWhatInALine)
{
    const CasePlan plan{
        "exact",
        {{"first", {MakePart("left", 0, 2), MakePart("right", 2, 4)}},
         {"last", {MakeLayerPart("left", MakeGraph(), [](std::size_t i) { return i != 2; })}}}};
    EXPECT_EQ(FormatCasePlan(plan), "first: left a..b > right c..d | last: left a..b,d");
    EXPECT_EQ(FormatParts({{"one", "5 samples", {{0, 4}}}, {"two", "1 sample", {{5, 5}}}}),
              "one 5 samples + two 1 sample");
    const auto json = FormatCasePlans({plan});
    EXPECT_EQ(json[1]["moment"], "last");
    EXPECT_EQ(json[1]["parts"][0]["spans"].dump(), "[[0,1],[3,3]]");
    EXPECT_FALSE(json[0]["parts"][0].contains("share"));
}

TEST(CasePlan, InferenceHoldsWeightsAndTheTensorsAliveAtOnce)
{
    PlanPart part = MakePart("left", 1, 4);
    AddInferenceMemory(part, MakeGraph(), 350);
    // Three weights, 30 bytes out of c, and outputs of a and b, since d reads them as well.
    EXPECT_EQ(part.memoryBytes, 350);
    EXPECT_EQ(FindOverflow("exact", {part}), "");
    part.capacityBytes = 349;
    EXPECT_EQ(FindOverflow("exact", {part}),
              "exact: b..d on left take 350 B of weights and tensors, expected at most 349 B, its "
              "usable memory");
}

TEST(CasePlan, BothSidesHoldTiedWeights)
{
    DnnGraph graph = MakeGraph();
    graph.layers[2].tied = {{1, 60}};
    graph.layers[3].tied = {{1, 70}};
    const auto count = [&graph](std::size_t from, std::size_t to) {
        PlanPart part = MakePart("left", from, to);
        AddInferenceMemory(part, graph, 0);
        return part.memoryBytes;
    };
    EXPECT_EQ(count(1, 4), 350U);
    EXPECT_EQ(count(1, 3), 200U + 40);
    EXPECT_EQ(count(2, 4), 200U + 70 + 40) << "a comes later";
    EXPECT_EQ(count(2, 3), 100U + 60 + 40);
}

TEST(CasePlan, PrintsADozenLinesAtMost)
{
    CasePlan longest{"even", {{"", {}}}};
    for (std::size_t i = 0; i < 30; ++i)
    {
        longest.steps.front().parts.push_back(MakePart("device-" + std::to_string(i), i % 4, 4));
    }
    std::vector<CasePlan> plans{longest, longest, {"exact", {{"", {MakePart("left", 0, 4)}}}}, {}};
    plans[1].name = "even + help";
    testing::internal::CaptureStdout();
    PrintCasePlans(plans);
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 14);
    EXPECT_NE(said.find("  exact      left      a..d"), std::string::npos) << said;
    EXPECT_NE(said.find("and more in results.csv: 22 of even\n"), std::string::npos) << said;
    EXPECT_NE(said.find("the same plans: even + help as even\n"), std::string::npos) << said;
}

} // namespace
