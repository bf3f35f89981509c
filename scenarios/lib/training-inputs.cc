/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/training-inputs.h"

#include "lib/bandwidth-probe.h"
#include "lib/network-inputs.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-results-folder.h"

namespace ns3
{
namespace edgepipe
{

void
TrainingInputs::AddOptions(ScenarioOptions& o, bool comparesHelp)
{
    o.Add("model", "DNN: a name in traces/models or a file", "alexnet");
    o.Add("cluster", "devices: a name in traces/clusters or a file", "dgpas-testbed");
    o.Add("planner",
          JoinNames<PipelinePlanner>() + ", several separated by commas, or all",
          "exact");
    o.Add("schedule", "order of a stage's passes: " + JoinNames<PipelineSchedule>(), "gpipe");
    o.Add("iterations", "mini-batches to train", "1");
    o.Add("micro-batches", "micro-batches per mini-batch", "8");
    o.Add("micro-batch-size", "samples per micro-batch", "32");
    o.Add("weight-update", "whether updating the weights takes time", "true");
    o.Add("adjacent",
          comparesHelp
              ? "whether idle devices help their neighbours: on, off, or both, to see each "
                "plan without and with"
              : "whether idle devices help their neighbours, on or off",
          "off");
    o.Add("adjacent-costs",
          "what help is charged for: full (weights, samples, gradients) or ideal (nothing)",
          "full");
    o.Add("checkpoints", "per task, where a busy device looks for idle neighbours", "16");
    o.Add("minimum-gain", "least that help must gain each time, such as 5ms", "0s");
    AddNetworkOptions(o);
    o.Add("planner-bandwidth",
          "what planners take every transfer to get, such as 900Mbps; probe: measure one transfer",
          "probe");
    o.Add("stall-timeout", "longest simulated time without progress", "60s");
    o.Add("out", "folder for the results", "results/" + o.GetName());
}

TrainingInputs::TrainingInputs(const ScenarioOptions& options, bool comparesHelp)
    : m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    const std::string traces = FindTracesFolder(options);
    if (options.GetString("planner") == "all")
    {
        const auto names = GetNames<PipelinePlanner>();
        planners.assign(names.begin(), names.end());
    }
    else
    {
        planners = options.GetList("planner");
        for (const auto& name : planners)
        {
            FindByName<PipelinePlanner>("--planner", name);
        }
    }
    training.schedule = options.GetString("schedule");
    FindByName<PipelineSchedule>("--schedule", training.schedule);
    training.iterations = options.GetUint("iterations", 1, 1000000);
    training.stallTimeout = options.GetTime("stall-timeout");
    if (training.stallTimeout.IsZero())
    {
        options.Refuse("stall-timeout", "a time above 0");
    }
    microBatches = options.GetUint("micro-batches", 1, 100000);
    microBatchSize = options.GetUint("micro-batch-size", 1, 1000000);
    training.microBatchSamples = microBatchSize;
    const std::string adjacent = options.GetString("adjacent");
    const bool isBoth = comparesHelp && adjacent == "both";
    if (!isBoth && adjacent != "on" && adjacent != "off")
    {
        options.Refuse("adjacent", comparesHelp ? "on, off or both" : "on or off");
    }
    helps =
        isBoth ? std::vector<bool>{false, true} : std::vector<bool>{options.GetBool("adjacent")};
    training.adjacent.enabled = helps.back();
    const std::string adjacentCosts = options.GetString("adjacent-costs");
    if (adjacentCosts != "full" && adjacentCosts != "ideal")
    {
        options.Refuse("adjacent-costs", "full or ideal");
    }
    training.adjacent.costs = adjacentCosts == "ideal" ? AdjacentCosts::IDEAL : AdjacentCosts::FULL;
    training.adjacent.checkpoints = options.GetUint("checkpoints", 1, 1000000);
    training.adjacent.minimumGainSeconds = options.GetTime("minimum-gain").GetSeconds();

    graph = ReadDnnGraph(FindTracesFile(options, "model", "models"));
    clusterFile = FindTracesFile(options, "cluster", "clusters");
    cluster = ReadCluster(clusterFile, traces);
    training.network = ReadNetworkOptions(options, cluster);
    if (options.GetBool("weight-update"))
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
TrainingInputs::FindPlannerBandwidth(const std::vector<std::string>& names) const
{
    if (m_options.GetString("planner-bandwidth") != "probe")
    {
        return m_options.GetBitsPerSecond("planner-bandwidth");
    }
    // One device sends nothing, and any bandwidth will do.
    return names.size() > 1 ? MeasureBandwidth(training.network, names, training.stallTimeout)
                            : training.network.bandwidthBitsPerSecond;
}

PipelineProblem
TrainingInputs::BuildProblem(const Cluster& devices, double bandwidthBitsPerSecond) const
{
    return BuildPipelineProblem(graph,
                                devices,
                                costs,
                                microBatchSize,
                                microBatches,
                                bandwidthBitsPerSecond);
}

std::vector<std::string>
GetDeviceNames(const std::vector<ClusterDevice>& devices)
{
    std::vector<std::string> names;
    for (const auto& device : devices)
    {
        names.push_back(device.name);
    }
    return names;
}

} // namespace edgepipe
} // namespace ns3
