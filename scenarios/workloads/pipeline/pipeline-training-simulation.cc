/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/network-probe.h"
#include "workloads/pipeline/pipeline-training-workload.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-decider.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-topology.h"
#include "ns3/string.h"

#include <limits>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param problem a problem
 * @param plan a plan for it
 * @return name of the device whose stage computes longest
 */
std::string
FindSlowest(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const PipelineCostModel costs(problem);
    std::size_t slowest = 0;
    double most = -1;
    for (const auto& stage : plan.stages)
    {
        for (const auto& [device, samples] : stage.GetReplicas(problem.microBatchSamples))
        {
            const auto [forward, backward] =
                costs.ReplicaSeconds(device, stage.firstLayer, stage.lastLayer, samples);
            slowest = forward + backward > most ? device : slowest;
            most = std::max(most, forward + backward);
        }
    }
    return problem.devices[slowest].name;
}

/**
 * @param result of a pipeline
 * @return failed decisions
 */
PlannerFailures
GetFailures(const PipelineOutcome& result)
{
    PlannerFailures failures;
    for (const auto& made : result.decisions)
    {
        const std::string& why = made.decision.problemWithPlan;
        failures.Add(PlannerFailures{why.empty() ? uint64_t{0} : uint64_t{1}, why});
    }
    return failures;
}

} // namespace

const PipelineProblem&
PipelineTrainingWorkload::GetProblem()
{
    if (!m_problem.devices.empty())
    {
        return m_problem;
    }
    const double bandwidth = FindBandwidth();
    AttributeDefaults defaults;
    m_options->SetAttributes(defaults);
    m_problem = BuildPipelineProblem(m_graph,
                                     m_cluster,
                                     m_costs,
                                     m_setting.microBatchSamples,
                                     m_microBatches,
                                     bandwidth);
    for (std::size_t i = 0; i < m_rates.size(); ++i)
    {
        for (auto& device : m_problem.devices)
        {
            if (m_network.groups[i].devices.count(device.name))
            {
                device.uplinkBitsPerSecond = m_rates[i].first;
                device.downlinkBitsPerSecond = m_rates[i].second;
            }
        }
    }
    if (m_usesGroups)
    {
        const std::string traces = FindTracesFolder(*m_options);
        AddPartCosts(m_problem, m_setting.microBatchSamples, [&](uint32_t samples) {
            return FindLayerCosts(traces, m_graph, m_cluster.specs, samples, PassKind::TRAINING);
        });
    }
    const auto names = Map(m_cluster.devices, &ClusterDevice::name);
    // Networks that are all alike are one network.
    const auto& groups = m_network.groups;
    const NetworkOptions network =
        groups.size() == 1 ? GetGroupOptions(m_network, groups.front()) : m_network;
    const Topology topology = MakeTopology(network, names);
    // Where devices forward for each other, neighbours have a wire of their own, and each device
    // has half the delay of a hop.
    const bool isForwarding = !network.IsMixed() && network.GetLink().GetTraits().isForwarding;
    m_problem.sharesMedium = network.IsShared() && !isForwarding;
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        const uint32_t to =
            isForwarding ? std::min<std::size_t>(1, names.size() - 1) : topology.nodes.size() - 1;
        m_problem.devices[i].delaySeconds =
            isForwarding ? topology.GetDelaySeconds(0, to) / 2
                         : (topology.GetDelaySeconds(i, to) + topology.GetDelaySeconds(to, i)) / 2;
    }
    return m_problem;
}

double
PipelineTrainingWorkload::FindBandwidth()
{
    if (!IsProbed())
    {
        return m_plannerBandwidth;
    }
    if (const auto other = GetOther<PipelineTrainingWorkload>())
    {
        m_rates = other->m_rates;
        return other->m_problem.bandwidthBitsPerSecond;
    }
    AttributeDefaults defaults;
    m_options->SetAttributes(defaults);
    double least = std::numeric_limits<double>::infinity();
    for (const auto& group : m_network.IsMixed() ? m_network.groups : std::vector<NetworkGroup>())
    {
        const std::string device = *group.devices.begin();
        const std::string core = "the core of the networks";
        NetworkOptions own = GetGroupOptions(m_network, group);
        own.wiredDevices = {core};
        m_rates.emplace_back(MeasureBandwidth(own, {device, core}),
                             MeasureBandwidth(own, {core, device}));
        least = std::min({least, m_rates.back().first, m_rates.back().second});
    }
    if (!m_rates.empty())
    {
        return least;
    }
    // Two of many devices suffice; a single one sends nothing, so any bandwidth will do.
    auto names = Map(m_cluster.devices, &ClusterDevice::name);
    names.resize(m_devices > 0 ? std::min(2U, m_devices) : names.size());
    const double any = m_network.GetLinks().front()->GetRates()[0].GetUsual();
    return names.size() > 1                ? MeasureBandwidth(m_network, names)
           : any > 0 && std::isfinite(any) ? any
                                           : 1e9;
}

