// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "replan-fixture.h"

namespace
{

/** @return an unequal pipeline of 3 stages, 5 micro-batches and 3 iterations, on a slow chain */
Pipeline
ThreeIterations(const std::string& schedule)
{
    Pipeline pipeline({0.01, 0.03, 0.02}, {0.02, 0.05, 0.04}, 40000, 5);
    SetRate(pipeline.options.network, 1e8);
    pipeline.options.schedule = schedule;
    pipeline.options.Set("PipelineCoordinator::Iterations", 3);
    return pipeline;
}

} // namespace

using Accounting = BothFidelities;

INSTANTIATE_BOTH_FIDELITIES(Accounting);

TEST_P(Accounting, EveryStageRunsEveryMicroBatchOnceAndNoneBeforeTheLastIterationHasEnded)
{
    for (const char* schedule : {"gpipe", "1f1b"})
    {
        SCOPED_TRACE(schedule);
        const Pipeline pipeline = ThreeIterations(schedule);
        const auto result = pipeline.Run();
        ASSERT_EQ(result.iterations.size(), 3U);
        ExpectConserved(pipeline, result);
        for (std::size_t i = 1; i < 3; ++i)
        {
            EXPECT_GE(result.iterations[i].start, result.iterations[i - 1].end);
        }
        for (const auto& task : result.timeline->GetTasks())
        {
            const auto& span = result.iterations[PipelineTag::Unpack(task.tag).iteration];
            EXPECT_GE(task.start, span.start);
            EXPECT_LE(task.end, span.end);
        }
    }
}

TEST_P(Accounting, BytesMovedAreTensorsAndControlMessages)
{
    const auto result = ThreeIterations("gpipe").Run();
    ASSERT_TRUE(result.finished);
    uint64_t assignments = 0;
    uint64_t all = 0;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        if (transfer.from != transfer.to)
        {
            all += transfer.bytes;
            assignments += PipelineTag::Unpack(transfer.tag).kind == PipelineTag::ASSIGNMENT
                               ? transfer.bytes
                               : 0;
        }
    }
    // 3 iterations, 2 cuts, forward and backward, 5 micro-batches of 40 kB.
    const uint64_t tensors = 3 * 2 * 2 * 5 * 40000;
    // The coordinator is on device 0, so stages 1 and 2 report over the network: ready, and a
    // start and an end for each iteration. Two cuts are greeted across from both sides.
    const uint64_t notices = (2 * (1 + 2 * 3) + 2 * 2) * PIPELINE_NOTICE_BYTES;
    EXPECT_EQ(all, tensors + notices + assignments);
    EXPECT_EQ(result.bytesMoved, all);
    EXPECT_GT(assignments, 0U);
    EXPECT_EQ(Count(result, PipelineTag::ACTIVATIONS), 3U * 2 * 5);
    EXPECT_EQ(Count(result, PipelineTag::GRADIENTS), 3U * 2 * 5);
    EXPECT_EQ(Count(result, PipelineTag::ASSIGNMENT), 2U);
    EXPECT_EQ(Count(result, PipelineTag::READY), 2U);
    EXPECT_EQ(Count(result, PipelineTag::START), 6U);
    EXPECT_EQ(Count(result, PipelineTag::DONE), 6U);
    for (const auto& link : result.links)
    {
        EXPECT_GT(link.bytes, 3U * 5 * 40000) << link.name;
        EXPECT_LT(link.bytes, 1.1 * 3 * 5 * 40000 + 20000) << link.name;
    }
}

TEST_P(Accounting, ATensorUsedLaterCrossesEveryCutOnTheWayOnce)
{
    // The output of layer 0 is used by layers 1 and 2: cut 0 carries it, cut 1 carries both.
    Pipeline pipeline({0.01, 0.01, 0.01}, {0.01, 0.01, 0.01}, 1000, 2);
    pipeline.problem.layers[0].outputBytes = 7000;
    pipeline.problem.layers[2].inputs = {0, 1};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished);
    std::map<std::pair<uint32_t, uint32_t>, std::set<uint64_t>> sizes;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        const auto kind = PipelineTag::Unpack(transfer.tag).kind;
        if (kind == PipelineTag::ACTIVATIONS || kind == PipelineTag::GRADIENTS)
        {
            sizes[{transfer.from, transfer.to}].insert(transfer.bytes);
        }
    }
    EXPECT_EQ((sizes[{0, 1}]), std::set<uint64_t>{7000});
    EXPECT_EQ((sizes[{1, 0}]), std::set<uint64_t>{7000});
    EXPECT_EQ((sizes[{1, 2}]), std::set<uint64_t>{8000});
    EXPECT_EQ((sizes[{2, 1}]), std::set<uint64_t>{8000});
}

TEST_P(Accounting, StagesMaySitOnAnyDevices)
{
    Pipeline pipeline({0.01, 0.03}, {0.02, 0.05}, 40000, 3);
    pipeline.problem.devices.push_back({"unused", "some", 1000});
    pipeline.problem.devices.push_back({"far", "some", 1000000000});
    pipeline.plan.stages = {{3, 0, 0}, {1, 1, 1}};
    SetKind(pipeline.options.network, "lan");
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished);
    EXPECT_EQ(result.devices[0].stage, -1);
    EXPECT_EQ(result.devices[1].stage, 1);
    EXPECT_EQ(result.devices[2].stage, -1);
    EXPECT_EQ(result.devices[3].stage, 0);
    for (const auto& task : result.timeline->GetTasks())
    {
        EXPECT_TRUE(task.device == 1 || task.device == 3);
    }
}
