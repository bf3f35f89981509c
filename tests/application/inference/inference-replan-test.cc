// SPDX-License-Identifier: GPL-2.0-only

#include "inference-fixture.h"
#include "links.h"
#include "planner/two-way-cut/shipped-two-way-cut.h"

#include "ns3/edgepipe-two-way-cut-cost.h"

namespace
{

/** @return three layers of which the second moves when the bandwidth crosses 5 Mbit/s */
CooperativeDevice
MakeMovingDevice()
{
    GivenCutPlanner::decide = [](const TwoWayCutProblem& problem) {
        return problem.uplinkBitsPerSecond < 5e6 ? 2 : 1;
    };
    return MakeChainDevice(
        "device",
        100000,
        {{0.05, 9, 20000, 10000}, {0.05, 0.01, 10000, 200000}, {9, 0.01, 100, 30000}});
}

/** @return a wire of 10 Mbit/s that falls to 1 and rises again, twice */
InferenceOptions
MakeMovingOptions()
{
    InferenceOptions options = MakeInferenceOptions(1e7);
    SetLaterRates(options.network,
                  {{Seconds(2), 1e6}, {Seconds(12), 1e7}, {Seconds(22), 1e6}, {Seconds(32), 1e7}});
    options.Set("InferenceDevice::Frames", 600);
    options.Set("InferenceDevice::FramesInFlight", 3);
    options.details = true;
    return options;
}

/** @return messages of a kind in one direction */
std::vector<TransferSpan>
Find(const CooperativeInferenceResult& result, InferenceTag::Kind kind, uint32_t from)
{
    std::vector<TransferSpan> found;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        const bool isProbe = transfer.port >= BandwidthMonitor::MONITOR_PORT;
        if (!isProbe && transfer.from == from && InferenceTag::Unpack(transfer.tag).kind == kind)
        {
            found.push_back(transfer);
        }
    }
    return found;
}

/** A plan that stays. */
struct FixedPlan
{
    std::string planner;  //!< who makes it
    double bandwidth;     //!< for which uplink, bit/s
    uint64_t uplinkBytes; //!< that it sends
};

/// @return all plans of qdmp's envelope, and what further ones the planners make at 1 and 10 Mbit/s
std::vector<FixedPlan>
FindFixedPlans(TwoWayCutProblem problem)
{
    const auto envelope =
        FindByName<TwoWayCutPlanner>("planner", "qdmp")->PlanEveryBandwidth(problem);
    std::vector<std::pair<std::string, double>> choices;
    for (std::size_t i = 0; i < envelope->GetSegments(); ++i)
    {
        choices.emplace_back("qdmp", 1.001 * std::max(1000.0, envelope->GetLowestBitsPerSecond(i)));
    }
    for (const double bandwidth : {1e6, 1e7})
    {
        for (const auto& planner : {"dads", "neurosurgeon", "edge-only", "cloud-only"})
        {
            choices.emplace_back(planner, bandwidth);
        }
    }
    std::vector<FixedPlan> plans;
    std::set<std::vector<bool>> seen;
    for (const auto& [planner, bandwidth] : choices)
    {
        problem.uplinkBitsPerSecond = bandwidth;
        const auto plan = FindByName<TwoWayCutPlanner>("planner", planner)->Plan(problem);
        if (seen.insert(plan.isOnDevice).second)
        {
            plans.push_back({planner, bandwidth, EvaluateTwoWayCut(problem, plan).uplinkBytes});
        }
    }
    return plans;
}

} // namespace

using InferenceReplan = BothFidelities;

INSTANTIATE_PACKETS_LONG(InferenceReplan);

