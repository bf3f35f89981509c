/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-training-inputs.h"

#include "ns3/edgepipe-bandwidth-probe.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-results-folder.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param options of the scenario
 * @return the folder that holds models, profiles, devices and clusters
 */
std::string
FindTraces(const ScenarioOptions& options)
{
    std::string traces = options.GetString("traces");
    if (traces.empty())
    {
        traces = GetTracesFolder();
    }
    if (!std::filesystem::is_directory(traces))
    {
        throw InputError("--traces: \"" + traces + "\" is not a folder, expected one that holds " +
                         "models, profiles, devices and clusters");
    }
    return traces;
}

/**
 * @param options of the scenario
 * @param option "model" or "cluster"
 * @param folder where such files are in the traces folder
 * @return the path of the file, given by path or by name
 */
std::string
FindFile(const ScenarioOptions& options, const std::string& option, const std::string& folder)
{
    const std::string& name = options.GetString(option);
    if (name.find('/') != std::string::npos || name.find(".json") != std::string::npos)
    {
        return name;
    }
    const std::string directory = FindTraces(options) + "/" + folder;
    const std::string path = directory + "/" + name + ".json";
    if (!std::filesystem::exists(path))
    {
        std::set<std::string> known;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        {
            known.insert(entry.path().stem());
        }
        std::string list;
        for (const auto& other : known)
        {
            list += (list.empty() ? "" : ", ") + other;
        }
        options.Refuse(option, "a file's path or one of: " + list);
    }
    return path;
}

} // namespace

void
TrainingInputs::AddOptions(ScenarioOptions& o)
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
    o.Add("fidelity",
          "flow (transfers share links' rates) or packet (every packet of ns-3's TCP)",
          "flow");
    o.Add("link", "lan, p2p (a chain) or wifi; empty: the cluster's", "");
    o.Add("bandwidth",
          "of every wire, such as 100Mbps, or by time, such as 0s:100Mbps,5s:20Mbps; empty: the "
          "cluster's",
          "");
    o.Add("delay", "of every wire, one way, such as 20us; empty: the cluster's", "");
    o.Add("mtu", "largest IP packet, bytes", "1500");
    o.Add("loss",
          "share of packets lost on every link, 0 to 0.99; on Wi-Fi of data frames, which are "
          "repeated",
          "0");
    o.Add("cut", "device whose links go dead, and when, such as NAME@2s; empty: none", "");
    o.Add("wifi-standard", "n, ac or ax", "ac");
    o.Add("wifi-band", "2.4, 5 or 6, GHz", "5");
    o.Add("wifi-width", "channel width, MHz; 0: 80, or the widest the band has if less", "0");
    o.Add("wifi-guard-interval",
          "ns: 400 or 800 for n and ac; 800, 1600 or 3200 for ax; 0: 800, for ax 3200",
          "0");
    o.Add("wifi-rate-control", "ideal (by the SNR last seen) or minstrel", "ideal");
    o.Add("distance", "of every Wi-Fi station from the access point, m", "5");
    o.Add("planner-bandwidth",
          "what planners take every transfer to get, such as 900Mbps; probe: measure one transfer",
          "probe");
    o.Add("stall-timeout", "longest simulated time without progress", "60s");
    o.Add("traces",
          "folder of models, profiles, devices, clusters; empty: $EDGEPIPE_TRACES or traces",
          "");
    o.Add("out", "folder for the results", "results/" + o.GetName());
}

TrainingInputs::TrainingInputs(const ScenarioOptions& options)
    : m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    const std::string traces = FindTraces(options);
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

    graph = ReadDnnGraph(FindFile(options, "model", "models"));
    clusterFile = FindFile(options, "cluster", "clusters");
    cluster = ReadCluster(clusterFile, traces);
    ReadNetwork();
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
TrainingInputs::ReadNetwork()
{
    const auto given = [this](const std::string& name) {
        return !m_options.GetString(name).empty();
    };
    NetworkOptions& network = training.network;
    network.fidelity = m_options.GetString("fidelity");
    network.link = given("link") ? m_options.GetString("link") : cluster.link;
    network.bandwidthBitsPerSecond = cluster.bandwidthBitsPerSecond;
    if (given("bandwidth"))
    {
        const auto steps = m_options.GetBandwidthSteps("bandwidth");
        network.bandwidthBitsPerSecond = steps.front().bitsPerSecond;
        network.bandwidthSteps.assign(steps.begin() + 1, steps.end());
    }
    network.delay =
        given("delay") ? m_options.GetTime("delay") : Seconds(std::min(cluster.delaySeconds, 1e9));
    network.mtuBytes = m_options.GetUint("mtu", 576, 9000);
    network.lossRate = m_options.GetDouble("loss", 0, 0.99);
    network.wifiStandard = m_options.GetString("wifi-standard");
    network.wifiBandGhz = m_options.GetDouble("wifi-band", 2.4, 6);
    network.wifiChannelMhz = m_options.GetUint("wifi-width", 0, 160);
    network.wifiGuardIntervalNs = m_options.GetUint("wifi-guard-interval", 0, 3200);
    network.wifiRateControl = m_options.GetString("wifi-rate-control");
    network.wifiCapacityFile = FindTraces(m_options) + "/links/wifi-capacity.csv";
    network.wifiDistanceMeters = m_options.GetDouble("distance", 0.1, 10000);
    if (given("cut"))
    {
        const std::string& cut = m_options.GetString("cut");
        const auto at = cut.rfind('@');
        if (at == 0 || at == std::string::npos || !ParseTime(cut.substr(at + 1), network.cutTime))
        {
            m_options.Refuse("cut", "DEVICE@TIME, such as " + cluster.devices.front().name + "@2s");
        }
        network.cutDevice = cut.substr(0, at);
    }
}

void
TrainingInputs::CheckNetwork(const std::vector<std::string>& names) const
{
    try
    {
        CheckNetworkOptions(training.network, names);
    }
    catch (const InputError& error)
    {
        // What no option gave came from the cluster's file.
        const std::string what = error.what();
        const bool isOption = !m_options.GetString(what.substr(0, what.find(':'))).empty();
        throw InputError((isOption ? "--" : clusterFile + ": network: ") + what);
    }
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
