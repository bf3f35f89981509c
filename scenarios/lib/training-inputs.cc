/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/training-inputs.h"

#include "lib/adaptive-inputs.h"
#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/traces-option.h"
#include "runs/deployment.h"
#include "runs/network-probe.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-topology.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// In --load, the device of the slowest stage.
const std::string SLOWEST = "slowest";

/**
 * @param problem a problem
 * @param plan a plan for it
 * @return name of the device whose stage computes longest
 */
std::string
FindSlowest(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const PipelineCostModel costs(problem);
    const auto slowest =
        std::max_element(plan.stages.begin(), plan.stages.end(), [&](const auto& a, const auto& b) {
            return costs.StageSeconds(a) < costs.StageSeconds(b);
        });
    return problem.devices[slowest->device].name;
}

/**
 * @param choice on, off or both
 * @return what it says, off first
 */
std::vector<bool>
ReadBoth(const std::string& choice)
{
    return choice == "both" ? std::vector<bool>{false, true} : std::vector<bool>{choice == "on"};
}

} // namespace

TrainingInputs::TrainingInputs(ScenarioOptions& o, bool adapts)
    : m_options(o),
      m_adapts(adapts)
{
    o.Bind("model=alexnet").Help("DNN: a name in traces/models or a file");
    o.Bind("cluster=dgpas-testbed").Help("devices: a name in traces/clusters or a file");
    o.BindNames<PipelinePlanner>("planner=exact", planners);
    AddPlanOption(o, planners);
    o.BindName<PipelineSchedule>("schedule=gpipe", training.schedule)
        .Help("order of a stage's passes: ");
    o.Bind("iterations=1", training.iterations, 1, 1000000).Help("mini-batches to train");
    o.Bind("micro-batches=8", microBatches, 1, 100000).Help("micro-batches per mini-batch");
    o.Bind("micro-batch-size=32", microBatchSize, 1, 1000000).Help("samples per micro-batch");
    o.Bind("weight-update=true", m_updatesWeights).Help("whether updating the weights takes time");
    auto& adjacent = adapts ? o.Bind("adjacent=off", m_adjacent, "on", "off", "both")
                            : o.Bind("adjacent=off", m_adjacent, "on", "off");
    adjacent.Help(
        std::string("whether idle devices help their neighbours") +
        (adapts ? ": on, off, or both, to see each plan without and with" : ", on or off"));
    o.Bind("adjacent-costs=full", adjacentCosts, "full", "ideal", "joint")
        .Help("what help is charged for: full (weights, samples, gradients) or ideal (nothing); "
              "joint: full, by shares that are decided before the training");
    o.Bind("checkpoints=16", training.adjacent.checkpoints, 1, 1000000)
        .Help("per task, where a busy device looks for idle neighbours");
    o.Bind("minimum-gain=0s", m_minimumGain)
        .Help("least that help must gain each time, such as 5ms");
    if (adapts)
    {
        o.Bind("replan=off", m_replan, "on", "off", "both")
            .Help("whether plans may change during the run: on, off, or both, to see each plan "
                  "without and with");
        AddLoadOptions(o,
                       training.load,
                       "DEVICE may be slowest, that of the first plan's slowest stage; without "
                       "DEVICE: all of them");
        o.BindName<BandwidthMonitor>("monitor=passive", replan.monitor)
            .Help("who estimates bandwidth: ");
        o.Bind("replan-threshold=0.1", replan.threshold, 1e-6, 1e6)
            .Help("share by which bandwidth or a device's speed must change for a decision, "
                  "above 0");
        o.Bind("replan-horizon=10", replan.horizon, 1, 1000000)
            .Help("iterations within which a change of plan has to pay back");
        AddPlanningTimeOption(o, replan.planning);
        o.Bind("sample-interval=0s", training.conditionInterval)
            .Help("between two samples of bandwidth and load for the picture; 0: none");
        o.Bind("timeline=true", training.details)
            .Help("whether to record devices and links and to write timeline.json");
    }
    AddNetworkOptions(o, training.network);
    o.Bind("planner-bandwidth=probe",
           [this] {
               const bool isProbe = m_options.GetString("planner-bandwidth") == "probe";
               m_plannerBandwidth = isProbe ? 0 : m_options.GetBitsPerSecond("planner-bandwidth");
           })
        .Help("what planners take every transfer to get, such as 900Mbps; probe: measure one "
              "transfer");
    o.Bind("stall-timeout=60s", training.stallTimeout, NanoSeconds(1))
        .Help("longest simulated time without progress");
    o.AddOut();
}

