// SPDX-License-Identifier: GPL-2.0-only

#include "profile/input-test-support.h"

#include "ns3/edgepipe-multi-actor-problem-json.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

const std::string CORRECT = R"({"problem": "multi-actor",
  "layerFlop": [100, 200], "outputBytes": [50, 20, 5],
  "actors": [
    {"name": "a", "flopPerSecond": 100, "bytesPerSecond": 125.5},
    {"name": "b", "flopPerSecond": 50, "bytesPerSecond": 100}],
  "serverFlopPerSecond": 1000, "computeBudgetFlop": 300.5, "bandwidthBudgetBytes": 60,
  "delta": 1.5})";

TEST(EdgepipeMultiActorProblemJson, ReadsEveryFigure)
{
    TemporaryFolder folder;
    const MultiActorProblem problem =
        ReadProblem<MultiActorProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    EXPECT_EQ(problem.model.layerFlop, (std::vector<uint64_t>{100, 200}));
    EXPECT_EQ(problem.model.outputBytes, (std::vector<uint64_t>{50, 20, 5}));
    EXPECT_EQ(problem.model.serverFlopPerSecond, 1000);
    ASSERT_EQ(problem.actors.size(), 2u);
    EXPECT_EQ(problem.actors[0].name, "a");
    EXPECT_EQ(problem.actors[0].bytesPerSecond, 125.5);
    EXPECT_EQ(problem.actors[1].flopPerSecond, 50);
    EXPECT_EQ(problem.budgets.computeFlop, 300.5);
    EXPECT_EQ(problem.budgets.bandwidthBytes, 60);
    EXPECT_EQ(problem.budgets.delta, 1.5);
    const std::string bare = TemporaryFolder::Replace(CORRECT, ",\n  \"delta\": 1.5", "");
    EXPECT_EQ(
        ReadProblem<MultiActorProblem>(ReadJsonFile(folder.Write("p.json", bare))).budgets.delta,
        1);
}

TEST(EdgepipeMultiActorProblemJson, ReadsWhatItWrites)
{
    TemporaryFolder folder;
    MultiActorProblem problem =
        ReadProblem<MultiActorProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    problem.actors[1].name = "quoted \"b\"";
    problem.actors[1].flopPerSecond = 1e10 / 3;
    problem.actors[1].layerSeconds = {0.1, 2};
    problem.model.serverLayerSeconds = {0.01, 0};
    const std::string text = FormatProblem(problem);
    const MultiActorProblem again =
        ReadProblem<MultiActorProblem>(ReadJsonFile(folder.Write("q.json", text)));
    EXPECT_EQ(again.actors.at(1).name, "quoted \"b\"");
    EXPECT_EQ(again.actors.at(1).flopPerSecond, 1e10 / 3);
    EXPECT_EQ(again.budgets.delta, 1.5);
    EXPECT_TRUE(again.actors[0].layerSeconds.empty());
    EXPECT_EQ(again.actors[1].layerSeconds, (std::vector<double>{0.1, 2}));
    EXPECT_EQ(again.model.serverLayerSeconds, (std::vector<double>{0.01, 0}));
    EXPECT_EQ(FormatProblem(again), text);
}

TEST(EdgepipeMultiActorProblemJson, WritesAPlanAndWhatItTakes)
{
    TemporaryFolder folder;
    MultiActorProblem problem =
        ReadProblem<MultiActorProblem>(ReadJsonFile(folder.Write("p.json", CORRECT)));
    problem.actors[0].bytesPerSecond = 100;
    // Actor a: 3 s alone, 1 + 0.2 + 0.25 s with a layer on the server.
    const std::string plan =
        R"({"planner":"defp","formatVersion":1,"layerCount":2,"actors":["a","b"],"cuts":[1,2],)"
        R"("totalReductionSeconds":1.55,"computeUsedFlop":200,)"
        R"("bandwidthUsedBytes":30.0,"decisionSeconds":0.125)";
    EXPECT_EQ(FormatMultiActorPlan(problem, {{1, 2}}, "defp", 0.125), plan + "}");
    const MultiActorPairs pairs{{1, 1, 2.5}, 7};
    EXPECT_EQ(FormatMultiActorPlan(problem, {{1, 2}}, "defp", 0.125, &pairs),
              plan + R"(,"pairs":{"all":1,"thatGain":1,"largestGainSeconds":2.5,"messages":7}})");
}

TEST(EdgepipeMultiActorProblemJson, RefusesBrokenProblems)
{
    const std::vector<BrokenInput> cases = {
        {"another problem",
         "\"multi-actor\"",
         "\"pipeline\"",
         R"(problem: found "pipeline", expected "multi-actor")"},
        {"half a FLOP",
         "[100, 200]",
         "[100, 0.5]",
         "layerFlop[1]: found 0.5, expected an integer, 0 or more, at most 9007199254740992"},
        {"a size too few",
         "[50, 20, 5]",
         "[50, 20]",
         "outputBytes: found 2 sizes, expected 3, of the input and of every layer's output"},
        {"no layers", "[100, 200]", "[]", "layerFlop: found no layer, expected at least one"},
        {"an actor twice",
         "\"name\": \"b\"",
         "\"name\": \"a\"",
         R"(actors[1].name: found "a", expected a name that no other actor has)"},
        {"an actor that stands still",
         "\"flopPerSecond\": 50",
         "\"flopPerSecond\": 0",
         "actors[1].flopPerSecond: found 0, expected a number above 0"},
        {"a link in words",
         "125.5",
         "\"fast\"",
         R"(actors[0].bytesPerSecond: found "fast", expected a number above 0)"},
        {"a link that hardly moves",
         "125.5",
         "1e-300",
         R"(actor "a", bytesPerSecond: found 1e-300, expected a number above 0)"},
        {"a negative budget",
         "300.5",
         "-1",
         "computeBudgetFlop: found -1, expected a number of at least 0"},
        {"a delta of nothing", "1.5", "0", "delta: found 0, expected a number above 0"},
        {"an unknown key",
         "\"delta\"",
         "\"Delta\"",
         R"(unknown key "Delta", expected one of problem, formatVersion, model, layerFlop, outputBytes, )"
         "actors, serverFlopPerSecond, serverLayerSeconds, computeBudgetFlop, "
         "bandwidthBudgetBytes, delta"},
        {"seconds of other layers",
         "\"delta\"",
         "\"serverLayerSeconds\": [1], \"delta\"",
         "serverLayerSeconds: found 1 numbers, expected 2, one for each layer"},
        {"a layer that takes less than nothing",
         "\"delta\"",
         "\"serverLayerSeconds\": [1, -1], \"delta\"",
         "serverLayerSeconds[1]: found -1, expected a number of at least 0"},
    };
    TemporaryFolder folder;
    for (const BrokenInput& broken : cases)
    {
        const std::string text = TemporaryFolder::Replace(CORRECT, broken.from, broken.to);
        ASSERT_NE(text, CORRECT) << broken.description;
        const std::string file = folder.Write("p.json", text);
        EXPECT_EQ(folder.MessageOf([&] { ReadProblem<MultiActorProblem>(ReadJsonFile(file)); }),
                  std::string("p.json: ") + broken.message)
            << broken.description;
    }
}

} // namespace
