/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/mean-interval.h"
#include "papers/dgpas-comparison.h"
#include "papers/dgpas-sweep.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace ns3::edgepipe;

namespace
{

const std::string FILE_NAME = EDGEPIPE_ROOT "/traces/published/dgpas.json";

/**
 * @param from replaced in the shipped file
 * @param to by this
 * @return what reading it says
 */
std::string
ReadChanged(const std::string& from, const std::string& to)
{
    std::ifstream shipped(FILE_NAME);
    std::stringstream text;
    text << shipped.rdbuf();
    std::string content = text.str();
    const auto at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    content.replace(at, from.size(), to);
    const auto path = std::filesystem::temp_directory_path() /
                      ("dgpas-test-" + std::to_string(::getpid()) + ".json");
    std::ofstream(path) << content;
    std::string message;
    try
    {
        ReadPublishedDgpas(path.string());
    }
    catch (const InputError& error)
    {
        message = error.what();
    }
    std::filesystem::remove(path);
    return message;
}

/**
 * @param model index
 * @param method index
 * @param seed of it
 * @param seconds without help
 * @return a case that finished; help saves a tenth
 */
DgpasCase
MakeCase(std::size_t model, std::size_t method, uint64_t seed, double seconds)
{
    DgpasCase one{model, 0, method, seed, {}, {}};
    for (const auto& [help, name] : DGPAS_HELPS)
    {
        DgpasOutcome& outcome = one.outcomes.Get(help);
        outcome.isFinished = true;
        outcome.iterationSeconds = help == DgpasHelp::NONE ? seconds : 0.9 * seconds;
        outcome.bubbleRate = help == DgpasHelp::NONE ? 0.5 : 0.3;
    }
    return one;
}

/** @return a point that finished, gaining a share by full help */
DgpasPoint
MakePoint(double bandwidth, double gain)
{
    DgpasPoint point{0, "exact", 1, bandwidth, {}};
    for (const auto& [help, name] : DGPAS_HELPS)
    {
        point.outcomes.Get(help).isFinished = true;
        point.outcomes.Get(help).iterationSeconds = help == DgpasHelp::FULL ? 1 - gain : 1;
    }
    return point;
}

const std::vector<DgpasMethod> METHODS{
    {DGPAS_FAITHFUL, "grdqn", "faithful", "gpipe", "DGPAS", true},
    {DGPAS_IMPROVED, "grdqn", "improved", "gpipe", "DGPAS", true},
    {"dp", "dp", "", "gpipe", "DP", false},
    {"ga", "ga", "", "gpipe", "GA", true},
    {"exact", "exact", "", "gpipe", "", false}};

} // namespace

TEST(EdgepipeDgpas, IntervalsAreStudents)
{
    // Mean 3, s = sqrt(2.5), t(0.975, 4) = 2.776445: 2.776445 sqrt(2.5 / 5).
    const MeanInterval five = EstimateMean({1, 2, 3, 4, 5});
    EXPECT_DOUBLE_EQ(five.mean, 3);
    EXPECT_NEAR(five.halfWidth, 1.963243, 1e-6);
    // t(0.975, 1) = 12.706205: s = sqrt(2), over sqrt(2).
    EXPECT_NEAR(EstimateMean({1, 3}).halfWidth, 12.706205, 1e-6);
    EXPECT_EQ(EstimateMean({7}).halfWidth, 0);
    EXPECT_EQ(EstimateMean({7, 7, 7}).halfWidth, 0);
    EXPECT_FALSE(FindMean({}));
}

TEST(EdgepipeDgpas, Table3AveragesLessThanTheAbstract)
{
    const PublishedDgpas published = ReadPublishedDgpas(FILE_NAME);
    EXPECT_NEAR(published.GetTableReduction(), 0.292, 0.0005);
    EXPECT_DOUBLE_EQ(published.trainingTimeReduction, 0.365);
    EXPECT_EQ(published.models.size(), 5U);
    EXPECT_EQ(published.methods.size(), 9U);
}