bool
PipelineTrainingWorkload::IsLoadOfPlan() const
{
    return m_options->GetString("load").find(SLOWEST + ":") != std::string::npos;
}

void
PipelineTrainingWorkload::FindLoads(const PipelinePlan& plan)
{
    std::map<std::string, std::string> aliases;
    if (IsLoadOfPlan())
    {
        const auto believed = GetBelieved<PipelineTrainingWorkload>();
        aliases[SLOWEST] = FindSlowest(believed ? believed->m_problem : m_problem, plan);
    }
    m_setting.loads = ReadLoads(*m_options, m_setting.load, m_names, m_names.size(), aliases);
    m_setting.shares = Map(m_problem.devices, [this](const auto& device) {
        return GetFirstShare(m_setting.loads, device.name, m_setting.load);
    });
    m_told = ChangeProblem(m_problem, {m_setting.shares, m_problem.bandwidthBitsPerSecond});
}

void
PipelineTrainingWorkload::Plan(const PipelineCase& one)
{
    if (!one.plan.stages.empty())
    {
        return;
    }
    GetProblem();
    if (m_setting.shares.empty())
    {
        m_told = m_problem;
        if (!IsLoadOfPlan())
        {
            FindLoads({});
        }
    }
    if (const auto believed = GetBelieved<PipelineTrainingWorkload>())
    {
        const PipelineCase& known = believed->m_all[one.index];
        Require(known.HasPlan(), known.problemWithPlan);
        if (m_setting.shares.empty())
        {
            FindLoads(known.plan);
        }
        for (auto& other : m_all)
        {
            if (other.firstPlanner == one.firstPlanner)
            {
                other.plan = known.plan;
                other.predictedSeconds = known.predictedSeconds;
            }
        }
        return;
    }
    AttributeDefaults defaults;
    m_options->SetAttributes(defaults);
    auto planner = FindByName<PipelinePlanner>("--planner", one.firstPlanner);
    Connect(planner, "Progress", [this](double, const std::string& what) { ReportProgress(what); });
    ReportProgress("planning");
    PipelinePlan plan = planner->Plan(m_told);
    if (m_setting.shares.empty())
    {
        FindLoads(plan);
        plan = IsLoadedAtFirst() ? planner->Plan(m_told) : plan;
    }
    for (auto& other : m_all)
    {
        if (other.firstPlanner == one.firstPlanner)
        {
            other.plan = plan;
            other.predictedSeconds = PipelineCostModel(m_told).IterationSeconds(plan);
            other.lowerBoundSeconds = planner->GetLowerBoundSeconds();
            other.planningSeconds = planner->GetDecisionSeconds();
        }
    }
}

const CaseOutcome&
PipelineTrainingWorkload::Simulate(std::size_t index,
                                   const NetworkOptions& network,
                                   const std::function<void(double)>& progress)
{
    GetProblem(); // errors of the network concern every case
    while (!m_cases.empty() && m_cases.back().index >= index)
    {
        m_cases.pop_back();
    }
    m_outcome = {};
    PipelineCase& one = m_all[index];
    // A planner that found no plan is not asked again.
    const bool isAgain = index > 0 && m_all[index - 1].decider == one.decider;
    one.problemWithPlan = isAgain ? m_all[index - 1].problemWithPlan : "";
    if (one.HasPlan())
    {
        try
        {
            Plan(one);
            Train(one, network, progress);
        }
        catch (const PlannerFailure&)
        {
            throw;
        }
        catch (const InputError& error)
        {
            one.problemWithPlan = error.what();
            m_cases.push_back(one);
            if (one.plan.stages.empty())
            {
                m_cases.back().name = m_cases.back().planner = one.decider;
                m_cases.back().helped = m_cases.back().isReplanned = false;
            }
        }
    }
    const auto isAnswer = [this](const PipelineCase& made) {
        return made.HasPlan() && !(m_addsAlone && made.decider == ALONE);
    };
    Require(index + 1 < m_all.size() || AnyOf(m_cases, isAnswer),
            m_cases.front().problemWithPlan +
                (m_setting.schedule != "gpipe"
                     ? " (planners count the memory of the schedule gpipe, which keeps more)"
                     : ""));
    m_outcome.refusal = one.problemWithPlan;
    return m_outcome;
}

