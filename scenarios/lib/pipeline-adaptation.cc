/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/pipeline-adaptation.h"

#include "lib/pipeline-placements.h"

#include "ns3/double.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// What a probe takes on an idle link, each way, s.
constexpr double PROBE_SECONDS = 0.05;

/// Least and most bytes of a probe, each way.
constexpr double LEAST_PROBE = 32768;
constexpr double MOST_PROBE = 1e7;

/// Links of which all transfers have a share.
const std::set<std::string> SHARED_MEDIA{"wifi", "lte", "p2p"};

/** Shares given as a list. */
class ListedSteps : public StepSource
{
  public:
    /** @param steps all */
    explicit ListedSteps(std::vector<TraceStep> steps)
        : m_steps(std::move(steps))
    {
    }

    bool Next(TraceStep& step) override
    {
        if (m_next == m_steps.size())
        {
            return false;
        }
        step = m_steps[m_next];
        ++m_next;
        return true;
    }

  private:
    std::vector<TraceStep> m_steps; //!< all
    std::size_t m_next{0};          //!< place of the next one
};

} // namespace

PipelineAdaptation::PipelineAdaptation(const std::vector<std::string>& names,
                                       const PipelineTrainingOptions& options,
                                       const Network& network)
    : m_names(names),
      m_options(options),
      m_network(network)
{
    for (const auto& load : options.loads)
    {
        if (std::find(names.begin(), names.end(), load.device) == names.end())
        {
            throw InputError("load: found " + QuoteForMessage(load.device) +
                             ", expected one of the devices, such as " + names.front());
        }
    }
    if (IsReplanning() && options.replan.monitor == "oracle" && !network.capacity)
    {
        throw InputError("link: found \"" + options.network.link +
                         "\", whose capacity no oracle knows, expected another link, or another "
                         "monitor than oracle");
    }
}

PipelineAdaptation::~PipelineAdaptation()
{
    Stop();
}

bool
PipelineAdaptation::IsReplanning() const
{
    return m_options.replan.planner != nullptr;
}

void
PipelineAdaptation::AddDevice(uint32_t device, Ptr<ComputeDevice> compute)
{
    m_compute[device] = compute;
    for (const auto& load : m_options.loads)
    {
        if (load.device == m_names[device])
        {
            auto steps = load.trace.empty() ? std::make_unique<ListedSteps>(load.steps)
                                            : OpenLoadTrace(load.trace, m_options.load);
            m_players.push_back(std::make_unique<LoadPlayer>(compute, std::move(steps)));
        }
    }
}

Ptr<BandwidthMonitor>
PipelineAdaptation::GetMonitor(uint32_t from, uint32_t to, bool isQuiet, double bitsPerSecond)
{
    const std::tuple key(from, to, isQuiet);
    const auto known = m_monitors.find(key);
    if (known != m_monitors.end())
    {
        return known->second;
    }
    const std::size_t port = BandwidthMonitor::MONITOR_PORT + m_monitors.size();
    if (port > std::numeric_limits<uint16_t>::max())
    {
        return nullptr;
    }
    const auto monitor = FindByName<BandwidthMonitor>("monitor", m_options.replan.monitor);
    m_monitors[key] = monitor;
    // A few packets tell nothing of a link that large tensors keep busy meanwhile.
    const double bytes = std::clamp(bitsPerSecond * PROBE_SECONDS / 8, LEAST_PROBE, MOST_PROBE);
    monitor->SetAttributeFailSafe("Bytes", UintegerValue(bytes));
    if (!isQuiet)
    {
        // Every micro-batch gives a sample, and a probe would meet the tensors on its way.
        monitor->SetAttributeFailSafe("IdleProbe", TimeValue(Time()));
    }
    monitor->Start({from, to, m_network.transport, m_network.capacity, static_cast<uint16_t>(port)},
                   bitsPerSecond,
                   bitsPerSecond,
                   BandwidthMonitor::ChangedCallback());
    return monitor;
}