void
TrainingInputs::Read()
{
    const std::string traces = FindTracesFolder(m_options);
    training.microBatchSamples = microBatchSize;
    helps = ReadBoth(m_adjacent);
    replans = ReadBoth(m_replan);
    training.adjacent.enabled = helps.back();
    training.adjacent.costs = adjacentCosts == "ideal"   ? AdjacentCosts::IDEAL
                              : adjacentCosts == "joint" ? AdjacentCosts::JOINT
                                                         : AdjacentCosts::FULL;
    if (adjacentCosts == "joint" && helps.back() && replans.back())
    {
        m_options.Refuse("replan", "off with --adjacent-costs=joint");
    }
    training.adjacent.minimumGainSeconds = m_minimumGain.GetSeconds();
    graph = ReadDnnGraph(FindTracesFile(m_options, "model", "models"));
    clusterFile = FindTracesFile(m_options, "cluster", "clusters");
    cluster = ReadCluster(clusterFile, traces);
    ReadNetworkOptions(m_options, cluster, training.network);
    if (m_adapts)
    {
        std::vector<std::string> loaded = GetDeviceNames(cluster.devices);
        loaded.push_back(SLOWEST); // of a plan that is to be made
        ReadLoads(m_options, training.load, loaded, cluster.devices.size());
    }
    if (m_updatesWeights)
    {
        for (const auto& spec : cluster.specs)
        {
            training.memoryBandwidthBytesPerSecond[spec.name] = spec.memoryBandwidthBytesPerSecond;
        }
    }
    costs = FindLayerCosts(traces, graph, cluster.specs, microBatchSize, PassKind::TRAINING);
}

void
TrainingInputs::CheckNetwork(const std::vector<std::string>& names) const
{
    edgepipe::CheckNetwork(m_options, training.network, names, clusterFile + ": network: ");
}

const ScenarioOptions&
TrainingInputs::GetOptions() const
{
    return m_options;
}

double
TrainingInputs::FindPlannerBandwidth(const std::vector<std::string>& names)
{
    m_groupRates.clear();
    if (!IsProbed())
    {
        return m_plannerBandwidth;
    }
    if (!training.network.groups.empty())
    {
        double least = std::numeric_limits<double>::infinity();
        for (const auto& group : training.network.groups)
        {
            const std::string device = *group.devices.begin();
            const std::string core = "the core of the networks";
            NetworkOptions own = GetGroupOptions(training.network, group);
            own.wiredDevices = {core};
            m_groupRates.push_back({MeasureBandwidth(own, {device, core}, training.stallTimeout),
                                    MeasureBandwidth(own, {core, device}, training.stallTimeout)});
            least = std::min({least,
                              m_groupRates.back().uplinkBitsPerSecond,
                              m_groupRates.back().downlinkBitsPerSecond});
        }
        return least;
    }
    // One device sends nothing, and any bandwidth will do.
    return names.size() > 1 ? MeasureBandwidth(training.network, names, training.stallTimeout)
                            : training.network.bandwidthBitsPerSecond;
}

bool
TrainingInputs::IsLoadOfPlan() const
{
    return m_options.GetString("load").find(SLOWEST + ":") != std::string::npos;
}

void
TrainingInputs::FindLoads(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const auto names = GetDeviceNames(cluster.devices);
    std::map<std::string, std::string> aliases;
    if (IsLoadOfPlan())
    {
        aliases[SLOWEST] = FindSlowest(problem, plan);
    }
    training.loads = ReadLoads(m_options, training.load, names, names.size(), aliases);
    training.shares.assign(names.size(), 1);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        training.shares[i] = GetFirstShare(training.loads, names[i], training.load);
    }
}

bool
TrainingInputs::IsProbed() const
{
    return m_plannerBandwidth == 0;
}

PipelineProblem
TrainingInputs::BuildProblem(const Cluster& devices, double bandwidthBitsPerSecond) const
{
    PipelineProblem problem = BuildPipelineProblem(graph,
                                                   devices,
                                                   costs,
                                                   microBatchSize,
                                                   microBatches,
                                                   bandwidthBitsPerSecond);
    for (std::size_t i = 0; i < m_groupRates.size(); ++i)
    {
        for (auto& device : problem.devices)
        {
            if (training.network.groups[i].devices.count(device.name))
            {
                device.uplinkBitsPerSecond = m_groupRates[i].uplinkBitsPerSecond;
                device.downlinkBitsPerSecond = m_groupRates[i].downlinkBitsPerSecond;
            }
        }
    }
    return problem;
}

void
TrainingInputs::AddDelays(PipelineProblem& problem) const
{
    std::vector<std::string> names;
    for (const auto& device : problem.devices)
    {
        names.push_back(device.name);
    }
    // Networks that are all alike are one network.
    const auto& groups = training.network.groups;
    const NetworkOptions& network = groups.size() == 1 ? groups.front().network : training.network;
    const auto link = FindLinkType(network);
    const Topology topology = link->MakeTopology(network, names);
    const bool isForwarding = link->GetTraits().isForwarding;
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        const uint32_t to =
            isForwarding ? std::min<std::size_t>(1, names.size() - 1) : topology.nodes.size() - 1;
        problem.devices[i].delaySeconds =
            isForwarding ? topology.GetDelaySeconds(0, to) / 2 : topology.GetDelaySeconds(i, to);
    }
}

const std::vector<LinkRates>&
TrainingInputs::GetGroupRates() const
{
    return m_groupRates;
}

} // namespace edgepipe
} // namespace ns3
