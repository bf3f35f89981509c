// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-fixture.h"
#include "planner/pipeline/pipeline-oracle.h"
#include "planner/pipeline/quick-planner.h"
#include "planner/pipeline/random-pipeline-problem.h"

namespace
{

/// Of a stage of EqualStages: weights, gradients, and a tensor that comes and one that goes.
constexpr uint64_t RESIDENT = 2 * 1000 + 2 * 2000;

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
                      RESIDENT + std::min(stages - r, microBatches) *
                                     (50000 + (r + 1 == stages ? 2000 : 0)))
                << "the loss keeps the output";
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
        EXPECT_EQ(between, RESIDENT);
        EXPECT_EQ(last, 0U);
    }
}

TEST_P(Memory, AStageWhoseWeightsDoNotFitIsRefusedByName)
{
    Pipeline pipeline = EqualStages(3, 4, "gpipe");
    pipeline.problem.devices[1].memoryBytes = RESIDENT - 1;
    const auto result = pipeline.Run();
    EXPECT_FALSE(result.finished);
    EXPECT_TRUE(result.iterations.empty());
    EXPECT_TRUE(result.timeline->GetTasks().empty());
    ASSERT_EQ(result.diagnosis.size(), 1U);
    EXPECT_EQ(result.diagnosis[0],
              "stage 1: weights, gradients, optimizer and tensors at work need 6000 bytes, 5999 of "
              "5999 are free");
    EXPECT_LT(result.end, Seconds(1)) << "it need not wait for the time-out";
}

TEST_P(Memory, ActivationsThatNeverFitAreNamed)
{
    // GPipe runs no backward pass before the last forward pass, so nothing is ever given back.
    Pipeline pipeline = EqualStages(3, 4, "gpipe");
    pipeline.problem.devices[1].memoryBytes = RESIDENT + 2 * 50000;
    pipeline.options.Set("StallMonitor::Timeout", Seconds(7));
    const auto result = pipeline.Run();
    EXPECT_FALSE(result.finished);
    ExpectDiagnosis(
        result,
        {"device-1: stage 1 waits for 50000 bytes of memory for the forward pass of micro-batch 2; "
         "106000 of 106000 are in use",
         "stage 2 waits for activations of micro-batch 2, iteration 0, from stage 1",
         "stage 0 waits for gradients of micro-batch 0"});
    EXPECT_GT(result.end, Seconds(7));
    EXPECT_LT(result.end, Seconds(8));
}

TEST(PipelineMemory, NoPlanOfAnyPlannerExceedsItInRandomRuns)
{
    const char* asked = std::getenv("EDGEPIPE_MEMORY_RUNS");
    const uint64_t runs = asked ? std::strtoull(asked, nullptr, 10) : 100;
    std::vector<std::string> planners;
    for (const auto& [name, learns] : FindPipelinePlanners())
    {
        if (!learns || EDGEPIPE_HAS_TORCH)
        {
            planners.push_back(name);
        }
    }
    const std::vector<std::string> schedules{"gpipe", "1f1b", "seq1f1b"};
    uint64_t full = 0;
    for (uint64_t seed = 0, done = 0; done < runs; ++seed)
    {
        PipelineProblem problem = MakeRandomProblem(seed);
        // Micro-batches have four parts under seq1f1b; and memory is short.
        for (auto& layer : problem.layers)
        {
            layer.outputBytes *= 4;
            layer.activationBytes *= 4;
        }
        for (auto& device : problem.devices)
        {
            device.memoryBytes *= 3;
        }
        const std::string planner = planners[seed % planners.size()];
        PipelinePlan plan;
        try
        {
            plan = MakeQuickPlanner(planner)->Plan(problem);
        }
        catch (const InputError&)
        {
            continue; // there is none, or it finds none
        }
        ++done;
        PipelineOptions options;
        options.network = FastChain();
        options.network.fidelity = "flow";
        options.schedule = schedules[seed % schedules.size()];
        options.Set("PipelineCoordinator::Iterations", 1);
        const auto result = RunPipelineTraining(problem, plan, options);
        const std::string what = planner + ", seed " + std::to_string(seed);
        ASSERT_TRUE(result.finished) << what << ": " << ShowDiagnosis(result);
        for (const auto& [device, first, last, group] : plan.stages)
        {
            const uint64_t peak = result.devices[device].peakMemoryBytes;
            const uint64_t capacity = problem.devices[device].memoryBytes;
            EXPECT_LE(peak, capacity) << what;
            if (options.schedule == "gpipe")
            {
                EXPECT_EQ(peak, PipelineOracle(problem).CountMemory(first, last)) << what;
            }
            full += 10 * peak > 9 * capacity;
        }
    }
    EXPECT_GT(full, runs / 20) << "memory has to matter";
}
