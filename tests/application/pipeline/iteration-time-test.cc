// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"
#include "runs/network-probe.h"

namespace
{

/// Share by which simulation and closed form may differ.
constexpr double TOLERANCE = 0.01;

/// A tensor that takes next to no time on a fast chain, bytes.
constexpr uint64_t SMALL = 2000;

/** A pipeline whose iteration time was worked out by hand. */
struct TimeCase
{
    const char* name;             //!< what is special about it
    std::vector<double> forward;  //!< seconds, by stage
    std::vector<double> backward; //!< seconds, by stage
    uint32_t microBatches;        //!< M
    double iterationSeconds;      //!< sum(f) + (M-1) max(f) + sum(b) + (M-1) max(b)
};

/// GPipe's closed form with transfers: stages and the transfers between them serve M micro-batches
/// in a line.
/// @return seconds of an iteration
double
ClosedForm(const std::vector<double>& forward,
           const std::vector<double>& backward,
           double transfer,
           uint32_t microBatches)
{
    double total = 0;
    for (const auto* pass : {&forward, &backward})
    {
        for (const double seconds : *pass)
        {
            total += seconds;
        }
        total += (pass->size() - 1) * transfer;
        total +=
            (microBatches - 1) * std::max(*std::max_element(pass->begin(), pass->end()), transfer);
    }
    return total;
}

} // namespace

using IterationTime = BothFidelities;

INSTANTIATE_BOTH_FIDELITIES(IterationTime);

TEST_P(IterationTime, MessagesArriveByTheKnownDelayLater)
{
    Pipeline pipeline({0.01, 0.03, 0.02}, {0.02, 0.05, 0.04}, SMALL, 4);
    pipeline.options.network.Set("Delay", TimeValue(MilliSeconds(50)));
    for (auto& device : pipeline.problem.devices)
    {
        device.delaySeconds = 0.025;
    }
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    // 0.41 s without delay, and four messages after each other.
    EXPECT_NEAR(result.GetMeanIterationSeconds(), 0.61, TOLERANCE * 0.61);
    EXPECT_NEAR(PipelineCostModel(pipeline.problem).IterationSeconds(pipeline.plan), 0.61, 1e-3);
}

TEST(IterationIdleTime, ADeviceThatAlwaysComputesIsIdleForNoTimeAtAll)
{
    Pipeline pipeline({0.05}, {0.05}, SMALL, 1);
    pipeline.options.network.fidelity = "flow";
    pipeline.options.Set("PipelineCoordinator::Iterations", 10);
    const auto result = pipeline.Run();
    EXPECT_EQ(result.iterations.size(), 10U);
    EXPECT_EQ(result.GetMeanIdleRate(), 0); // 1 - sum(busy) / sum(iterations) is 1.1e-16
}

TEST_P(IterationTime, FollowsTheClosedForm)
{
    const auto same = [](std::size_t stages, double seconds) {
        return std::vector<double>(stages, seconds);
    };
    // Equal stages, which GPipe and 1F1B work off equally fast, and others.
    const std::vector<TimeCase> cases{
        {"one stage", {0.01}, {0.02}, 4, 0.12},
        {"one micro-batch", same(3, 0.01), same(3, 0.02), 1, 0.09},
        {"two stages", same(2, 0.01), same(2, 0.02), 4, 0.15},
        {"fewer micro-batches than stages", same(6, 0.02), same(6, 0.03), 3, 0.4},
        {"as many micro-batches as stages", same(4, 0.02), same(4, 0.03), 4, 0.35},
        {"backward as fast as forward", same(3, 0.02), same(3, 0.02), 16, 0.72},
        {"many micro-batches", same(5, 0.01), same(5, 0.025), 32, 1.26},
        {"slowest in the middle", {0.01, 0.03, 0.02}, {0.02, 0.05, 0.04}, 4, 0.41},
        {"slow forward last, slow backward first", {0.005, 0.04}, {0.06, 0.01}, 8, 0.815},
        {"slowest first", {0.05, 0.01, 0.01, 0.02}, {0.08, 0.01, 0.03, 0.02}, 5, 0.75},
        {"slowest last", {0.01, 0.02, 0.01, 0.06}, {0.01, 0.01, 0.03, 0.09}, 5, 0.84},
        {"a stage that takes no time", {0.02, 0, 0.02}, {0.03, 0, 0.03}, 6, 0.35},
    };
    for (std::size_t i = 0; i < cases.size() + 7; ++i)
    {
        const auto& c = cases[i % cases.size()];
        SCOPED_TRACE(c.name);
        Pipeline pipeline(c.forward, c.backward, SMALL, c.microBatches);
        pipeline.options.schedule = i < cases.size() ? "gpipe" : "1f1b";
        pipeline.options.Set("PipelineCoordinator::Iterations", 2);
        const auto result = pipeline.Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        for (const auto& iteration : result.iterations)
        {
            EXPECT_NEAR((iteration.end - iteration.start).GetSeconds(),
                        c.iterationSeconds,
                        TOLERANCE * c.iterationSeconds);
        }
    }
}

