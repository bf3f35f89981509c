/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-assistance-loans.h"

#include <gtest/gtest.h>

using namespace ns3::edgepipe;

namespace
{

constexpr uint32_t HELPER = 7; //!< the previous stage's device

/** @return the second of two stages, 10 samples of 100 bytes a micro-batch; its helper is as fast
 */
StageAssignment
MakeStage()
{
    StageAssignment stage;
    stage.stage = 1;
    stage.stages = 2;
    stage.microBatches = 2;
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
