// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"
#include "workloads/cooperative-summary.h"

namespace
{

/** @return three layers: the frame, "a", and "b", which makes a result of 8 bytes of both */
TwoWayCutProblem
MakeProblem()
{
    TwoWayCutProblem problem;
    problem.layers = {{"image", {}, 1000, 0, 0}, {"a", {0}, 100, 1, 0.1}, {"b", {0, 1}, 8, 2, 0.2}};
    problem.inputBytes = 1000;
    problem.uplinkBitsPerSecond = 8000;
    problem.downlinkBitsPerSecond = 8000;
    return problem;
}

const TwoWayCutPlan ON_SERVER{{false, false, false}};
const TwoWayCutPlan FRAME_ON_DEVICE{{true, false, false}};
const TwoWayCutPlan CUT{{true, true, false}};
const TwoWayCutPlan ON_DEVICE{{true, true, true}};

/** @return a plan in force from a time on, in seconds */
PlanRecord
MakePlan(uint32_t device, double inForce, const TwoWayCutPlan& plan, double predictedSeconds)
{
    return {device, {}, Seconds(inForce), 8000, 8000, plan, predictedSeconds, 1e-6, 10};
}

/** @return a frame that ended, times in seconds */
FrameRecord
MakeFrame(uint32_t plan, double arrived, double finished)
{
    FrameRecord frame{};
    frame.plan = plan;
    frame.arrived = Seconds(arrived);
    frame.finished = Seconds(finished);
    return frame;
}

/** @return two devices of that problem */
std::vector<CooperativeDevice>
MakeDevices()
{
    return {{"one", MakeProblem(), {}}, {"other", MakeProblem(), {}}};
}

} // namespace

TEST(CooperativeSummary, PercentilesAreOfTheNearestRank)
{
    EXPECT_EQ(FindPercentile({}, 0.5), 0);
    EXPECT_EQ(FindPercentile({7}, 0), 7);
    EXPECT_EQ(FindPercentile({4, 1, 3, 2}, 0.5), 2);
    EXPECT_EQ(FindPercentile({4, 1, 3, 2}, 0.51), 3);
    EXPECT_EQ(FindPercentile({4, 1, 3, 2}, 0.95), 4);
    EXPECT_EQ(FindPercentile({4, 1, 3, 2}, 1), 4);
}

TEST(CooperativeSummary, CutsAreDescribedByWhatIsSent)
{
    const auto problem = MakeProblem();
    EXPECT_EQ(DescribeCut(problem, ON_DEVICE), "all on the device");
    EXPECT_EQ(DescribeCut(problem, ON_SERVER), "all on the server");
    EXPECT_EQ(DescribeCut(problem, FRAME_ON_DEVICE), "all on the server");
    EXPECT_EQ(DescribeCut(problem, CUT), "1 of 2 layers on the device, then image, a");
}

TEST(CooperativeSummary, ThroughputIsThatOfTheLongestPart)
{
    EXPECT_EQ(PredictFramesPerSecond({0.7, 0.1, 0.2, 0.4, 0, 0}), 2.5);
    EXPECT_EQ(PredictFramesPerSecond({}), 0);
}

TEST(CooperativeSummary, SharesOfTimeAreOfPartitionsWhateverTheDevice)
{
    CooperativeInferenceResult result;
    result.isFinished = true;
    result.end = Seconds(10);
    // The first device: 4 s, 2 s, 4 s; the second: 10 s. A plan again is no change.
    result.plans = {MakePlan(0, 0, CUT, 1),
                    MakePlan(1, 0, CUT, 1),
                    MakePlan(0, 1, CUT, 1),
                    MakePlan(0, 4, ON_DEVICE, 3),
                    MakePlan(0, 6, CUT, 1)};
    const auto summary = Summarise(MakeDevices(), result);
    EXPECT_EQ(summary.planChanges, 2);
    ASSERT_EQ(summary.partitions.size(), 2);
    EXPECT_DOUBLE_EQ(summary.partitions[0].timeShare, 0.9);
    EXPECT_DOUBLE_EQ(summary.partitions[1].timeShare, 0.1);
    EXPECT_EQ(summary.partitionOfPlan, (std::vector<std::size_t>{0, 0, 0, 1, 0}));
    EXPECT_EQ(summary.finished, 0);
    EXPECT_EQ(summary.meanSeconds, 0);
}

