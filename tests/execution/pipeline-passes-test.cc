// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

TEST(PipelinePasses, EachHasWhatItNeedsAndAStageKeepsItsOrder)
{
    for (const std::string name : {"gpipe", "1f1b"})
    {
        SCOPED_TRACE(name);
        const auto schedule = FindByName<PipelineSchedule>("schedule", name);
        const auto passes = OrderPasses(*schedule, 3, 4);
        ASSERT_EQ(passes.size(), 24U);
        std::set<std::size_t> made;
        std::string last; // the last stage's passes
        for (const auto& pass : passes)
        {
            // The first stage's forward passes and the last one's backward passes need nobody.
            if (pass.stage != (pass.isBackward ? 2 : 0))
            {
                EXPECT_TRUE(made.count(pass.input));
            }
            // The last ones are needed by nobody, any other result by one pass.
            if (pass.stage == (pass.isBackward ? 0 : 2))
            {
                EXPECT_EQ(pass.output, 24U);
            }
            else
            {
                EXPECT_TRUE(made.insert(pass.output).second);
            }
            last += pass.stage < 2 ? "" : pass.isBackward ? "B" : "F";
        }
        EXPECT_EQ(last, name == "gpipe" ? "FFFFBBBB" : "FBFBFBFB");
    }
}

TEST(PipelinePasses, MicroBatchesAreHeldBetweenTheirPasses)
{
    EXPECT_EQ(FindMostHeld({}), 0U);
    EXPECT_EQ(FindMostHeld({{false, 0}, {true, 0}, {false, 1}, {true, 1}}), 1U);
    EXPECT_EQ(FindMostHeld({{false, 0}, {false, 1}, {true, 0}, {false, 2}, {true, 1}, {true, 2}}),
              2U);
}

TEST(PipelinePasses, ForwardPassesComeBetweenBackwardPasses)
{
    EXPECT_EQ(CountForwards({{false, 0}, {false, 1}, {true, 1}, {true, 0}}),
              (std::vector<uint32_t>{0, 2}));
    const auto schedule = FindByName<PipelineSchedule>("schedule", "1f1b");
    EXPECT_EQ(CountForwards(schedule->GetSteps(1, 3, 4)), (std::vector<uint32_t>{2, 1, 1, 0}));
}
