// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "planner/pipeline/random-pipeline-problem.h"
#include "replan-fixture.h"
#include "runs/network-probe.h"

namespace
{

constexpr uint64_t TIED = 200000; //!< bytes of weights that the first layer and the last one use

/** @return three stages, of which the last uses weights of the first */
Pipeline
TieFirstToLast()
{
    Pipeline pipeline({0.01, 0.03, 0.02}, {0.02, 0.05, 0.04}, 40000, 4);
    pipeline.problem.layers[0].parameterBytes = TIED + 5000;
    pipeline.problem.layers[2].tied = {{0, TIED}};
    pipeline.options.Set("PipelineCoordinator::Iterations", 3);
    return pipeline;
}

/** @return gradients of tied weights, bytes by sender */
std::map<uint32_t, uint64_t>
SumTied(const PipelineTrainingResult& result)
{
    std::map<uint32_t, uint64_t> sums;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        if (IsTiedPort(TensorSocket::GetJobPort(transfer.port)) &&
            DataParallelTag::Unpack(transfer.tag).kind == DataParallelTag::GRADIENTS)
        {
            sums[transfer.from] += transfer.bytes;
        }
    }
    return sums;
}

} // namespace

using TiedWeightsRun = BothFidelities;

INSTANTIATE_BOTH_FIDELITIES(TiedWeightsRun);

TEST_P(TiedWeightsRun, StagesSumTheirGradientsBeforeTheyUpdate)
{
    for (const char* schedule : {"gpipe", "1f1b", "seq1f1b"})
    {
        SCOPED_TRACE(schedule);
        Pipeline pipeline = TieFirstToLast();
        pipeline.options.schedule = schedule;
        pipeline.options.memoryBandwidthBytesPerSecond["some"] = 1e9;
        const auto result = pipeline.Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        const std::map<uint32_t, uint64_t> each{{0, 3 * TIED}, {2, 3 * TIED}};
        EXPECT_EQ(SumTied(result), each);
        std::map<std::pair<uint32_t, uint32_t>, Time> summed; // by iteration and receiver
        for (const auto& transfer : result.timeline->GetTransfers())
        {
            if (IsTiedPort(TensorSocket::GetJobPort(transfer.port)))
            {
                const uint32_t iteration = DataParallelTag::Unpack(transfer.tag).iteration;
                Time& last = summed[{iteration, transfer.to}];
                last = std::max(last, transfer.end);
            }
        }
        for (const auto& task : result.timeline->GetTasks())
        {
            const PipelineTag tag = PipelineTag::Unpack(task.tag);
            if (tag.kind == PipelineTag::UPDATE && task.device != 1)
            {
                EXPECT_GE(task.start, summed.at({tag.iteration, task.device}));
                // Weights of its own and those of the first stage.
                const double passes = 3 * (task.device == 0 ? TIED + 5000 : TIED + 1000);
                EXPECT_NEAR((task.end - task.start).GetSeconds(), passes / 1e9, 1e-6);
            }
        }
    }
}

TEST_P(TiedWeightsRun, TakeMemoryOnBothStagesAndTheTimeThatIsPredicted)
{
    Pipeline pipeline = TieFirstToLast();
    pipeline.problem.optimizerStates = 1;
    SetRate(pipeline.options.network, 1e8);
    pipeline.problem.bandwidthBitsPerSecond =
        MeasureBandwidth(pipeline.options.network, {"device-0", "device-1", "device-2"});
    const auto tied = pipeline.Run();
    const double predicted = PipelineCostModel(pipeline.problem).IterationSeconds(pipeline.plan);
    pipeline.problem.layers[2].tied.clear();
    const auto apart = pipeline.Run();
    ASSERT_TRUE(tied.finished && apart.finished);
    EXPECT_EQ(tied.devices[2].peakMemoryBytes, apart.devices[2].peakMemoryBytes + 3 * TIED);
    EXPECT_EQ(tied.devices[0].peakMemoryBytes, apart.devices[0].peakMemoryBytes);
    EXPECT_GE(tied.bytesMoved, apart.bytesMoved + 3 * 2 * TIED);
    EXPECT_LT(tied.bytesMoved, apart.bytesMoved + 3 * 2 * TIED + 1000) << "hellos and assignments";
    const double more = tied.GetMeanIterationSeconds() - apart.GetMeanIterationSeconds();
    EXPECT_NEAR(more, 8 * TIED / pipeline.problem.bandwidthBitsPerSecond, 0.15 * more);
    EXPECT_NEAR(tied.GetMeanIterationSeconds(), predicted, 0.05 * predicted);
}

TEST_P(TiedWeightsRun, MoveToTheDeviceThatUsesThemNext)
{
    Pipeline pipeline = MakePipeline();
    pipeline.problem.layers[11].tied = {{0, 60000}};
    pipeline.options.loads = {MakeStep("device-3", 4, 0.25)};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ASSERT_EQ(result.planChanges.size(), 1U);
    const auto& change = result.planChanges.front();
    uint64_t tied = 0;
    for (const LayerMove& move : change.decision.moves)
    {
        tied += move.layer == 0 ? move.bytes : 0;
    }
    EXPECT_EQ(tied, 60000U) << "the last stage has another device, the first one has not";
    uint64_t sent = 0;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        const bool isMigration = TensorSocket::GetJobPort(transfer.port) == PIPELINE_WEIGHTS_PORT;
        sent += isMigration ? transfer.bytes : 0;
    }
    EXPECT_EQ(sent, change.decision.moveBytes);
    uint64_t summed = 0;
    for (const auto& [device, bytes] : SumTied(result))
    {
        summed += bytes;
    }
    EXPECT_EQ(summed, 2 * 60000 * result.iterations.size());
}

TEST_P(TiedWeightsRun, GoWithHelpFromNeighbours)
{
    Pipeline pipeline = TieFirstToLast();
    pipeline.options.Set("AdjacentScheduler::AdjacentScheduling", true);
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    EXPECT_EQ(SumTied(result).at(0), 3 * TIED);
    EXPECT_EQ(SumTied(result).at(2), 3 * TIED);
}

TEST_P(TiedWeightsRun, AreRefusedWhereTheyDoNotFitTheStageThatUsesThem)
{
    Pipeline pipeline = TieFirstToLast();
    pipeline.problem.devices[2].memoryBytes = 2 * TIED;
    EXPECT_NE(ErrorOf([&] { PipelineCostModel(pipeline.problem).CheckPlan(pipeline.plan); }), "");
    pipeline.problem.devices[2].memoryBytes = 1000000000;
    pipeline.options.Set("PipelineCoordinator::ShareCuts", true);
    const std::string error = ErrorOf([&] { pipeline.Run(); });
    EXPECT_NE(error.find("found tied weights"), std::string::npos) << error;
}
