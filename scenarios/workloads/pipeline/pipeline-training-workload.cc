/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/pipeline/pipeline-training-workload.h"

#include "runs/network-probe.h"
#include "runs/progress.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-gradient-exchange.h"
#include "ns3/edgepipe-job-recorder.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-decider.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-pipeline-problem-json.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-topology.h"
#include "ns3/string.h"

#include <limits>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PipelineTrainingWorkload);

namespace
{

/// In --load, the device of the slowest stage.
const std::string SLOWEST = "slowest";
/// Planner that comparisons end with, since a pipeline must beat it.
const std::string ALONE = "fastest-device";
/// Changes of plan that are printed for a case; decisions.csv has them all.
constexpr std::size_t SHOWN_PLAN_CHANGES = 8;
/// By how much longer a run with changes of plan is said to take.
constexpr double NOTABLY_LONGER = 1.01;
/// On all sites; they take some GB of memory.
constexpr uint32_t MOST_DEVICES = 1000000;

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
 * @param problem a problem
 * @param stage of a plan for it
 * @return its device or, of a group, its devices with their samples: `a (8) + b..d (3 each)`
 */
std::string
DescribeDevices(const PipelineProblem& problem, const PipelineStage& stage)
{
    const auto& group = stage.group;
    std::string text = group.empty() ? problem.devices[stage.device].name : "";
    for (std::size_t first = 0, last = 0; first < group.size(); first = ++last)
    {
        while (last + 1 < group.size() && group[last + 1].samples == group[first].samples &&
               group[last + 1].device == group[last].device + 1)
        {
            ++last;
        }
        text += (first > 0 ? " + " : "") + problem.devices[group[first].device].name;
        text += last > first ? ".." + problem.devices[group[last].device].name : "";
        text += " (" + std::to_string(group[first].samples) + (last > first ? " each)" : ")");
    }
    return text;
}

/**
 * @param choice on, off or both
 * @return its settings, off first
 */
std::vector<bool>
ReadBoth(const std::string& choice)
{
    return choice == "both" ? std::vector<bool>{false, true} : std::vector<bool>{choice == "on"};
}

/**
 * @param result of a pipeline
 * @return total time of plan changes, from decision to the weights in place
 */
Time
GetMigrationTime(const PipelineOutcome& result)
{
    return Sum(result.planChanges, [](auto& change) { return change.inForce - change.decided; });
}

/**
 * @param result of a pipeline
 * @return time that the training waited for decisions between iterations, without moves, s
 */
double
GetDecidingSeconds(const PipelineOutcome& result)
{
    return (result.GetTotal() - result.GetIterationTime() - GetMigrationTime(result)).GetSeconds();
}

/**
 * @param one a case
 * @param device of it
 * @return share of the finished iterations in which the device computed, 0 to 1
 */
double
GetUtilisation(const PipelineCase& one, const DeviceUse& device)
{
    const double total = Sum(one.GetIterationSeconds());
    return total > 0 ? device.busySeconds / total : 0;
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

void
PipelineTrainingWorkload::Declare(ScenarioOptions& o, bool adapts)
{
    m_options = &o;
    o.Bind("model=alexnet").Help("DNN: a name in traces/models or a file");
    o.Bind("cluster=dgpas-testbed").Help("devices: a name in traces/clusters or a file");
    if (adapts)
    {
        o.Bind("devices=0", m_devices, 0, MOST_DEVICES)
            .Help(
                "devices per site, the cluster's repeated in turn; 0: as many as the cluster has");
        o.Bind("pipelines=1", m_pipelines, 1, MOST_DEVICES)
            .Help("sites side by side on one network, each training the model on its own devices");
    }
    DeclarePlanners<PipelinePlanner>("exact");
    o.BindName<PipelineSchedule>("schedule=gpipe", m_setting.schedule)
        .Help("order of a stage's passes: ");
    o.BindAttribute("iterations", {"PipelineCoordinator::Iterations"});
    o.Bind("micro-batches=8", m_microBatches, 1, 100000).Help("micro-batches per mini-batch");
    o.Bind("micro-batch-size=32", m_setting.microBatchSamples, 1, 1000000)
        .Help("samples per micro-batch");
    o.Bind("weight-update=true", m_updatesWeights).Help("whether updating the weights takes time");
    o.BindAttribute("optimizer-states", {"TrainingMemory::OptimizerStates"});
    o.BindAttribute("recompute", {"TrainingMemory::Recompute"});
    o.Bind("memory-scale=1", m_memoryScale, 1e-6, 1e6)
        .Help("factor on every device's usable memory");
    auto& adjacent = adapts ? o.Bind("adjacent=off", m_adjacent, "on", "off", "both")
                            : o.Bind("adjacent=off", m_adjacent, "on", "off");
    adjacent.Help(
        std::string("whether idle devices help their neighbours") +
        (adapts ? ": on, off, or both, to run each plan without and with help" : ", on or off"));
    o.Bind("adjacent-costs=full", m_adjacentCosts, "full", "ideal", "joint")
        .Help("costs of help: full (weights, samples, gradients) or ideal (none); joint: full, by "
              "shares that are decided before the training");
    o.BindAttribute("checkpoints", {"AdjacentScheduler::Checkpoints"});
    o.BindAttribute("minimum-gain=0s", {"AdjacentScheduler::MinimumGain"});
    o.Need({"adjacent-costs", "checkpoints", "minimum-gain"}, "adjacent", "on");
    if (adapts)
    {
        o.Bind("replan=off", m_replan, "on", "off", "both")
            .Help("whether plans may change during the run: on, off, or both, to run each plan "
                  "without and with changes");
        AddLoadOptions(
            o,
            m_setting.load,
            "DEVICE may be slowest: that of the slowest stage in the plan of the first of "
            "--planner; without DEVICE: all devices");
        o.Bind("groups=false", m_usesGroups)
            .Help("whether planners are told what parts of a micro-batch cost, so that several "
                  "devices "
                  "may share a stage's samples; always with planners and plans that do so");
        o.BindAttribute("group-shares", {"PipelinePlanner::GroupShares"});
        o.BindAttribute("feed-samples", {"PipelineCoordinator::FeedSamples"});
        o.BindAttribute("route-through-heads", {"PipelineCoordinator::RouteThroughHeads"});
        o.BindName<GradientExchange>("exchange=ring", m_exchange)
            .Help("how devices that share a stage sum its gradients: ");
        o.BindName<BandwidthMonitor>("monitor=passive", m_setting.monitor)
            .Help("how bandwidth is estimated: ");
        o.BindAttribute("replan-threshold", {"Replanner::ReplanThreshold"});
        o.BindAttribute("replan-horizon", {"PipelineReplanner::ReplanHorizon"});
        AddPlanningTimeOption(o);
        o.Need({"monitor", "replan-threshold", "replan-horizon", "planning-time"}, "replan", "on");
        o.Bind("sample-interval=0s", m_setting.conditionInterval)
            .Help("interval of bandwidth and load samples for the picture; 0: none");
        o.Bind("timeline=true", m_setting.details)
            .Help("whether to record devices and links and to write timeline.json");
    }
    AddReplayOptions(o, "not beside --adjacent=on");
    AddNetworkOptions(o, m_network);
    o.Bind("planner-bandwidth=probe",
           [&o, this] {
               const bool isProbe = o.GetString("planner-bandwidth") == "probe";
               m_plannerBandwidth = isProbe ? 0 : o.GetBitsPerSecond("planner-bandwidth");
           })
        .Help("bandwidth that planners assume for every transfer, such as 900Mbps; probe: measure "
              "one transfer");
    o.BindAttribute("stall-timeout", {"StallMonitor::Timeout"});
}

void
PipelineTrainingWorkload::Read()
{
    const std::string traces = FindTracesFolder(*m_options);
    // Details are of use only where results are written.
    m_setting.details &= m_options->Has("out");
    m_helps = ReadBoth(m_adjacent);
    m_replans = ReadBoth(m_replan);
    m_options->Expect("replan",
                      m_adjacentCosts != "joint" || !m_helps.back() || !m_replans.back(),
                      "off with --adjacent-costs=joint");
    m_graph = ReadDnnGraph(FindTracesFile(*m_options, "model", "models"));
    const std::string file = FindTracesFile(*m_options, "cluster", "clusters");
    m_cluster = ReadCluster(file, traces);
    for (auto& device : m_cluster.devices)
    {
        device.memoryBytes =
            static_cast<uint64_t>(std::min(m_memoryScale * device.memoryBytes, 0x1p62));
    }
    ReadNetworkOptions(*m_options, m_cluster, m_network);
    // Repetition k (from 1) of a device has the suffix `.k`, site k (from 1) the prefix `site-k/`.
    const auto all = m_cluster.devices;
    m_cluster.devices.clear();
    for (std::size_t i = 0; i < (m_devices > 0 ? m_devices : all.size()); ++i)
    {
        m_cluster.devices.push_back(all[i % all.size()]);
        m_cluster.devices.back().name += i < all.size() ? "" : "." + std::to_string(i / all.size());
    }
    m_options->Expect("pipelines",
                      m_pipelines == 1 ||
                          m_pipelines * uint64_t{m_cluster.devices.size()} <= MOST_DEVICES,
                      "at most " + std::to_string(MOST_DEVICES) + " devices on all sites");
    for (uint32_t i = 0; i < m_pipelines; ++i)
    {
        for (const auto& device : m_cluster.devices)
        {
            m_names.push_back((i > 0 ? "site-" + std::to_string(i) + "/" : "") + device.name);
        }
    }
    if (m_options->Has("group-shares"))
    {
        PipelinePlanner::FindSharesPlanner("--group-shares", m_options->GetString("group-shares"));
    }
    if (m_options->Has("load"))
    {
        m_options->Read("replan-threshold", m_threshold, 1e-6, 1e6);
        std::vector<std::string> loaded = m_names;
        loaded.push_back(SLOWEST); // of a plan yet to be made
        ReadLoads(*m_options, m_setting.load, loaded, m_names.size());
    }
    m_setting.replays = ReadReplays(*m_options, m_names);
    m_options->Expect("replay",
                      m_setting.replays.empty() || !m_helps.back(),
                      "none where idle devices help their neighbours");
    if (m_updatesWeights)
    {
        for (const auto& spec : m_cluster.specs)
        {
            m_setting.memoryBandwidthBytesPerSecond[spec.name] = spec.memoryBandwidthBytesPerSecond;
        }
    }
    m_costs = FindLayerCosts(traces,
                             m_graph,
                             m_cluster.specs,
                             m_setting.microBatchSamples,
                             PassKind::TRAINING);
    m_addsAlone = m_planners.size() - m_plans.size() > 1 &&
                  (m_plans.empty() || !m_replans.back()) && !Contains(m_planners, ALONE);
    if (m_addsAlone)
    {
        m_planners.push_back(ALONE);
    }
    // Where a run takes no groups, only a given plan with some asks for them, and is refused.
    const bool takesGroups =
        m_helps.front() == false &&
        FindByName<PipelineSchedule>("schedule", m_setting.schedule)->GetParts() == 1;
    const auto usesGroups = [takesGroups](const std::string& name) {
        return (takesGroups || IsOutsidePlanner(name)) &&
               FindByName<PipelinePlanner>("--planner", name)->UsesGroups();
    };
    m_usesGroups |= AnyOf(m_planners, usesGroups);
    std::for_each(m_planners.begin(), m_planners.end() - m_plans.size(), [this](const auto& name) {
        if (!FindByName<PipelinePlanner>("--planner", name)->UsesSharedMedium())
        {
            m_unaware.insert(name);
        }
    });
    for (const std::string name :
         {"group-shares", "feed-samples", "route-through-heads", "exchange"})
    {
        m_options->Expect(name,
                          m_usesGroups || !m_options->IsChanged(name),
                          "it left out, since no plan here may have groups; those of hybrid may, "
                          "without --adjacent=on and seq1f1b");
    }
    const bool isReplanning = m_replans.back();
    m_options->Expect("plan",
                      !isReplanning || m_plans.size() <= 1,
                      "one file with one plan, the first");
    const bool isFirst = isReplanning && !m_plans.empty();
    const bool isOne = isFirst || m_planners.size() == 1;
    const auto names = NamePlanners();
    for (std::size_t i = 0; i < m_planners.size() - (isFirst ? 1 : 0); ++i)
    {
        PipelineCase one;
        one.decider = m_planners[i];
        one.firstPlanner = isFirst ? m_planners.back() : one.decider;
        const bool hasGroups =
            usesGroups(one.firstPlanner) || (m_replans.back() && usesGroups(one.decider));
        for (const bool helped : m_helps)
        {
            // A single stage has no neighbours.
            if (helped && m_helps.size() > 1 && (hasGroups || one.firstPlanner == ALONE))
            {
                m_isUnhelped |= hasGroups;
                continue;
            }
            for (const bool isReplanned : m_replans)
            {
                one.index = m_all.size();
                one.helped = helped;
                one.isReplanned = isReplanned;
                one.planner = one.name =
                    names[i] + (isReplanned && m_replans.size() > 1 ? " + replanning" : "") +
                    (helped && m_helps.size() > 1 ? " + help" : "");
                if (isOne && m_replans.size() > 1)
                {
                    one.planner = names[i];
                    one.name = one.GetAdaptation();
                }
                m_all.push_back(one);
            }
        }
    }
    CheckNetwork(*m_options, m_network, m_names, file + ": network: ");
    if (!ReplaysRecording(m_network))
    {
        GetProblem(); // report errors of the network before any output
    }
    for (const auto& plan : m_plans)
    {
        ReadPlan<PipelinePlan>(plan, GetProblem()); // refuses names that are unknown here
    }
}

WorkloadSweep
PipelineTrainingWorkload::GetSweep() const
{
    // Only planners that decide at once; the others learn first.
    return {"",
            "",
            "",
            {},
            {"dp-dgpas", "even", "exact", "ga", "pso"},
            "model&single:cluster schedule=" + JoinWords(GetNames<PipelineSchedule>(), "|") +
                " micro-batch-size=1|2|4|8|16|32 micro-batches=2..16&iterations=1..3 "
                "mixed:planner-bandwidth=1~100Mbps",
            1,
            "pipelines"};
}

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
    const NetworkOptions& network = groups.size() == 1 ? groups.front().network : m_network;
    const auto link = FindLinkType(network);
    const Topology topology = link->MakeTopology(network, names);
    // Where devices forward for each other, neighbours have a wire of their own, and each device
    // has half the delay of a hop.
    const bool isForwarding = link->GetTraits().isForwarding;
    m_problem.sharesMedium = link->GetTraits().isShared && !isForwarding;
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
    for (const auto& group : m_network.groups)
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
    const double any = m_network.bandwidthBitsPerSecond;
    return names.size() > 1 ? MeasureBandwidth(m_network, names) : any > 0 ? any : 1e9;
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
    Connect(planner, "Progress", [this](double, const std::string& what) { Tell(what); });
    Tell("planning");
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
    const Stopwatch watch;
    auto all = RunSideBySide(sites, m_names, setting, progress);
    all.simulationSeconds = watch.GetSeconds();
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

std::vector<PlanPart>
PipelineTrainingWorkload::ListStages(const PipelinePlan& plan, const PipelineCase* one) const
{
    std::vector<PlanPart> parts;
    for (const auto& stage : plan.stages)
    {
        const std::string names = DescribeDevices(m_problem, stage);
        parts.push_back(MakeLayerPart(names, m_graph, [&](std::size_t layer) {
            return layer >= stage.firstLayer && layer <= stage.lastLayer;
        }));
        for (const auto& [device, samples] : stage.GetReplicas(m_setting.microBatchSamples))
        {
            if (!one || device >= one->devices.size())
            {
                continue;
            }
            // Of a group, the fullest memory and the busiest device.
            PlanPart& part = parts.back();
            const DeviceUse& use = one->devices[device];
            if (1.0 * use.peakMemoryBytes * part.capacityBytes >=
                1.0 * part.memoryBytes * use.memoryBytes)
            {
                part.memoryBytes = use.peakMemoryBytes;
                part.capacityBytes = use.memoryBytes;
            }
            if (one->planChanges.empty())
            {
                part.share = std::max(part.share.value_or(0), GetUtilisation(*one, use));
            }
        }
    }
    return parts;
}

CasePlan
PipelineTrainingWorkload::PlanOf(const PipelineCase& one) const
{
    CasePlan plan{one.name, {}};
    const auto& changes = one.planChanges;
    if (!changes.empty())
    {
        plan.steps.push_back({"first", ListStages(one.plan)});
        plan.steps.push_back({"last", ListStages(changes.back().decision.plan, &one)});
    }
    else if (one.HasPlan())
    {
        plan.steps.push_back({"", ListStages(one.plan, &one)});
    }
    return plan;
}

Sheet<PipelineCase>
PipelineTrainingWorkload::MakeResults() const
{
    using Case = const PipelineCase;
    const auto isFinished = [](Case& c) { return c.finished; };
    const auto finished = [](Case& c, double value) { return When(c.finished, value); };
    // Printed columns depend on whether plans may change.
    const bool changes = m_replans.back();
    const auto fixed = [=](const char* heading) { return changes ? "" : heading; };
    const auto changing = [=](const char* heading) { return changes ? heading : ""; };
    const auto getP95 = [](Case& c) { return FindPercentile(c.GetIterationSeconds(), 0.95); };
    const auto getLast = [](Case& c) {
        const auto all = c.GetIterationSeconds();
        return all.empty() ? 0 : all.back();
    };
    return MakeSheet<PipelineCase>(
        {
            {"case", changing("case"), &PipelineCase::GetAdaptation},
            {"planner", changes && m_planners.size() == 1 ? "" : "planner", &PipelineCase::planner},
            {"model", m_graph.name},
            {"cluster", m_cluster.name},
            {"link", m_network.link},
            {"fidelity", m_network.fidelity},
            {"schedule", m_setting.schedule},
            {"help", [&](Case& c) { return When(c.helped, m_adjacentCosts); }},
            {"microBatches", m_problem.microBatches},
            {"microBatchSize", m_setting.microBatchSamples},
            {"iterations", [](Case& c) { return c.iterations.size(); }},
            {"status", &PipelineCase::GetStatus},
            {"stages",
             fixed("stages"),
             [](Case& c) { return c.plan.stages.size(); },
             nullptr,
             &PipelineCase::HasPlan},
            {"predictedIterationSeconds",
             fixed("predicted (s)"),
             [](Case& c) { return When(c.HasPlan(), c.predictedSeconds); },
             FormatRounded},
            {"iterationSeconds", [=](Case& c) { return finished(c, c.GetMeanIterationSeconds()); }},
            {"",
             changes ? "mean iteration (s)" : "iteration (s)",
             [](Case& c) {
                 return c.finished ? Cell(c.GetMeanIterationSeconds())
                                   : Cell(c.HasPlan() ? "stalled" : "no plan");
             },
             FormatRounded},
            {"",
             fixed("prediction error"),
             [](Case& c) {
                 const double seconds = c.GetMeanIterationSeconds();
                 return When(c.finished && seconds > 0, c.predictedSeconds / seconds - 1);
             },
             FormatPercent},
            {"idleRate",
             fixed("idle"),
             [=](Case& c) { return finished(c, c.GetMeanIdleRate()); },
             FormatPercent},
            {"bubbleRate",
             fixed("bubbles"),
             [=](Case& c) { return finished(c, c.GetMeanBubbleRate()); },
             FormatPercent},
            {"",
             fixed("DGPAS index"),
             [&](Case& c) {
                 return c.finished ? Cell(GetBubbleIndex(m_problem,
                                                         c.plan,
                                                         c.GetMeanBubbleRate(),
                                                         c.GetMeanIterationSeconds()))
                                   : Cell();
             },
             FormatShort},
            {"movedBytes",
             fixed("bytes moved"),
             [](Case& c) { return c.bytesMoved; },
             FormatBytes,
             &PipelineCase::HasPlan},
            {"layerCostOrigins", JoinOrigins(m_costs)},
            {"p95IterationSeconds",
             changing("p95 (s)"),
             [=](Case& c) { return finished(c, getP95(c)); },
             FormatRounded},
            {"lastIterationSeconds",
             changing("last (s)"),
             [=](Case& c) { return finished(c, getLast(c)); },
             FormatRounded},
            {"totalSeconds",
             changing("all (s)"),
             [=](Case& c) { return finished(c, c.GetTotal().GetSeconds()); },
             FormatRounded},
            {"decisions", changing("decisions"), [](Case& c) { return c.decisions.size(); }},
            {"planChanges", changing("plan changes"), [](Case& c) { return c.planChanges.size(); }},
            {"migratedBytes",
             changing("weights moved"),
             [](Case& c) {
                 return Sum(c.planChanges, [](auto& one) { return one.decision.moveBytes; });
             },
             FormatBytes},
            {"migrationSeconds",
             changing("moves (s)"),
             [](Case& c) { return GetMigrationTime(c); },
             FormatRounded},
            {"decidingSeconds",
             changing("deciding (s)"),
             [](Case& c) { return GetDecidingSeconds(c); },
             FormatRounded,
             isFinished},
            {"assistanceRequests", [](Case& c) { return c.assistance.requests; }},
            {"assistanceGrants", [](Case& c) { return c.assistance.grants; }},
            {"helpedSamples",
             changing("samples helped"),
             [](Case& c) { return c.assistance.samples; }},
        },
        m_cases,
        MakeFailureColumns(changes));
}

void
PipelineTrainingWorkload::Print() const
{
    PrintHeading();
    for (const auto& load : m_setting.loads)
    {
        std::cout << "load: of " << load.device << " there is left ";
        if (load.trace.empty())
        {
            const char* separator = "";
            for (const auto& step : load.steps)
            {
                if (load.steps.size() == 1 || !step.time.IsZero() || step.value < 1)
                {
                    std::cout << separator << Table::Rounded(100 * step.value) << " % from "
                              << Table::Rounded(step.time.GetSeconds()) << " s";
                    separator = ", ";
                }
            }
            const bool isReached = AnyOf(m_cases, [&load](const auto& one) {
                return !one.iterations.empty() &&
                       load.steps.back().time < one.iterations.back().end;
            });
            std::cout << " on" << (isReached ? "" : ", after the end") << "\n";
        }
        else
        {
            std::cout << "what " << load.trace << " says\n";
        }
    }
    if (IsLoadedAtFirst())
    {
        std::cout << "planners are told what there is left at 0 s\n";
    }
    PrintReplanning();
    MakeResults().GetShown().Print(std::cout);
    if (!m_replans.back())
    {
        std::cout << "idle: share of the iteration in which a stage's device computes nothing, "
                     "mean over the stages, GPipe's bubble overhead;\nbubbles: the part of it "
                     "between a device's own first and last task, DGPAS's bubble rate\nDGPAS "
                     "index: bubbles weighted by that paper's eq. 14, to compare plans; no share\n";
    }
    PrintHelp();
    Comparison compared{FormatRounded, " s"};
    for (const auto& one : m_cases)
    {
        PrintChanges(one);
        for (const auto& kept : m_cases)
        {
            const bool isSame = kept.decider == one.decider && kept.helped == one.helped;
            const double times = one.GetTotal().GetSeconds() / kept.GetTotal().GetSeconds();
            if (isSame && one.isReplanned && !kept.isReplanned && one.finished && kept.finished &&
                times > NOTABLY_LONGER)
            {
                Note({one.name + ": changing plans took " +
                      FormatRounded(one.GetTotal().GetSeconds()) + " s in all, keeping the first " +
                      FormatRounded(kept.GetTotal().GetSeconds()) + " s"});
            }
        }
        if (!one.HasPlan())
        {
            std::cout << "\n" << one.problemWithPlan << "\n";
        }
        else if (one.finished && !one.isReplanned)
        {
            compared.cases.push_back(
                {one.name, one.predictedSeconds, one.GetMeanIterationSeconds(), one.helped});
        }
        if (one.lowerBoundSeconds > 0 && one.lowerBoundSeconds < one.predictedSeconds)
        {
            std::cout << "\n"
                      << one.name
                      << ": stopped before its plan was proved the best; no plan without "
                      << "groups is predicted to take less than "
                      << FormatRounded(one.lowerBoundSeconds) << " s\n";
        }
    }
    NoteOrder(compared);
    for (const auto& one : m_cases)
    {
        Note(DescribeBeliefs(one.name, "decision", one.beliefs));
    }
    Note(compared.DescribeDistance(
        ListUnknown(m_setting.loads,
                    {{!IsProbed(), "what bandwidth there is but --planner-bandwidth"},
                     {!m_setting.memoryBandwidthBytesPerSecond.empty(), "weight updates"},
                     {m_setting.schedule != "gpipe", "the schedule"},
                     {m_helps.back(), "help between neighbours"},
                     {!m_setting.replays.empty(), "recorded passes"},
                     {m_exchange != "ring" || m_options->IsChanged("feed-samples") ||
                          m_options->IsChanged("route-through-heads"),
                      "how groups exchange samples and gradients"},
                     {true, "the start-up of transfers and the coordinator's messages"}})));
}

void
PipelineTrainingWorkload::PrintReplanning() const
{
    if (!m_replans.back())
    {
        return;
    }
    const auto horizon = m_options->Get<uint32_t>("replan-horizon");
    std::cout << "plans change when the bandwidth that monitor " << m_setting.monitor
              << " sees or a device's speed has changed by more than "
              << Table::Rounded(100 * m_threshold) << " % and that pays back within "
              << FormatCount(horizon, "iteration", "iterations")
              << "\niteration: from its start to its end; all: with moves and deciding, the time "
                 "that the training waited for\ndecisions, in between\n\n";
}

void
PipelineTrainingWorkload::PrintChanges(const PipelineCase& one) const
{
    const auto& changes = one.planChanges;
    for (std::size_t i = 0; i < changes.size() && i < SHOWN_PLAN_CHANGES; ++i)
    {
        const auto& change = changes[i];
        std::cout << (i == 0 ? "\n" : "") << one.name << ", "
                  << Table::Rounded(change.decided.GetSeconds()) << " s, iteration "
                  << change.iteration << ": " << FormatParts(ListStages(change.decision.plan))
                  << " (" << Table::Rounded(change.decision.oldSeconds) << " s to "
                  << Table::Rounded(change.decision.newSeconds) << " s predicted, "
                  << Table::Bytes(change.decision.moveBytes) << " in "
                  << Table::Rounded((change.inForce - change.decided).GetSeconds())
                  << " s, predicted " << Table::Rounded(change.decision.moveSeconds) << " s)\n";
    }
    if (changes.size() > SHOWN_PLAN_CHANGES)
    {
        std::cout << one.name << ": " << changes.size() - SHOWN_PLAN_CHANGES
                  << " more in decisions.csv\n";
    }
}

void
PipelineTrainingWorkload::PrintHeading() const
{
    const auto iterations = m_options->Get<uint32_t>("iterations");
    std::cout << m_graph.name << ", " << FormatCount(m_microBatches, "micro-batch", "micro-batches")
              << " of " << FormatCount(m_setting.microBatchSamples, "sample", "samples") << ", on "
              << m_cluster.name << " (" << FormatCount(m_names.size(), "device", "devices") << "), "
              << DescribeLink(m_network) << " at " << m_network.fidelity << " level, "
              << m_setting.schedule << ", " << FormatCount(iterations, "iteration", "iterations")
              << "\n";
    if (!m_network.bandwidthSteps.empty())
    {
        std::cout << "bandwidth: " << Table::Rounded(m_network.bandwidthBitsPerSecond / 1e6)
                  << " Mbit/s";
        for (const auto& step : m_network.bandwidthSteps)
        {
            std::cout << ", from " << Table::Exact(step.time.GetSeconds()) << " s on "
                      << Table::Rounded(step.bitsPerSecond / 1e6) << " Mbit/s";
        }
        std::cout << "\n";
    }
    std::cout << "planners are told ";
    if (m_rates.empty())
    {
        std::cout << Table::Rounded(m_problem.bandwidthBitsPerSecond / 1e6)
                  << " Mbit/s between any two devices"
                  << (IsProbed() ? " (measured: one transfer on the idle network)\n" : "\n");
    }
    else
    {
        std::cout << "what each device's link was measured to give one transfer, Mbit/s:\n";
    }
    for (std::size_t i = 0; i < m_rates.size(); ++i)
    {
        std::cout << "  " << JoinWords(m_network.groups[i].devices) << ": up "
                  << Table::Rounded(m_rates[i].first / 1e6) << ", down "
                  << Table::Rounded(m_rates[i].second / 1e6) << "\n";
    }
    if (m_problem.sharesMedium)
    {
        std::cout << "planners are told that all transfers share one medium, in which they follow "
                     "each other"
                  << (m_unaware.empty() ? "" : "; " + JoinWords(m_unaware) + " cannot use it")
                  << "\n";
    }
    PrintLayerCosts(m_costs);
    if (!m_setting.memoryBandwidthBytesPerSecond.empty())
    {
        std::cout << "weight updates are simulated (" << GetUpdatePasses(m_problem.optimizerStates)
                  << " x weights over the memory bandwidth) and not predicted\n";
    }
    if (m_setting.schedule != "gpipe")
    {
        std::cout << "predictions and the memory limits of planners are for the schedule gpipe\n";
    }
    std::cout << "\n";
}

void
PipelineTrainingWorkload::PrintHelp() const
{
    using Case = const PipelineCase;
    if (!m_helps.back())
    {
        return;
    }
    if (m_isUnhelped)
    {
        std::cout << "\nNeighbours do not help in plans with groups; their planners run without.\n";
    }
    if (m_adjacentCosts == "joint")
    {
        PrintSharing();
        return;
    }
    std::cout << "\nHelp from idle neighbours (costs: " << m_adjacentCosts << "):\n\n";
    Sheet<PipelineCase> help({
        {"", m_replans.back() ? "case" : "planner", &PipelineCase::name},
        {"", "requests", [](Case& c) { return c.assistance.requests; }},
        {"", "tasks that refused", [](Case& c) { return c.assistance.refusals; }},
        {"", "tasks that granted", [](Case& c) { return c.assistance.grants; }},
        {"", "passes of a sample", [](Case& c) { return c.assistance.samples; }},
        {"", "merges", [](Case& c) { return c.assistance.merges; }},
    });
    for (const auto& one : m_cases)
    {
        if (one.helped && one.finished)
        {
            help.Add(one);
        }
    }
    help.GetShown().Print(std::cout);
    std::cout << "a request stands until what the idle device waits for is sent: none, one or "
                 "several of its neighbour's\ntasks answer it; passes of a sample: forward or "
                 "backward through a stage, by helpers; merges: of their gradients\n";
}

void
PipelineTrainingWorkload::PrintSharing() const
{
    std::cout << "\nJoint help: samples of every micro-batch, or part of one, that cross a cut at "
                 "another layer\n\n";
    for (const auto& one : m_cases)
    {
        const auto& cuts = one.sharedCuts;
        for (std::size_t cut = 0; cut < cuts.size(); ++cut)
        {
            if (cuts[cut].samples > 0)
            {
                std::cout << "  " << one.name << ": " << cuts[cut].samples << " from stage " << cut
                          << " to " << cut + 1 << " before "
                          << m_problem.layers[cuts[cut].firstLayer].name << ", not "
                          << m_problem.layers[one.plan.stages[cut + 1].firstLayer].name << "\n";
            }
        }
        if (one.helped && one.HasPlan())
        {
            std::cout << "  " << one.name << ": decided in " << FormatRounded(one.sharingSeconds)
                      << " s of the coordinator's device, before the first iteration\n";
        }
    }
}

std::string
PipelineTrainingWorkload::Write(ResultsFolder& folder) const
{
    WriteRun(folder, MakeResults().GetFile(), DescribeRun());
    using Case = const PipelineCase;
    WriteParts<std::size_t>(
        folder,
        "iterations.csv",
        [](Case& c) { return CountUp(c.iterations.size()); },
        {{"iteration", [](std::size_t i) { return i; }},
         {"startSeconds", [](Case& c, std::size_t i) { return c.iterations[i].start; }},
         {"iterationSeconds",
          [](Case& c, std::size_t i) { return c.iterations[i].end - c.iterations[i].start; }},
         {"idleRate", [](Case& c, std::size_t i) { return c.usage.idleRates[i]; }},
         {"bubbleRate", [](Case& c, std::size_t i) { return c.usage.bubbleRates[i]; }},
         {"helpedSamples", [](Case& c, std::size_t i) {
              return c.helpedSamples[i] - (i > 0 ? c.helpedSamples[i - 1] : 0);
          }}});
    WriteParts<DeviceUse>(
        folder,
        "devices.csv",
        &PipelineCase::devices,
        {{"device", &DeviceUse::name},
         {"stage", [](const DeviceUse& d) { return When(d.stage >= 0, d.stage); }},
         {"busySeconds", &DeviceUse::busySeconds},
         {"utilisation", GetUtilisation},
         {"peakMemoryBytes", &DeviceUse::peakMemoryBytes},
         {"memoryBytes", &DeviceUse::memoryBytes}});
    const bool changes = m_replans.back();
    WriteLinks(folder, {{changes ? "case" : "planner", &PipelineCase::name}});
    std::string more;
    if (changes)
    {
        using Made = const PlanChange;
        const auto find = [](Case& c, Made& made) {
            return FindIf(c.planChanges,
                          [&](Made& one) { return one.iteration == made.iteration; });
        };
        WriteParts<PlanChange>(
            folder,
            "decisions.csv",
            &PipelineCase::decisions,
            {{"iteration", &PlanChange::iteration},
             {"isChanged", [=](Case& c, Made& m) { return find(c, m) != nullptr; }},
             {"decidedSeconds", &PlanChange::decided},
             {"inForceSeconds",
              [=](Case& c, Made& m) { return find(c, m) ? Cell(find(c, m)->inForce) : Cell(); }},
             {"bandwidthBitsPerSecond", [](Made& m) { return m.state.bandwidthBitsPerSecond; }},
             {"oldPredictedSeconds", [](Made& m) { return m.decision.oldSeconds; }},
             {"newPredictedSeconds", [](Made& m) { return m.decision.newSeconds; }},
             {"predictedMigrationSeconds", [](Made& m) { return m.decision.moveSeconds; }},
             {"chargedSeconds", [](Made& m) { return m.decision.chargedSeconds; }},
             {"movedLayers", [](Made& m) { return m.decision.moves.size(); }},
             {"movedBytes", [](Made& m) { return m.decision.moveBytes; }},
             {"plan", [this](Made& m) { return FormatParts(ListStages(m.decision.plan)); }},
             {"reason", [](Made& m) { return m.decision.problemWithPlan; }}});
        more += "decisions.csv, ";
    }
    if (m_setting.conditionInterval.IsStrictlyPositive())
    {
        Table conditions({"seconds", "bandwidthBitsPerSecond"});
        Table loads({"seconds", "device", "share"});
        // The samples of the case that took longest reach furthest.
        for (const auto& sample : MaxBy(m_cases, &PipelineCase::end).conditions)
        {
            const std::string seconds = Table::Exact(sample.time.GetSeconds());
            conditions.AddRow(
                {seconds, When(sample.bitsPerSecond > 0, sample.bitsPerSecond).GetText()});
            for (std::size_t i = 0; i < sample.shares.size(); ++i)
            {
                loads.AddRow({seconds, m_setting.loads[i].device, Table::Exact(sample.shares[i])});
            }
        }
        folder.Write("conditions.csv", conditions);
        folder.Write("loads.csv", loads);
        more += "conditions.csv, loads.csv, ";
    }
    folder.Write("problem.json", FormatProblem(m_told));
    if (m_setting.details)
    {
        folder.Write("timeline.json", [this](std::ostream& os) {
            ChromeTraceWriter writer(os);
            for (const auto& one : m_cases)
            {
                if (one.timeline)
                {
                    writer.AddCase(one.name, m_names, *one.timeline, LabelPipelineTag);
                }
            }
            writer.Finish();
        });
        const bool isFull =
            AnyOf(m_cases, [](const auto& one) { return one.timeline && one.timeline->GetEnd(); });
        more += std::string("timeline.json (") +
                (isFull ? "the first million entries of a case; " : "") +
                "open it at https://ui.perfetto.dev), ";
    }
    return std::string("results.csv (a row per ") + (m_replans.back() ? "case" : "planner") +
           "), iterations.csv, devices.csv, links.csv,\n  " + more + "problem.json, run.json";
}

nlohmann::ordered_json
PipelineTrainingWorkload::DescribeRun() const
{
    nlohmann::ordered_json run{{"link", m_network.link},
                               {"plannerBandwidthBitsPerSecond", m_problem.bandwidthBitsPerSecond}};
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"case", one.GetAdaptation()},
                                     {"planner", one.planner},
                                     {"status", one.GetStatus()}};
        if (!one.HasPlan())
        {
            entry["reason"] = one.problemWithPlan;
        }
        if (!one.diagnosis.empty())
        {
            entry["diagnosis"] = one.diagnosis;
        }
        if (one.helped)
        {
            const auto& help = one.assistance;
            entry["assistance"] = {{"checkpoints", help.checkpoints},
                                   {"requests", help.requests},
                                   {"grants", help.grants},
                                   {"refusals", help.refusals},
                                   {"samples", help.samples},
                                   {"merges", help.merges},
                                   {"imbalanceSeconds", help.imbalanceSeconds},
                                   {"logImbalance", help.logImbalance}};
        }
        if (!one.sharedCuts.empty())
        {
            entry["sharing"] = {{"decisionSeconds", one.sharingSeconds},
                                {"cuts", nlohmann::ordered_json::array()}};
        }
        for (std::size_t cut = 0; cut < one.sharedCuts.size(); ++cut)
        {
            const auto& [layer, samples] = one.sharedCuts[cut];
            if (samples > 0)
            {
                entry["sharing"]["cuts"].push_back({{"cut", cut},
                                                    {"firstLayer", m_problem.layers[layer].name},
                                                    {"samples", samples}});
            }
        }
        entry["simulatedSeconds"] = one.end.GetSeconds();
        entry["events"] = one.events;
        entry["wallClock"] = {{"decisionSeconds", one.planningSeconds},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    return run;
}

} // namespace ns3::edgepipe
