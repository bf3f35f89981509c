// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "replan-fixture.h"

using PipelineReplan = BothFidelities;

INSTANTIATE_PACKETS_LONG(PipelineReplan);

TEST_P(PipelineReplan, AStageMovesOffALoadedDevice)
{
    Pipeline pipeline = MakePipeline();
    pipeline.options.loads = {MakeStep("device-1", 4, 0.25)};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ASSERT_EQ(result.planChanges.size(), 1U);
    ExpectConserved(pipeline, result);
    const auto& change = result.planChanges.front();
    for (const auto& stage : change.decision.plan.stages)
    {
        EXPECT_NE(stage.device, 1U);
    }
    EXPECT_EQ(SumBytes(result, PipelineTag::LAYER_WEIGHTS), change.decision.moveBytes);
    pipeline.options.replanner = nullptr;
    const auto still = pipeline.Run();
    EXPECT_GT(GetLastIterations(still, 3), 2 * GetLastIterations(result, 3));
}

TEST_P(PipelineReplan, ALayerMovesOnceAndNoStageRunsBeforeItsWeightsAreThere)
{
    Pipeline pipeline = MakePipeline();
    pipeline.options.loads = {MakeStep("device-1", 4, 0.25), MakeStep("device-3", 8, 0.5)};
    pipeline.options.Set("PipelineCoordinator::Iterations", 20);
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ASSERT_GE(result.planChanges.size(), 2U);
    ExpectConserved(pipeline, result);
    uint64_t bytes = 0;
    for (const auto& change : result.planChanges)
    {
        std::map<uint32_t, LayerMove> expected;
        for (const auto& move : change.decision.moves)
        {
            expected[move.layer] = move;
        }
        for (const auto& transfer : result.timeline->GetTransfers())
        {
            const auto tag = PipelineTag::Unpack(transfer.tag);
            if (tag.kind != PipelineTag::LAYER_WEIGHTS || tag.iteration != change.iteration)
            {
                continue;
            }
            ASSERT_EQ(expected.count(tag.microBatch), 1U) << tag.Describe();
            const LayerMove& move = expected[tag.microBatch];
            EXPECT_EQ(transfer.from, move.from);
            EXPECT_EQ(transfer.to, move.to);
            EXPECT_EQ(transfer.bytes, pipeline.problem.layers[move.layer].parameterBytes);
            EXPECT_LE(transfer.end, change.inForce);
            expected.erase(tag.microBatch);
        }
        EXPECT_TRUE(expected.empty());
        bytes += change.decision.moveBytes;
        for (const auto& task : result.timeline->GetTasks())
        {
            const bool isLater = PipelineTag::Unpack(task.tag).iteration >= change.iteration;
            EXPECT_EQ(isLater, task.start >= change.inForce);
        }
    }
    EXPECT_EQ(SumBytes(result, PipelineTag::LAYER_WEIGHTS), bytes);
}

TEST_P(PipelineReplan, UnderAConstantLoadThePlanChangesOnce)
{
    for (const char* monitor : {"oracle", "passive", "probe"})
    {
        SCOPED_TRACE(monitor);
        Pipeline pipeline = MakePipeline();
        pipeline.options.monitor = monitor;
        pipeline.options.loads = {MakeStep("device-2", 0.001, 0.3)};
        pipeline.options.Set("PipelineCoordinator::Iterations", 25);
        const auto result = pipeline.Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        EXPECT_EQ(result.planChanges.size(), 1U);
        EXPECT_EQ(result.planChanges.front().iteration, 1U);
    }
}

TEST_P(PipelineReplan, AMoveThatDoesNotPayBackIsNotMade)
{
    Pipeline heavy = MakePipeline();
    for (auto& layer : heavy.problem.layers)
    {
        layer.parameterBytes = 12000000;
    }
    heavy.options.loads = {MakeStep("device-1", 4, 0.25)};
    heavy.options.Set("PipelineReplanner::ReplanHorizon", 1);
    const auto kept = heavy.Run();
    ASSERT_TRUE(kept.finished);
    EXPECT_EQ(kept.decisions.size(), 1U);
    EXPECT_EQ(kept.planChanges.size(), 0U);
    EXPECT_EQ(SumBytes(kept, PipelineTag::LAYER_WEIGHTS), 0U);
    heavy.options.Set("PipelineReplanner::ReplanHorizon", 10);
    EXPECT_EQ(heavy.Run().planChanges.size(), 1U);

    // One iteration is left, whatever the horizon.
    heavy.options.Set("PipelineCoordinator::Iterations", kept.decisions.front().iteration + 1);
    const auto late = heavy.Run();
    EXPECT_EQ(late.decisions.size(), 1U);
    EXPECT_EQ(late.planChanges.size(), 0U);
}