TEST(EdgepipeDgpas, RefusesFilesThatAreNot)
{
    for (const auto& [from, to, words] :
         std::vector<std::array<std::string, 3>>{{"5.45]", "5.45, 1]", "a figure per model, 5"},
                                                 {"\"dgpas\"", "\"best\"", "dgpas, planner or"},
                                                 {"\"dgpas\"", "\"planner\"", "one method of kind"},
                                                 {"4.73", "-1", "methods[0].seconds[0]"},
                                                 {"\"source\"", "\"sauce\"", "source"}})
    {
        const std::string message = ReadChanged(from, to);
        EXPECT_NE(message.find(words), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST(EdgepipeDgpas, EveryPlannerIsAMethodOnce)
{
    std::set<std::string> names;
    for (const DgpasMethod& method : GetDgpasMethods())
    {
        EXPECT_TRUE(names.insert(method.name).second) << method.name;
    }
    for (const char* name :
         {"grdqn-faithful", "grdqn-improved", "exact", "dp", "ga", "pso", "even"})
    {
        EXPECT_EQ(names.count(name), 1U) << name;
    }
}

TEST(EdgepipeDgpas, ComparesWithTable3AsByHand)
{
    PublishedDgpas published = ReadPublishedDgpas(FILE_NAME);
    DgpasCases cases;
    for (std::size_t model = 0; model < 5; ++model)
    {
        cases.Add(MakeCase(model, 0, 1, 2));
        cases.Add(MakeCase(model, 0, 2, 4)); // faithful: 3
        cases.Add(MakeCase(model, 1, 1, 2)); // improved
        cases.Add(MakeCase(model, 2, 1, 4)); // dp
        cases.Add(MakeCase(model, 3, 1, 5)); // ga
    }
    const auto table = CompareDgpas(published, METHODS, cases, 0);
    // Four methods, and for both of grdqn two kinds of help; exact has no case.
    EXPECT_EQ(table.size(), 5U * 8);
    const auto faithful = GetDgpasReduction(published, METHODS, table, DGPAS_FAITHFUL);
    EXPECT_NEAR(*faithful, ((1 - 3.0 / 4) + (1 - 3.0 / 5)) / 2, 1e-12);
    EXPECT_NEAR(*GetDgpasReduction(published, METHODS, table, DGPAS_IMPROVED), 0.55, 1e-12);
    EXPECT_FALSE(GetDgpasReduction(published, METHODS, table, "pso"));
    const auto cell = std::find_if(table.begin(), table.end(), [](const auto& one) {
        return one.model == 0 && one.method == 0 && one.help == DgpasHelp::IDEAL;
    });
    ASSERT_NE(cell, table.end());
    EXPECT_EQ(cell->row, "DGPAS_Co");
    EXPECT_DOUBLE_EQ(*cell->theirs, 2.96);
    EXPECT_DOUBLE_EQ(cell->ours.mean, 2.7);
    EXPECT_DOUBLE_EQ(*cell->toFaithful, 0.9);
    EXPECT_DOUBLE_EQ(*cell->toImproved, 1.35);

    // Theirs has DGPAS < GA < DP for every model, ours has dp before ga.
    const auto orders = CompareDgpasOrders(published, METHODS, table);
    ASSERT_EQ(orders.size(), 10U);
    for (const DgpasOrder& order : orders)
    {
        EXPECT_EQ(order.pairs, 3U);
        EXPECT_EQ(order.reversed, std::vector<std::string>{"DP/GA"});
    }
}

TEST(EdgepipeDgpas, ACaseThatDidNotFinishLeavesNoMean)
{
    DgpasCases cases;
    cases.Add(MakeCase(0, 0, 1, 2));
    EXPECT_TRUE(cases.Estimate(0, 0, 0, GetDgpasSeconds(DgpasHelp::NONE)));
    DgpasCase stuck = MakeCase(0, 0, 2, 2);
    stuck.outcomes.Get(DgpasHelp::FULL).isFinished = false;
    cases.Add(stuck);
    EXPECT_FALSE(cases.Estimate(0, 0, 0, GetDgpasSeconds(DgpasHelp::NONE)));
    EXPECT_FALSE(cases.Estimate(0, 1, 0, GetDgpasSeconds(DgpasHelp::NONE)));
}

TEST(EdgepipeDgpas, HelpPaysFromTheLeastBandwidthWithoutALossAbove)
{
    EXPECT_FALSE(FindPayingBandwidth({}));
    EXPECT_FALSE(FindPayingBandwidth({MakePoint(1, 0.1), MakePoint(2, 0)}));
    EXPECT_EQ(FindPayingBandwidth({MakePoint(1, 0.1), MakePoint(2, 0), MakePoint(3, 0.1)}), 3);
    EXPECT_EQ(FindPayingBandwidth({MakePoint(1, -0.1), MakePoint(2, 0.1), MakePoint(3, 0.1)}), 2);
    EXPECT_FALSE(FindPayingBandwidth({MakePoint(1, DGPAS_LEAST_GAIN / 2)}));
    DgpasPoint stuck = MakePoint(2, 0.1);
    stuck.outcomes.Get(DgpasHelp::IDEAL).isFinished = false;
    EXPECT_FALSE(FindPayingBandwidth({MakePoint(1, 0.1), stuck}));
}

TEST(EdgepipeDgpas, DecreaseIsAShareOfTheBubbleRate)
{
    const DgpasCase one = MakeCase(0, 0, 1, 2);
    EXPECT_DOUBLE_EQ(one.outcomes.GetBubbleDecrease(DgpasHelp::IDEAL), 0.4);
    EXPECT_DOUBLE_EQ(one.outcomes.GetGain(DgpasHelp::FULL), 0.1);
    DgpasCase none = one;
    none.outcomes.Get(DgpasHelp::NONE).bubbleRate = 0;
    EXPECT_EQ(none.outcomes.GetBubbleDecrease(DgpasHelp::IDEAL), 0);
}