void
PipelineAdaptation::AddMetrics(const PipelineOnNetwork& pipeline,
                               uint32_t device,
                               Ptr<PipelineWorker> worker)
{
    const double bandwidth = pipeline.problem->bandwidthBitsPerSecond;
    const uint32_t home = pipeline.firstDevice;
    const uint32_t second = home + (pipeline.problem->devices.size() > 1 ? 1 : 0);
    worker->SetMetrics(std::make_unique<PipelineMetrics>(
        device,
        m_network.transport,
        m_compute.at(device),
        [this, bandwidth](uint32_t from, uint32_t to, bool isQuiet) {
            return GetMonitor(from, to, isQuiet, bandwidth);
        },
        device == home ? second : home));
}

void
PipelineAdaptation::AddReplanner(const PipelineOnNetwork& pipeline,
                                 Ptr<PipelineCoordinator> coordinator,
                                 std::vector<PlanChange>& decisions,
                                 std::vector<PlanChange>& changes)
{
    const auto& replan = m_options.replan;
    const auto replanner = CreateObject<PipelineReplanner>();
    replanner->SetAttribute("ReplanThreshold", DoubleValue(replan.threshold));
    replanner->SetAttribute("ReplanHorizon", UintegerValue(replan.horizon));
    replanner->SetAttribute("FixedPlanningTime", TimeValue(replan.fixedPlanningTime));
    replanner->SetAttribute("PlanningScale", DoubleValue(replan.planningScale));
    replanner->TraceConnectWithoutContext(
        "Decision",
        Callback<void, const PlanChange&>(
            [&decisions](const PlanChange& decision) { decisions.push_back(decision); }));
    replanner->TraceConnectWithoutContext(
        "Migration",
        Callback<void, const PlanChange&>(
            [&changes](const PlanChange& change) { changes.push_back(change); }));
    const auto makePlacements = [this, pipeline](const PipelinePlan& plan) {
        return MakePlacements({pipeline.problem, &plan, pipeline.firstDevice}, m_options);
    };
    coordinator->SetReplanner(m_compute.at(pipeline.firstDevice),
                              replanner,
                              {*pipeline.problem,
                               *pipeline.plan,
                               replan.planner,
                               makePlacements,
                               pipeline.firstDevice,
                               SHARED_MEDIA.count(m_options.network.link) > 0});
}

void
PipelineAdaptation::Start(uint32_t coordinator)
{
    m_coordinator = coordinator;
    // Whoever looks at the samples sees the load of devices without a worker, too.
    for (uint32_t device = 0; device < m_names.size(); ++device)
    {
        const bool isLoaded =
            std::any_of(m_options.loads.begin(),
                        m_options.loads.end(),
                        [&](const DeviceLoad& load) { return load.device == m_names[device]; });
        if (isLoaded && !m_compute.count(device))
        {
            AddDevice(device, CreateObject<ComputeDevice>());
        }
    }
    if (m_options.conditionInterval.IsStrictlyPositive())
    {
        // Behind what changes loads at time 0.
        m_next = Simulator::ScheduleNow(&PipelineAdaptation::Sample, this);
    }
}

void
PipelineAdaptation::Sample()
{
    ConditionSample sample{Simulator::Now(), 0, {}};
    for (const auto& [device, compute] : m_compute)
    {
        if (!m_network.capacity || device == m_coordinator)
        {
            continue;
        }
        const double capacity = std::min(m_network.capacity(m_coordinator, device),
                                         m_network.capacity(device, m_coordinator));
        const bool isFirst = sample.bitsPerSecond == 0;
        sample.bitsPerSecond = isFirst ? capacity : std::min(sample.bitsPerSecond, capacity);
    }
    for (const auto& load : m_options.loads)
    {
        for (const auto& [device, compute] : m_compute)
        {
            if (m_names[device] == load.device)
            {
                sample.shares.push_back(compute->GetAvailableShare());
            }
        }
    }
    m_samples.push_back(std::move(sample));
    m_next = Simulator::Schedule(m_options.conditionInterval, &PipelineAdaptation::Sample, this);
}

void
PipelineAdaptation::Stop()
{
    m_next.Cancel();
    m_players.clear();
    for (const auto& [pair, monitor] : m_monitors)
    {
        monitor->Dispose();
    }
    m_monitors.clear();
    m_compute.clear();
}

const std::vector<ConditionSample>&
PipelineAdaptation::GetSamples() const
{
    return m_samples;
}

} // namespace edgepipe
} // namespace ns3
