// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"
#include "runs/network-probe.h"

namespace
{

/// Longest time without progress.
const Time TIMEOUT = Seconds(5);

/** @return 3 stages on which an iteration takes 2.4 s, transfers being much of it */
Pipeline
SlowPipeline()
{
    Pipeline pipeline({0.05, 0.05, 0.05}, {0.1, 0.1, 0.1}, 250000, 6);
    SetRate(pipeline.options.network, 1.25e7);
    pipeline.options.Set("PipelineCoordinator::Iterations", 3);
    pipeline.options.Set("StallMonitor::Timeout", TIMEOUT);
    return pipeline;
}

/** @return when the last task or message of a run ended */
Time
LastEnd(const PipelineTrainingResult& result)
{
    Time last;
    for (const auto& task : result.timeline->GetTasks())
    {
        last = std::max(last, task.end);
    }
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        last = std::max(last, transfer.end);
    }
    return last;
}

} // namespace

using Stall = BothFidelities;

INSTANTIATE_BOTH_FIDELITIES(Stall);

TEST_P(Stall, ALinkCutMidIterationIsNamedWithinTheTimeout)
{
    struct Cut
    {
        const char* link;
        const char* schedule;
        double seconds;
    };

    const std::vector<Cut> cuts{{"p2p", "gpipe", 0.7},
                                {"p2p", "1f1b", 2.4},
                                {"lan", "gpipe", 3.1},
                                {"lan", "1f1b", 1.3},
                                {"wifi", "gpipe", 2.2},
                                {"wifi", "1f1b", 1.7}};
    for (const auto& cut : cuts)
    {
        SCOPED_TRACE(testing::Message()
                     << cut.link << ' ' << cut.schedule << " cut at " << cut.seconds);
        Pipeline pipeline = SlowPipeline();
        pipeline.options.schedule = cut.schedule;
        SetKind(pipeline.options.network, cut.link);
        if (pipeline.options.network.GetLinkName() == "wifi")
        {
            pipeline.options.network.Set("Distance", DoubleValue(20));
        }
        pipeline.options.network.cutDevice = "device-1";
        pipeline.options.network.cutTime = Seconds(cut.seconds);
        const auto result = pipeline.Run();
        EXPECT_FALSE(result.finished);
        ExpectDiagnosis(
            result,
            {"device-0: coordinator waits for stages .* to finish iteration [0-2]\n",
             "device-[0-2]: stage [0-2] waits for (activations|gradients) of micro-batch [0-5], "
             "iteration [0-2], from stage [0-2]\n",
             "device-[0-2] -> device-[0-2]: (activations|gradients) of micro-batch [0-5], "
             "iteration [0-2], [0-9]+ of 250000 bytes delivered, (TCP connected|a link on its way "
             "is "
             "down)"});
        // What was being computed, or had left the dead link behind, still ends.
        EXPECT_LE(result.end, Seconds(cut.seconds + 1.5) + TIMEOUT);
        EXPECT_GE(result.end, LastEnd(result) + TIMEOUT);
    }
}

TEST_P(Stall, ACutBeforeTheFirstMessageIsNamedToo)
{
    Pipeline pipeline = SlowPipeline();
    pipeline.options.network.cutDevice = "device-2";
    const auto result = pipeline.Run();
    EXPECT_FALSE(result.finished);
    ExpectDiagnosis(result,
                    {"coordinator waits for stages 1, 2 to accept their assignments",
                     "device-1: stage 1 waits to reach its neighbouring stages",
                     "device-0 -> device-2: assignment",
                     "TCP not connected|a link on its way is down"});
    EXPECT_NEAR(result.end.GetSeconds(), 5, 0.01);
}