TEST_P(InferenceReplan, OverAFallingStepTheTailIsShorterThanUnderEveryFixedPlan)
{
    // A camera of 2.3 frames/s is more than a Raspberry Pi 3B can compute alone, 2.0 frames/s, and
    // less than it can with the server's help at 4 Mbit/s. No frame is dropped, so what the wrong
    // plan cannot keep up with shows as latency.
    auto cuts = ReadShippedTwoWayCuts("raspberry-pi-3b");
    const auto alexnet = std::find_if(cuts.begin(), cuts.end(), [](const auto& cut) {
        return cut.name == "alexnet on raspberry-pi-3b";
    });
    ASSERT_NE(alexnet, cuts.end());
    CooperativeDevice device{"device", alexnet->problem, {}};
    device.parameterBytes.Edit().resize(device.problem.layers.size(), 0);
    device.problem.delaySeconds = 1e-3;
    InferenceOptions options = MakeInferenceOptions(4e6);
    options.network.fidelity = GetParam();
    options.network.Set("Delay", TimeValue(MilliSeconds(1)));
    SetLaterRates(options.network, {{Seconds(30), 5e5}});
    options.Set("InferenceDevice::FramesPerSecond", 2.3);
    options.Set("InferenceDevice::Frames", 300);
    options.Set("InferenceDevice::QueueFrames", 1000);
    options.Set("StallMonitor::Timeout", Seconds(60));
    options.planner = "qdmp";

    std::vector<double> replanned;
    for (const char* monitor : {"oracle", "passive", "probe"})
    {
        options.monitor = monitor;
        const auto result = RunCooperativeInference({device}, options, {});
        ExpectConserved(result);
        EXPECT_GE(result.plans.size(), 2U);
        replanned.push_back(GetLatencyQuantile(result.frames, 0.95));
        std::cout << GetParam() << ", replanned by " << monitor << ": " << replanned.back()
                  << " s\n";
    }

    options.monitor = "oracle";
    options.Set("InferenceReplanner::Replan", false);
    options.firstDownlinkBitsPerSecond = device.problem.downlinkBitsPerSecond;
    const double capacity = GetWireGoodput(options.network);
    const auto plans = FindFixedPlans(device.problem);
    ASSERT_GE(plans.size(), 4U);
    uint32_t compared = 0;
    for (const auto& [planner, bandwidth, uplinkBytes] : plans)
    {
        if (options.network.fidelity == "packet" && 8 * uplinkBytes * 2.3 > capacity)
        {
            continue; // overloads the uplink from the start, for minutes and many packets
        }
        ++compared;
        options.planner = planner;
        options.firstUplinkBitsPerSecond = bandwidth;
        const auto result = RunCooperativeInference({device}, options, {});
        ExpectConserved(result);
        ASSERT_EQ(result.plans.size(), 1U);
        EXPECT_EQ(result.plans[0].uplinkBytes, uplinkBytes);
        const double tail = GetLatencyQuantile(result.frames, 0.95);
        std::cout << GetParam() << ", " << uplinkBytes << " bytes up: " << tail << " s\n";
        for (const double p95 : replanned)
        {
            EXPECT_LT(p95, tail);
        }
    }
    EXPECT_GE(compared, 2U);
}

TEST_P(InferenceReplan, FramesInFlightFinishUnderTheOldPlan)
{
    InferenceOptions options = MakeMovingOptions();
    options.network.fidelity = GetParam();
    const auto result = RunCooperativeInference({MakeMovingDevice()}, options, {});
    ExpectConserved(result);
    ASSERT_EQ(result.plans.size(), 5U);
    uint32_t crossing = 0;
    for (const auto& frame : result.frames)
    {
        const auto& plan = result.plans[frame.plan];
        const bool isLast = frame.plan + 1 == result.plans.size();
        const Time next = isLast ? Time::Max() : result.plans[frame.plan + 1].inForce;
        EXPECT_GE(frame.started, plan.inForce);
        EXPECT_LE(frame.started, next);
        crossing += frame.finished > next;
        // What the server did was by the same plan: 0.02 s with the second layer, else 0.01 s.
        const double part = plan.plan.isOnDevice[1] ? 0.01 : 0.02;
        EXPECT_GE((frame.served - frame.uploaded).GetSeconds(), part - 1e-6);
    }
    EXPECT_GE(crossing, 4U);
    for (const auto& tensor : Find(result, InferenceTag::TENSOR, 0))
    {
        const InferenceTag tag = InferenceTag::Unpack(tensor.tag);
        const bool isMoved = result.plans[result.frames[tag.frame].plan].plan.isOnDevice[1];
        EXPECT_EQ(tag.index, isMoved ? 1U : 0U);
    }
    // A plan is a message of 12 bytes and a bit for each layer, and one that changes nothing none.
    const auto plans = Find(result, InferenceTag::PLAN, 0);
    EXPECT_EQ(plans.size(), 5U);
    EXPECT_EQ(plans[1].bytes, 13U);
    EXPECT_TRUE(Find(result, InferenceTag::WEIGHTS, 0).empty());
    EXPECT_TRUE(Find(result, InferenceTag::WEIGHTS, 1).empty());
}

