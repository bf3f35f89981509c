/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/data-parallel-inputs.h"

#include "lib/network-inputs.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-gradient-exchange.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-results-folder.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Samples of the larger batch whose costs are looked up.
constexpr uint32_t BATCH = 32;

/**
 * @param cost of a model
 * @return of both passes, seconds per batch
 */
double
GetSeconds(const LayerCost& cost)
{
    return std::accumulate(cost.forwardSeconds.begin(), cost.forwardSeconds.end(), 0.0) +
           std::accumulate(cost.backwardSeconds.begin(), cost.backwardSeconds.end(), 0.0);
}

/**
 * @param options of the scenario
 * @param name of an option
 * @return its value, 1 us or more
 * @throws InputError if it is anything else
 */
Time
GetLeastMicrosecond(const ScenarioOptions& options, const std::string& name)
{
    const Time time = options.GetTime(name);
    if (time < MicroSeconds(1))
    {
        options.Refuse(name, "a time of 1us or more");
    }
    return time;
}

} // namespace

std::vector<DataParallelNode>
MakeDataParallelNodes(const std::string& traces,
                      const DnnGraph& graph,
                      const Cluster& cluster,
                      uint32_t workers,
                      std::map<std::string, LayerCost>& costs)
{
    costs = FindLayerCosts(traces, graph, cluster.specs, BATCH, PassKind::TRAINING);
    const auto single = FindLayerCosts(traces, graph, cluster.specs, 1, PassKind::TRAINING);
    DataParallelCost all;
    for (const DnnLayer& layer : graph.layers)
    {
        all.opsPerSample += 3.0 * static_cast<double>(layer.flop);
        all.parameterBytes += layer.parameterBytes;
        all.activationBytes += layer.activationBytes;
    }
    if (!(all.opsPerSample > 0))
    {
        throw InputError("model " + graph.name + ": found no operations, expected some");
    }
    std::vector<DataParallelNode> nodes;
    for (uint32_t i = 0; i < workers; ++i)
    {
        const ClusterDevice& device = cluster.devices[i % cluster.devices.size()];
        const DeviceSpec& spec = cluster.specs[device.spec];
        DataParallelNode node;
        node.name = device.name;
        if (i >= cluster.devices.size())
        {
            node.name += "." + std::to_string(i / cluster.devices.size() + 1);
        }
        node.memoryBytes = device.memoryBytes;
        node.cost = all;
        const LayerCost& many = costs.at(device.type);
        const LayerCost& one = single.at(device.type);
        const double slope = (GetSeconds(many) - GetSeconds(one)) / (BATCH - 1);
        const double pass = GetSeconds(one) - slope;
        const bool isLine = one.origin == many.origin && slope > 0 && pass >= 0;
        node.cost.sampleSeconds = isLine ? slope : GetSeconds(many) / BATCH;
        node.cost.passSeconds = isLine ? pass : 0;
        node.cost.updateSeconds =
            3.0 * static_cast<double>(all.parameterBytes) / spec.memoryBandwidthBytesPerSecond;
        nodes.push_back(node);
    }
    return nodes;
}

void
AddDataParallelOptions(ScenarioOptions& o)
{
    o.Add("updates", "weight updates to run", "2400");
    o.Add("exchange",
          "of gradients: " + JoinNames<GradientExchange>() +
              "; merged-ring: the steps of a ring as one flow a worker, flow level only",
          "ring");
    o.Add("latencies",
          "what bno weighs: first-node (algorithm 1) or all-pairs (equations 4 and 5)",
          "first-node");
    o.Add("stall-timeout", "longest simulated time without progress", "60s");
}

void
ReadDataParallelOptions(const ScenarioOptions& options, DataParallelOptions& run)
{
    run.iterations = options.GetUint("updates", 1, 10000000);
    run.exchange = options.GetString("exchange");
    FindByName<GradientExchange>("--exchange", run.exchange);
    const std::string& latencies = options.GetString("latencies");
    if (latencies != "first-node" && latencies != "all-pairs")
    {
        options.Refuse("latencies", "first-node or all-pairs");
    }
    run.allPairs = latencies == "all-pairs";
    run.stallTimeout = GetLeastMicrosecond(options, "stall-timeout");
}

void
DataParallelInputs::AddOptions(ScenarioOptions& o)
{
    o.Add("model", "DNN: a name in traces/models or a file", "resnet50");
    o.Add("cluster", "devices: a name in traces/clusters or a file", "bno-testbed");
    o.Add("workers",
          "how many; beyond the cluster's devices, these are repeated; 0: one for each device",
          "0");
    o.Add("shares",
          JoinNames<BatchSharesPlanner>() + ", several separated by commas, or all",
          "bno");
    o.Add("base-batch", "samples of all workers together, in each iteration", "128");
    AddDataParallelOptions(o);
    o.Add("normalize", "whether bno scales its shares so that they make the base batch", "false");
    o.Add("update-interval", "between reports of every worker, such as 1s", "1s");
    o.Add("missing-after", "metrics older than this are named as missing", "10s");
    o.Add("load-trace",
          "CSV seconds,share of each device that is left for us: FILE for all, or NAME=FILE of one "
          "worker, several separated by commas; empty: all is left",
          "");
    o.Add("load-end", "after the end of load traces: loop, hold or stop", "loop");
    o.Add("control",
          "what moves metrics and shares: shared (the network of the gradients) or own (a LAN)",
          "shared");
    o.Add("control-bandwidth", "of --control=own, every wire", "1Gbps");
    o.Add("control-trace",
          "--control=own: file with the recorded bandwidth of every wire, replayed both ways, "
          "instead of --control-bandwidth",
          "");
    o.Add("control-cut",
          "--control=own: worker whose wire goes dead there, and when, such as NAME@20s",
          "");
    AddNetworkOptions(o);
    o.Add("out", "folder for the results", "results/" + o.GetName());
}

