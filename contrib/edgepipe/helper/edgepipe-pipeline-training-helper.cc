/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-training-helper.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-coordinator.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-pipeline-worker.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Longest a run may compute, s; ns-3's clock ends at 9.2e9 s, and transfers take time too.
constexpr double LONGEST_SECONDS = 1e9;

/**
 * @param pipeline a pipeline
 * @param options how to run it
 * @return what the coordinator hands out
 * @throws InputError if the tasks take longer than ns-3's clock runs
 */
std::vector<PipelineCoordinator::Placement>
MakePlacements(const PipelineOnNetwork& pipeline, const PipelineTrainingOptions& options)
{
    const PipelineProblem& problem = *pipeline.problem;
    const PipelinePlan& plan = *pipeline.plan;
    const auto onNetwork = [&pipeline](std::size_t device) {
        return static_cast<uint32_t>(pipeline.firstDevice + device);
    };
    const PipelineCostModel costs(problem);
    const uint32_t parts = FindByName<PipelineSchedule>("schedule", options.schedule)->GetParts();
    const auto getPart = [parts](uint64_t bytes) { return (bytes + parts - 1) / parts; };
    std::vector<PipelineCoordinator::Placement> placements;
    double seconds = 0;
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const auto& [device, first, last] = plan.stages[i];
        StageAssignment stage;
        stage.stage = i;
        stage.stages = plan.stages.size();
        stage.microBatches = problem.microBatches * parts;
        stage.schedule = options.schedule;
        stage.forwardSeconds = costs.StageForwardSeconds(device, first, last) / parts;
        stage.backwardSeconds = costs.StageBackwardSeconds(device, first, last) / parts;
        for (std::size_t layer = first; layer <= last; ++layer)
        {
            stage.parameterBytes += problem.layers[layer].parameterBytes;
            stage.activationBytes += problem.layers[layer].activationBytes;
        }
        stage.activationBytes = getPart(stage.activationBytes);
        const auto bandwidth =
            options.memoryBandwidthBytesPerSecond.find(problem.devices[device].type);
        if (bandwidth != options.memoryBandwidthBytesPerSecond.end())
        {
            stage.updateSeconds = 3.0 * stage.parameterBytes / bandwidth->second;
        }
        const double passSeconds = stage.forwardSeconds + stage.backwardSeconds;
        seconds += options.iterations * (stage.microBatches * passSeconds + stage.updateSeconds);
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
            stage.previous = onNetwork(plan.stages[i - 1].device);
            stage.inputBytes = getPart(costs.CutBytes(first - 1));
        }
        if (i + 1 < plan.stages.size())
        {
            stage.next = onNetwork(plan.stages[i + 1].device);
            stage.outputBytes = getPart(costs.CutBytes(last));
        }
        placements.push_back({onNetwork(device), stage});
    }
    return placements;
}

/** Several pipelines in one simulation, from the building to the taking down. */
class Run
{
  public:
    /**
     * @param names of all devices on the network
     * @param options how to run the pipelines
     * @param progress told the share of tasks done; may be empty
     */
    Run(const std::vector<std::string>& names,
        const PipelineTrainingOptions& options,
        const std::function<void(double)>& progress);

    /**
     * Build it and let it run.
     *
     * @param pipelines the pipelines
     * @return what came of it
     */
    SideBySideResult Simulate(const std::vector<PipelineOnNetwork>& pipelines);

  private:
    /** A pipeline in the simulation. */
    struct Pipeline
    {
        std::vector<PipelineCoordinator::Placement> placements; //!< its stages
        Ptr<PipelineCoordinator> coordinator;                   //!< keeps it in step
        PipelineUsageMeter meter;                               //!< measures it
        bool hasEnded{false}; //!< finished, or refused by a worker
    };

    /**
     * @param pipeline what to build
     * @param built its placements are known; the rest is filled in
     */
    void Build(const PipelineOnNetwork& pipeline, Pipeline& built);
    /**
     * @param device on the network
     * @param memoryBytes its memory
     * @param built the pipeline it belongs to
     */
    void BuildWorker(uint32_t device, uint64_t memoryBytes, Pipeline& built);
    /** Fill in who waits for what, if anyone does. */
    void Diagnose();
    /**
     * Fill in what the devices did.
     * @param pipelines the pipelines
     */
    void CollectDevices(const std::vector<PipelineOnNetwork>& pipelines);

    const std::vector<std::string>& m_names;            //!< of all devices
    const PipelineTrainingOptions& m_options;           //!< how to run
    const std::function<void(double)>& m_progress;      //!< may be empty
    Network m_network;                                  //!< joins the devices
    Ptr<StallMonitor> m_monitor;                        //!< ends a run that is stuck
    std::vector<std::unique_ptr<Pipeline>> m_pipelines; //!< in the order given
    std::map<uint32_t, Ptr<MemoryLedger>> m_ledgers;    //!< by device; only with details
    std::size_t m_running{0};                           //!< pipelines that have yet to end
    double m_tasks{0};                                  //!< passes to run
    double m_tasksDone{0};                              //!< passes that have ended
    SideBySideResult m_result;                          //!< what comes of it
};

Run::Run(const std::vector<std::string>& names,
         const PipelineTrainingOptions& options,
         const std::function<void(double)>& progress)
    : m_names(names),
      m_options(options),
      m_progress(progress)
{
}