TEST_P(PipelineReplan, DevicesFullOfStagesExchangeThem)
{
    Pipeline pipeline = MakePipeline();
    pipeline.problem.optimizerStates = 2; // of which layers that move leave theirs behind
    const PipelineCostModel costs(pipeline.problem);
    pipeline.problem.devices.pop_back();
    for (auto& device : pipeline.problem.devices)
    {
        device.memoryBytes = 5 * costs.StageMemoryBytes(11, 11);
    }
    pipeline.plan.stages = {{0, 0, 4}, {1, 5, 9}, {2, 10, 11}};
    pipeline.options.loads = {MakeStep("device-0", 4, 0.3)};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    EXPECT_GE(result.planChanges.size(), 1U);
    ExpectConserved(pipeline, result);
    for (const auto& device : result.devices)
    {
        EXPECT_LE(device.peakMemoryBytes, device.memoryBytes);
    }
    // What is held when the last plan comes into force is what it needs between two iterations.
    std::map<uint32_t, uint64_t> held;
    for (const auto& sample : result.timeline->GetMemory())
    {
        if (sample.time <= result.planChanges.back().inForce)
        {
            held[sample.device] = sample.bytes;
        }
    }
    for (const auto& stage : result.planChanges.back().decision.plan.stages)
    {
        EXPECT_EQ(held[stage.device],
                  costs.CountMemory(stage.firstLayer, stage.lastLayer).residentBytes)
            << stage.device;
        held.erase(stage.device);
    }
    for (const auto& [device, bytes] : held)
    {
        EXPECT_EQ(bytes, 0U) << device;
    }
}

TEST_P(PipelineReplan, AnIdleDeviceThatDoesNotAnswerIsLeftOut)
{
    Pipeline pipeline = MakePipeline();
    pipeline.options.loads = {MakeStep("device-1", 4, 0.25)};
    pipeline.options.network.cutDevice = "device-4";
    pipeline.options.network.cutTime = Seconds(2);
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ASSERT_GE(result.planChanges.size(), 1U);
    for (const auto& change : result.planChanges)
    {
        EXPECT_EQ(change.state.shares[4], 0);
        for (const auto& stage : change.decision.plan.stages)
        {
            EXPECT_NE(stage.device, 4U);
        }
    }
}

TEST_P(PipelineReplan, ALinkLostDuringAMigrationIsNamed)
{
    Pipeline pipeline = MakePipeline();
    for (auto& layer : pipeline.problem.layers)
    {
        layer.parameterBytes = 5000000;
    }
    pipeline.options.loads = {MakeStep("device-1", 4, 0.25)};
    pipeline.options.Set("StallMonitor::Timeout", Seconds(5));
    const auto whole = pipeline.Run();
    ASSERT_EQ(whole.planChanges.size(), 1U) << ShowDiagnosis(whole);
    const auto& change = whole.planChanges.front();
    const auto& move = change.decision.moves.front();
    pipeline.options.network.cutDevice = pipeline.problem.devices[move.to].name;
    pipeline.options.network.cutTime = (change.decided + change.inForce) / 2;
    const auto result = pipeline.Run();
    EXPECT_FALSE(result.finished);
    const std::string name = "device-" + std::to_string(move.to);
    ExpectDiagnosis(
        result,
        {"device-0: coordinator waits for .*" + name +
             ".* to take on their stages of the plan for iteration " +
             std::to_string(change.iteration),
         name + ": stage [0-9] waits for the weights of [0-9]+ of [0-9]+ layers that it takes on",
         "device-" + std::to_string(move.from) + " -> " + name +
             ": layer-weights of layer [0-9]+, iteration " + std::to_string(change.iteration)});
}

