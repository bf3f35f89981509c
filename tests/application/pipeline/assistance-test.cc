/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-fixture.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// Share by which simulation and closed form may differ.
constexpr double TOLERANCE = 0.001;

/**
 * Two stages of equal work, the second on a device that is faster by a factor; tensors of next to
 * no bytes.
 *
 * @param factor how much faster
 * @param microBatches how many, of 1000 samples
 * @return the pipeline, with help as in the paper and one checkpoint per task
 */
Pipeline
TwoStages(double factor, uint32_t microBatches)
{
    Pipeline pipeline({1, 1}, {2, 2}, 2000, microBatches);
    pipeline.problem.devices[1].type = "fast";
    pipeline.problem.costs["fast"] = {{1 / factor, 1 / factor}, {2 / factor, 2 / factor}};
    pipeline.options.microBatchSamples = 1000;
    pipeline.options.adjacent.enabled = true;
    pipeline.options.adjacent.costs = AdjacentCosts::IDEAL;
    pipeline.options.adjacent.checkpoints = 1;
    return pipeline;
}

/** @return the first task of a kind and a micro-batch on a device */
TaskSpan
FindTask(const PipelineTrainingResult& result,
         PipelineTag::Kind kind,
         uint32_t microBatch,
         uint32_t device)
{
    for (const auto& task : result.timeline->GetTasks())
    {
        const auto tag = PipelineTag::Unpack(task.tag);
        if (tag.kind == kind && tag.microBatch == microBatch && task.device == device)
        {
            return task;
        }
    }
    ADD_FAILURE() << "no such task";
    return {};
}

} // namespace

/** Runs at both fidelities. */
class Assistance : public BothFidelities
{
};

INSTANTIATE_BOTH_FIDELITIES(Assistance);

TEST_P(Assistance, TwoStagesFollowTheClosedForm)
{
    // Stage 0 takes 1 ms for a sample forward and 2 ms backward, stage 1 takes 1/k and 2/k ms; each
    // would take as long for the other's samples. A task's checkpoint is in its middle, where 500
    // samples are left, of which the helper gets A by equation 12.
    //  - Stage 0 forward: stage 1 waits from the beginning. A = 500 k / (k + 1) at 0.5 s, done
    //    (500 - A) ms later: at f0 = 0.5 + 0.5 / (k + 1).
    //  - Stage 1 forward: stage 0 waits for its gradients. A = 500 / (k + 1) after 0.5/k s, done
    //    (500 - A)/k ms later: in f1 = 0.5/k + 0.5 / (k + 1).
    //  - Stage 1 backward: likewise, in 2 f1.
    //  - Stage 0 backward: nobody waits. 2 s.
    for (const double k : {1.0, 1.5, 4.0, 9.0})
    {
        SCOPED_TRACE(k);
        const auto result = TwoStages(k, 1).Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        const auto own = FindTask(result, PipelineTag::FORWARD, 0, 0);
        const double begin = own.start.GetSeconds();
        const double f0 = 0.5 + 0.5 / (k + 1);
        const double f1 = 0.5 / k + 0.5 / (k + 1);

        struct Assist
        {
            PipelineTag::Kind kind; // of the task
            uint32_t device;        // of the helper
            double granted;         // when, seconds since the iteration began
            double samples;         // how many
            double secondsEach;     // for one of them
        };

        for (const Assist& assist : std::vector<Assist>{
                 {PipelineTag::ASSIST_FORWARD, 1, 0.5, 500 * k / (k + 1), 0.001 / k},
                 {PipelineTag::ASSIST_FORWARD, 0, f0 + 0.5 / k, 500 / (k + 1), 0.001},
                 {PipelineTag::ASSIST_BACKWARD, 0, f0 + f1 + 1 / k, 500 / (k + 1), 0.002}})
        {
            const auto task = FindTask(result, assist.kind, 0, assist.device);
            const double start = task.start.GetSeconds() - begin;
            const double seconds = (task.end - task.start).GetSeconds();
            // What has been rounded to whole samples before, of at most 2 ms, is on top.
            EXPECT_NEAR(start, assist.granted, assist.granted * TOLERANCE + 0.003);
            EXPECT_NEAR(seconds / assist.secondsEach, assist.samples, 1);
        }
        EXPECT_EQ(result.assistance.grants, 3U);
        const double expected = f0 + 3 * f1 + 2;
        EXPECT_NEAR(result.GetMeanIterationSeconds(), expected, expected * TOLERANCE);
        EXPECT_NEAR((own.end - own.start).GetSeconds(), f0, f0 * TOLERANCE);
    }
}
