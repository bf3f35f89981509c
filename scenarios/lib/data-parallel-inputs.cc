/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/data-parallel-inputs.h"

#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-gradient-exchange.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-input-size.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace edgepipe
{

std::vector<DataParallelNode>
MakeDataParallelNodes(const std::string& traces,
                      const DnnGraph& graph,
                      const Cluster& cluster,
                      uint32_t workers,
                      std::map<std::string, LayerCost>& costs)
{
    const auto byType = FindDataParallelCosts(traces, graph, cluster.specs, &costs);
    std::vector<DataParallelNode> nodes;
    for (uint32_t i = 0; i < workers; ++i)
    {
        const ClusterDevice& device = cluster.devices[i % cluster.devices.size()];
        DataParallelNode node;
        node.name = device.name;
        if (i >= cluster.devices.size())
        {
            node.name += "." + std::to_string(i / cluster.devices.size() + 1);
        }
        node.memoryBytes = device.memoryBytes;
        node.cost = byType.at(device.type);
        nodes.push_back(node);
    }
    return nodes;
}

void
AddDataParallelOptions(ScenarioOptions& o, DataParallelOptions& run, uint32_t& inputSize)
{
    o.Bind("updates=2400", run.iterations, 1, 10000000).Help("weight updates to run");
    auto& exchange = o.BindName<GradientExchange>("exchange=ring", run.exchange);
    exchange.choices += "; merged-ring: the steps of a ring as one flow a worker, flow level only";
    exchange.Help("of gradients: ");
    o.Bind("input-size=0", inputSize, 0, 4096)
        .Help(
            "pixels of a side of the model's input, up to 4096: figures of layers before the first "
            "linear one go with the area; 0: as in the file");
    o.Bind("latencies=first-node", run.allPairs, "first-node", "all-pairs")
        .Help("what bno weighs: first-node (algorithm 1) or all-pairs (equations 4 and 5)");
    o.Bind("stall-timeout=60s", run.stallTimeout, MicroSeconds(1))
        .Help("longest simulated time without progress");
}

DnnGraph
ReadDataParallelModel(const std::string& path, uint32_t inputSize)
{
    const DnnGraph graph = ReadDnnGraph(path);
    return inputSize > 0 ? ScaleInput(graph, ReadInputSide(path), inputSize) : graph;
}

DataParallelInputs::DataParallelInputs(ScenarioOptions& o)
    : m_options(o)
{
    o.Bind("model=resnet50").Help("DNN: a name in traces/models or a file");
    o.Bind("cluster=bno-testbed").Help("devices: a name in traces/clusters or a file");
    o.Bind("devices=0", m_workers, 0, 1024)
        .Help("how many work; beyond the cluster's devices, these are repeated; 0: one for each "
              "device");
    o.Rename("workers", "--devices=NUMBER");
    o.BindNames<BatchSharesPlanner>("planner=bno", planners);
    o.Rename("shares", "--planner=NAME");
    AddPlanOption(o, planners);
    o.Bind("base-batch=128", run.baseBatch, 1, 1000000000)
        .Help("samples of all workers together, in each iteration");
    AddDataParallelOptions(o, run, m_inputSize);
    o.Bind("normalize=false", run.normalize)
        .Help("whether bno scales its shares so that they make the base batch");
    o.Bind("update-interval=1s", run.updateInterval, MicroSeconds(1))
        .Help("between reports of every worker, such as 1s");
    o.Bind("missing-after=10s", run.missingAfter, MicroSeconds(1))
        .Help("metrics older than this are named as missing");
    o.Bind("monitor=none",
           [this] {
               const std::string& name = m_options.GetString("monitor");
               if (name != "none" && GetNames<BandwidthMonitor>().count(name) == 0)
               {
                   m_options.Refuse("monitor", "none, " + JoinNames<BandwidthMonitor>());
               }
               run.monitor = name == "none" ? "" : name;
           })
        .Help("who estimates the links that gradients take: none (what is known are pings, and "
              "uploads to a parameter server), " +
              JoinNames<BandwidthMonitor>());
    o.Bind("replan-threshold=0", run.replanThreshold, 0, 1e6)
        .Help("share by which something that workers measure must change before shares are decided "
              "anew; 0: whenever all have reported");
    o.Bind("replan-period=0", run.replanPeriod)
        .Help("with a threshold: decide anew this often as well, such as 5s; 0: never");
    AddPlanningTimeOption(o, run.planning);
    o.Bind("join=").Help("workers that join during the training, and when they ask to be let in, "
                         "such as NAME@20s,...; the others are in from the start");
    o.Bind("leave=").Help(
        "workers that leave, and when they ask to be let go, such as NAME@40s,...");
    AddLoadOptions(o, run.load, "DEVICE is a worker; without DEVICE: all of them");
    o.Rename("load-trace", "--load=FILE or --load=DEVICE:FILE");
    o.Bind("control=shared", m_control, "shared", "own")
        .Help(
            "what moves metrics and shares: shared (the network of the gradients) or own (a LAN)");
    o.Bind("control-bandwidth=1Gbps").Help("of --control=own, every wire");
    o.Bind("control-trace=")
        .Help("--control=own: recorded bandwidth of every wire, replayed both ways, like --trace, "
              "instead of --control-bandwidth");
    o.Bind("control-cut=")
        .Help("--control=own: worker whose wire goes dead there, and when, such as NAME@20s");
    AddNetworkOptions(o, run.network);
    o.AddOut();
}

void
DataParallelInputs::Read()
{
    const std::string traces = FindTracesFolder(m_options);
    if (FindByName<GradientExchange>("--exchange", run.exchange)->NeedsFlows() &&
        m_options.GetString("fidelity") == "packet")
    {
        m_options.Refuse("exchange", "ring or parameter-server where --fidelity=packet");
    }
    CheckReplanning();
    graph = ReadDataParallelModel(FindTracesFile(m_options, "model", "models"), m_inputSize);
    const std::string clusterFile = FindTracesFile(m_options, "cluster", "clusters");
    cluster = ReadCluster(clusterFile, traces);
    const uint32_t workers = m_workers > 0 ? m_workers : cluster.devices.size();
    if (!run.monitor.empty() && workers == 1)
    {
        m_options.Refuse("monitor", "none, since a lone worker sends its gradients to nobody");
    }
    if (run.baseBatch < workers)
    {
        m_options.Refuse("base-batch",
                         "a sample or more for each of " + std::to_string(workers) + " workers");
    }
    nodes = MakeDataParallelNodes(traces, graph, cluster, workers, costs);
    std::vector<std::string> names;
    for (const auto& node : nodes)
    {
        names.push_back(node.name);
    }
    ReadNetworkOptions(m_options, cluster, run.network);
    CheckNetwork(m_options, run.network, names, clusterFile + ": network: ");
    ReadControl();
    ReadPresence("join", &DataParallelNode::join);
    ReadPresence("leave", &DataParallelNode::leave);
    for (const auto& load : ReadLoads(m_options, run.load, names, names.size()))
    {
        auto& node = nodes[std::find(names.begin(), names.end(), load.device) - names.begin()];
        node.loadTrace = load.trace;
        node.loadSteps = load.steps;
    }
}

void
DataParallelInputs::CheckReplanning() const
{
    if (!run.monitor.empty() && run.allPairs)
    {
        m_options.Refuse("latencies",
                         "first-node, since --monitor=" + run.monitor +
                             " watches the link that a worker's gradients take, not all pairs");
    }
    if (run.replanPeriod.IsStrictlyPositive() && run.replanPeriod < MilliSeconds(1))
    {
        m_options.Refuse("replan-period", "0, or 1ms or more");
    }
    if (run.replanPeriod.IsStrictlyPositive() && run.replanThreshold == 0)
    {
        m_options.Refuse("replan-period",
                         "0, since with --replan-threshold=0 shares are decided whenever all have "
                         "reported");
    }
}

void
DataParallelInputs::ReadControl()
{
    if (m_control == "shared")
    {
        for (const char* option : {"control-bandwidth", "control-trace", "control-cut"})
        {
            if (m_options.IsChanged(option))
            {
                m_options.Refuse(option, "none, since --control=shared does not use it; own does");
            }
        }
        return;
    }
    run.control.emplace();
    run.control->fidelity = run.network.fidelity;
    run.control->bandwidthBitsPerSecond = m_options.GetBitsPerSecond("control-bandwidth");
    const std::string trace = FindRecording(m_options, "control-trace", TraceDirection::UP);
    if (!trace.empty())
    {
        run.control->link = "trace";
        run.control->uplinkTrace = trace;
        run.control->downlinkTrace = trace;
        try
        {
            CheckTrace(trace, TraceDirection::UP, run.control->trace);
        }
        catch (const InputError& error)
        {
            throw InputError(std::string("--control-trace: ") + error.what());
        }
    }
    const std::string& cut = m_options.GetString("control-cut");
    if (!cut.empty())
    {
        std::tie(run.control->cutDevice, run.control->cutTime) = ReadMoment("control-cut", cut);
    }
}

std::pair<std::string, Time>
DataParallelInputs::ReadMoment(const std::string& option, const std::string& text) const
{
    const auto at = text.rfind('@');
    const std::string name = text.substr(0, at);
    Time time;
    const bool isKnown = std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
        return node.name == name;
    });
    if (at == std::string::npos || !isKnown || !ParseTime(text.substr(at + 1), time))
    {
        m_options.Refuse(option, "NAME@TIME such as " + nodes.back().name + "@20s");
    }
    return {name, time};
}

void
DataParallelInputs::ReadPresence(const std::string& option, Time DataParallelNode::*moment)
{
    if (m_options.GetString(option).empty())
    {
        return;
    }
    if (FindByName<GradientExchange>("--exchange", run.exchange)->NeedsFlows())
    {
        m_options.Refuse(option,
                         "none, since nobody joins or leaves a merged ring; ring and "
                         "parameter-server are formed anew");
    }
    for (const auto& text : m_options.GetList(option))
    {
        const auto [name, time] = ReadMoment(option, text);
        auto& node = *std::find_if(nodes.begin(), nodes.end(), [&name = name](const auto& one) {
            return one.name == name;
        });
        if (&node == &nodes.front() || !(node.*moment).IsZero() || time <= node.join)
        {
            m_options.Refuse(option,
                             "each worker but the first, which decides, once, to join after 0 s "
                             "and to leave after that");
        }
        node.*moment = time;
    }
}

} // namespace edgepipe
} // namespace ns3
