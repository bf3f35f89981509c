// SPDX-License-Identifier: GPL-2.0-only

#include "inference-fixture.h"
#include "links.h"

namespace
{

/// What never pays.
constexpr double NEVER = 100;

/// @return when another one has no more frames
Time
FindEnd(const CooperativeInferenceResult& result, uint32_t device)
{
    Time end;
    for (const auto& frame : result.frames)
    {
        end = frame.device != device ? std::max(end, frame.finished) : end;
    }
    return end.IsZero() ? Time::Max() : end;
}

/// @return its frames' mean latency from then on, as long as another one has frames, seconds
double
GetMean(const CooperativeInferenceResult& result, uint32_t device, const Time& from)
{
    const Time end = FindEnd(result, device);
    double sum = 0;
    double count = 0;
    for (const auto& frame : result.frames)
    {
        if (frame.device == device && frame.started >= from && frame.finished <= end)
        {
            sum += (frame.finished - frame.arrived).GetSeconds();
            ++count;
        }
    }
    return sum / count;
}

/// @return by plan of the device, as long as another one has frames, how many layers it has
std::vector<int>
ListPlans(const CooperativeInferenceResult& result, uint32_t device)
{
    const Time end = FindEnd(result, device);
    std::vector<int> plans;
    for (const auto& plan : result.plans)
    {
        if (plan.device == device && plan.decided <= end)
        {
            plans.push_back(
                std::count(plan.plan.isOnDevice.begin(), plan.plan.isOnDevice.end(), true));
        }
    }
    return plans;
}

/** @return how to run back to back on a network where a frame of 100 bytes takes no time */
InferenceOptions
MakeFastOptions(const char* fidelity)
{
    InferenceOptions options = MakeInferenceOptions(1e9);
    SetKind(options.network, "lan");
    options.network.fidelity = fidelity;
    options.planner = "qdmp";
    options.Set("Replanner::ReplanPeriod", MilliSeconds(500));
    options.Set("InferenceDevice::Frames", 80);
    return options;
}

/** @return a device that computes 40 ms before a part of 60 ms that only the server can do */
CooperativeDevice
MakeBusyDevice()
{
    return MakeChainDevice("busy", 100, {{0.04, NEVER, 100, 0}, {NEVER, 0.06, 100, 0}});
}

} // namespace

using InferenceOthers = BothFidelities;

INSTANTIATE_PACKETS_LONG(InferenceOthers);

TEST_P(InferenceOthers, LeaveTheServerToWhomNeedsItMore)
{
    // A frame takes the choosing device 100 ms, or the server 60 ms, which is better alone. Beside
    // the other one, the server works without a pause, for each in turn: 120 ms a frame for both.
    // Half of the server is left to each, on which 60 ms take 120 ms. So the chooser leaves, and
    // both take 100 ms; what is then left, four tenths, does not bring it back.
    const auto chooser = MakeChainDevice("chooser", 100, {{0.1, 0.06, 100, 0}});
    for (const bool knowsOthers : {false, true})
    {
        SCOPED_TRACE(knowsOthers);
        InferenceOptions options = MakeFastOptions(GetParam());
        options.Set("InferenceReplanner::KnowOthers", knowsOthers);
        const auto result = RunCooperativeInference({chooser, MakeBusyDevice()}, options, {});
        ExpectConserved(result);
        EXPECT_EQ(ListPlans(result, 0),
                  knowsOthers ? std::vector<int>({0, 1}) : std::vector<int>({0}));
        EXPECT_EQ(ListPlans(result, 1), std::vector<int>({1}));
        const double expected = knowsOthers ? 0.1 : 0.12;
        EXPECT_NEAR(GetMean(result, 0, Seconds(3)), expected, 0.002);
        EXPECT_NEAR(GetMean(result, 1, Seconds(3)), expected, 0.002);
    }
}

TEST_P(InferenceOthers, StayWhereTheServerIsTheBetterHalf)
{
    // 200 ms alone against 120 ms on half of the server.
    const auto chooser = MakeChainDevice("chooser", 100, {{0.2, 0.06, 100, 0}});
    InferenceOptions options = MakeFastOptions(GetParam());
    options.Set("InferenceReplanner::KnowOthers", true);
    const auto result = RunCooperativeInference({chooser, MakeBusyDevice()}, options, {});
    ExpectConserved(result);
    EXPECT_EQ(ListPlans(result, 0), std::vector<int>({0}));
}

