// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-flow-network.h"

#include <gtest/gtest.h>

using namespace ns3::edgepipe;

TEST(FinishQueue, GivesFlowsBackByTimeAndThenByRank)
{
    FinishQueue queue;
    queue.Set({20, 1, 0});
    queue.Set({10, 9, 1});
    queue.Set({10, 8, 2});
    queue.Set({30, 0, 3});
    queue.Set({5, 7, 3});
    queue.Set({20, 0, 4});
    for (const uint32_t flow : {3, 2, 1, 4, 0})
    {
        ASSERT_FALSE(queue.IsEmpty());
        EXPECT_EQ(queue.GetFirst().flow, flow);
        queue.Remove(flow);
        queue.Remove(flow);
        queue.Remove(77);
    }
    EXPECT_TRUE(queue.IsEmpty());
}
