// SPDX-License-Identifier: GPL-2.0-only

#include "actor-learner-fixture.h"

TEST(ActorHandover, TellsThoseFirstThatFreeSomething)
{
    // By cut: 30, 20 and 0 FLOP on the server, 100, 50 and 0 bytes.
    const MultiActorModel model{{10, 20}, {100, 50, 1}, 1};
    ActorHandover handover(model, true);
    handover.Add(1);
    handover.Add(2);
    handover.SetTargets({{1, 2}, {2, 0}}, {30, 100});
    ASSERT_EQ(handover.TakeOrders().size(), 2U);
    handover.TakeOver(1);
    handover.TakeOver(2);
    EXPECT_TRUE(handover.IsSettled());
    handover.SetTargets({{1, 0}, {2, 2}}, {30, 100});
    const auto first = handover.TakeOrders();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].actor, 2U);
    EXPECT_TRUE(handover.TakeOrders().empty());
    handover.TakeOver(2);
    const auto second = handover.TakeOrders();
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].actor, 1U);
    EXPECT_EQ(handover.GetHeld().flop, 30U);
}

TEST(ActorHandover, HasOneHoldNothingWhereTwoBlockEachOther)
{
    // Cut 0 takes 30 FLOP and 10 bytes, cut 1 20 FLOP and 100 bytes.
    const MultiActorModel model{{10, 20}, {10, 100, 1}, 1};
    ActorHandover handover(model, true);
    handover.Add(1);
    handover.Add(2);
    handover.SetTargets({{1, 0}, {2, 1}}, {50, 110});
    ASSERT_EQ(handover.TakeOrders().size(), 2U);
    handover.TakeOver(1);
    handover.TakeOver(2);
    handover.SetTargets({{1, 1}, {2, 0}}, {50, 110});
    std::set<uint32_t> released;
    for (int i = 0; i < 10 && !handover.IsSettled(); ++i)
    {
        for (const auto& order : handover.TakeOrders())
        {
            EXPECT_LE(handover.GetHeld().flop, 50U);
            EXPECT_LE(handover.GetHeld().bytes, 110U);
            if (!order.cut)
            {
                released.insert(order.actor);
            }
            handover.TakeOver(order.actor);
        }
    }
    EXPECT_TRUE(handover.IsSettled());
    EXPECT_EQ(released.size(), 1U);
}

TEST(ActorChurn, IsDrawnAndKeepsOneActor)
{
    const auto changes = DrawActorChanges(3, 2, 600, Seconds(60), 1);
    std::set<uint32_t> in;
    std::size_t leaves = 0;
    Time last;
    for (const auto& change : changes)
    {
        EXPECT_GE(change.time, last);
        last = change.time;
        EXPECT_EQ(in.count(change.actor), change.isJoin ? 0U : 1U);
        change.isJoin ? (void)in.insert(change.actor) : (void)in.erase(change.actor);
        leaves += !change.isJoin;
        EXPECT_TRUE(!in.empty());
    }
    EXPECT_GT(leaves, 100U);
    EXPECT_EQ(DrawActorChanges(5, 5, 0, Seconds(60), 1).size(), 5U);
    EXPECT_DOUBLE_EQ(GetJainIndex({1, 1, 1, 1}), 1);
    EXPECT_DOUBLE_EQ(GetJainIndex({4, 0, 0, 0}), 0.25);
}
