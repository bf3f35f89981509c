// SPDX-License-Identifier: GPL-2.0-only

#include "inference-fixture.h"
#include "links.h"

#include "ns3/edgepipe-two-way-cut-cost.h"

namespace
{

using InferenceFrames = BothFidelities;

INSTANTIATE_BOTH_FIDELITIES(InferenceFrames);

/** @return two layers, one on each side, so fast a wire that only computing counts */
InferenceOptions
MakeFastOptions()
{
    InferenceOptions options = MakeInferenceOptions(1e11);
    GivenCutPlanner::decide = [](const auto&) { return 1; };
    return options;
}

/** @return frames dropped */
uint64_t
CountDropped(const CooperativeInferenceResult& result)
{
    return std::count_if(result.frames.begin(), result.frames.end(), [](const auto& frame) {
        return frame.isDropped;
    });
}

} // namespace

TEST_P(InferenceFrames, BackToBackFlowAtTheRateOfTheSlowestPart)
{
    GivenCutPlanner::decide = [](const auto&) { return 1; };
    // 50 kB take 42 ms on this wire.
    const std::vector<std::pair<double, double>> cases{{0.06, 0.02}, {0.02, 0.02}, {0.02, 0.06}};
    for (const auto& [deviceSeconds, serverSeconds] : cases)
    {
        SCOPED_TRACE(testing::Message() << deviceSeconds << ' ' << serverSeconds);
        const auto device =
            MakeChainDevice("device",
                            100000,
                            {{deviceSeconds, 9, 50000, 1}, {9, serverSeconds, 4000, 1}});
        InferenceOptions options = MakeInferenceOptions(1e7);
        options.network.fidelity = GetParam();
        options.Set("InferenceDevice::FramesInFlight", 8);
        options.Set("InferenceDevice::Frames", 200);
        const auto result = RunCooperativeInference({device}, options, {});
        ExpectConserved(result);
        EXPECT_EQ(CountDropped(result), 0U);
        const double transfer = 8 * 50000 / GetWireGoodput(options.network);
        const double expected = 1 / std::max({deviceSeconds, transfer, serverSeconds});
        const auto& first = result.frames[99].finished;
        const auto& last = result.frames[199].finished;
        const double rate = 100 / (last - first).GetSeconds();
        EXPECT_NEAR(rate, expected, 0.01 * expected);
    }
}

TEST(InferenceQueue, AnOverloadedDeviceDelaysEachFrameMoreByTheSameTime)
{
    // D/D/1 with a rate above 1: frame k waits k (T - 1/rate).
    const auto device = MakeChainDevice("device", 1, {{0.13, 9, 1, 1}, {9, 0.01, 1, 1}});
    InferenceOptions options = MakeFastOptions();
    options.Set("InferenceDevice::FramesPerSecond", 10);
    options.Set("InferenceDevice::QueueFrames", 1000);
    options.Set("InferenceDevice::Frames", 300);
    const auto result = RunCooperativeInference({device}, options, {});
    ExpectConserved(result);
    EXPECT_EQ(CountDropped(result), 0U);
    for (const auto& frame : result.frames)
    {
        const double wait = (frame.started - frame.arrived).GetSeconds();
        ASSERT_NEAR(wait, frame.frame * 0.03, 1e-6);
        ASSERT_NEAR((frame.finished - frame.started).GetSeconds(), 0.14, 1e-3);
    }
}

TEST(InferenceQueue, FullQueuesDropAndEveryFrameIsAccountedFor)
{
    // The device keeps up with a third of the frames at best, the uplink with a sixth.
    for (const auto& [deviceSeconds, bandwidth, queue] :
         std::vector<std::tuple<double, double, uint32_t>>{{0.3, 1e9, 2},
                                                           {0.01, 6.6e5, 3},
                                                           {0.3, 6.6e5, 0}})
    {
        SCOPED_TRACE(testing::Message() << deviceSeconds << ' ' << bandwidth);
        const auto device =
            MakeChainDevice("device", 1, {{deviceSeconds, 9, 45000, 1}, {9, 0.01, 1, 1}});
        InferenceOptions options = MakeInferenceOptions(bandwidth);
        GivenCutPlanner::decide = [](const auto&) { return 1; };
        options.Set("InferenceDevice::FramesPerSecond", 10);
        options.Set("InferenceDevice::QueueFrames", queue);
        options.Set("InferenceDevice::Frames", 200);
        const auto result = RunCooperativeInference({device}, options, {});
        ExpectConserved(result);
        const uint64_t dropped = CountDropped(result);
        EXPECT_GT(dropped, 200U / 2);
        EXPECT_LT(dropped, 200U);
        // Nobody who is served waited behind more than the queue holds.
        for (const auto& frame : result.frames)
        {
            const double wait = (frame.started - frame.arrived).GetSeconds();
            EXPECT_TRUE(frame.isDropped || wait <= (queue + 1) * deviceSeconds + 1e-6) << wait;
        }
    }
}

