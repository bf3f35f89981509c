/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/pipeline-run.h"

#include "runs/condition-sampler.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-message-description.h"
#include "ns3/edgepipe-pipeline-helper.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace edgepipe
{

PipelineRun::PipelineRun(const std::vector<std::string>& names,
                         const PipelineTrainingOptions& options,
                         const std::function<void(double)>& progress)
    : m_names(names),
      m_options(options),
      m_progress(progress)
{
}

SideBySideResult
PipelineRun::Simulate(const std::vector<PipelineOnNetwork>& pipelines)
{
    const auto active = FindActive(pipelines);
    m_deployment =
        std::make_unique<Deployment>(m_options.network, m_names, active, m_options.stallTimeout);
    const auto& network = m_deployment->GetNetwork();
    if (m_options.replan.planner && m_options.replan.monitor == "oracle" && !network.capacity)
    {
        throw InputError("link: found \"" + m_options.network.link +
                         "\", whose capacity no oracle knows, expected another link, or another "
                         "monitor than oracle");
    }
    network.transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t, const Message& message) {
            m_result.transfers += message.from != message.to;
        }));
    if (m_options.replan.planner)
    {
        m_deployment->GetMonitor()->Disregard(KeepsComing);
    }
    if (m_options.details)
    {
        m_result.timeline = std::make_shared<Timeline>();
        m_result.timeline->Observe(network.transport);
    }
    for (const auto& pipeline : pipelines)
    {
        m_pipelines.push_back(std::make_unique<Pipeline>());
        Build(pipeline, *m_pipelines.back());
    }
    for (const uint32_t device : FindLoaded())
    {
        // Whoever looks at the samples sees the load of devices without a worker, too.
        if (device < m_names.size())
        {
            m_deployment->AddDevice(device);
        }
    }
    m_deployment->AddLoads(m_options.loads, m_options.load);
    ConditionSampler sampler(*m_deployment, FindLoaded(), pipelines.front().firstDevice);
    if (m_options.conditionInterval.IsStrictlyPositive())
    {
        sampler.Start(m_options.conditionInterval);
    }

    m_running = pipelines.size();
    m_deployment->Run();

    for (const auto& built : m_pipelines)
    {
        m_result.pipelines.push_back({built->coordinator->IsFinished(),
                                      built->meter.GetIterations(),
                                      built->meter.GetUsage(),
                                      {},
                                      built->helpedSamples,
                                      built->sharedCuts,
                                      built->sharingSeconds,
                                      built->changes,
                                      built->decisions});
        for (const auto& scheduler : built->schedulers)
        {
            m_result.pipelines.back().assistance += scheduler->GetCounts();
        }
    }
    Diagnose();
    if (m_options.details)
    {
        CollectDevices(pipelines);
    }
    m_result.conditions = sampler.GetSamples();
    return std::move(m_result);
}

std::set<uint32_t>
PipelineRun::FindActive(const std::vector<PipelineOnNetwork>& pipelines) const
{
    std::set<uint32_t> active;
    for (const auto& pipeline : pipelines)
    {
        active.insert(pipeline.firstDevice);
        for (const uint32_t device : FindWorkers(pipeline))
        {
            active.insert(device);
        }
    }
    return active;
}

std::vector<uint32_t>
PipelineRun::FindWorkers(const PipelineOnNetwork& pipeline) const
{
    std::vector<uint32_t> devices;
    std::set<uint32_t> seen;
    for (const auto& stage : pipeline.plan->stages)
    {
        devices.push_back(pipeline.firstDevice + stage.device);
        seen.insert(devices.back());
    }
    for (std::size_t i = 0; i < pipeline.problem->devices.size() && m_options.replan.planner; ++i)
    {
        if (seen.insert(pipeline.firstDevice + i).second)
        {
            devices.push_back(pipeline.firstDevice + i);
        }
    }
    return devices;
}

std::vector<uint32_t>
PipelineRun::FindLoaded() const
{
    std::vector<uint32_t> loaded;
    for (const auto& load : m_options.loads)
    {
        const auto found = std::find(m_names.begin(), m_names.end(), load.device);
        loaded.push_back(found - m_names.begin());
    }
    return loaded;
}