TEST_P(PipelineReplan, ChargedPlanningDelaysTheChange)
{
    Pipeline pipeline = MakePipeline();
    pipeline.options.loads = {MakeStep("device-1", 4, 0.25)};
    const auto free = pipeline.Run();
    pipeline.options.Set("Replanner::FixedPlanningTime", MilliSeconds(500));
    const auto charged = pipeline.Run();
    ASSERT_EQ(free.planChanges.size(), 1U);
    ASSERT_EQ(charged.planChanges.size(), 1U);
    EXPECT_EQ(charged.planChanges[0].decided - free.planChanges[0].decided, MilliSeconds(500));
    EXPECT_EQ(Count(charged, PipelineTag::PLANNING), 1U);
    EXPECT_EQ(charged.usage.bubbleRates, free.usage.bubbleRates);
}

TEST_P(PipelineReplan, EveryIterationIsWholeUnderRandomLoads)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(7);
    std::size_t changes = 0;
    for (int run = 0; run < (std::string(GetParam()) == "flow" ? 40 : 6); ++run)
    {
        SCOPED_TRACE(run);
        Pipeline pipeline = MakePipeline(run % 3 == 2   ? "even"
                                         : run % 3 == 1 ? "dp-dgpas"
                                                        : "exact");
        pipeline.options.schedule = run % 2 == 0 ? "gpipe" : "1f1b";
        pipeline.options.monitor = run % 4 == 1 ? "passive" : "oracle";
        SetLaterRates(pipeline.options.network,
                      {{Seconds(random->GetValue(1, 10)), random->GetValue(5e6, 5e8)}});
        for (uint32_t device = 0; device < 5; ++device)
        {
            DeviceLoad load{"device-" + std::to_string(device), "", {}};
            for (int step = 0; step < 4; ++step)
            {
                load.steps.push_back(
                    {Seconds(step * random->GetValue(2, 5)), random->GetValue(0.1, 1)});
            }
            std::sort(load.steps.begin(), load.steps.end(), [](const auto& a, const auto& b) {
                return a.time < b.time;
            });
            pipeline.options.loads.push_back(load);
        }
        const auto result = pipeline.Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        ExpectConserved(pipeline, result);
        changes += result.planChanges.size();
    }
    EXPECT_GE(changes, 5U);
}

TEST(PipelineReplanning, PlansChangeWhileNeighboursHelp)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(8);
    for (const char* costs : {"full", "ideal"})
    {
        std::size_t changes = 0;
        uint64_t samples = 0;
        for (int run = 0; run < 30; ++run)
        {
            SCOPED_TRACE(run);
            Pipeline pipeline = MakePipeline();
            pipeline.options.network.fidelity = "flow";
            SetRate(pipeline.options.network, 1e9);
            pipeline.options.Set("AdjacentScheduler::AdjacentScheduling", true);
            pipeline.options.Set("AdjacentScheduler::AdjacentCosts", costs);
            for (uint32_t device = 0; device < 5; ++device)
            {
                const double when = random->GetValue(0.1, 8);
                pipeline.options.loads.push_back(
                    MakeStep("device-" + std::to_string(device), when, random->GetValue(0.2, 1)));
            }
            const auto result = pipeline.Run();
            ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
            ExpectConserved(pipeline, result);
            changes += result.planChanges.size();
            samples += result.assistance.samples;
        }
        EXPECT_GE(changes, 10U);
        EXPECT_GE(samples, 100U);
    }
}

TEST(PipelineReplanning, ConditionsOfALongRunAreSampledLessOften)
{
    Pipeline pipeline = MakePipeline();
    pipeline.options.network.fidelity = "flow";
    pipeline.options.loads = {MakeStep("device-1", 4, 0.25)};
    pipeline.options.conditionInterval = MicroSeconds(50);
    const auto result = pipeline.Run();
    ASSERT_GT(result.end, Seconds(5)); // at first as many as fit
    const auto& samples = result.conditions;
    EXPECT_LE(samples.size(), 100000U);
    EXPECT_GE(samples.size(), 50000U);
    const Time interval = samples[1].time;
    for (std::size_t i = 0; i < samples.size(); ++i)
    {
        ASSERT_EQ(samples[i].time, interval * static_cast<int64_t>(i));
        ASSERT_EQ(samples[i].shares.at(0), samples[i].time < Seconds(4) ? 1 : 0.25);
    }
    EXPECT_GT(samples.back().time + interval, result.end);
}

