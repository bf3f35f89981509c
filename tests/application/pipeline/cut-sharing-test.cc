// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"
#include "planner/pipeline/random-pipeline-problem.h"

namespace
{

/** @return 3 layers of 1 s a pass each, the first two on one device, the third on another */
Pipeline
MakeUneven()
{
    Pipeline pipeline({1, 1, 1}, {1, 1, 1}, 1000, 4);
    pipeline.plan.stages = {{0, 0, 1}, {1, 2, 2}};
    pipeline.problem.bandwidthBitsPerSecond = 0.94 * GetRate(pipeline.options.network);
    pipeline.options.microBatchSamples = 32;
    return pipeline;
}

/// @return the training that it stands for
PipelineJob
MakeJob(const Pipeline& pipeline)
{
    PipelineJob job;
    job.problem = std::make_shared<PipelineProblem>(pipeline.problem);
    job.schedule = pipeline.options.schedule;
    job.microBatchSamples = pipeline.options.microBatchSamples;
    job.memoryBandwidthBytesPerSecond = pipeline.options.memoryBandwidthBytesPerSecond;
    for (std::size_t i = 0; i < pipeline.problem.devices.size(); ++i)
    {
        job.nodes.push_back(i);
    }
    return job;
}

/// @param isJoint whether stages share the layers at their cuts
/// @return what comes of it
PipelineTrainingResult
RunWith(Pipeline pipeline, bool isJoint)
{
    pipeline.options.Set("PipelineCoordinator::ShareCuts", isJoint);
    const auto result = pipeline.Run();
    EXPECT_TRUE(result.finished) << ShowDiagnosis(result);
    return result;
}

/// @return 2 to 6 stages of 1 to 5 layers on devices whose speeds differ by up to 4
Pipeline
DrawPipeline(uint64_t seed)
{
    Draws draws(seed);
    const auto spread = [&draws](double least, double most) {
        return least * std::pow(most / least, draws.Unit());
    };
    std::vector<uint32_t> counts(draws.Integer(2, 6));
    uint32_t layers = 0;
    for (uint32_t& count : counts)
    {
        count = draws.Integer(1, 5);
        layers += count;
    }
    LayerSeconds costs;
    for (uint32_t i = 0; i < layers; ++i)
    {
        costs.forwardSeconds.push_back(spread(0.01, 0.1));
        costs.backwardSeconds.push_back(costs.forwardSeconds.back() * spread(1, 3));
        costs.fixedSeconds.push_back(0.2 * draws.Unit() * costs.forwardSeconds.back());
    }
    Pipeline pipeline(costs.forwardSeconds, costs.backwardSeconds, 0, draws.Integer(1, 8));
    auto& problem = pipeline.problem;
    auto& options = pipeline.options;
    for (auto& layer : problem.layers)
    {
        layer.outputBytes = spread(1e3, 1e6);
        layer.parameterBytes = spread(1e3, 1e7);
        layer.activationBytes = spread(1e3, 1e6);
    }
    problem.costs.clear();
    problem.devices.resize(counts.size());
    pipeline.plan.stages.clear();
    std::size_t first = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
        auto& device = problem.devices[i];
        device.type = "type-" + std::to_string(i);
        const double factor = spread(1, 4);
        auto& own = problem.costs[device.type] = costs;
        for (auto* seconds : {&own.forwardSeconds, &own.backwardSeconds, &own.fixedSeconds})
        {
            for (double& each : *seconds)
            {
                each *= factor;
            }
        }
        options.memoryBandwidthBytesPerSecond[device.type] = 1e10;
        pipeline.plan.stages.push_back({i, first, first + counts[i] - 1});
        device.memoryBytes = draws.Unit() < 0.5 ? 0 : spread(1e5, 1e8);
        first += counts[i];
    }
    const PipelineCostModel memory(problem);
    for (const auto& [device, begin, last, group] : pipeline.plan.stages)
    {
        // Parts of micro-batches are rounded up.
        problem.devices[device].memoryBytes +=
            memory.StageMemoryBytes(begin, last) + 8 * (problem.microBatches + 1);
    }
    const char* schedules[] = {"gpipe", "1f1b", "seq1f1b"};
    options.schedule = schedules[draws.Integer(0, 2)];
    options.Set("PipelineCoordinator::Iterations", draws.Integer(1, 2));
    options.microBatchSamples = draws.Integer(4, 64);
    options.network.fidelity = draws.Unit() < 0.8 ? "flow" : "packet";
    SetRate(options.network, spread(1e9, 1e11));
    problem.bandwidthBitsPerSecond = 0.94 * GetRate(options.network);
    return pipeline;
}

