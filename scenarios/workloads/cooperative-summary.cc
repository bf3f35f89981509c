/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/cooperative-summary.h"

namespace ns3::edgepipe
{

namespace
{

/// Tensors that a description names; the others are counted.
constexpr std::size_t NAMED_TENSORS = 2;

/**
 * Group plans by partition and add up how long each was in force.
 *
 * @param result of a run
 * @param summary partitions and changes are filled in
 */
void
AddPartitions(const CooperativeInferenceResult& result, CooperativeSummary& summary)
{
    std::map<std::vector<bool>, std::size_t> known;
    std::map<uint32_t, std::size_t> last; // plan, by device
    double total = 0;
    const auto close = [&](std::size_t plan, const Time& end) {
        const double seconds = std::max(0.0, (end - result.plans[plan].inForce).GetSeconds());
        summary.partitions[summary.partitionOfPlan[plan]].timeShare += seconds;
        total += seconds;
    };
    for (std::size_t i = 0; i < result.plans.size(); ++i)
    {
        const PlanRecord& plan = result.plans[i];
        const auto entry = known.emplace(plan.plan.isOnDevice, summary.partitions.size());
        if (entry.second)
        {
            summary.partitions.push_back({i, 0, 0});
        }
        summary.partitionOfPlan.push_back(entry.first->second);
        const auto before = last.find(plan.device);
        if (before != last.end())
        {
            close(before->second, plan.inForce);
            summary.planChanges +=
                summary.partitionOfPlan[before->second] != summary.partitionOfPlan[i];
        }
        last[plan.device] = i;
    }
    for (const auto& [device, plan] : last)
    {
        close(plan, result.end);
    }
    for (auto& partition : summary.partitions)
    {
        partition.timeShare = total > 0 ? partition.timeShare / total : 0;
    }
}

/**
 * @param layer a layer
 * @return whether it costs anything anywhere
 */
bool
IsWorking(const TwoWayCutLayer& layer)
{
    return layer.deviceSeconds > 0 || layer.serverSeconds > 0;
}

} // namespace

TwoWayCutCost
EvaluatePlan(const TwoWayCutProblem& problem, const PlanRecord& plan)
{
    TwoWayCutCost cost = EvaluateTwoWayCut(problem, plan.plan);
    cost.deviceSeconds /= plan.deviceShare;
    cost.serverSeconds /= plan.serverShare;
    return cost;
}

std::optional<TwoWayCutCost>
PredictFrame(const TwoWayCutProblem& problem,
             TwoWayCutCost cost,
             double uplinkBitsPerSecond,
             double downlinkBitsPerSecond,
             double delaySeconds)
{
    const auto move = [](uint64_t bytes, double bitsPerSecond) {
        return bytes > 0 ? static_cast<double>(bytes) * 8 / bitsPerSecond : 0;
    };
    cost.transferSeconds =
        move(cost.uplinkBytes, uplinkBitsPerSecond) +
        (problem.countResult ? move(cost.downlinkBytes, downlinkBitsPerSecond) : 0);
    const int messages = (cost.uplinkBytes > 0) + (problem.countResult && cost.downlinkBytes > 0);
    cost.latencySeconds =
        cost.deviceSeconds + cost.serverSeconds + cost.transferSeconds + messages * delaySeconds;
    return std::isfinite(cost.latencySeconds) ? std::optional(cost) : std::nullopt;
}

CooperativeSummary
Summarise(const std::vector<CooperativeDevice>& devices,
          const CooperativeInferenceResult& result,
          double offeredFramesPerSecond)
{
    CooperativeSummary summary;
    AddPartitions(result, summary);
    const auto costs = Map(result.plans, [&](const PlanRecord& plan) {
        return EvaluatePlan(devices[plan.device].problem, plan);
    });
    std::vector<double> bottlenecks(devices.size(), 0); // of all frames of a device
    std::vector<uint64_t> predictedFrames(devices.size(), 0);
    std::vector<double> latencies;
    Time first = Time::Max();
    Time last;
    for (const auto& frame : result.frames)
    {
        if (frame.isDropped)
        {
            ++summary.dropped;
            continue;
        }
        if (!result.isFinished && frame.finished.IsZero())
        {
            continue; // still under way when the run gave up
        }
        const std::size_t partition = summary.partitionOfPlan[frame.plan];
        ++summary.partitions[partition].frames;
        latencies.push_back((frame.finished - frame.arrived).GetSeconds());
        const PlanRecord& plan = result.plans[frame.plan];
        const TwoWayCutCost& cost = costs[frame.plan];
        const auto predicted =
            PredictFrame(devices[frame.device].problem,
                         cost,
                         frame.uplinkCapacity.value_or(plan.uplinkBitsPerSecond),
                         frame.downlinkCapacity.value_or(plan.downlinkBitsPerSecond),
                         result.delaySeconds.empty() ? 0 : result.delaySeconds[frame.device]);
        if (predicted)
        {
            summary.predictedSeconds += predicted->latencySeconds;
            bottlenecks[frame.device] += GetBottleneckSeconds(*predicted);
            ++predictedFrames[frame.device];
        }
        summary.unpredicted += !predicted;
        summary.uplinkBytesPerFrame += plan.uplinkBytes;
        summary.downlinkBytesPerFrame += cost.downlinkBytes;
        first = std::min(first, frame.arrived);
        last = std::max(last, frame.finished);
    }
    summary.finished = latencies.size();
    if (latencies.empty())
    {
        return summary;
    }
    const auto count = static_cast<double>(latencies.size());
    summary.meanSeconds = Mean(latencies);
    summary.medianSeconds = FindPercentile(latencies, 0.5);
    summary.p95Seconds = FindPercentile(latencies, 0.95);
    summary.p99Seconds = FindPercentile(latencies, 0.99);
    summary.predictedSeconds /=
        std::max(1.0, static_cast<double>(summary.finished - summary.unpredicted));
    for (std::size_t i = 0; i < devices.size(); ++i)
    {
        summary.predictedFramesPerSecond +=
            bottlenecks[i] > 0 ? static_cast<double>(predictedFrames[i]) / bottlenecks[i] : 0;
    }
    summary.uplinkBytesPerFrame /= count;
    summary.downlinkBytesPerFrame /= count;
    summary.framesPerSecond = last > first ? count / (last - first).GetSeconds() : 0;
    if (offeredFramesPerSecond > 0)
    {
        // The time from the first arrival to the last result is a period short.
        summary.framesPerSecond = std::min(summary.framesPerSecond, offeredFramesPerSecond);
        summary.predictedFramesPerSecond =
            std::min(summary.predictedFramesPerSecond, offeredFramesPerSecond);
    }
    return summary;
}

std::string
DescribeCut(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan)
{
    std::size_t onDevice = 0;
    std::size_t working = 0;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        working += IsWorking(problem.layers[i]);
        onDevice += IsWorking(problem.layers[i]) && plan.isOnDevice[i];
    }
    if (onDevice == working)
    {
        return "all on the device";
    }
    if (onDevice == 0)
    {
        return "all on the server";
    }
    const TwoWayCutCrossing crossing = FindCrossing(problem, plan);
    auto sent = Map(crossing.layers, [&](std::size_t i) { return problem.layers[i].name; });
    if (crossing.isInputSent)
    {
        sent.insert(sent.begin(), "the frame");
    }
    const std::size_t others = sent.size() - std::min(sent.size(), NAMED_TENSORS);
    sent.resize(sent.size() - others);
    return std::to_string(onDevice) + " of " + std::to_string(working) +
           " layers on the device, then " + JoinWords(sent) +
           (others > 0 ? " and " + std::to_string(others) + " more" : "");
}

double
PredictFramesPerSecond(const TwoWayCutCost& cost)
{
    const double longest = GetBottleneckSeconds(cost);
    return longest > 0 ? 1 / longest : 0;
}

} // namespace ns3::edgepipe