TEST(JoiningStall, AStationCutWhileItJoinsItsNetworkIsNamed)
{
    for (const double cut : {0.0, 0.05, 0.12, 0.121, 0.13, 0.4})
    {
        SCOPED_TRACE(cut);
        Pipeline pipeline = SlowPipeline();
        SetKind(pipeline.options.network, "wifi");
        pipeline.options.network.cutDevice = "device-2";
        pipeline.options.network.cutTime = Seconds(cut);
        const auto result = pipeline.Run();
        EXPECT_FALSE(result.finished);
        // Flows join no network, so the station may be cut after it has been told what to do.
        ExpectDiagnosis(result, {"coordinator waits for stages", " -> device-2: |device-2 -> "});
    }
}

TEST_P(Stall, ARunThatFinishesSaysNothing)
{
    // Much shorter than an iteration and than a task; longer only than a pause of TCP.
    Pipeline pipeline({0.5, 0.5, 0.5}, {1, 1, 1}, 250000, 6);
    SetRate(pipeline.options.network, 1.25e7);
    pipeline.options.Set("PipelineCoordinator::Iterations", 3);
    pipeline.options.Set("StallMonitor::Timeout", MilliSeconds(450));
    const auto result = pipeline.Run();
    EXPECT_TRUE(result.finished);
    EXPECT_TRUE(result.diagnosis.empty()) << ShowDiagnosis(result);
    EXPECT_EQ(result.iterations.size(), 3U);
}

TEST_P(Stall, FinishedIterationsBeforeACutAreKept)
{
    Pipeline pipeline = SlowPipeline();
    const auto whole = pipeline.Run();
    ASSERT_TRUE(whole.finished);
    pipeline.options.network.cutDevice = "device-2";
    pipeline.options.network.cutTime = whole.iterations[1].start + Seconds(0.5);
    const auto cut = pipeline.Run();
    EXPECT_FALSE(cut.finished);
    ASSERT_EQ(cut.iterations.size(), 1U);
    EXPECT_EQ(cut.iterations[0].end, whole.iterations[0].end);
    EXPECT_EQ(cut.usage.bubbleRates.size(), 1U);
}

TEST(StallMonitoring, ADeviceWithoutAShareIsNamed)
{
    auto transport = CreateObject<PacketTransport>();
    auto compute = CreateObject<ComputeDevice>();
    auto monitor = CreateObject<StallMonitor>();
    monitor->SetAttribute("Timeout", TimeValue(Seconds(3)));
    monitor->WatchTransport(
        transport,
        [](uint32_t device) { return device == 0 ? "a" : "b"; },
        [](const Message&) { return "m"; });
    monitor->WatchCompute(1, compute);
    monitor->Start();
    compute->Run(0, 10, Callback<void>());
    Simulator::Schedule(Seconds(8), &ComputeDevice::SetAvailableShare, compute, 0.0);
    Simulator::Run();
    EXPECT_TRUE(monitor->HasStalled());
    ASSERT_EQ(monitor->Diagnose().size(), 1U);
    EXPECT_EQ(monitor->Diagnose()[0], "b: a task waits, the available share is 0");
    EXPECT_GE(Simulator::Now(), Seconds(8));
    EXPECT_LE(Simulator::Now(), Seconds(8 + 3));
    Simulator::Destroy();
}

TEST(StallMonitoring, WhatIsWatchedGoesWithTheSimulation)
{
    auto transport = CreateObject<PacketTransport>();
    auto monitor = CreateObject<StallMonitor>();
    monitor->WatchTransport(
        transport,
        [](uint32_t device) { return device == 0 ? "a" : "b"; },
        [](const Message&) { return "m"; });
    monitor->Disregard([](const Message&) { return false; });
    monitor->Start();
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    Simulator::Destroy();
    EXPECT_EQ(transport->GetReferenceCount(), 1U);
    transport = nullptr; // what it has for a message that has arrived holds the monitor
    EXPECT_EQ(monitor->GetReferenceCount(), 1U);
}

TEST(Probe, MeasuringTheBandwidthOfADeadNetworkIsRefused)
{
    NetworkOptions options;
    options.fidelity = "packet";
    options.SetLink("p2p");
    options.lossRate = 0.999;
    EXPECT_THROW(MeasureBandwidth(options, {"a", "b"}), InputError);
}
