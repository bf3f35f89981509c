// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/// @return them as text, such as "F0 F1 B0 B1"
std::string
Show(const std::vector<PipelineStep>& steps)
{
    std::string text;
    for (const auto& step : steps)
    {
        text += (text.empty() ? "" : " ") + std::string(step.backward ? "B" : "F") +
                std::to_string(step.microBatch);
    }
    return text;
}

/// Call a check with every schedule's name and many shapes of a pipeline.
/// @param check called with the name, the stage, the stages and the micro-batches
void
ForManyShapes(const std::function<void(std::string, uint32_t, uint32_t, uint32_t)>& check)
{
    for (const auto& name : GetNames<PipelineSchedule>())
    {
        for (const uint32_t stages : {1, 2, 3, 5, 16})
        {
            for (const uint32_t microBatches : {1, 2, 3, 4, 8, 33})
            {
                for (uint32_t stage = 0; stage < stages; ++stage)
                {
                    SCOPED_TRACE(testing::Message() << name << " stage " << stage << " of "
                                                    << stages << ", M = " << microBatches);
                    check(name, stage, stages, microBatches);
                }
            }
        }
    }
}

} // namespace

TEST(PipelineSchedule, EveryMicroBatchIsOnceForwardAndLaterOnceBackward)
{
    ForManyShapes([](const std::string& name, uint32_t stage, uint32_t stages, uint32_t m) {
        const auto steps =
            FindByName<PipelineSchedule>("schedule", name)->GetSteps(stage, stages, m);
        ASSERT_EQ(steps.size(), 2 * m);
        std::vector<int> done(m, 0);
        for (const auto& step : steps)
        {
            ASSERT_LT(step.microBatch, m);
            EXPECT_EQ(done[step.microBatch], step.backward ? 1 : 0);
            ++done[step.microBatch];
        }
        EXPECT_EQ(std::count(done.begin(), done.end(), 2), m);
    });
}

TEST(PipelineSchedule, StagesNeverWaitForEachOtherInACircle)
{
    // Ordering takes a step of some stage that has what it needs until all are taken.
    ForManyShapes([](const std::string& name, uint32_t stage, uint32_t stages, uint32_t m) {
        if (stage == 0)
        {
            const auto schedule = FindByName<PipelineSchedule>("schedule", name);
            EXPECT_EQ(OrderPasses(*schedule, stages, m).size(), 2 * stages * m);
        }
    });
}

TEST(PipelineSchedule, GpipeRunsAllForwardThenAllBackward)
{
    const auto gpipe = FindByName<PipelineSchedule>("schedule", "gpipe");
    EXPECT_EQ(Show(gpipe->GetSteps(0, 3, 3)), "F0 F1 F2 B0 B1 B2");
    EXPECT_EQ(Show(gpipe->GetSteps(2, 3, 3)), "F0 F1 F2 B0 B1 B2");
    EXPECT_EQ(FindMostHeld(gpipe->GetSteps(2, 3, 7)), 7U);
}

TEST(PipelineSchedule, OneForwardOneBackwardAlternatesAfterItsWarmUp)
{
    const auto schedule = FindByName<PipelineSchedule>("schedule", "1f1b");
    EXPECT_EQ(Show(schedule->GetSteps(0, 3, 4)), "F0 F1 F2 B0 F3 B1 B2 B3");
    EXPECT_EQ(Show(schedule->GetSteps(1, 3, 4)), "F0 F1 B0 F2 B1 F3 B2 B3");
    EXPECT_EQ(Show(schedule->GetSteps(2, 3, 4)), "F0 B0 F1 B1 F2 B2 F3 B3");
    EXPECT_EQ(Show(schedule->GetSteps(0, 4, 2)), "F0 F1 B0 B1");
}

TEST(PipelineSchedule, OneForwardOneBackwardHoldsAsManyMicroBatchesAsStagesFollow)
{
    ForManyShapes([](const std::string& name, uint32_t stage, uint32_t stages, uint32_t m) {
        if (name == "1f1b")
        {
            const auto steps =
                FindByName<PipelineSchedule>("schedule", name)->GetSteps(stage, stages, m);
            EXPECT_EQ(FindMostHeld(steps), std::min(stages - stage, m));
        }
    });
}