void
PipelineTrainingWorkload::Train(const PipelineCase& one,
                                const NetworkOptions& network,
                                const std::function<void(double)>& progress)
{
    AttributeDefaults defaults;
    m_options->SetAttributes(defaults);
    const bool isJoint = m_adjacentCosts == "joint";
    defaults.Set("PipelineCoordinator::ShareCuts", BooleanValue(one.helped && isJoint));
    defaults.Set("AdjacentScheduler::AdjacentScheduling", BooleanValue(one.helped && !isJoint));
    defaults.Set("PipelineWorker::Exchange", StringValue(m_exchange));
    defaults.Set("AdjacentScheduler::AdjacentCosts",
                 StringValue(isJoint ? "full" : m_adjacentCosts));
    PipelineSetting setting = m_setting;
    setting.network = network;
    if (one.isReplanned)
    {
        // A new planner, so that a case does not depend on earlier ones.
        setting.replanner = FindByName<PipelinePlanner>("--planner", one.decider);
        const auto believed = GetBelieved<PipelineTrainingWorkload>();
        if (believed)
        {
            setting.believed = {std::shared_ptr<void>(), &believed->m_problem};
        }
        setting.replanner->Plan(believed ? believed->m_told : m_told);
        // A planner that learns keeps what it has learnt for the first problem.
        setting.replanner->SetAttributeFailSafe("Retrain", BooleanValue(false));
    }
    const auto sites = Map(CountUp(m_pipelines), [&](uint32_t i) -> PipelineOnNetwork {
        return {&m_problem, &one.plan, i * static_cast<uint32_t>(m_problem.devices.size())};
    });
    auto all = RunSideBySide(sites, m_names, setting, progress);
    for (std::size_t i = 0; i < all.devices.size(); ++i)
    {
        // All of it, where the problem has what plans may fill.
        all.devices[i].memoryBytes = m_cluster.devices[i % m_cluster.devices.size()].memoryBytes;
    }
    m_outcome = all;
    m_outcome.decisionSeconds = one.planningSeconds;
    double bubbles = 0;
    double idle = 0;

    for (const auto& pipeline : all.pipelines)
    {
        const double mean = pipeline.GetMeanIterationSeconds();
        m_outcome.seconds += mean / m_pipelines;
        m_outcome.wholeSeconds = std::max(m_outcome.wholeSeconds, pipeline.GetTotal().GetSeconds());
        bubbles += pipeline.GetMeanBubbleRate() / m_pipelines;
        idle += pipeline.GetMeanIdleRate() / m_pipelines;
        // Work that takes no time has no throughput.
        m_outcome.perSecond +=
            mean > 0 ? 1.0 * m_microBatches * m_setting.microBatchSamples / mean : 0;
    }
    m_outcome.columns = {
        {"model", m_graph.name},
        {"cluster", m_cluster.name},
        {"schedule", m_setting.schedule},
        {"microBatches", std::to_string(m_microBatches)},
        {"microBatchSize", std::to_string(m_setting.microBatchSamples)},
        {"iterations", m_options->GetString("iterations")},
        {"predictedIterationSeconds", Table::Exact(one.predictedSeconds)},
        {"idleRate", Table::Exact(idle)},
        {"bubbleRate", Table::Exact(bubbles)},
        {"transfers", std::to_string(all.transfers)},
        {"plannerBandwidthBitsPerSecond", Table::Exact(m_problem.bandwidthBitsPerSecond)},
        {"layers", std::to_string(m_graph.layers.size())},
        {"layerCostOrigins", JoinOrigins(m_costs)}};
    // The first site's case has the figures of the whole network.
    for (uint32_t i = 0; i < m_pipelines; ++i)
    {
        const std::string site = i > 0 ? "site-" + std::to_string(i) + "/" : "";
        m_cases.push_back(one);
        PipelineCase& made = m_cases.back();
        static_cast<PipelineTrainingResult&>(made) = {std::move(all.pipelines[i]),
                                                      i > 0 ? TrainingRun() : all};
        made.name = site + one.name;
        made.planner = site + one.planner;
        made.failures = GetFailures(made);
        if (IsOutsidePlanner(one.decider))
        {
            m_outcome.failures.Add(made.failures);
        }
    }
}

} // namespace ns3::edgepipe