TEST_P(InferenceReplan, WeightsCrossOnceAndThePlanWaitsForThem)
{
    for (const bool startsLow : {false, true})
    {
        SCOPED_TRACE(startsLow);
        InferenceOptions options = MakeMovingOptions();
        options.network.fidelity = GetParam();
        options.Set("InferenceReplanner::BothHoldModel", false);
        if (startsLow)
        {
            SetRate(options.network, 1e6);
            SetLaterRates(
                options.network,
                {{Seconds(2), 1e7}, {Seconds(12), 1e6}, {Seconds(22), 1e7}, {Seconds(32), 1e6}});
        }
        const auto result = RunCooperativeInference({MakeMovingDevice()}, options, {});
        ExpectConserved(result);
        ASSERT_EQ(result.plans.size(), 5U);
        const auto up = Find(result, InferenceTag::WEIGHTS, 0);
        const auto down = Find(result, InferenceTag::WEIGHTS, 1);
        ASSERT_EQ(up.size(), startsLow ? 1U : 0U);
        ASSERT_EQ(down.size(), startsLow ? 0U : 1U);
        EXPECT_EQ((startsLow ? up : down)[0].bytes, 200000U + 13);
        const double waited = (result.plans[1].inForce - result.plans[1].decided).GetSeconds();
        if (startsLow)
        {
            // The server gets them ahead of the first tensors under the new plan.
            EXPECT_EQ(waited, 0);
            for (const auto& frame : result.frames)
            {
                EXPECT_TRUE(frame.plan != 1 || frame.uploaded > up[0].end);
            }
        }
        else
        {
            EXPECT_GT(waited, 8 * 200000 / 1e6);
            EXPECT_GE(result.plans[1].inForce, down[0].end);
        }
        for (std::size_t i = 2; i < result.plans.size(); ++i)
        {
            EXPECT_EQ(result.plans[i].inForce, result.plans[i].decided);
        }
    }
}

/// A device at 10 Mbit/s, so that the frame of 12.5 kB takes 10 ms to the server, where it takes 20
/// ms more, while all of it takes the device 100 ms: the server does it, unless less than 0.222 of
/// it are left.
/// @return how to run it for some 8 s
InferenceOptions
MakeLoaded(const char* fidelity, CooperativeDevice& device)
{
    device = MakeChainDevice("camera", 12500, {{0.05, 0.01, 12500, 0}, {0.05, 0.01, 100, 0}});
    InferenceOptions options = MakeInferenceOptions(1e7);
    options.network.fidelity = fidelity;
    options.planner = "qdmp";
    options.Set("Replanner::ReplanPeriod", MilliSeconds(500));
    options.Set("InferenceDevice::Frames", 120);
    return options;
}

/// @return by plan, when it was decided, to 0.1 s, and how many layers the device has
std::vector<std::pair<double, int>>
ListPlans(const CooperativeInferenceResult& result)
{
    std::vector<std::pair<double, int>> plans;
    for (const auto& plan : result.plans)
    {
        plans.emplace_back(
            std::floor(10 * plan.decided.GetSeconds()) / 10,
            std::count(plan.plan.isOnDevice.begin(), plan.plan.isOnDevice.end(), true));
    }
    return plans;
}

TEST_P(InferenceReplan, LeavesALoadedServerAndComesBack)
{
    CooperativeDevice device;
    InferenceOptions options = MakeLoaded(GetParam(), device);
    options.loads = {{"server", "", {{Time(), 1}, {Seconds(2.01), 0.1}, {Seconds(5.01), 1}}}};
    const auto result = RunCooperativeInference({device}, options, {});
    ExpectConserved(result);
    const auto plans = ListPlans(result);
    ASSERT_EQ(plans.size(), 3U);
    EXPECT_EQ(plans[0], std::pair(0.0, 0));
    // The frame that the load hits has 20 ms of work left at most, 200 ms under it; and with all on
    // the device the server is asked every half second.
    EXPECT_EQ(plans[1].second, 2);
    EXPECT_NEAR(plans[1].first, 2.1, 0.15);
    EXPECT_EQ(plans[2].second, 0);
    EXPECT_NEAR(plans[2].first, 5.5, 0.15);
    options.loads.clear();
    EXPECT_EQ(RunCooperativeInference({device}, options, {}).plans.size(), 1U);
}

TEST_P(InferenceReplan, LeavesALoadedDeviceAndComesBack)
{
    CooperativeDevice device;
    InferenceOptions options = MakeLoaded(GetParam(), device);
    // 10 ms on the device, or 10 ms to the server and 20 ms there.
    auto& layers = device.problem.layers.Edit();
    layers[0].deviceSeconds = layers[1].deviceSeconds = 5e-3;
    options.loads = {{device.name, "", {{Time(), 1}, {Seconds(2.01), 0.1}, {Seconds(3.01), 1}}}};
    options.Set("InferenceDevice::Frames", 400);
    const auto result = RunCooperativeInference({device}, options, {});
    ExpectConserved(result);
    const auto plans = ListPlans(result);
    ASSERT_EQ(plans.size(), 3U);
    EXPECT_EQ(plans[0], std::pair(0.0, 2));
    // A tenth of the device takes 100 ms, ten times what is left of the frame that it hits.
    EXPECT_EQ(plans[1].second, 0);
    EXPECT_NEAR(plans[1].first, 2.05, 0.06);
    EXPECT_EQ(plans[2], std::pair(3.0, 2));
}