void
PipelineRun::Build(const PipelineOnNetwork& pipeline, Pipeline& built)
{
    // The problem outlives the run.
    const std::shared_ptr<const PipelineProblem> problem(std::shared_ptr<void>(), pipeline.problem);
    const auto& network = m_deployment->GetNetwork();
    NodeContainer nodes;
    for (std::size_t i = 0; i < problem->devices.size(); ++i)
    {
        nodes.Add(network.devices.Get(pipeline.firstDevice + i));
    }
    for (const uint32_t device : FindWorkers(pipeline))
    {
        m_deployment->AddDevice(device,
                                problem->devices[device - pipeline.firstDevice].memoryBytes);
    }
    if (m_options.adjacent.enabled && m_options.adjacent.costs == AdjacentCosts::JOINT)
    {
        // The coordinator decides.
        m_deployment->AddDevice(pipeline.firstDevice, problem->devices[0].memoryBytes);
    }
    PipelineHelper helper(problem);
    helper.SetPlan(*pipeline.plan);
    helper.SetShares(m_options.shares);
    helper.SetSchedule(m_options.schedule);
    helper.SetMicroBatches(problem->microBatches, m_options.microBatchSamples);
    helper.SetMemoryBandwidth(m_options.memoryBandwidthBytesPerSecond);
    helper.SetCoordinatorAttribute("Iterations", UintegerValue(m_options.iterations));
    const auto& adjacent = m_options.adjacent;
    const bool isJoint = adjacent.costs == AdjacentCosts::JOINT;
    helper.SetCoordinatorAttribute("ShareCuts", BooleanValue(adjacent.enabled && isJoint));
    helper.SetAdjacentAttribute("AdjacentScheduling", BooleanValue(adjacent.enabled && !isJoint));
    helper.SetAdjacentAttribute(
        "AdjacentCosts",
        StringValue(adjacent.costs == AdjacentCosts::IDEAL ? "ideal" : "full"));
    helper.SetAdjacentAttribute("Checkpoints", UintegerValue(adjacent.checkpoints));
    helper.SetAdjacentAttribute("MinimumGain", DoubleValue(adjacent.minimumGainSeconds));
    const auto& replan = m_options.replan;
    if (replan.planner)
    {
        helper.SetReplanning(replan.planner, replan.monitor, network.capacity);
        helper.SetReplannerAttribute("ReplanThreshold", DoubleValue(replan.threshold));
        helper.SetReplannerAttribute("ReplanHorizon", UintegerValue(replan.horizon));
        helper.SetReplannerAttribute("FixedPlanningTime", TimeValue(replan.planning.fixed));
        helper.SetReplannerAttribute("PlanningScale", DoubleValue(replan.planning.scale));
        helper.SetSharedMedium(FindLinkType(m_options.network)->GetTraits().isShared);
    }
    const ApplicationContainer applications = helper.Install(nodes);
    built.coordinator = DynamicCast<PipelineCoordinator>(applications.Get(0));
    for (uint32_t i = 1; i < applications.GetN(); ++i)
    {
        Observe(DynamicCast<PipelineWorker>(applications.Get(i)), built);
        m_deployment->Watch(ApplicationContainer(applications.Get(i)));
    }
    m_deployment->Watch(ApplicationContainer(built.coordinator));
    Observe(built);
    m_tasks += 2.0 * problem->microBatches *
               FindByName<PipelineSchedule>("schedule", m_options.schedule)->GetParts() *
               pipeline.plan->stages.size() * m_options.iterations;
}

void
PipelineRun::Observe(Pipeline& built)
{
    built.meter.Observe(built.coordinator);
    built.coordinator->TraceConnectWithoutContext("IterationEnd",
                                                  Callback<void, uint32_t>([&built](uint32_t) {
                                                      uint64_t samples = 0;
                                                      for (const auto& scheduler : built.schedulers)
                                                      {
                                                          samples += scheduler->GetCounts().samples;
                                                      }
                                                      built.helpedSamples.push_back(samples);
                                                  }));
    built.coordinator->TraceConnectWithoutContext("Finished", Callback<void>([this, &built] {
                                                      // Every worker that refuses its stage ends
                                                      // the pipeline.
                                                      m_running -= built.hasEnded ? 0 : 1;
                                                      built.hasEnded = true;
                                                      if (m_running == 0)
                                                      {
                                                          m_deployment->End();
                                                      }
                                                  }));
    built.coordinator->TraceConnectWithoutContext(
        "Sharing",
        Callback<void, const std::vector<SharedCut>&, double>(
            [&built](const std::vector<SharedCut>& cuts, double seconds) {
                built.sharedCuts = cuts;
                built.sharingSeconds = seconds;
            }));
    PointerValue replanner;
    built.coordinator->GetAttribute("Replanner", replanner);
    for (const auto& [source, changes] :
         {std::pair{"Decision", &built.decisions}, {"Migration", &built.changes}})
    {
        if (replanner.GetObject())
        {
            replanner.GetObject()->TraceConnectWithoutContext(
                source,
                Callback<void, const PlanChange&>(
                    [changes = changes](const PlanChange& change) { changes->push_back(change); }));
        }
    }
}