SideBySideResult
Run::Simulate(const std::vector<PipelineOnNetwork>& pipelines)
{
    std::set<uint32_t> active;
    for (const auto& pipeline : pipelines)
    {
        m_pipelines.push_back(std::make_unique<Pipeline>());
        auto& placements = m_pipelines.back()->placements;
        placements = MakePlacements(pipeline, m_options);
        active.insert(pipeline.firstDevice);
        for (const auto& placement : placements)
        {
            active.insert(placement.device);
            m_tasks += 2.0 * placement.assignment.microBatches * m_options.iterations;
        }
    }
    m_network = NetworkHelper(m_options.network, m_names).Build(active);
    const auto transport = m_network.transport;
    transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t, const Message& message) {
            m_result.transfers += message.from != message.to;
        }));
    m_monitor = CreateObject<StallMonitor>();
    m_monitor->SetAttribute("Timeout", TimeValue(m_options.stallTimeout));
    m_monitor->WatchTransport(transport, m_names, [](const Message& message) {
        return PipelineTag::Unpack(message.tag).Describe();
    });
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
    Simulator::Run();

    for (const auto& built : m_pipelines)
    {
        m_result.pipelines.push_back({built->coordinator->IsFinished(),
                                      built->meter.GetIterations(),
                                      built->meter.GetUsage()});
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

    m_monitor->Dispose();
    transport->Dispose();
    Simulator::Destroy();
    return std::move(m_result);
}

void
Run::Build(const PipelineOnNetwork& pipeline, Pipeline& built)
{
    for (const auto& placement : built.placements)
    {
        const auto& device = pipeline.problem->devices[placement.device - pipeline.firstDevice];
        BuildWorker(placement.device, device.memoryBytes, built);
    }
    const uint32_t home = pipeline.firstDevice;
    const auto coordinator = CreateObject<PipelineCoordinator>();
    built.coordinator = coordinator;
    coordinator->SetAttribute("Iterations", UintegerValue(m_options.iterations));
    coordinator->SetUp(home, m_network.transport, built.placements);
    m_network.devices.Get(home)->AddApplication(coordinator);
    m_monitor->WatchParty(home, [coordinator] { return coordinator->DescribeWait(); });
    auto* meter = &built.meter;
    coordinator->TraceConnectWithoutContext(
        "IterationStart",
        Callback<void, uint32_t>([meter](uint32_t) { meter->BeginIteration(); }));
    coordinator->TraceConnectWithoutContext(
        "IterationEnd",
        Callback<void, uint32_t>([meter](uint32_t) { meter->EndIteration(); }));
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

void
Run::BuildWorker(uint32_t device, uint64_t memoryBytes, Pipeline& built)
{
    auto compute = CreateObject<ComputeDevice>();
    auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(memoryBytes));
    if (m_options.details)
    {
        m_ledgers[device] = ledger;
        m_result.timeline->Observe(device, compute, ledger);
    }
    built.meter.Observe(device, compute);
    m_monitor->WatchCompute(device, compute);
    if (m_progress)
    {
        compute->TraceConnectWithoutContext("TaskEnd", Callback<void, uint64_t>([this](uint64_t) {
                                                m_progress(std::min(1.0, ++m_tasksDone / m_tasks));
                                            }));
    }
    auto worker = CreateObject<PipelineWorker>();
    worker->SetUp(device, m_network.transport, compute, ledger);
    m_network.devices.Get(device)->AddApplication(worker);
    m_monitor->WatchParty(device, [worker] { return worker->DescribeWait(); });
}

void
Run::Diagnose()
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
Run::CollectDevices(const std::vector<PipelineOnNetwork>& pipelines)
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
        for (const auto& [device, assignment] : m_pipelines[i]->placements)
        {
            auto& use = m_result.devices[device];
            use.stage = assignment.stage;
            use.peakMemoryBytes = m_ledgers[device]->GetPeak();
        }
        for (const auto& [device, seconds] : m_result.pipelines[i].usage.busySeconds)
        {
            m_result.devices[device].busySeconds = seconds;
        }
    }
}

} // namespace

double
PipelineOutcome::GetMeanIterationSeconds() const
{
    Time total;
    for (const auto& iteration : iterations)
    {
        total += iteration.end - iteration.start;
    }
    return iterations.empty() ? 0 : total.GetSeconds() / iterations.size();
}

double
PipelineOutcome::GetMeanBubbleRate() const
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
    std::vector<std::string> names;
    for (const auto& device : problem.devices)
    {
        names.push_back(device.name);
    }
    auto all = RunSideBySide({{&problem, &plan, 0}}, names, options, progress);
    PipelineTrainingResult result;
    static_cast<PipelineOutcome&>(result) = std::move(all.pipelines.front());
    static_cast<TrainingRun&>(result) = std::move(all);
    return result;
}

SideBySideResult
RunSideBySide(const std::vector<PipelineOnNetwork>& pipelines,
              const std::vector<std::string>& names,
              const PipelineTrainingOptions& options,
              const std::function<void(double)>& progress)
{
    return Run(names, options, progress).Simulate(pipelines);
}

} // namespace edgepipe
} // namespace ns3
