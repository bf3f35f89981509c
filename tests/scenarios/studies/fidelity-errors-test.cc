/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-errors.h"

#include <gtest/gtest.h>

using namespace ns3::edgepipe;

namespace
{

/**
 * @param setting of the case
 * @param packetSeconds at packet level; 0: it stalled
 * @param flowSeconds at flow level
 * @return the case
 */
FidelityComparison
Compared(std::size_t setting, double packetSeconds, double flowSeconds)
{
    FidelityComparison one;
    one.setting = setting;
    one.link = "lan";
    one.packet.seconds = packetSeconds;
    one.packet.isFinished = packetSeconds > 0;
    one.flow.seconds = flowSeconds;
    one.flow.isFinished = true;
    return one;
}

} // namespace

TEST(FidelityErrors, PairsOfOneSettingAreOrdered)
{
    const auto order = CompareOrders({Compared(0, 1, 1.1),  // the fastest in packets, not in flows
                                      Compared(0, 1.2, 1),  // reversed with the first
                                      Compared(0, 1.23, 2), // as good as the second, 2.5 % slower
                                      Compared(1, 9, 9),    // another setting
                                      Compared(1, 9.1, 8),  // as good as the other
                                      Compared(1, 0, 1)});  // stalled
    EXPECT_EQ(order.pairs, 2);
    EXPECT_EQ(order.alike, 1);
    EXPECT_EQ(order.reversed.size(), 1);
}

TEST(FidelityErrors, FlowsThatTellNoDifferenceDoNotOrder)
{
    const auto order = CompareOrders({Compared(0, 1, 3), Compared(0, 2, 3)});
    EXPECT_EQ(order.pairs, 1);
    EXPECT_EQ(order.alike, 0);
}

TEST(FidelityErrors, DifferenceIsOfFinishedRuns)
{
    EXPECT_DOUBLE_EQ(Compared(0, 2, 3).GetDifference(), 0.5);
    EXPECT_EQ(Compared(0, 0, 3).GetDifference(), 0);
}

TEST(FidelityErrors, EveryLinkHasOneGoal)
{
    EXPECT_EQ(FindFidelityGoal("p2p").name, "wired");
    EXPECT_EQ(FindFidelityGoal("wifi").name, "Wi-Fi");
    EXPECT_EQ(FindFidelityGoal("trace").name, "cellular");
}
