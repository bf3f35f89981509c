/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/fidelity-draw.h"
#include "studies/fidelity-case.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

using namespace ns3::edgepipe;

namespace
{

const std::string TRACES = EDGEPIPE_ROOT "/traces";

/**
 * @param seed of the draw
 * @return settings of every workload on every link
 */
std::vector<FidelitySetting>
DrawAll(uint32_t seed)
{
    FidelityDraw draw(seed, TRACES);
    std::vector<FidelitySetting> all;
    for (int round = 0; round < 20; ++round)
    {
        for (const auto& link : FidelityDraw::GetLinks())
        {
            for (const auto& workload : GetFidelityWorkloads())
            {
                all.push_back(draw.Draw(workload, link, 2));
            }
        }
    }
    return all;
}

/**
 * @param options of a case
 * @return values by name
 */
std::map<std::string, std::string>
Split(const std::string& options)
{
    std::map<std::string, std::string> values;
    std::istringstream words(options);
    for (std::string word; words >> word;)
    {
        const auto equals = word.find('=');
        values[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return values;
}

} // namespace

TEST(FidelityDraw, TheSameSeedDrawsTheSame)
{
    const auto first = DrawAll(7);
    const auto second = DrawAll(7);
    const auto other = DrawAll(8);
    std::size_t different = 0;
    for (std::size_t i = 0; i < first.size(); ++i)
    {
        EXPECT_EQ(first[i].options, second[i].options);
        EXPECT_EQ(first[i].planners, second[i].planners);
        EXPECT_EQ(first[i].cluster, second[i].cluster);
        different += first[i].options != other[i].options;
    }
    EXPECT_GT(different, 0.9 * first.size());
}

TEST(FidelityDraw, SettingsAreWithinTheirBounds)
{
    std::set<std::string> models;
    std::size_t changing = 0;
    for (const auto& setting : DrawAll(1))
    {
        SCOPED_TRACE(setting.options);
        auto values = Split(setting.options);
        EXPECT_EQ(values["workload"], setting.workload);
        EXPECT_EQ(values["link"], setting.link == "mixed" ? "" : setting.link);
        EXPECT_EQ(setting.cluster.empty(), setting.link != "mixed");
        models.insert(values["model"]);
        ASSERT_EQ(setting.planners.size(), 2);
        EXPECT_NE(setting.planners[0], setting.planners[1]);
        const std::string& rate = values["bandwidth"];
        changing += rate.find(',') != std::string::npos;
        if (setting.link == "lan" || setting.link == "p2p")
        {
            const double first = std::stod(rate.substr(rate.rfind("0s:", 0) == 0 ? 3 : 0));
            EXPECT_GE(first, 5);
            EXPECT_LE(first, 1000);
            EXPECT_GE(std::stod(values["delay"]), 0.02);
            EXPECT_LE(std::stod(values["delay"]), 10);
        }
        else if (setting.link == "wifi")
        {
            EXPECT_GE(std::stod(values["distance"]), 2);
            EXPECT_LE(std::stod(values["distance"]), 25);
        }
    }
    EXPECT_GT(models.size(), 12);
    EXPECT_GT(changing, 0);
}

TEST(FidelityDraw, PlannersAreAllThereAreWhereFewerAreThanAskedFor)
{
    FidelityDraw draw(1, TRACES);
    const auto setting = draw.Draw("data-parallel", "lan", 100);
    const std::set<std::string> names(setting.planners.begin(), setting.planners.end());
    EXPECT_EQ(names.size(), setting.planners.size());
    EXPECT_EQ(names,
              (std::set<std::string>{"planner=bno",
                                     "planner=equal",
                                     "planner=optimal",
                                     "planner=random"}));
}