TEST(InferenceQueue, SeveralDevicesShareAServerFirstComeFirstServed)
{
    const std::vector<double> deviceSeconds{0.011, 0.017, 0.0234};
    const double serverSeconds = 0.031;
    std::vector<CooperativeDevice> devices;
    for (const double seconds : deviceSeconds)
    {
        devices.push_back(MakeChainDevice("device-" + std::to_string(devices.size()),
                                          1,
                                          {{seconds, 9, 1, 1}, {9, serverSeconds, 1, 1}}));
    }
    InferenceOptions options = MakeFastOptions();
    SetKind(options.network, "lan");
    options.Set("InferenceDevice::FramesPerSecond", 10);
    options.Set("InferenceDevice::Frames", 100);
    const auto result = RunCooperativeInference(devices, options, {});
    ExpectConserved(result);
    ASSERT_EQ(result.frames.size(), 300U);

    // Lindley's recursion, over what came from the cameras alone.
    std::vector<std::pair<double, const FrameRecord*>> arrivals;
    for (const auto& frame : result.frames)
    {
        arrivals.emplace_back(frame.arrived.GetSeconds() + deviceSeconds[frame.device], &frame);
    }
    std::sort(arrivals.begin(), arrivals.end());
    double free = 0;
    double waited = 0;
    for (const auto& [arrival, frame] : arrivals)
    {
        waited += std::max(0.0, free - arrival);
        free = std::max(free, arrival) + serverSeconds;
        ASSERT_NEAR(frame->served.GetSeconds(), free, 1e-4);
    }
    EXPECT_GT(waited, 300 * 0.3 * serverSeconds);
}

TEST_P(InferenceFrames, PartsThatCostNothingDoNotStall)
{
    for (const std::size_t onDevice : {0, 1, 2, 3})
    {
        SCOPED_TRACE(onDevice);
        GivenCutPlanner::decide = [onDevice](const auto&) { return onDevice; };
        const auto device =
            MakeChainDevice("device", 0, {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
        InferenceOptions options = MakeInferenceOptions(1e7);
        options.network.fidelity = GetParam();
        options.Set("InferenceDevice::FramesInFlight", 3);
        options.Set("InferenceDevice::Frames", 20);
        ExpectConserved(RunCooperativeInference({device}, options, {}));
        options.Set("InferenceDevice::FramesPerSecond", 100);
        ExpectConserved(RunCooperativeInference({device}, options, {}));
    }
}

TEST(InferenceSplit, SendsEachTensorOnceAndOnlyWhatTheServerReads)
{
    // A frame read by two layers; one tensor read twice by the server; a result on each side.
    TwoWayCutProblem problem;
    problem.inputBytes = 7000;
    problem.uplinkBitsPerSecond = 1e6;
    problem.downlinkBitsPerSecond = 1e6;
    problem.layers = {{"a", {}, 300, 0.001, 9},
                      {"b", {0}, 500, 0.002, 9},
                      {"c", {0, 1}, 20, 9, 0.003},
                      {"d", {1}, 40, 9, 0.004},
                      {"e", {1}, 60, 0.005, 9},
                      {"f", {}, 80, 9, 0.006}};
    const TwoWayCutPlan plan{{true, true, false, false, true, false}};
    const InferenceSplit split = MakeInferenceSplit(problem, plan);
    ASSERT_EQ(split.uplink.size(), 3U);
    EXPECT_EQ(split.uplink[0].layer, InferenceTag::INPUT);
    EXPECT_EQ(split.uplink[0].bytes, 7000U);
    EXPECT_EQ(split.uplink[1].layer, 0U);
    EXPECT_EQ(split.uplink[2].layer, 1U);
    EXPECT_EQ(split.resultBytes, 20U + 40 + 80);
    EXPECT_DOUBLE_EQ(split.deviceSeconds, 0.008);
    EXPECT_DOUBLE_EQ(split.serverSeconds, 0.013);
    EXPECT_TRUE(MakeInferenceSplit(problem, {std::vector<bool>(6, true)}).uplink.empty());
}

TEST_P(InferenceFrames, AModelWithSeveralOutputsEndsWhenAllResultsAreThere)
{
    CooperativeDevice device;
    device.name = "device";
    device.problem.inputBytes = 100;
    device.problem.layers = {{"stem", {}, 60000, 0.01, 9},
                             {"head", {0}, 500, 0.01, 9},
                             {"neck", {0}, 20, 9, 0.02},
                             {"deep", {0, 2}, 700, 9, 0.03}};
    device.parameterBytes.Edit().resize(4, 0);
    GivenCutPlanner::decide = [](const auto&) { return 2; };
    InferenceOptions options = MakeInferenceOptions(1e7);
    options.network.fidelity = GetParam();
    options.Set("InferenceDevice::Frames", 5);
    options.details = true;
    const auto result = RunCooperativeInference({device}, options, {});
    ExpectConserved(result);
    uint64_t tensors = 0;
    uint64_t results = 0;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        const InferenceTag tag = InferenceTag::Unpack(transfer.tag);
        tensors += tag.kind == InferenceTag::TENSOR ? transfer.bytes : 0;
        results += tag.kind == InferenceTag::RESULT ? transfer.bytes : 0;
    }
    EXPECT_EQ(tensors, 5U * 60000); // two layers read it, it crosses once
    EXPECT_EQ(results, 5U * 700);   // the head's is made where it is wanted
    EXPECT_EQ(result.plans[0].uplinkBytes, 60000U);
    EXPECT_NEAR((result.frames[4].served - result.frames[4].uploaded).GetSeconds(), 0.05, 1e-6);
}