TEST_P(InferenceOthers, LeaveAServerWhoseBacklogGrows)
{
    // Cameras of 10 frames/s. The other one's frames take the server 105 ms, so that it is ever
    // further behind: a twentieth of a second each second. The chooser's own 10 ms are more than is
    // left, an equal part of the server, at 20 ms; on the device it would be 90 ms.
    const auto chooser = MakeChainDevice("chooser", 100, {{0.09, 0.01, 100, 0}});
    const auto other = MakeChainDevice("other", 100, {{NEVER, 0.105, 100, 0}});
    InferenceOptions options = MakeFastOptions(GetParam());
    options.Set("InferenceDevice::FramesPerSecond", 10);
    options.Set("InferenceDevice::QueueFrames", 1000);
    options.Set("InferenceReplanner::KnowOthers", true);
    const auto result = RunCooperativeInference({chooser, other}, options, {});
    ExpectConserved(result);
    EXPECT_EQ(ListPlans(result, 0), std::vector<int>({0, 1}));
    EXPECT_NEAR(GetMean(result, 0, Seconds(4)), 0.09, 1e-3);
}

TEST_P(InferenceOthers, ShareACell)
{
    // Both send frames that take 20 ms alone, so each has half of the cell, and 40 ms. The chooser
    // can do without in 30 ms; the other one cannot.
    InferenceOptions options = MakeFastOptions(GetParam());
    SetKind(options.network, "wifi");
    options.network.Set("WifiStandard", StringValue("n"));
    options.network.wiredDevices = {options.serverName};
    options.Set("InferenceDevice::Frames", 1);
    auto chooser = MakeChainDevice("chooser", 1, {{NEVER, 0, 1, 0}});
    const double capacity =
        RunCooperativeInference({chooser}, options, {}).plans.front().uplinkBitsPerSecond;
    const auto bytes = static_cast<uint64_t>(capacity * 0.02 / 8);
    chooser = MakeChainDevice("chooser", bytes, {{0.03, 0, 1, 0}});
    const auto other = MakeChainDevice("other", bytes, {{NEVER, 0, 1, 0}});
    options.Set("InferenceDevice::Frames", 120);
    for (const bool knowsOthers : {false, true})
    {
        SCOPED_TRACE(knowsOthers);
        options.Set("InferenceReplanner::KnowOthers", knowsOthers);
        const auto result = RunCooperativeInference({chooser, other}, options, {});
        ExpectConserved(result);
        EXPECT_EQ(ListPlans(result, 0),
                  knowsOthers ? std::vector<int>({0, 1}) : std::vector<int>({0}));
        EXPECT_NEAR(GetMean(result, 0, Seconds(2)), knowsOthers ? 0.03 : 0.04, 0.004);
        EXPECT_NEAR(GetMean(result, 1, Seconds(2)), knowsOthers ? 0.02 : 0.04, 0.004);
    }
    // Beside one that sends a byte now and then, almost all of the cell is left.
    const auto quiet = MakeChainDevice("quiet", 1, {{0.04, NEVER, 1, 0}, {NEVER, 0, 1, 0}});
    EXPECT_EQ(ListPlans(RunCooperativeInference({chooser, quiet}, options, {}), 0),
              std::vector<int>({0}));
    // The passive monitor measures what is left, so that nothing is taken off it again.
    options.monitor = "passive";
    const auto measured = RunCooperativeInference({chooser, other}, options, {});
    EXPECT_EQ(ListPlans(measured, 0).back(), 1);
}

TEST(InferenceSharing, CrossesBehindResultsAndOnlyIfAskedFor)
{
    for (const bool knowsOthers : {false, true})
    {
        InferenceOptions options = MakeFastOptions("flow");
        options.Set("InferenceReplanner::KnowOthers", knowsOthers);
        options.details = true;
        options.planner = "cloud-only";
        const auto result =
            RunCooperativeInference({MakeChainDevice("device", 100, {{NEVER, 0.1, 100, 0}})},
                                    options,
                                    {});
        uint32_t asked = 0;
        uint32_t told = 0;
        for (const auto& transfer : result.timeline->GetTransfers())
        {
            const auto kind = InferenceTag::Unpack(transfer.tag).kind;
            asked += kind == InferenceTag::ASK_SHARING;
            told += kind == InferenceTag::SHARING;
        }
        EXPECT_EQ(asked, knowsOthers ? 1U : 0U);
        EXPECT_EQ(told, knowsOthers ? 7U : 0U); // after 1 s each, behind the next of 80 results
    }
}
