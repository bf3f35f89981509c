/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/pipeline/pipeline-training-run.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-pipeline-helper.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3::edgepipe
{

namespace
{

/// Limit on samples, even: when reached, every second one is dropped and the interval doubles.
constexpr std::size_t MOST_SAMPLES = 100000;

/** Builds, runs and takes down several pipelines in one simulation. */
class PipelineRun
{
  public:
    /**
     * @param names of all devices on the network
     * @param setting how to run the pipelines
     * @param progress called with the share of tasks done; may be empty
     */
    PipelineRun(const std::vector<std::string>& names,
                const PipelineSetting& setting,
                const std::function<void(double)>& progress)
        : m_names(names),
          m_setting(setting),
          m_progress(progress)
    {
    }

    /**
     * Build and run the simulation.
     *
     * @param pipelines the pipelines
     * @return the result
     */
    SideBySideResult Simulate(const std::vector<PipelineOnNetwork>& pipelines)
    {
        std::set<uint32_t> active;
        for (const auto& pipeline : pipelines)
        {
            const auto workers = FindWorkers(pipeline);
            active.insert(workers.begin(), workers.end());
            active.insert(pipeline.firstDevice);
        }
        m_deployment = std::make_unique<Deployment>(m_setting, m_names, active);
        const auto& network = m_deployment->GetNetwork();
        Connect(network.transport, "TransferEnd", [this](uint64_t, const Message& message) {
            m_result.transfers += message.from != message.to;
        });
        if (m_setting.details)
        {
            m_result.timeline = std::make_shared<Timeline>();
            m_result.timeline->Observe(network.transport);
        }
        for (const auto& pipeline : pipelines)
        {
            m_pipelines.push_back(std::make_unique<Pipeline>());
            Build(pipeline, *m_pipelines.back());
        }
        for (const auto& load : m_setting.loads)
        {
            // Condition samples include loaded devices without a worker.
            const auto found = std::find(m_names.begin(), m_names.end(), load.device);
            if (found != m_names.end())
            {
                m_loaded.push_back(found - m_names.begin());
                m_deployment->AddDevice(m_loaded.back());
            }
        }
        m_deployment->AddLoads();
        m_interval = m_setting.conditionInterval;
        if (m_interval.IsStrictlyPositive())
        {
            // After loads have changed at time 0.
            Simulator::ScheduleNow(&PipelineRun::Sample, this, pipelines.front().firstDevice);
        }

        m_running = pipelines.size();
        m_deployment->Run();

        for (const auto& built : m_pipelines)
        {
            PipelineOutcome& outcome = built->outcome;
            outcome.finished = built->coordinator->IsFinished();
            outcome.iterations = built->meter.GetIterations();
            outcome.usage = built->meter.GetUsage();
            outcome.assistance =
                Sum(built->schedulers, [](auto& scheduler) { return scheduler->GetCounts(); });
            m_result.pipelines.push_back(outcome);
        }
        Diagnose();
        if (m_setting.details)
        {
            CollectDevices(pipelines);
        }
        return std::move(m_result);
    }

  private:
    /** A pipeline in the simulation. */
    struct Pipeline
    {
        Ptr<PipelineCoordinator> coordinator;           //!< coordinates it
        PipelineOutcome outcome;                        //!< result so far
        PipelineUsageMeter meter;                       //!< measures it
        std::vector<Ptr<AdjacentScheduler>> schedulers; //!< of its workers
        bool hasEnded{false};                           //!< finished, or refused by a worker
        uint32_t firstDevice{0};                        //!< see PipelineOnNetwork
        std::size_t devices{0};                         //!< how many
    };

    /**
     * @param pipeline a pipeline
     * @return devices that need a worker, in the order to build them
     */
    std::vector<uint32_t> FindWorkers(const PipelineOnNetwork& pipeline) const
    {
        std::vector<uint32_t> devices;
        std::set<uint32_t> seen;
        for (const std::size_t device : ListDevices(*pipeline.plan))
        {
            devices.push_back(pipeline.firstDevice + device);
            seen.insert(devices.back());
        }
        for (std::size_t i = 0; i < pipeline.problem->devices.size() && m_setting.replanner; ++i)
        {
            if (seen.insert(pipeline.firstDevice + i).second)
            {
                devices.push_back(pipeline.firstDevice + i);
            }
        }
        return devices;
    }

    /**
     * @param pipeline what to build
     * @param built is filled in
     */
    void Build(const PipelineOnNetwork& pipeline, Pipeline& built)
    {
        PipelineJob job = m_setting;
        // Not owned: the problem outlives the run.
        job.problem = {std::shared_ptr<void>(), pipeline.problem};
        job.sharesMedium = m_setting.network.IsShared();
        const auto& problem = job.problem;
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
        // The coordinator may make decisions, which need a processor.
        m_deployment->AddDevice(pipeline.firstDevice, problem->devices[0].memoryBytes);
        PipelineHelper helper(job);
        helper.SetPlan(*pipeline.plan);
        if (m_setting.replanner)
        {
            helper.SetReplanning(m_setting.replanner, m_setting.monitor, network.capacity);
        }
        const ApplicationContainer applications = helper.Install(nodes);
        built.coordinator = DynamicCast<PipelineCoordinator>(applications.Get(0));
        for (uint32_t i = 1; i < applications.GetN(); ++i)
        {
            Observe(DynamicCast<PipelineWorker>(applications.Get(i)), built);
            m_deployment->Watch(ApplicationContainer(applications.Get(i)));
        }
        m_deployment->Watch(ApplicationContainer(built.coordinator));
        built.firstDevice = pipeline.firstDevice;
        built.devices = problem->devices.size();
        const auto& believed = job.GetBelieved();
        PipelineState state;
        state.bandwidthBitsPerSecond = believed.bandwidthBitsPerSecond;
        for (const auto& device : believed.devices)
        {
            if (device.uplinkBitsPerSecond > 0 && device.downlinkBitsPerSecond > 0)
            {
                state.uplinks.push_back(device.uplinkBitsPerSecond);
                state.downlinks.push_back(device.downlinkBitsPerSecond);
            }
        }
        AddBelief(*pipeline.plan, state, built);
        Observe(built);
        UintegerValue iterations;
        built.coordinator->GetAttribute("Iterations", iterations);
        m_tasks += 2.0 * problem->microBatches *
                   FindByName<PipelineSchedule>("schedule", m_setting.schedule)->GetParts() *
                   ListDevices(*pipeline.plan).size() * iterations.Get();
    }

    /**
     * Record a pipeline's coordinator.
     * @param built the pipeline
     */
    void Observe(Pipeline& built)
    {
        built.meter.Observe(built.coordinator);
        Connect(built.coordinator, "IterationEnd", [&built](uint32_t) {
            built.outcome.helpedSamples.push_back(
                Sum(built.schedulers, [](auto& one) { return one->GetCounts().samples; }));
        });
        Connect(built.coordinator, "Finished", [this, &built] {
            // Fires for every worker that refuses its stage.
            m_running -= built.hasEnded ? 0 : 1;
            built.hasEnded = true;
            if (m_running == 0)
            {
                m_deployment->End();
            }
        });
        Connect(built.coordinator,
                "Sharing",
                [&built](const std::vector<SharedCut>& cuts, double seconds) {
                    built.outcome.sharedCuts = cuts;
                    built.outcome.sharingSeconds = seconds;
                });
        PointerValue replanner;
        built.coordinator->GetAttribute("Replanner", replanner);
        if (const auto decider = replanner.GetObject())
        {
            Connect(decider, "Decision", [this, &built](const PlanChange& change) {
                AddBelief(change.decision.plan, change.state, built);
                built.outcome.decisions.push_back(change);
            });
            Connect(decider, "Migration", [&built](const PlanChange& change) {
                built.outcome.planChanges.push_back(change);
            });
        }
    }

    /**
     * Compare the rates that a plan was decided for with those of its links now, or without any, of
     * the first device's. Of a single rate the slowest link counts, else the one furthest off.
     *
     * @param plan that was decided
     * @param state that it was decided for
     * @param built the pipeline
     */
    void AddBelief(const PipelinePlan& plan, const PipelineState& state, Pipeline& built)
    {
        const auto& capacity = m_deployment->GetNetwork().capacity;
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 1; i < plan.stages.size(); ++i)
        {
            for (const auto& before : plan.stages[i - 1].GetReplicas(1))
            {
                for (const auto& after : plan.stages[i].GetReplicas(1))
                {
                    pairs.emplace_back(before.device, after.device);
                    pairs.emplace_back(after.device, before.device);
                }
            }
        }
        for (std::size_t i = 1; i < built.devices && plan.stages.size() <= 1; ++i)
        {
            pairs.emplace_back(0, i);
            pairs.emplace_back(i, 0);
        }
        const bool isOwn = state.uplinks.size() == built.devices;
        const auto beliefs = Map(pairs, [&](const auto& pair) -> RateBelief {
            const auto [from, to] = pair;
            const uint32_t sender = built.firstDevice + from;
            const uint32_t receiver = built.firstDevice + to;
            const double believed = isOwn ? std::min(state.uplinks[from], state.downlinks[to])
                                          : state.bandwidthBitsPerSecond;
            return {Simulator::Now().GetSeconds(),
                    m_names[sender],
                    m_names[receiver],
                    believed,
                    FindNearestShare(believed,
                                     capacity(sender, receiver),
                                     1 + m_setting.network.CountCompetitors())};
        });
        if (!beliefs.empty())
        {
            built.outcome.beliefs.push_back(isOwn ? MaxBy(beliefs, &RateBelief::GetFactor)
                                                  : MinBy(beliefs, &RateBelief::actual));
        }
    }

    /**
     * Record a worker.
     * @param worker the worker
     * @param built the pipeline that it belongs to
     */
    void Observe(Ptr<PipelineWorker> worker, Pipeline& built)
    {
        const auto node = worker->GetNode();
        const auto compute = node->GetObject<ComputeDevice>();
        if (m_setting.details)
        {
            m_result.timeline->Observe(node->GetId(), compute, node->GetObject<MemoryLedger>());
        }
        built.meter.Observe(worker);
        if (m_progress)
        {
            Connect(compute, "TaskEnd", [this](uint64_t, uint32_t) {
                m_progress(std::min(1.0, ++m_tasksDone / m_tasks));
            });
        }
        const auto scheduler = worker->GetAdjacentScheduler();
        built.schedulers.push_back(scheduler);
        if (m_setting.details)
        {
            const auto timeline = m_result.timeline;
            for (const auto& [source, kind] : {std::pair{"Request", PipelineTag::REQUEST},
                                               {"Grant", PipelineTag::GRANT},
                                               {"Refusal", PipelineTag::REFUSAL},
                                               {"Merge", PipelineTag::MERGE}})
            {
                Connect(scheduler, source, [timeline, kind = kind](const AssistanceEvent& event) {
                    timeline->AddMark(event.device,
                                      PipelineTag{kind, event.iteration, event.microBatch}.Pack());
                });
            }
        }
        if (m_setting.observeAssistance)
        {
            m_setting.observeAssistance(scheduler);
        }
    }

    /**
     * Sample bandwidth and load, now and at intervals.
     * @param home device from and to which bandwidth is sampled
     */
    void Sample(uint32_t home)
    {
        ConditionSample sample{Simulator::Now(), 0, {}};
        const auto& network = m_deployment->GetNetwork();
        for (uint32_t device = 0; device < network.devices.GetN(); ++device)
        {
            if (!network.capacity || device == home ||
                !network.devices.Get(device)->GetObject<EdgeDevice>())
            {
                continue;
            }
            const double capacity =
                std::min(network.capacity(home, device), network.capacity(device, home));
            const bool isFirst = sample.bitsPerSecond == 0;
            sample.bitsPerSecond = isFirst ? capacity : std::min(sample.bitsPerSecond, capacity);
        }
        sample.shares = Map(m_loaded, [&](uint32_t device) {
            return GetFromDevice<ComputeDevice>(network.devices.Get(device))->GetAvailableShare();
        });
        auto& samples = m_result.conditions;
        if (samples.size() == MOST_SAMPLES)
        {
            for (std::size_t i = 0; i < MOST_SAMPLES / 2; ++i)
            {
                samples[i] = samples[2 * i];
            }
            samples.resize(MOST_SAMPLES / 2);
            m_interval = 2 * m_interval;
        }
        samples.push_back(std::move(sample));
        Simulator::Schedule(m_interval, &PipelineRun::Sample, this, home);
    }

    /** Fill in why pipelines did not finish, if any did not. */
    void Diagnose()
    {
        const bool isStuck = AnyOf(m_pipelines, [](const auto& built) {
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

    /**
     * Fill in the devices' usage.
     * @param pipelines the pipelines
     */
    void CollectDevices(const std::vector<PipelineOnNetwork>& pipelines)
    {
        m_result.devices = Map(m_names, [](auto& name) { return DeviceUse{name}; });
        for (std::size_t i = 0; i < pipelines.size(); ++i)
        {
            const auto& devices = pipelines[i].problem->devices;
            const auto& changes = m_pipelines[i]->outcome.planChanges;
            const auto& plan = changes.empty() ? *pipelines[i].plan : changes.back().decision.plan;
            for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
            {
                for (const auto& replica : plan.stages[stage].GetReplicas(1))
                {
                    m_result.devices[pipelines[i].firstDevice + replica.device].stage = stage;
                }
            }
            for (std::size_t device = 0; device < devices.size(); ++device)
            {
                const uint32_t number = pipelines[i].firstDevice + device;
                const auto node = m_deployment->GetNetwork().devices.Get(number);
                m_result.devices[number].memoryBytes = devices[device].memoryBytes;
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

    const std::vector<std::string>& m_names;            //!< of all devices
    const PipelineSetting& m_setting;                   //!< how to run
    const std::function<void(double)>& m_progress;      //!< may be empty
    std::unique_ptr<Deployment> m_deployment;           //!< the devices and their network
    std::vector<std::unique_ptr<Pipeline>> m_pipelines; //!< in the order given
    std::size_t m_running{0};                           //!< pipelines that have yet to end
    double m_tasks{0};                                  //!< passes to run
    double m_tasksDone{0};                              //!< passes that have ended
    std::vector<uint32_t> m_loaded;                     //!< devices of the loads
    Time m_interval;                                    //!< between two samples
    SideBySideResult m_result;                          //!< filled in during the run
};

} // namespace

SideBySideResult
RunSideBySide(const std::vector<PipelineOnNetwork>& pipelines,
              const std::vector<std::string>& names,
              const PipelineSetting& setting,
              const std::function<void(double)>& progress)
{
    return PipelineRun(names, setting, progress).Simulate(pipelines);
}

} // namespace ns3::edgepipe