/// Checks that what a stage sends from its last gradient on does not leave together.
void
ExpectOneTensorAtATimeAtTheEnd(const Timeline& timeline)
{
    // By iteration and sender: when the last gradient, or what followed it, had arrived.
    std::map<std::pair<uint32_t, uint32_t>, Time> over;
    std::vector<TransferSpan> transfers = timeline.GetTransfers();
    std::sort(transfers.begin(), transfers.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    for (const auto& transfer : transfers)
    {
        const auto tag = PipelineTag::Unpack(transfer.tag);
        Time& end = over[{tag.iteration, transfer.from}];
        if (tag.kind == PipelineTag::WEIGHT_GRADIENTS)
        {
            EXPECT_GE(transfer.start, end);
        }
        if (tag.kind == PipelineTag::WEIGHT_GRADIENTS || tag.kind == PipelineTag::GRADIENTS)
        {
            end = std::max(end, transfer.end);
        }
    }
}

using CutSharingRun = BothFidelities;

} // namespace

INSTANTIATE_BOTH_FIDELITIES(CutSharingRun);

TEST_P(CutSharingRun, HalfOfTheSamplesCrossALayerEarlier)
{
    Pipeline pipeline = MakeUneven();
    // 10 Mbyte of gradients, 8 ms and what TCP adds.
    pipeline.problem.layers[1].parameterBytes = 10000000;
    pipeline.problem.layers[2].parameterBytes = 10000000;
    pipeline.options.memoryBandwidthBytesPerSecond["some"] = 1e9; // three times, a layer's update
    const double update = 0.03;
    SetRate(pipeline.options.network, 1e10);
    pipeline.problem.bandwidthBitsPerSecond = 0.94e10;
    const PipelineJob job = MakeJob(pipeline);
    const CutSharing sharing(job, pipeline.plan);
    const auto cuts = sharing.Solve().cuts;
    ASSERT_EQ(cuts.size(), 1U);
    EXPECT_EQ(cuts[0].firstLayer, 1U);
    EXPECT_EQ(cuts[0].samples, 16U);
    // 4 and once more 1.5 s forward, as much backward, in place of 4 times 2 and 1.
    const double merge = 8e7 / pipeline.problem.bandwidthBitsPerSecond;
    const double seconds = 15 + merge + 2 * update;
    EXPECT_NEAR(sharing.GetIterationSeconds({{}}), 18 + update, 1e-5);
    EXPECT_NEAR(sharing.GetIterationSeconds(cuts), seconds, 1e-5);
    EXPECT_NEAR(RunWith(pipeline, false).GetMeanIterationSeconds(), 18 + update, 0.001);
    const auto with = RunWith(pipeline, true);
    EXPECT_NEAR(with.GetMeanIterationSeconds(), seconds, 0.001);
    // Either device sends the other the gradients of the layer that both hold.
    EXPECT_EQ(Count(with, PipelineTag::WEIGHT_GRADIENTS), 2U);
    const uint64_t tensor = pipeline.problem.layers[0].outputBytes; // the loss keeps the last one
    EXPECT_EQ(with.devices[1].peakMemoryBytes,
              2 * 20000000U + 2 * tensor + 4 * (50000U + 25000U + tensor));
    // The second one's are under way 1.5 s earlier, to one with a layer to update.
    for (const std::size_t slow : {0, 1})
    {
        Pipeline uneven = pipeline;
        uneven.problem.devices[slow].uplinkBitsPerSecond =
            pipeline.problem.bandwidthBitsPerSecond / 1000;
        const PipelineJob other = MakeJob(uneven);
        EXPECT_NEAR(CutSharing(other, uneven.plan).GetIterationSeconds(cuts),
                    15 - 1.5 * slow + 1000 * merge + (2 - slow) * update,
                    0.01);
    }
}