TEST_P(IterationTime, TransfersAddWhatOneTransferAloneTakes)
{
    struct TransferCase
    {
        const char* name;
        std::vector<double> stages;
        uint64_t bytes;
        uint32_t microBatches;
    };

    const std::vector<TransferCase> cases{
        {"links are the bottleneck", {0.05, 0.05, 0.05}, 2000000, 6},
        {"stages are the bottleneck", {0.25, 0.25, 0.25}, 1000000, 4},
        {"one stage is the bottleneck", {0.05, 0.3, 0.1, 0.05}, 1500000, 5},
        {"links are all that counts", {0, 0}, 3000000, 3},
    };
    for (const auto& c : cases)
    {
        SCOPED_TRACE(c.name);
        Pipeline pipeline(c.stages, c.stages, c.bytes, c.microBatches);
        SetRate(pipeline.options.network, 1e8);
        const double goodput = MeasureBandwidth(pipeline.options.network, {"device-0", "device-1"});
        EXPECT_GT(goodput, 0.9e8);
        EXPECT_LT(goodput, 1e8);
        const double expected =
            ClosedForm(c.stages, c.stages, 8 * c.bytes / goodput, c.microBatches);
        const auto result = pipeline.Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        EXPECT_NEAR(result.GetMeanIterationSeconds(), expected, TOLERANCE * expected);
    }
}

TEST_P(IterationTime, PartsOfMicroBatchesFillThePipelineFaster)
{
    // Four stages of 0.08 and 0.16 s, three micro-batches of four parts: (3 * 4 + 3) * 0.24 / 4.
    Pipeline pipeline(std::vector<double>(4, 0.08), std::vector<double>(4, 0.16), 4 * SMALL + 1, 3);
    pipeline.problem.layers[0].activationBytes = 1001;
    pipeline.options.schedule = "seq1f1b";
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    EXPECT_NEAR(result.GetMeanIterationSeconds(), 0.9, TOLERANCE * 0.9);
    EXPECT_EQ(Count(result, PipelineTag::ACTIVATIONS), 3U * 12);
    // Weights, gradients, a part of a tensor twice, and four parts of 1001 / 4 bytes, rounded up.
    EXPECT_EQ(result.devices[0].peakMemoryBytes,
              2 * pipeline.problem.layers[0].parameterBytes + 2 * (SMALL + 1) + 4 * 251);
    // Each part pays 0.02 s of both passes: forward 0.02 + 0.06 / 4, backward 0.02 + 0.14 / 4.
    pipeline.problem.costs.begin()->second.fixedSeconds.assign(4, 0.02);
    EXPECT_NEAR(pipeline.Run().GetMeanIterationSeconds(), 15 * 0.09, TOLERANCE * 1.35);
    pipeline.options.Set("AdjacentScheduler::PartsPayFixed", false);
    EXPECT_NEAR(pipeline.Run().GetMeanIterationSeconds(), 0.9, TOLERANCE * 0.9);
    pipeline.options.schedule = "1f1b";
    EXPECT_NEAR(pipeline.Run().GetMeanIterationSeconds(), (3 + 3) * 0.24, TOLERANCE);
}

TEST_P(IterationTime, AWeightUpdateReadsAndWritesWeights)
{
    Pipeline pipeline({0.01, 0.01}, {0.02, 0.02}, SMALL, 4);
    pipeline.problem.layers[1].parameterBytes = 10000000;
    pipeline.options.memoryBandwidthBytesPerSecond["some"] = 1e9;
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished);
    // Stage 1 is done 0.02 s before stage 0 and then updates for 3 * 10 MB / 1 GB/s.
    EXPECT_NEAR(result.GetMeanIterationSeconds(), 0.16, 0.0016);
}

TEST_P(IterationTime, TheBubblesOfTwoEqualStagesAreOneTenth)
{
    // Stage 0 computes 0.12 s of the 0.15 s from its first task to its last, which is also the
    // iteration; stage 1 computes without a pause: 0.03 / (2 * 0.15).
    for (const char* schedule : {"gpipe", "1f1b"})
    {
        SCOPED_TRACE(schedule);
        Pipeline pipeline({0.01, 0.01}, {0.02, 0.02}, SMALL, 4);
        pipeline.options.schedule = schedule;
        pipeline.options.Set("PipelineCoordinator::Iterations", 3);
        const auto result = pipeline.Run();
        ASSERT_EQ(result.usage.bubbleRates.size(), 3U);
        for (const double rate : result.usage.bubbleRates)
        {
            EXPECT_NEAR(rate, 0.1, 0.001);
        }
        EXPECT_NEAR(result.GetMeanBubbleRate(), 0.1, 0.001);
        for (const auto& device : result.devices)
        {
            EXPECT_NEAR(device.busySeconds, 3 * 0.12, 1e-9);
        }
    }
}
