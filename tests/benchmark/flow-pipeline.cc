// SPDX-License-Identifier: GPL-2.0-only

#include "flow-pipeline.h"

#include "links.h"
#include "runs/attribute-defaults.h"
#include "workloads/pipeline/pipeline-training-run.h"

namespace
{

/// Switch off all of FlowTransport's model but latency, in this process.
void
SetPlain()
{
    for (const char* part : {"Headers", "StoreAndForward", "StartUp", "Acknowledgements"})
    {
        Config::SetDefault(std::string("ns3::edgepipe::FlowTransport::") + part,
                           BooleanValue(false));
    }
}

/// @return the star it runs on
NetworkOptions
GetNetworkOptions(const PipelineWorkload& workload)
{
    NetworkOptions options;
    SetRate(options,
            8 * workload.linkBytesPerSecond * (options.mtuBytes + ETHERNET_OVERHEAD) /
                (options.mtuBytes + PPP_OVERHEAD));
    options.Set("Delay", TimeValue(Seconds(workload.linkLatencySeconds)));
    return options;
}

/// @return names for them
std::vector<std::string>
MakeNames(uint32_t devices)
{
    std::vector<std::string> names;
    for (uint32_t device = 0; device < devices; ++device)
    {
        names.push_back(std::to_string(device));
    }
    return names;
}

/// @return the pipeline's stages as layers, one for each device
PipelineProblem
MakeProblem(const PipelineWorkload& workload, uint32_t first)
{
    PipelineProblem problem;
    problem.microBatches = workload.microBatches;
    problem.bandwidthBitsPerSecond = 8 * workload.linkBytesPerSecond;
    for (uint32_t stage = 0; stage < workload.stages; ++stage)
    {
        const std::string name = std::to_string(first + stage);
        const double speed = PipelineWorkload::GetSpeed(first + stage);
        const std::vector<std::size_t> inputs(stage > 0, stage - 1);
        problem.layers.push_back(
            {name, inputs, static_cast<uint64_t>(workload.messageBytes), 1, 1});
        problem.devices.push_back({name, name, UINT64_C(1) << 40});
        problem.costs[name] = {
            std::vector<double>(workload.stages, workload.forwardFlops / speed),
            std::vector<double>(workload.stages, workload.backwardFlops / speed)};
    }
    return problem;
}

/** A stage, at the seam that the applications use. */
class Stage
{
  public:
    Stage(const PipelineWorkload& workload,
          const std::vector<std::vector<bool>>& tasks,
          uint32_t device,
          Ptr<TensorTransport> transport)
        : m_device(device),
          m_bytes(workload.messageBytes),
          m_seconds{workload.forwardFlops / PipelineWorkload::GetSpeed(device),
                    workload.backwardFlops / PipelineWorkload::GetSpeed(device)},
          m_progress(workload, tasks, device),
          m_transport(transport),
          m_compute(CreateObject<ComputeDevice>()),
          m_done(MakeCallback(&Stage::Finish, this))
    {
        m_transport->Listen(device, 0, MakeCallback(&Stage::Receive, this));
    }

    /** Begin the next task if it is ready and the device is idle. */
    void Advance()
    {
        if (!m_isBusy && m_progress.IsReady())
        {
            m_isBusy = true;
            m_compute->Run(0, m_seconds[m_progress.IsBackward()], m_done);
        }
    }

  private:
    void Receive(const Message& message)
    {
        m_progress.NoticeArrival(message.tag);
        Advance();
    }

    /** A task has ended. */
    void Finish()
    {
        m_isBusy = false;
        const bool isBackward = m_progress.IsBackward();
        uint32_t receiver = 0;
        if (m_progress.Finish(receiver))
        {
            m_transport->Send({m_device, receiver, 0, isBackward, m_bytes, ""});
        }
        Advance();
    }

