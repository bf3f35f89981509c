/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/scalability-study.h"

#include <gtest/gtest.h>
#include <set>

using namespace ns3::edgepipe;

namespace
{

/** @return a cluster of three devices of two types */
Cluster
ThreeDevices()
{
    Cluster cluster{};
    cluster.devices = {{"big-0", "big", 0, 800}, {"pi-0", "pi", 1, 100}, {"pi-1", "pi", 1, 100}};
    return cluster;
}

/**
 * @param devices of the case
 * @param decisionSeconds of it
 * @param simulationSeconds of it
 * @param status of it
 * @return a case
 */
ScalabilityCase
MakeCase(uint32_t devices,
         double decisionSeconds,
         double simulationSeconds,
         const std::string& status = "finished")
{
    ScalabilityCase one{"some", devices, 1, status, {}};
    one.decisionSeconds = decisionSeconds;
    one.simulationSeconds = simulationSeconds;
    return one;
}

} // namespace

TEST(Site, RepeatsTheClusterInTurnUnderNewNames)
{
    const auto names = NameDevices(MakeSite(ThreeDevices(), 8), 2);
    EXPECT_EQ(names,
              (std::vector<std::string>{"big-0",
                                        "pi-0",
                                        "pi-1",
                                        "big-0.1",
                                        "pi-0.1",
                                        "pi-1.1",
                                        "big-0.2",
                                        "pi-0.2",
                                        "site-1/big-0",
                                        "site-1/pi-0",
                                        "site-1/pi-1",
                                        "site-1/big-0.1",
                                        "site-1/pi-0.1",
                                        "site-1/pi-1.1",
                                        "site-1/big-0.2",
                                        "site-1/pi-0.2"}));
    const auto site = MakeSite(ThreeDevices(), 8);
    EXPECT_EQ(site.devices[6].type, "big");
    EXPECT_EQ(site.devices[6].memoryBytes, 800U);
    EXPECT_EQ(MakeSite(ThreeDevices(), 2).devices.size(), 2U);
}

TEST(Outgrowth, IsWherePlanningTakesLongerFromThenOnAndGrowsFaster)
{
    EXPECT_EQ(FindOutgrowth({MakeCase(2, 1, 2), MakeCase(4, 4, 3), MakeCase(8, 16, 5)}), 4U);
    EXPECT_EQ(FindOutgrowth({MakeCase(2, 3, 2), MakeCase(4, 9, 3), MakeCase(8, 27, 5)}), 2U);
    EXPECT_EQ(FindOutgrowth({MakeCase(2, 1, 2), MakeCase(4, 4, 3), MakeCase(8, 6, 9)}), 0U)
        << "in the end it does not take longer";
    EXPECT_EQ(FindOutgrowth({MakeCase(2, 9, 2), MakeCase(4, 10, 4), MakeCase(8, 11, 8)}), 0U)
        << "it takes longer, but grows slower";
    EXPECT_EQ(FindOutgrowth({MakeCase(2, 1, 2),
                             MakeCase(4, 4, 3),
                             MakeCase(8, 0.001, 0, "no-plan"),
                             MakeCase(16, 20, 5)}),
              4U)
        << "cases without a plan say nothing";
    EXPECT_EQ(FindOutgrowth({MakeCase(2, 9, 2)}), 0U) << "one case does not grow";
    EXPECT_EQ(FindOutgrowth({}), 0U);
}
