/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/pipeline/pipeline-training-workload.h"

#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PipelineTrainingWorkload);

namespace
{

/// On all sites; they take some GB of memory.
constexpr uint32_t MOST_DEVICES = 1000000;

/**
 * @param choice on, off or both
 * @return its settings, off first
 */
std::vector<bool>
ReadBoth(const std::string& choice)
{
    return choice == "both" ? std::vector<bool>{false, true} : std::vector<bool>{choice == "on"};
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
    o.BindAttribute("memory-margin", {"TrainingMemory::MemoryMargin"});
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
    if (!m_network.IsRecorded())
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

} // namespace ns3::edgepipe