    uint32_t m_device;                  //!< whose stage
    uint64_t m_bytes;                   //!< each tensor
    double m_seconds[2];                //!< of a forward and a backward task
    StageProgress m_progress;           //!< how far this stage is
    Ptr<TensorTransport> m_transport;   //!< to the other stages
    Ptr<ComputeDevice> m_compute;       //!< the processor
    ComputeDevice::DoneCallback m_done; //!< Finish
    bool m_isBusy{false};               //!< whether a task runs
};

/** Events that schedule themselves again. */
class Ticker
{
  public:
    /// @param left events left to run, of all tickers
    Ticker(const Time& delay, uint64_t& left)
        : m_delay(delay),
          m_left(left)
    {
    }

    void Tick()
    {
        if (m_left > 0)
        {
            --m_left;
            Simulator::Schedule(m_delay, &Ticker::Tick, this);
        }
    }

  private:
    Time m_delay;     //!< until the next event
    uint64_t& m_left; //!< events left to run
};

/// @return the figures of Simulator::Run
RunFigures
RunTimed(uint64_t count)
{
    const double seconds = Measure(Simulator::Run);
    return {count, Simulator::Now().GetSeconds(), seconds};
}

} // namespace

RunFigures
RunFlow(const PipelineWorkload& workload)
{
    SetPlain();
    const uint32_t devices = workload.GetDevices();
    const Network network =
        NetworkHelper(GetNetworkOptions(workload), MakeNames(devices)).Build({});
    const auto tasks = workload.GetTasks();
    std::deque<Stage> stages;
    for (uint32_t device = 0; device < devices; ++device)
    {
        stages.emplace_back(workload, tasks, device, network.transport);
        Simulator::ScheduleNow(&Stage::Advance, &stages.back());
    }
    return RunTimed(workload.GetTransfers());
}

RunFigures
RunApplications(const PipelineWorkload& workload, const std::string& fidelity, bool isPlain)
{
    if (isPlain)
    {
        SetPlain();
    }
    const double begin = GetProcessSeconds();
    const auto names = MakeNames(workload.GetDevices());
    std::deque<PipelineProblem> problems;
    PipelinePlan plan;
    for (uint32_t stage = 0; stage < workload.stages; ++stage)
    {
        plan.stages.push_back({stage, stage, stage});
    }
    std::vector<PipelineOnNetwork> pipelines;
    for (uint32_t first = 0; first < names.size(); first += workload.stages)
    {
        problems.push_back(MakeProblem(workload, first));
        pipelines.push_back({&problems.back(), &plan, first});
    }
    PipelineSetting options;
    options.network = GetNetworkOptions(workload);
    options.network.fidelity = fidelity;
    options.schedule = workload.schedule;
    AttributeDefaults defaults;
    defaults.Set("PipelineCoordinator::Iterations", UintegerValue(workload.iterations));
    options.details = false;
    const auto result = RunSideBySide(pipelines, names, options);
    if (!result.diagnosis.empty())
    {
        throw InputError("the applications have stalled: " + result.diagnosis.front());
    }
    return {workload.GetTransfers(), result.end.GetSeconds(), GetProcessSeconds() - begin};
}

RunFigures
RunEmptyEvents(uint32_t pending, uint64_t events)
{
    uint64_t left = events - pending;
    std::deque<Ticker> tickers;
    for (uint32_t ticker = 0; ticker < pending; ++ticker)
    {
        const Time delay = NanoSeconds(10000000 + ticker * 7919 % 1000003);
        tickers.emplace_back(delay, left);
        Simulator::Schedule(delay, &Ticker::Tick, &tickers.back());
    }
    return RunTimed(events);
}

RunFigures
BuildNodes(uint32_t devices)
{
    const auto names = MakeNames(devices);
    NodeContainer nodes;
    nodes.Create(devices);
    return {devices, 0, 0};
}

RunFigures
BuildIdleDevices(uint32_t devices)
{
    NetworkHelper(NetworkOptions(), MakeNames(devices)).Build({});
    return {devices, 0, 0};
}
