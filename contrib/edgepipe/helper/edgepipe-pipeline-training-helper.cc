/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-training-helper.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-coordinator.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-worker.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <numeric>
#include <set>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Device the coordinator lives on.
constexpr uint32_t COORDINATOR = 0;

/// Payload of the measured message of MeasureBandwidth, bytes.
constexpr uint64_t PROBE_BYTES = 16000000;

/// Longest a run may compute, s; ns-3's clock ends at 9.2e9 s, and transfers take time too.
constexpr double LONGEST_SECONDS = 1e9;

/**
 * @param problem the planning problem
 * @param plan a plan for it
 * @param options how to run it
 * @return what the coordinator hands out
 * @throws InputError if the tasks take longer than ns-3's clock runs
 */
std::vector<PipelineCoordinator::Placement>
MakePlacements(const PipelineProblem& problem,
               const PipelinePlan& plan,
               const PipelineTrainingOptions& options)
{
    const PipelineCostModel costs(problem);
    std::vector<PipelineCoordinator::Placement> placements;
    double seconds = 0;
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const auto& [device, first, last] = plan.stages[i];
        StageAssignment stage;
        stage.stage = i;
        stage.stages = plan.stages.size();
        stage.microBatches = problem.microBatches;
        stage.schedule = options.schedule;
        stage.forwardSeconds = costs.StageForwardSeconds(device, first, last);
        stage.backwardSeconds = costs.StageBackwardSeconds(device, first, last);
        for (std::size_t layer = first; layer <= last; ++layer)
        {
            stage.parameterBytes += problem.layers[layer].parameterBytes;
            stage.activationBytes += problem.layers[layer].activationBytes;
        }
        const auto bandwidth =
            options.memoryBandwidthBytesPerSecond.find(problem.devices[device].type);
        if (bandwidth != options.memoryBandwidthBytesPerSecond.end())
        {
            stage.updateSeconds = 3.0 * stage.parameterBytes / bandwidth->second;
        }
        const double passSeconds = stage.forwardSeconds + stage.backwardSeconds;
        seconds += options.iterations * (problem.microBatches * passSeconds + stage.updateSeconds);
        if (!(seconds <= LONGEST_SECONDS))
        {
            std::ostringstream message;
            message << "stage " << i << " on " << problem.devices[device].name << " computes until "
                    << seconds << " s, expected at most " << LONGEST_SECONDS
                    << " s; are the costs of its layers in seconds?";
            throw InputError(message.str());
        }
        if (i > 0)
        {
            stage.previous = plan.stages[i - 1].device;
            stage.inputBytes = costs.CutBytes(first - 1);
        }
        if (i + 1 < plan.stages.size())
        {
            stage.next = plan.stages[i + 1].device;
            stage.outputBytes = costs.CutBytes(last);
        }
        placements.push_back({static_cast<uint32_t>(device), stage});
    }
    return placements;
}

} // namespace

double
PipelineTrainingResult::GetMeanIterationSeconds() const
{
    Time total;
    for (const auto& iteration : iterations)
    {
        total += iteration.end - iteration.start;
    }
    return iterations.empty() ? 0 : total.GetSeconds() / iterations.size();
}

double
PipelineTrainingResult::GetMeanBubbleRate() const
{
    const auto& rates = usage.bubbleRates;
    return rates.empty() ? 0 : std::accumulate(rates.begin(), rates.end(), 0.0) / rates.size();
}