DataParallelInputs::DataParallelInputs(const ScenarioOptions& options)
    : m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    const std::string traces = FindTracesFolder(options);
    if (options.GetString("shares") == "all")
    {
        const auto all = GetNames<BatchSharesPlanner>();
        planners.assign(all.begin(), all.end());
    }
    else
    {
        planners = options.GetList("shares");
        for (const auto& name : planners)
        {
            FindByName<BatchSharesPlanner>("--shares", name);
        }
    }
    ReadRun();
    graph = ReadDnnGraph(FindTracesFile(options, "model", "models"));
    const std::string clusterFile = FindTracesFile(options, "cluster", "clusters");
    cluster = ReadCluster(clusterFile, traces);
    const uint32_t given = options.GetUint("workers", 0, 1024);
    const uint32_t workers = given > 0 ? given : cluster.devices.size();
    run.baseBatch = options.GetUint("base-batch", 1, 1000000000);
    if (run.baseBatch < workers)
    {
        options.Refuse("base-batch",
                       "a sample or more for each of " + std::to_string(workers) + " workers");
    }
    nodes = MakeDataParallelNodes(traces, graph, cluster, workers, costs);
    std::vector<std::string> names;
    for (const auto& node : nodes)
    {
        names.push_back(node.name);
    }
    run.network = ReadNetworkOptions(options, cluster);
    CheckNetwork(options, run.network, names, clusterFile + ": network: ");
    ReadControl();
    ReadLoad();
}

void
DataParallelInputs::ReadRun()
{
    ReadDataParallelOptions(m_options, run);
    run.normalize = m_options.GetBool("normalize");
    run.updateInterval = GetLeastMicrosecond(m_options, "update-interval");
    run.missingAfter = GetLeastMicrosecond(m_options, "missing-after");
    run.load.end = m_options.GetString("load-end");
    if (run.load.end != "loop" && run.load.end != "hold" && run.load.end != "stop")
    {
        m_options.Refuse("load-end", "loop, hold or stop");
    }
    if (FindByName<GradientExchange>("--exchange", run.exchange)->NeedsFlows() &&
        m_options.GetString("fidelity") == "packet")
    {
        m_options.Refuse("exchange", "ring or parameter-server where --fidelity=packet");
    }
}

void
DataParallelInputs::ReadControl()
{
    const std::string& control = m_options.GetString("control");
    if (control != "shared" && control != "own")
    {
        m_options.Refuse("control", "shared or own");
    }
    for (const char* option : {"control-bandwidth", "control-trace", "control-cut"})
    {
        if (control == "shared" && m_options.IsChanged(option))
        {
            m_options.Refuse(option, "none, since --control=shared does not use it; own does");
        }
    }
    if (control == "shared")
    {
        return;
    }
    run.control.emplace();
    run.control->fidelity = run.network.fidelity;
    run.control->bandwidthBitsPerSecond = m_options.GetBitsPerSecond("control-bandwidth");
    const std::string& trace = m_options.GetString("control-trace");
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
        const auto at = cut.rfind('@');
        const bool isKnown =
            at != std::string::npos && std::any_of(nodes.begin(), nodes.end(), [&](auto& node) {
                return node.name == cut.substr(0, at);
            });
        if (!isKnown || !ParseTime(cut.substr(at + 1), run.control->cutTime))
        {
            m_options.Refuse("control-cut", "NAME@TIME such as " + nodes.back().name + "@20s");
        }
        run.control->cutDevice = cut.substr(0, at);
    }
}

void
DataParallelInputs::ReadLoad()
{
    if (m_options.GetString("load-trace").empty())
    {
        return;
    }
    for (const auto& entry : m_options.GetList("load-trace"))
    {
        const auto equals = entry.find('=');
        const std::string file = entry.substr(equals == std::string::npos ? 0 : equals + 1);
        bool isFound = false;
        for (auto& node : nodes)
        {
            if (equals == std::string::npos || node.name == entry.substr(0, equals))
            {
                node.loadTrace = file;
                isFound = true;
            }
        }
        if (!isFound)
        {
            m_options.Refuse("load-trace",
                             "FILE, or NAME=FILE with a worker such as " + nodes.back().name);
        }
        OpenLoadTrace(file, run.load);
    }
}

const ScenarioOptions&
DataParallelInputs::GetOptions() const
{
    return m_options;
}

} // namespace edgepipe
} // namespace ns3
