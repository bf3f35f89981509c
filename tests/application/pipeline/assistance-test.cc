// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"

namespace
{

/// Share by which simulation and closed form may differ.
constexpr double MARGIN = 0.001;

/// Two stages of equal work, the second on a device that is faster by a factor; tensors of next to
/// no bytes.
/// @return the pipeline, with help as in the paper and one checkpoint per task
Pipeline
TwoStages(double factor, uint32_t microBatches)
{
    Pipeline pipeline({1, 1}, {2, 2}, 2000, microBatches);
    pipeline.problem.devices[1].type = "fast";
    pipeline.problem.costs["fast"] = {{1 / factor, 1 / factor}, {2 / factor, 2 / factor}};
    pipeline.options.microBatchSamples = 1000;
    pipeline.options.Set("AdjacentScheduler::AdjacentScheduling", true);
    pipeline.options.Set("AdjacentScheduler::AdjacentCosts", "ideal");
    pipeline.options.Set("AdjacentScheduler::Checkpoints", 1);
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
  protected:
    static void Set(const std::string& attribute, const std::string& value)
    {
        Config::SetDefault("ns3::edgepipe::AdjacentScheduler::" + attribute, StringValue(value));
    }
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
    Set("Eligibility", "awaited");
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
            EXPECT_NEAR(start, assist.granted, assist.granted * MARGIN + 0.003);
            EXPECT_NEAR(seconds / assist.secondsEach, assist.samples, 1);
        }
        EXPECT_EQ(result.assistance.grants, 3U);
        const double expected = f0 + 3 * f1 + 2;
        EXPECT_NEAR(result.GetMeanIterationSeconds(), expected, expected * MARGIN);
        EXPECT_NEAR((own.end - own.start).GetSeconds(), f0, f0 * MARGIN);
    }
}

TEST_P(Assistance, ADeviceThatHasFinishedTakesHalfOfWhatIsLeft)
{
    // As above, and stage 0's backward pass is the fourth to be shared: at its checkpoint, 1 s
    // before its end, stage 1 gets A = 500 k / (k + 1), which leaves 1 / (k + 1) s.
    Set("Eligibility", "idle");
    for (const double k : {1.0, 4.0})
    {
        SCOPED_TRACE(k);
        const auto result = TwoStages(k, 1).Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        const double f0 = 0.5 + 0.5 / (k + 1);
        const double f1 = 0.5 / k + 0.5 / (k + 1);
        const double expected = f0 + 3 * f1 + 1 + 1 / (k + 1);
        EXPECT_EQ(result.assistance.grants, 4U);
        EXPECT_NEAR(result.GetMeanIterationSeconds(), expected, expected * MARGIN + 0.003);
    }
}

TEST_P(Assistance, ADeviceThatWaitsForTheWireTakesNoMoreThanAMultipleOfItsWait)
{
    // Stage 0 takes 4 ms a sample on either device, its tensors 1 s. The first checkpoint is after
    // 0.5 s: 875 samples are left, half of which take until 2.25 s. Then the tensor is on the wire,
    // and stage 0's next checkpoint, in micro-batch 1, is 0.5 s before it arrives.
    Pipeline pipeline({4, 0.1}, {4, 0.1}, 5000000, 2);
    SetRate(pipeline.options.network, 4e7);
    pipeline.problem.bandwidthBitsPerSecond = 4e7;
    pipeline.options.microBatchSamples = 1000;
    pipeline.options.Set("AdjacentScheduler::AdjacentScheduling", true);
    pipeline.options.Set("AdjacentScheduler::AdjacentCosts", "ideal");
    pipeline.options.Set("AdjacentScheduler::Checkpoints", 7);
    const auto runPart = [&pipeline] {
        const auto result = pipeline.Run();
        EXPECT_TRUE(result.finished) << ShowDiagnosis(result);
        TaskSpan part = FindTask(result, PipelineTag::ASSIST_FORWARD, 1, 1);
        const Time begin = FindTask(result, PipelineTag::FORWARD, 0, 0).start;
        part.start -= begin;
        part.end -= begin;
        return part;
    };
    Set("Eligibility", "waiting");
    for (const double multiple : {1.0, 2.0})
    {
        SCOPED_TRACE(multiple);
        Set("WaitMultiple", std::to_string(multiple));
        const TaskSpan part = runPart();
        EXPECT_NEAR(part.start.GetSeconds(), 2.75, 0.03);
        EXPECT_NEAR((part.end - part.start).GetSeconds(), multiple * 0.5, 0.02);
    }
    // Without the rule the wait for the wire is idle.
    Set("Eligibility", "awaited");
    EXPECT_GT(runPart().start, Seconds(3.25));
}

TEST_P(Assistance, NoMoreIsTakenThanFitsTheMemory)
{
    // 50,000 bytes are free on device 1 as it asks, and a sample of stage 0 keeps 500. With the
    // output that the loss keeps, device 1's own pass needs them all.
    Pipeline pipeline = TwoStages(1, 1);
    pipeline.problem.layers[1].activationBytes -= pipeline.problem.layers[1].outputBytes;
    pipeline.problem.layers[0].activationBytes = 500000;
    pipeline.problem.devices[1].memoryBytes = 52000 + 2 * pipeline.problem.layers[0].outputBytes;
    for (const bool isBound : {false, true})
    {
        Set("BoundByMemory", isBound ? "true" : "false");
        const auto result = pipeline.Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        const auto task = FindTask(result, PipelineTag::ASSIST_FORWARD, 0, 1);
        EXPECT_NEAR((task.end - task.start).GetSeconds(), isBound ? 0.1 : 0.25, 0.001);
    }
}

TEST_P(Assistance, APartPaysWhatIsFixedOfAPass)
{
    // Of stage 0's second, 0.2 s are fixed. At its half 625 samples of 0.8 ms are left, and
    // 0.2 + 0.0008 A = 0.0008 (625 - A) gives A = 187.5.
    Pipeline pipeline = TwoStages(1, 1);
    for (auto& [type, costs] : pipeline.problem.costs)
    {
        costs.fixedSeconds = {0.2, 0.2};
    }
    Set("PartsPayFixed", "true");
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    const auto task = FindTask(result, PipelineTag::ASSIST_FORWARD, 0, 1);
    EXPECT_NEAR((task.end - task.start).GetSeconds(), 0.35, 0.001);
    const auto own = FindTask(result, PipelineTag::FORWARD, 0, 0);
    EXPECT_NEAR((own.end - own.start).GetSeconds(), 0.85, 0.001);
}

TEST_P(Assistance, ARequestThatIsChargedForSaysOnlyWhatItsReceiverCanGrant)
{
    // Of each further stage there is "0 " for two passes, and for what is fixed of them.
    const auto getMostBytes = [](uint32_t stages) {
        const std::vector<double> seconds(stages, 1.0 / 7);
        Pipeline pipeline(seconds, seconds, 2000, 2);
        pipeline.options.Set("AdjacentScheduler::AdjacentScheduling", true);
        const auto result = pipeline.Run();
        uint64_t most = 0;
        for (const auto& transfer : result.timeline->GetTransfers())
        {
            const bool isRequest = PipelineTag::Unpack(transfer.tag).kind == PipelineTag::REQUEST;
            most = std::max(most, isRequest ? transfer.bytes : 0);
        }
        return most;
    };
    EXPECT_GT(getMostBytes(3), 50U);
    EXPECT_LE(getMostBytes(8), getMostBytes(3) + 5 * 4 * 2);
}
