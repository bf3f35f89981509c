// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-fixture.h"
#include "test.h"

namespace
{

/** @return a pipeline of equal stages, each with weights of 1000 and activations of 50000 bytes */
Pipeline
EqualStages(uint32_t stages, uint32_t microBatches, const std::string& schedule)
{
    Pipeline pipeline(std::vector<double>(stages, 0.01),
                      std::vector<double>(stages, 0.02),
                      2000,
                      microBatches);
    pipeline.options.schedule = schedule;
    pipeline.options.Set("PipelineCoordinator::Iterations", 2);
    return pipeline;
}

} // namespace

using Memory = BothFidelities;

INSTANTIATE_BOTH_FIDELITIES(Memory);

TEST_P(Memory, GpipeHoldsEveryMicroBatch)
{
    const auto result = EqualStages(4, 6, "gpipe").Run();
    ASSERT_TRUE(result.finished);
    for (const auto& device : result.devices)
    {
        EXPECT_EQ(device.peakMemoryBytes, 2 * 1000U + 6 * 50000) << device.name;
    }
}

TEST_P(Memory, OneForwardOneBackwardHoldsAsManyMicroBatchesAsStagesFollow)
{
    for (const uint32_t microBatches : {1, 2, 3, 4, 5, 12})
    {
        SCOPED_TRACE(microBatches);
        const uint32_t stages = 4;
        const auto result = EqualStages(stages, microBatches, "1f1b").Run();
        ASSERT_TRUE(result.finished);
        for (uint32_t r = 0; r < stages; ++r)
        {
            EXPECT_EQ(result.devices[r].peakMemoryBytes,
                      2 * 1000 + std::min(stages - r, microBatches) * 50000);
        }
    }
}

TEST_P(Memory, MemoryOverTimeReturnsToWeightsAndGradientsAndInTheEndToNothing)
{
    Pipeline pipeline = EqualStages(2, 3, "1f1b");
    // A weight update takes 3 ms, so that an iteration ends later than its last backward pass.
    pipeline.options.memoryBandwidthBytesPerSecond["some"] = 1e6;
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished);
    const auto& samples = result.timeline->GetMemory();
    ASSERT_FALSE(samples.empty());
    for (uint32_t device = 0; device < 2; ++device)
    {
        uint64_t between = 0;
        uint64_t last = 0;
        for (const auto& sample : samples)
        {
            if (sample.device == device)
            {
                between = sample.time < result.iterations[0].end ? sample.bytes : between;
                last = sample.bytes;
            }
        }
        EXPECT_EQ(between, 2000U);
        EXPECT_EQ(last, 0U);
    }
}

TEST_P(Memory, AStageWhoseWeightsDoNotFitIsRefusedByName)
{
    Pipeline pipeline = EqualStages(3, 4, "gpipe");
    pipeline.problem.devices[1].memoryBytes = 1999;
    const auto result = pipeline.Run();
    EXPECT_FALSE(result.finished);
    EXPECT_TRUE(result.iterations.empty());
    EXPECT_TRUE(result.timeline->GetTasks().empty());
    ASSERT_EQ(result.diagnosis.size(), 1U);
    EXPECT_EQ(result.diagnosis[0],
              "stage 1: weights and gradients need 2000 bytes, 1999 of 1999 are free");
    EXPECT_LT(result.end, Seconds(1)) << "it need not wait for the time-out";
}

TEST_P(Memory, ActivationsThatNeverFitAreNamed)
{
    // GPipe runs no backward pass before the last forward pass, so nothing is ever given back.
    Pipeline pipeline = EqualStages(3, 4, "gpipe");
    pipeline.problem.devices[1].memoryBytes = 2000 + 2 * 50000;
    pipeline.options.Set("StallMonitor::Timeout", Seconds(7));
    const auto result = pipeline.Run();
    EXPECT_FALSE(result.finished);
    const std::string text = ShowDiagnosis(result);
    EXPECT_NE(text.find("device-1: stage 1 waits for 50000 bytes of memory for the forward pass of "
                        "micro-batch 2; 102000 of 102000 are in use"),
              std::string::npos)
        << text;
    EXPECT_NE(
        text.find("stage 2 waits for activations of micro-batch 2, iteration 0, from stage 1"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("stage 0 waits for gradients of micro-batch 0"), std::string::npos) << text;
    EXPECT_GT(result.end, Seconds(7));
    EXPECT_LT(result.end, Seconds(8));
}

TEST_P(Memory, OneForwardOneBackwardFitsWhereGpipeDoesNot)
{
    Pipeline pipeline = EqualStages(3, 8, "1f1b");
    for (auto& device : pipeline.problem.devices)
    {
        device.memoryBytes = 2000 + 3 * 50000;
    }
    EXPECT_TRUE(pipeline.Run().finished);
    pipeline.options.schedule = "gpipe";
    EXPECT_FALSE(pipeline.Run().finished);
}