TEST(PipelineReplanning, WithoutChangesAnIterationTakesAsLongAsEver)
{
    Pipeline pipeline = MakePipeline();
    const auto watched = pipeline.Run();
    EXPECT_EQ(watched.decisions.size(), 0U);
    pipeline.options.replanner = nullptr;
    const auto plain = pipeline.Run();
    EXPECT_EQ(Count(plain, PipelineTag::ASK), 0U);
    EXPECT_EQ(Count(watched, PipelineTag::ASK), 1U); // device 4, at the start
    // Reports cost bytes, but no time that counts.
    EXPECT_NEAR(watched.GetMeanIterationSeconds() / plain.GetMeanIterationSeconds(), 1, 1e-3);
}

TEST(PipelineReplanning, AnIterationThatEndsWithoutNewsIsFollowedByTheNextAtOnce)
{
    Pipeline pipeline = MakePipeline();
    pipeline.options.network.fidelity = "flow";
    pipeline.options.network.Set("Delay", TimeValue(MilliSeconds(25)));
    pipeline.options.loads = {MakeStep("device-4", 6, 0.5)};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    // Device 4 says itself that it has got slower.
    ASSERT_EQ(result.decisions.size(), 1U);
    EXPECT_EQ(result.planChanges.size(), 0U);
    const uint32_t decided = result.decisions.front().iteration;
    for (std::size_t i = 1; i < result.iterations.size(); ++i)
    {
        const Time waited = result.iterations[i].start - result.iterations[i - 1].end;
        EXPECT_EQ(waited.IsZero(), i != decided) << i;
    }
}

TEST(PipelineReplanning, LoadThatTheFirstPlanWasMadeForIsNoNews)
{
    Pipeline pipeline = MakePipeline();
    pipeline.options.network.fidelity = "flow";
    pipeline.options.loads = {{"device-1", "", {{Time(), 0.25}}},
                              {"device-4", "", {{Time(), 0.5}}}};
    EXPECT_GT(pipeline.Run().decisions.size(), 0U);
    pipeline.options.shares = {1, 0.25, 1, 1, 0.5};
    EXPECT_EQ(pipeline.Run().decisions.size(), 0U);
}

TEST_P(PipelineReplan, AStageLeavesTheDeviceWhoseLinkFalls)
{
    Pipeline pipeline = MakePipeline("exact");
    auto& network = pipeline.options.network;
    network.fidelity = GetParam();
    pipeline.options.Set("PipelineCoordinator::Iterations", 16);
    NetworkOptions falling = network;
    SetLaterRates(falling, {{Seconds(6), 1e5}});
    network.groups = {
        {"", {"device-0", "device-1", "device-3", "device-4"}, network.groups.front().link},
        {"", {"device-2"}, falling.groups.front().link}};
    for (auto& device : pipeline.problem.devices)
    {
        device.uplinkBitsPerSecond = device.downlinkBitsPerSecond = 0.94e8;
    }
    pipeline.problem.bandwidthBitsPerSecond = 0.94e8;
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ASSERT_GE(result.planChanges.size(), 1U);
    const auto& last = result.planChanges.back();
    EXPECT_GT(last.decided, Seconds(6));
    for (const auto& stage : last.decision.plan.stages)
    {
        EXPECT_NE(stage.device, 2U);
    }
    // What is known of the others has not changed.
    EXPECT_NEAR(last.state.uplinks[4], 0.94e8, 1e6);
    EXPECT_LT(last.state.downlinks[2], 1.1e5);
    // Four devices go on as fast as they did, or faster.
    EXPECT_LT(GetLastIterations(result, 2), 1.4);
    // With one bandwidth for all, planners would put all on one device.
    EXPECT_EQ(last.decision.plan.stages.size(), 4U);
}
