// SPDX-License-Identifier: GPL-2.0-only

#include "inference-fixture.h"

#include "links.h"

namespace
{
NS_OBJECT_ENSURE_REGISTERED(GivenCutPlanner);
} // namespace

std::function<std::size_t(const TwoWayCutProblem&)> GivenCutPlanner::decide;

TwoWayCutPlan
GivenCutPlanner::DoPlan(const TwoWayCutProblem& problem)
{
    TwoWayCutPlan plan{std::vector<bool>(problem.layers.size(), false)};
    std::fill_n(plan.isOnDevice.begin(), decide(problem), true);
    return plan;
}

CooperativeDevice
MakeChainDevice(const std::string& name, uint64_t inputBytes, const std::vector<ChainLayer>& layers)
{
    CooperativeDevice device;
    device.name = name;
    device.problem.inputBytes = inputBytes;
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        const ChainLayer& layer = layers[i];
        const std::vector<std::size_t> inputs(i > 0 ? 1 : 0, i - 1);
        device.problem.layers.Edit().push_back({"l" + std::to_string(i),
                                                inputs,
                                                layer.outputBytes,
                                                layer.deviceSeconds,
                                                layer.serverSeconds});
        device.parameterBytes.Edit().push_back(layer.weightBytes);
    }
    return device;
}

CooperativeInferenceResult
RunCooperativeInference(const std::vector<CooperativeDevice>& devices,
                        const InferenceOptions& options,
                        const std::function<void(double)>& progress)
{
    AttributeDefaults defaults;
    options.Apply(defaults);
    const CooperativeSetting& setting = options;
    return RunCooperativeInference(devices, setting, progress);
}

InferenceOptions
MakeInferenceOptions(double bitsPerSecond)
{
    InferenceOptions options;
    SetKind(options.network, "p2p");
    SetRate(options.network, bitsPerSecond);
    options.network.Set("Delay", TimeValue(MicroSeconds(1)));
    options.planner = "given-cut";
    options.monitor = "oracle";
    options.Set("StallMonitor::Timeout", Seconds(10));
    return options;
}

double
GetLatencyQuantile(const std::vector<FrameRecord>& frames, double share)
{
    std::vector<double> latencies;
    for (const auto& frame : frames)
    {
        if (frame.finished.IsStrictlyPositive())
        {
            latencies.push_back((frame.finished - frame.arrived).GetSeconds());
        }
    }
    std::sort(latencies.begin(), latencies.end());
    return latencies.empty() ? 0 : latencies[share * (latencies.size() - 1)];
}

void
ExpectConserved(const CooperativeInferenceResult& result)
{
    EXPECT_TRUE(result.isFinished);
    EXPECT_TRUE(result.diagnosis.empty());
    for (const auto& frame : result.frames)
    {
        SCOPED_TRACE(testing::Message() << "device " << frame.device << ", frame " << frame.frame);
        EXPECT_TRUE(frame.arrived.IsStrictlyPositive());
        EXPECT_NE(frame.isDropped, frame.finished.IsStrictlyPositive());
        if (!frame.isDropped)
        {
            EXPECT_LE(frame.arrived, frame.started);
            EXPECT_LE(frame.started, frame.computed);
            EXPECT_LE(frame.computed, frame.uploaded);
            EXPECT_LE(frame.uploaded, frame.served);
            EXPECT_LE(frame.served, frame.finished);
            ASSERT_LT(frame.plan, result.plans.size());
            EXPECT_EQ(result.plans[frame.plan].device, frame.device);
            EXPECT_GE(frame.started, result.plans[frame.plan].inForce);
        }
    }
}