TEST(InferencePlanning, TimeIsChargedToTheDevice)
{
    InferenceOptions options = MakeMovingOptions();
    SetLaterRates(options.network, {{Seconds(2.01), 1e6}});
    options.Set("InferenceDevice::Frames", 60);
    const auto device = MakeMovingDevice();
    for (const std::string how : {"off", "fixed", "measured"})
    {
        SCOPED_TRACE(how);
        options.Set("Replanner::FixedPlanningTime", Seconds(how == "fixed" ? 0.7 : 0));
        options.Set("Replanner::PlanningScale", how == "measured" ? 1e6 : 0);
        const auto result = RunCooperativeInference({device}, options, {});
        ExpectConserved(result);
        ASSERT_EQ(result.plans.size(), 2U);
        EXPECT_EQ(result.plans[0].decided, Time()); // before the run, at no cost
        double planning = 0;
        for (const auto& task : result.timeline->GetTasks())
        {
            const bool isPlanning = InferenceTag::Unpack(task.tag).kind == InferenceTag::PLANNING;
            planning += isPlanning ? (task.end - task.start).GetSeconds() : 0;
        }
        const double measured = 1e6 * result.plans[1].decisionSeconds;
        const double expected = how == "off" ? 0 : how == "fixed" ? 0.7 : measured;
        EXPECT_GT(measured, 0);
        EXPECT_NEAR(planning, expected, 1e-6);
        // The oracle looks every 0.1 s, and the frame that the device is at comes first.
        const double decided = result.plans[1].decided.GetSeconds();
        EXPECT_GE(decided, 2.01 + expected);
        EXPECT_LE(decided, 2.01 + expected + 0.1 + 0.05 + 0.001);
    }
}

TEST(InferencePlanning, IsDueByThresholdOrPeriodAlone)
{
    const auto device = MakeMovingDevice();
    InferenceOptions options = MakeMovingOptions();
    SetLaterRates(options.network, {{Seconds(2), 9e6}, {Seconds(4), 8.5e6}, {Seconds(6), 3e6}});
    options.Set("InferenceDevice::Frames", 200);
    options.Set("Replanner::ReplanThreshold", 0.12);
    auto result = RunCooperativeInference({device}, options, {});
    EXPECT_EQ(result.decisions, 3U); // at first, at 8.5 and at 3 Mbit/s
    EXPECT_EQ(result.plans.size(), 2U);
    EXPECT_EQ(result.bandwidths.size(), 4U);

    options.Set("InferenceReplanner::Replan", false);
    result = RunCooperativeInference({device}, options, {});
    EXPECT_EQ(result.decisions, 1U);
    EXPECT_EQ(result.plans.size(), 1U);

    options.Set("InferenceReplanner::Replan", true);
    options.Set("Replanner::ReplanThreshold", 1e9);
    options.Set("Replanner::ReplanPeriod", Seconds(0.99));
    result = RunCooperativeInference({device}, options, {});
    EXPECT_EQ(result.decisions, 1 + static_cast<uint64_t>(result.end.GetSeconds() / 0.99));
    EXPECT_EQ(result.plans.size(), 2U);
}

TEST(InferencePlanning, AsksOnceWhoPlansForOneBandwidthAtATime)
{
    uint32_t asked = 0;
    GivenCutPlanner::decide = [&asked](const auto&) {
        ++asked;
        return 1;
    };
    CutDecider decider(ReadShippedTwoWayCuts("raspberry-pi-3b").front().problem,
                       CreateObject<GivenCutPlanner>());
    for (const double down : {2e7, 1e4, 3e6})
    {
        decider.Decide(1e6, down);
    }
    EXPECT_EQ(asked, 3U);
}

TEST(InferencePlanning, LookingUpIsAsGoodAsPlanningAfresh)
{
    const auto qdmp = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    std::size_t compared = 0;
    for (const auto& cut : ReadShippedTwoWayCuts("raspberry-pi-3b"))
    {
        SCOPED_TRACE(cut.name);
        CutDecider decider(cut.problem, qdmp);
        for (const double down : {2e7, 1.99e7, 1e5, 1e4, 3e6})
        {
            for (double up = 5e5; up < 5e8; up *= 1.9)
            {
                const PlanRecord decision = decider.Decide(up, down);
                TwoWayCutProblem problem = cut.problem;
                problem.uplinkBitsPerSecond = up;
                problem.downlinkBitsPerSecond = down;
                const double best = EvaluateTwoWayCut(problem, qdmp->Plan(problem)).latencySeconds;
                EXPECT_LE(decision.predictedSeconds, 1.01 * best);
                EXPECT_GE(decision.predictedSeconds, best * (1 - 1e-9));
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 500U);
}