TEST_P(CutSharingRun, WorkMovesAlongSeveralStagesAtOnce)
{
    // Stages of 2, 2 and 1 s a pass. Moving either cut for some samples leaves a stage with 2 s or
    // more; both together make it 54/32 s at most: 10 or 11 samples cross the first cut a layer
    // earlier, 10 or 11 more the second one.
    Pipeline pipeline({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 1000, 4);
    pipeline.plan.stages = {{0, 0, 1}, {1, 2, 3}, {2, 4, 4}};
    pipeline.problem.bandwidthBitsPerSecond = 0.94 * GetRate(pipeline.options.network);
    pipeline.options.microBatchSamples = 32;
    const PipelineJob job = MakeJob(pipeline);
    const CutSharing sharing(job, pipeline.plan);
    const auto cuts = sharing.Solve().cuts;
    EXPECT_GE(cuts[1].samples, cuts[0].samples + 10);
    EXPECT_NEAR(sharing.GetIterationSeconds({{}, {}}), 2 * (5 + 3 * 2), 1e-5);
    const double seconds = 2 * (5 + 3 * 54.0 / 32);
    EXPECT_NEAR(sharing.GetIterationSeconds(cuts), seconds, 1e-5);
    EXPECT_NEAR(RunWith(pipeline, true).GetMeanIterationSeconds(), seconds, 0.001);
}

TEST(CutSharing, WhatIsFixedIsPaidByBoth)
{
    Pipeline pipeline = MakeUneven();
    pipeline.problem.costs["some"].fixedSeconds = {0, 0.25, 0};
    const PipelineJob job = MakeJob(pipeline);
    const CutSharing sharing(job, pipeline.plan);
    // 1 + 0.25 + 0.75 / 2 s either, a pass.
    EXPECT_NEAR(sharing.GetIterationSeconds({{1, 16}}), 2 * 5 * 1.625, 1e-5);
}

TEST(CutSharing, NothingIsSharedThatDoesNotFitOrDoesNotPay)
{
    Pipeline pipeline = MakeUneven();
    auto& memory = pipeline.problem.devices[1].memoryBytes;
    // The loss keeps the output of four micro-batches.
    const uint64_t resident = 2 * 2000 + (2 + 4) * pipeline.problem.layers[0].outputBytes;
    memory = resident + 4 * (50000 + 50000 / 16); // of two samples of the layer
    const auto solve = [&pipeline] {
        const PipelineJob job = MakeJob(pipeline);
        return CutSharing(job, pipeline.plan).Solve().cuts[0].samples;
    };
    EXPECT_EQ(solve(), 2U);
    --memory;
    EXPECT_EQ(solve(), 1U);
    memory = resident + 4 * (50000 + 50000 / 32);
    EXPECT_EQ(solve(), 0U);
    memory = 1000000000;
    EXPECT_EQ(solve(), 16U);
    // 3 s are to be gained, and the gradients would take 4.
    pipeline.problem.layers[1].parameterBytes = pipeline.problem.bandwidthBitsPerSecond / 2;
    pipeline.problem.devices[0].memoryBytes = memory = uint64_t{1} << 40;
    EXPECT_EQ(solve(), 0U);
}

TEST(CutSharing, TheDecisionIsPaidForBeforeTheFirstIteration)
{
    Pipeline pipeline = MakeUneven();
    const PipelineJob job = MakeJob(pipeline);
    const double seconds = 4e-8 * CutSharing(job, pipeline.plan).Solve().passes;
    EXPECT_GT(seconds, 1e-5);
    const auto with = RunWith(pipeline, true);
    EXPECT_NEAR(with.sharingSeconds, seconds, 1e-12);
    const auto without = RunWith(pipeline, false);
    const Time begin = with.iterations.front().start - without.iterations.front().start;
    EXPECT_NEAR(begin.GetSeconds(), seconds, 1e-7);
}

TEST(CutSharing, TakesSharesThatAreGiven)
{
    Pipeline pipeline = MakeUneven();
    const PipelineJob job = MakeJob(pipeline);
    const CutSharing sharing(job, pipeline.plan);
    const std::string name = pipeline.problem.layers[1].name;
    pipeline.options.Set("PipelineCoordinator::SharedCuts", "0:" + name + ":8");
    const auto with = RunWith(pipeline, true);
    EXPECT_EQ(with.sharingSeconds, 0);
    EXPECT_EQ(with.sharedCuts[0].firstLayer, 1U);
    EXPECT_EQ(with.sharedCuts[0].samples, 8U);
    // 4 times 1.75 s and once 1.25 s, forward and backward.
    EXPECT_NEAR(sharing.GetIterationSeconds({{1, 8}}), 2 * (4 * 1.75 + 1.25), 1e-5);
    EXPECT_NEAR(with.GetMeanIterationSeconds(), 2 * (4 * 1.75 + 1.25), 0.001);
    for (const std::string& wrong :
         std::vector<std::string>{"8",
                                  "0:" + name,
                                  "1:" + name + ":8",
                                  "0:" + name + ":32",
                                  "0:" + pipeline.problem.layers[0].name + ":8",
                                  "0:nothing:8",
                                  "-1:" + name + ":8",
                                  "0:" + name + ":8,,"})
    {
        EXPECT_THROW(sharing.Read(wrong), InputError) << wrong;
    }
    pipeline.problem.devices[1].memoryBytes = 2 * 2000 + 4 * (50000 + 50000 / 4) - 1;
    const PipelineJob narrow = MakeJob(pipeline);
    EXPECT_THROW(CutSharing(narrow, pipeline.plan).Read("0:" + name + ":8"), InputError);
}

TEST(CutSharing, IsRefusedWherePlansChange)
{
    Pipeline pipeline = MakeUneven();
    pipeline.options.Set("PipelineCoordinator::ShareCuts", true);
    pipeline.options.replanner = FindByName<PipelinePlanner>("planner", "dp-dgpas");
    EXPECT_THROW(pipeline.Run(), InputError);
}

TEST(CutSharing, RandomRunsAreAsPredictedAndNoneIsSlower)
{
    uint32_t shared = 0;
    const char* asked = std::getenv("EDGEPIPE_ASSISTANCE_RUNS");
    const uint64_t runs = asked ? std::strtoull(asked, nullptr, 10) : 60;
    for (uint64_t seed = 1; seed <= runs; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Pipeline pipeline = DrawPipeline(seed);
        const PipelineJob job = MakeJob(pipeline);
        const CutSharing sharing(job, pipeline.plan);
        const auto cuts = sharing.Solve().cuts;
        const auto without = RunWith(pipeline, false);
        const auto with = RunWith(pipeline, true);
        const double before = without.GetMeanIterationSeconds();
        const double after = with.GetMeanIterationSeconds();
        EXPECT_LE(after, 1.005 * before);
        const bool isShared =
            std::any_of(cuts.begin(), cuts.end(), [](const auto& cut) { return cut.samples > 0; });
        shared += isShared;
        if (!isShared)
        {
            EXPECT_EQ(after, before);
            continue;
        }
        EXPECT_NEAR(after / sharing.GetIterationSeconds(cuts), 1, 0.05);
        // By iteration and stage, which is on the device of that number.
        std::map<std::pair<uint32_t, std::size_t>, Time> lastBackward;
        const auto& tasks = with.timeline->GetTasks();
        for (const auto& task : tasks)
        {
            const auto tag = PipelineTag::Unpack(task.tag);
            if (tag.kind == PipelineTag::BACKWARD)
            {
                lastBackward[{tag.iteration, task.device}] = task.end;
            }
        }
        for (const auto& task : tasks)
        {
            const auto tag = PipelineTag::Unpack(task.tag);
            for (std::size_t i = 0; i < cuts.size() && tag.kind == PipelineTag::UPDATE; ++i)
            {
                // All layers here have weights.
                if (cuts[i].samples > 0 && (task.device == i || task.device == i + 1))
                {
                    EXPECT_GE(task.start, (lastBackward[{tag.iteration, i}]));
                    EXPECT_GE(task.start, (lastBackward[{tag.iteration, i + 1}]));
                }
            }
        }
        ExpectOneTensorAtATimeAtTheEnd(*with.timeline);
        for (const auto& sample : with.timeline->GetMemory())
        {
            ASSERT_LE(sample.bytes, pipeline.problem.devices[sample.device].memoryBytes);
        }
    }
    EXPECT_GT(shared, runs / 3);
}
