// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

constexpr uint32_t HELPER = 7; //!< the previous stage's device

/// @return the second of two stages, 10 samples of 100 bytes a micro-batch; its helper is as fast
StageAssignment
MakeStage()
{
    StageAssignment stage;
    stage.stage = 1;
    stage.stages = 2;
    stage.microBatches = 2;
    stage.schedule = "gpipe";
    stage.samples = 10;
    stage.previous = HELPER;
    stage.inputBytes = 1000;
    stage.sampleBytes = 1000;
    stage.parameterBytes = 1;
    stage.forwardSeconds = 1;
    stage.backwardSeconds = 4;
    stage.bandwidthBytesPerSecond = 1e12;
    stage.atStages = {{0.1, 0.1}, {1, 4}};
    return stage;
}

/** @return a request of the helper, which has memory for everything */
AssistanceRequest
MakeRequest()
{
    AssistanceRequest request;
    request.freeBytes = 1U << 30;
    request.atStages = MakeStage().atStages;
    return request;
}

} // namespace

TEST(AssistanceLoans, NoSampleIsRunByEachForTheOther)
{
    AssistanceLoans loans(MakeStage(), 16);
    loans.SendCopy(HELPER);
    loans.NoticeCopy(1e-12);
    const auto request = MakeRequest();
    const auto findMost = [&](bool isBackward, uint32_t microBatch, uint32_t held) {
        return loans.FindMost(HELPER, request, isBackward, microBatch, 1, held);
    };
    // Forward by the time of the helper's backward passes: (4 - 0.1) / 0.4 samples.
    EXPECT_EQ(findMost(false, 0, 0), 9U);
    EXPECT_EQ(findMost(false, 0, 6), 4U);
    loans.Lend(false, 0, 3);
    EXPECT_EQ(findMost(false, 0, 6), 1U);
    EXPECT_EQ(findMost(true, 0, 6), 1U);
    loans.Lend(true, 0, 1);
    EXPECT_EQ(findMost(false, 0, 6), 0U);
    EXPECT_EQ(findMost(true, 0, 6), 0U);
    EXPECT_EQ(findMost(true, 1, 6), 4U);
    // All gradients are where they are needed: 6 here, 4 there.
    EXPECT_EQ(loans.GetOutputBytes({true, 0}, 6), 0U);
    EXPECT_EQ(loans.GetOutputBytes({true, 0}, 2), 400U);
    EXPECT_EQ(loans.GetOutputBytes({true, 1}, 6), 400U);
}

TEST(AssistanceLoans, ForwardPassesBetweenTheBackwardPassesTakeTheHelpersTime)
{
    // Under 1F1B the last of two stages runs 1 s forward and 1 s backward between two gradients,
    // the first one, at the end, only 4 s backward. 2 s are left for samples of 0.45 s. Behind the
    // last gradient nothing is due: 3 s are.
    StageAssignment stage = MakeStage();
    stage.stage = 0;
    stage.next = HELPER;
    stage.outputBytes = 1000;
    stage.atStages = {{1, 4}, {1, 1}};
    AssistanceRequest request = MakeRequest();
    request.atStages = {{1, 4.5}, {1, 1}};
    const auto findMost = [&](const std::string& schedule, uint32_t microBatch, double share = 1) {
        stage.schedule = schedule;
        return AssistanceLoans(stage, 16).FindMost(HELPER, request, false, microBatch, share, 0);
    };
    EXPECT_EQ(findMost("1f1b", 0), 4U);
    EXPECT_EQ(findMost("1f1b", 1), 6U);
    EXPECT_EQ(findMost("gpipe", 0), 6U);
    EXPECT_EQ(findMost("gpipe", 0, 0.8), 8U); // the owner's gradient is there after 4 s / 0.8
    // With three micro-batches the first stage has a forward pass to run between the first two.
    stage.microBatches = 3;
    EXPECT_EQ(findMost("1f1b", 0), 6U);
    EXPECT_EQ(findMost("1f1b", 1), 4U);
    // The one before is on time if both have as many forward passes between, the helper's as long.
    request.atStages = {{2, 1}, {1, 4.5}};
    stage.stage = 1;
    stage.previous = HELPER;
    stage.next = 0;
    EXPECT_EQ(findMost("1f1b", 0), 6U);
    EXPECT_EQ(findMost("1f1b", 1), 4U);
    EXPECT_EQ(findMost("1f1b", 2), 6U);
}

TEST(AssistanceLoans, ATensorThatMovesFasterThanTheLastCopyShowsThatHelpPaysAgain)
{
    // A second of the first stage's four is worth a copy there and gradients back that take less.
    StageAssignment stage = MakeStage();
    stage.parameterBytes = 1000000;
    stage.bandwidthBytesPerSecond = 1e7;
    AssistanceLoans loans(stage, 16);
    const auto wouldPay = [&] { return loans.WouldPay(HELPER, MakeRequest(), 1, 2); };
    EXPECT_TRUE(wouldPay());
    loans.SendCopy(HELPER);
    loans.NoticeCopy(100); // the link was slow
    EXPECT_FALSE(wouldPay());
    loans.NoticeRate(HELPER, 1e3);
    EXPECT_FALSE(wouldPay());
    loans.NoticeRate(HELPER + 1, 1e7);
    EXPECT_FALSE(wouldPay());
    loans.NoticeRate(HELPER, 5e6);
    EXPECT_TRUE(wouldPay());
}
