// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

TEST(EdgepipeRandomStreams, TellsRangesThatShareAStream)
{
    constexpr StreamRange apart[] = {{10, 10}, {0, 10}, {20, 1}};
    static_assert(random_streams::AreDisjoint(apart), "they touch, and share none");
    // What the actors' environments and the devices' paths were once: both from 1,000,000 on.
    for (const StreamRange second : {StreamRange{1000000, 1},
                                     StreamRange{999999, 2},
                                     StreamRange{1000009, 5},
                                     StreamRange{0, 2000000}})
    {
        const StreamRange both[] = {{1000000, 10}, second};
        EXPECT_FALSE(random_streams::AreDisjoint(both)) << second.first;
    }
    const StreamRange none[] = {{5, 0}};
    EXPECT_FALSE(random_streams::AreDisjoint(none));
    const StreamRange below[] = {{-1, 1}};
    EXPECT_FALSE(random_streams::AreDisjoint(below));
}

TEST(EdgepipeRandomStreams, GivesOutNothingBeyondARange)
{
    EXPECT_EQ(random_streams::MOBILITY.Get(10), 1000010);
    EXPECT_EQ(random_streams::BATCH_SHARES_PLANNER.Get(0), 900);
    EXPECT_DEATH((StreamRange{5, 3}.Get(3)), "random stream 3 of 3 from 5");
    EXPECT_DEATH((StreamRange{5, 3}.Get(-1)), "random stream -1 of 3 from 5");
}

TEST(EdgepipeRandomStreams, AreNoneThatNs3GivesOutByItself)
{
    const uint64_t next = RngSeedManager::GetNextStreamIndex();
    const auto drawn = MakeRandomVariable<UniformRandomVariable>(7);
    EXPECT_EQ(RngSeedManager::GetNextStreamIndex(), next + 1);
    EXPECT_EQ(drawn->GetStream(), 7);
    const auto same = CreateObject<UniformRandomVariable>();
    same->SetStream(7);
    EXPECT_EQ(drawn->GetValue(), same->GetValue());
}

} // namespace