void
PipelineRun::Observe(Ptr<PipelineWorker> worker, Pipeline& built)
{
    const auto node = worker->GetNode();
    const auto compute = node->GetObject<ComputeDevice>();
    if (m_options.details)
    {
        m_result.timeline->Observe(node->GetId(), compute, node->GetObject<MemoryLedger>());
    }
    built.meter.Observe(worker);
    if (m_progress)
    {
        compute->TraceConnectWithoutContext(
            "TaskEnd",
            Callback<void, uint64_t, uint32_t>([this](uint64_t, uint32_t) {
                m_progress(std::min(1.0, ++m_tasksDone / m_tasks));
            }));
    }
    const auto scheduler = worker->GetAdjacentScheduler();
    built.schedulers.push_back(scheduler);
    if (m_options.details && m_options.adjacent.enabled)
    {
        AddMarks(scheduler);
    }
    if (m_options.observeAssistance)
    {
        m_options.observeAssistance(scheduler);
    }
}

void
PipelineRun::AddMarks(Ptr<AdjacentScheduler> scheduler)
{
    const auto timeline = m_result.timeline;
    for (const auto& [source, kind] : {std::pair{"Request", PipelineTag::REQUEST},
                                       {"Grant", PipelineTag::GRANT},
                                       {"Refusal", PipelineTag::REFUSAL},
                                       {"Merge", PipelineTag::MERGE}})
    {
        scheduler->TraceConnectWithoutContext(
            source,
            Callback<void, const AssistanceEvent&>(
                [timeline, kind = kind](const AssistanceEvent& event) {
                    timeline->AddMark(event.device,
                                      PipelineTag{kind, event.iteration, event.microBatch}.Pack());
                }));
    }
}

void
PipelineRun::Diagnose()
{
    const bool isStuck = std::any_of(m_pipelines.begin(), m_pipelines.end(), [](const auto& built) {
        return !built->coordinator->IsFinished() && built->coordinator->GetRefusal().empty();
    });
    m_deployment->Collect(!isStuck, m_result);
    for (const auto& built : m_pipelines)
    {
        if (!isStuck && !built->coordinator->IsFinished())
        {
            m_result.isFinished = false;
            m_result.diagnosis.push_back(built->coordinator->GetRefusal());
        }
    }
}

void
PipelineRun::CollectDevices(const std::vector<PipelineOnNetwork>& pipelines)
{
    for (const auto& name : m_names)
    {
        m_result.devices.push_back({name, -1, 0, 0, 0});
    }
    for (std::size_t i = 0; i < pipelines.size(); ++i)
    {
        const auto& devices = pipelines[i].problem->devices;
        for (std::size_t device = 0; device < devices.size(); ++device)
        {
            m_result.devices[pipelines[i].firstDevice + device].memoryBytes =
                devices[device].memoryBytes;
        }
        const auto& changes = m_pipelines[i]->changes;
        const auto& plan = changes.empty() ? *pipelines[i].plan : changes.back().decision.plan;
        for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
        {
            m_result.devices[pipelines[i].firstDevice + plan.stages[stage].device].stage = stage;
        }
        for (std::size_t device = 0; device < devices.size(); ++device)
        {
            const uint32_t number = pipelines[i].firstDevice + device;
            const auto node = m_deployment->GetNetwork().devices.Get(number);
            if (const auto ledger = node->GetObject<MemoryLedger>())
            {
                m_result.devices[number].peakMemoryBytes = ledger->GetPeak();
            }
        }
        for (const auto& [device, seconds] : m_result.pipelines[i].usage.busySeconds)
        {
            m_result.devices[device].busySeconds = seconds;
        }
    }
}

} // namespace edgepipe
} // namespace ns3