TEST(PlannerTimes, MeanLeavesOutTheFirstDecisionsOfPrograms)
{
    PlannerTimes times;
    times.Add(6, 3, 0); // no program
    EXPECT_DOUBLE_EQ(times.GetMean(), 2);
    times.Add(11, 3, 10); // a program that starts in the first
    EXPECT_DOUBLE_EQ(times.GetMean(), 7.0 / 5);
    EXPECT_DOUBLE_EQ(times.start, 10);
    PlannerTimes lone;
    lone.Add(10, 1, 10); // its start alone tells nothing of its decisions
    EXPECT_EQ(lone.later, 0);
    EXPECT_EQ(lone.GetMean(), 0);
}

TEST(CooperativeSummary, FramesArePredictedAtTheCapacityWhenTheyBegan)
{
    CooperativeInferenceResult result;
    result.isFinished = true;
    result.plans = {MakePlan(0, 0, CUT, 1), MakePlan(0, 4, ON_DEVICE, 3)};
    result.frames = {MakeFrame(0, 1, 3), MakeFrame(0, 2, 4), MakeFrame(1, 4, 5)};
    result.frames[0].uplinkCapacity = 800;
    result.frames[0].downlinkCapacity = 80;
    result.frames[1].uplinkCapacity = 800;
    result.frames[1].downlinkCapacity = 0; // no result comes down
    result.frames[2].uplinkCapacity = 0;   // nothing to send
    result.frames[2].downlinkCapacity = 0;
    const auto summary = Summarise(MakeDevices(), result);
    EXPECT_EQ(summary.unpredicted, 1);
    EXPECT_DOUBLE_EQ(summary.predictedSeconds, (1.2 + 11 + 0.8 + 3) / 2);
}

TEST(CooperativeSummary, FramesArePredictedWithTheDelayAndTheLoadThatAreKnown)
{
    CooperativeInferenceResult result;
    result.isFinished = true;
    result.plans = {MakePlan(0, 0, CUT, 1), MakePlan(1, 0, ON_DEVICE, 3)};
    result.plans[0].deviceShare = 0.5;
    result.plans[0].serverShare = 0.1;
    result.frames = {MakeFrame(0, 1, 3), MakeFrame(1, 4, 5)};
    result.frames[1].device = 1;
    result.delaySeconds = {0.25, 5}; // what sends nothing has none
    const auto summary = Summarise(MakeDevices(), result);
    EXPECT_DOUBLE_EQ(summary.predictedSeconds, (1 / 0.5 + 0.2 / 0.1 + 1.108 + 2 * 0.25 + 3) / 2);
}

TEST(CooperativeSummary, FiguresAreOfFinishedFrames)
{
    CooperativeInferenceResult result;
    result.end = Seconds(10);
    result.plans = {MakePlan(0, 0, CUT, 1), MakePlan(0, 4, ON_DEVICE, 3)};
    result.frames = {MakeFrame(0, 1, 3), MakeFrame(1, 4, 5), MakeFrame(1, 6, 0)};
    FrameRecord dropped{};
    dropped.isDropped = true;
    result.frames.push_back(dropped);
    const auto summary = Summarise(MakeDevices(), result);
    EXPECT_EQ(summary.finished, 2);
    EXPECT_EQ(summary.dropped, 1);
    EXPECT_DOUBLE_EQ(summary.meanSeconds, 1.5);
    EXPECT_DOUBLE_EQ(summary.medianSeconds, 1);
    EXPECT_DOUBLE_EQ(summary.p99Seconds, 2);
    // Moving 1100 bytes up and 8 down at 8000 bit/s, and computing 1.2 s; 3 s on the device.
    EXPECT_DOUBLE_EQ(summary.predictedSeconds, (1 + 0.2 + 1.108 + 3) / 2);
    EXPECT_EQ(summary.unpredicted, 0);
    EXPECT_DOUBLE_EQ(summary.framesPerSecond, 0.5);
    EXPECT_DOUBLE_EQ(summary.uplinkBytesPerFrame, 10);
    EXPECT_DOUBLE_EQ(summary.downlinkBytesPerFrame, 4);
    EXPECT_EQ(summary.partitions[1].frames, 1);
}
