/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/pipeline-run.h"

#include "lib/pipeline-placements.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-worker.h"
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
    std::set<uint32_t> active;
    for (const auto& pipeline : pipelines)
    {
        m_pipelines.push_back(std::make_unique<Pipeline>());
        auto& placements = m_pipelines.back()->placements;
        placements = MakePlacements(pipeline, m_options);
        active.insert(pipeline.firstDevice);
        for (const uint32_t device : FindWorkers(pipeline, placements))
        {
            active.insert(device);
        }
        for (const auto& placement : placements)
        {
            m_tasks += 2.0 * placement.assignment.microBatches * m_options.iterations;
        }
    }
    m_network = NetworkHelper(m_options.network, m_names).Build(active);
    const auto transport = m_network.transport;
    m_adaptation = std::make_unique<PipelineAdaptation>(m_names, m_options, m_network);
    transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t, const Message& message) {
            m_result.transfers += message.from != message.to;
        }));
    m_monitor = CreateObject<StallMonitor>();
    m_monitor->SetAttribute("Timeout", TimeValue(m_options.stallTimeout));
    m_monitor->WatchTransport(transport, m_names, [](const Message& message) {
        return message.port >= BandwidthMonitor::MONITOR_PORT
                   ? ProbeTag::Unpack(message.tag).Describe()
                   : PipelineTag::Unpack(message.tag).Describe();
    });
    if (m_adaptation->IsReplanning())
    {
        m_monitor->DisregardPortsFrom(BandwidthMonitor::MONITOR_PORT);
    }
    if (m_options.details)
    {
        m_result.timeline = std::make_shared<Timeline>();
        m_result.timeline->Observe(transport);
    }
    for (std::size_t i = 0; i < pipelines.size(); ++i)
    {
        Build(pipelines[i], *m_pipelines[i]);
    }

    m_running = pipelines.size();
    m_monitor->Start();
    m_adaptation->Start(pipelines.front().firstDevice);
    Simulator::Run();

    for (const auto& built : m_pipelines)
    {
        m_result.pipelines.push_back({built->coordinator->IsFinished(),
                                      built->meter.GetIterations(),
                                      built->meter.GetUsage(),
                                      {},
                                      built->helpedSamples,
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
        for (const auto& link : m_network.links)
        {
            m_result.links.push_back(*link);
        }
    }
    m_result.bytesMoved = transport->GetDeliveredBytes();
    m_result.end = Simulator::Now();
    m_result.events = Simulator::GetEventCount();

    m_result.conditions = m_adaptation->GetSamples();
    m_adaptation.reset();
    m_monitor->Dispose();
    transport->Dispose();
    Simulator::Destroy();
    return std::move(m_result);
}

void
PipelineRun::Build(const PipelineOnNetwork& pipeline, Pipeline& built)
{
    for (const uint32_t device : FindWorkers(pipeline, built.placements))
    {
        BuildWorker(pipeline, device, built);
    }
    const uint32_t home = pipeline.firstDevice;
    const auto coordinator = CreateObject<PipelineCoordinator>();
    built.coordinator = coordinator;
    coordinator->SetAttribute("Iterations", UintegerValue(m_options.iterations));
    coordinator->SetUp(home, m_network.transport, built.placements);
    if (m_adaptation->IsReplanning())
    {
        m_adaptation->AddReplanner(pipeline, coordinator, built.decisions, built.changes);
    }
    m_network.devices.Get(home)->AddApplication(coordinator);
    m_monitor->WatchParty(home, [coordinator] { return coordinator->DescribeWait(); });
    auto* meter = &built.meter;
    coordinator->TraceConnectWithoutContext(
        "IterationStart",
        Callback<void, uint32_t>([meter](uint32_t) { meter->BeginIteration(); }));
    coordinator->TraceConnectWithoutContext("IterationEnd",
                                            Callback<void, uint32_t>([meter, &built](uint32_t) {
                                                meter->EndIteration();
                                                uint64_t samples = 0;
                                                for (const auto& scheduler : built.schedulers)
                                                {
                                                    samples += scheduler->GetCounts().samples;
                                                }
                                                built.helpedSamples.push_back(samples);
                                            }));
    coordinator->SetFinishedCallback(Callback<void>([this, &built] {
        // Every worker that refuses its stage ends the pipeline.
        m_running -= built.hasEnded ? 0 : 1;
        built.hasEnded = true;
        if (m_running == 0)
        {
            m_monitor->Stop();
            Simulator::Stop();
        }
    }));
}

std::vector<uint32_t>
PipelineRun::FindWorkers(const PipelineOnNetwork& pipeline,
                         const std::vector<PipelineCoordinator::Placement>& placements) const
{
    std::vector<uint32_t> devices;
    for (const auto& placement : placements)
    {
        devices.push_back(placement.device);
    }
    for (std::size_t i = 0; i < pipeline.problem->devices.size() && m_options.replan.planner; ++i)
    {
        const uint32_t device = pipeline.firstDevice + i;
        if (std::find(devices.begin(), devices.end(), device) == devices.end())
        {
            devices.push_back(device);
        }
    }
    return devices;
}

void
PipelineRun::BuildWorker(const PipelineOnNetwork& pipeline, uint32_t device, Pipeline& built)
{
    const uint64_t memoryBytes =
        pipeline.problem->devices[device - pipeline.firstDevice].memoryBytes;
    auto compute = CreateObject<ComputeDevice>();
    m_adaptation->AddDevice(device, compute);
    auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(memoryBytes));
    if (m_options.details)
    {
        m_ledgers[device] = ledger;
        m_result.timeline->Observe(device, compute, ledger);
    }
    built.meter.Observe(device, compute, [](uint64_t tag) {
        return !PipelineTag::Unpack(tag).IsAssistance();
    });
    m_monitor->WatchCompute(device, compute);
    if (m_progress)
    {
        compute->TraceConnectWithoutContext("TaskEnd", Callback<void, uint64_t>([this](uint64_t) {
                                                m_progress(std::min(1.0, ++m_tasksDone / m_tasks));
                                            }));
    }
    auto worker = CreateObject<PipelineWorker>();
    const auto adjacent = worker->GetAdjacentScheduler();
    adjacent->SetAttribute("AdjacentScheduling", BooleanValue(m_options.adjacent.enabled));
    adjacent->SetAttribute(
        "AdjacentCosts",
        StringValue(m_options.adjacent.costs == AdjacentCosts::IDEAL ? "ideal" : "full"));
    adjacent->SetAttribute("Checkpoints", UintegerValue(m_options.adjacent.checkpoints));
    adjacent->SetAttribute("MinimumGain", DoubleValue(m_options.adjacent.minimumGainSeconds));
    built.schedulers.push_back(adjacent);
    if (m_options.details && m_options.adjacent.enabled)
    {
        AddMarks(adjacent);
    }
    if (m_options.observeAssistance)
    {
        m_options.observeAssistance(adjacent);
    }
    worker->SetUp(device, m_network.transport, compute, ledger);
    if (m_adaptation->IsReplanning())
    {
        m_adaptation->AddMetrics(pipeline, device, worker);
    }
    m_network.devices.Get(device)->AddApplication(worker);
    m_monitor->WatchParty(device, [worker] { return worker->DescribeWait(); });
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
    bool isAnyStuck = false;
    for (const auto& built : m_pipelines)
    {
        const std::string refusal = built->coordinator->GetRefusal();
        if (!refusal.empty())
        {
            m_result.diagnosis.push_back(refusal);
        }
        else if (!built->coordinator->IsFinished())
        {
            isAnyStuck = true;
        }
    }
    if (isAnyStuck)
    {
        const auto waits = m_monitor->Diagnose();
        m_result.diagnosis.insert(m_result.diagnosis.end(), waits.begin(), waits.end());
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
            const auto ledger = m_ledgers.find(pipelines[i].firstDevice + device);
            if (ledger != m_ledgers.end())
            {
                m_result.devices[ledger->first].peakMemoryBytes = ledger->second->GetPeak();
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