PipelineTrainingResult
RunPipelineTraining(const PipelineProblem& problem,
                    const PipelinePlan& plan,
                    const PipelineTrainingOptions& options,
                    const std::function<void(double)>& progress)
{
    const auto placements = MakePlacements(problem, plan, options);
    std::vector<std::string> names;
    for (const auto& device : problem.devices)
    {
        names.push_back(device.name);
    }
    std::set<uint32_t> active{COORDINATOR};
    for (const auto& stage : plan.stages)
    {
        active.insert(stage.device);
    }
    const Network network = NetworkHelper(options.network, names).Build(active);
    const auto transport = network.transport;

    PipelineTrainingResult result;
    result.timeline = std::make_shared<Timeline>();
    result.timeline->Observe(transport);
    auto monitor = CreateObject<StallMonitor>();
    monitor->SetAttribute("Timeout", TimeValue(options.stallTimeout));
    monitor->WatchTransport(transport, names, [](const Message& message) {
        return PipelineTag::Unpack(message.tag).Describe();
    });

    const double tasks = 2.0 * placements.size() * problem.microBatches * options.iterations;
    double tasksDone = 0;
    std::map<uint32_t, Ptr<MemoryLedger>> ledgers;
    for (const auto& [device, assignment] : placements)
    {
        auto compute = CreateObject<ComputeDevice>();
        auto ledger = CreateObject<MemoryLedger>();
        ledger->SetAttribute("Capacity", UintegerValue(problem.devices[device].memoryBytes));
        ledgers[device] = ledger;
        result.timeline->Observe(device, compute, ledger);
        monitor->WatchCompute(device, compute);
        if (progress)
        {
            compute->TraceConnectWithoutContext("TaskEnd", Callback<void, uint64_t>([&](uint64_t) {
                                                    progress(std::min(1.0, ++tasksDone / tasks));
                                                }));
        }
        auto worker = CreateObject<PipelineWorker>();
        worker->SetUp(device, transport, compute, ledger);
        network.devices.Get(device)->AddApplication(worker);
        monitor->WatchParty(device, [worker] { return worker->DescribeWait(); });
    }

    auto coordinator = CreateObject<PipelineCoordinator>();
    coordinator->SetAttribute("Iterations", UintegerValue(options.iterations));
    coordinator->SetUp(COORDINATOR, transport, placements);
    network.devices.Get(COORDINATOR)->AddApplication(coordinator);
    monitor->WatchParty(COORDINATOR, [coordinator] { return coordinator->DescribeWait(); });
    coordinator->TraceConnectWithoutContext(
        "IterationStart",
        Callback<void, uint32_t>([&result](uint32_t) {
            result.iterations.push_back({Simulator::Now(), Time()});
        }));
    coordinator->TraceConnectWithoutContext("IterationEnd",
                                            Callback<void, uint32_t>([&result](uint32_t) {
                                                result.iterations.back().end = Simulator::Now();
                                            }));
    coordinator->SetFinishedCallback(Callback<void>([monitor] {
        monitor->Stop();
        Simulator::Stop();
    }));

    monitor->Start();
    Simulator::Run();

    result.finished = coordinator->IsFinished();
    if (!result.finished)
    {
        if (!result.iterations.empty() && result.iterations.back().end.IsZero())
        {
            result.iterations.pop_back();
        }
        result.diagnosis = coordinator->GetRefusal().empty()
                               ? monitor->Diagnose()
                               : std::vector<std::string>{coordinator->GetRefusal()};
    }
    result.usage = MeasurePipelineUsage(*result.timeline, result.iterations, placements.size());
    for (std::size_t i = 0; i < problem.devices.size(); ++i)
    {
        result.devices.push_back({names[i], -1, 0, 0, problem.devices[i].memoryBytes});
    }
    for (const auto& [device, assignment] : placements)
    {
        auto& use = result.devices[device];
        use.stage = assignment.stage;
        use.busySeconds = result.usage.busySeconds[device];
        use.peakMemoryBytes = ledgers[device]->GetPeak();
    }
    for (const auto& link : network.links)
    {
        result.links.push_back(*link);
    }
    result.bytesMoved = transport->GetDeliveredBytes();
    result.end = Simulator::Now();
    result.events = Simulator::GetEventCount();

    monitor->Dispose();
    transport->Dispose();
    Simulator::Destroy();
    return result;
}

double
MeasureBandwidth(const NetworkOptions& options,
                 const std::vector<std::string>& names,
                 const Time& stallTimeout)
{
    NetworkOptions uncut = options;
    uncut.cutDevice.clear();
    const Network network = NetworkHelper(uncut, names).Build({0, 1});
    const auto transport = network.transport;
    auto monitor = CreateObject<StallMonitor>();
    monitor->SetAttribute("Timeout", TimeValue(stallTimeout));
    monitor->WatchTransport(transport, names, [](const Message&) { return "probe"; });
    transport->Listen(1, 0, Callback<void, const Message&>([](const Message&) {}));

    Time warm;
    Time end;
    Simulator::ScheduleNow([&warm, &end, transport, monitor] {
        // A first message opens the connection and its congestion window.
        transport->Send({0, 1, 0, 0, PROBE_BYTES / 4, ""},
                        Callback<void>([&warm] { warm = Simulator::Now(); }));
        transport->Send({0, 1, 0, 0, PROBE_BYTES, ""}, Callback<void>([&end, monitor] {
                            end = Simulator::Now();
                            monitor->Stop();
                            Simulator::Stop();
                        }));
    });
    monitor->Start();
    Simulator::Run();
    monitor->Dispose();
    transport->Dispose();
    Simulator::Destroy();
    if (end.IsZero())
    {
        throw InputError("--planner-bandwidth=probe: no data gets from " + names[0] + " to " +
                         names[1] + " to measure a bandwidth by, expected a link that works or " +
                         "--planner-bandwidth=NUMBER");
    }
    return 8 * PROBE_BYTES / (end - warm).GetSeconds();
}

} // namespace edgepipe
} // namespace ns3
