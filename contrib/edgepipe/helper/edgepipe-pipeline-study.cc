/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-study.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-progress.h"
#include "ns3/edgepipe-results-folder.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

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
        const char* environment = std::getenv("EDGEPIPE_TRACES");
        traces = environment ? environment : "traces";
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

std::string
PipelineCase::GetStatus() const
{
    return !problemWithPlan.empty() ? "no-plan" : result.finished ? "finished" : "stalled";
}

void
PipelineStudy::AddOptions(ScenarioOptions& o)
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

PipelineStudy::PipelineStudy(const ScenarioOptions& options)
    : m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    const std::string traces = FindTraces(options);
    if (options.GetString("planner") == "all")
    {
        const auto names = GetNames<PipelinePlanner>();
        m_planners.assign(names.begin(), names.end());
    }
    else
    {
        m_planners = options.GetList("planner");
        for (const auto& name : m_planners)
        {
            FindByName<PipelinePlanner>("--planner", name);
        }
    }
    m_training.schedule = options.GetString("schedule");
    FindByName<PipelineSchedule>("--schedule", m_training.schedule);
    m_training.iterations = options.GetUint("iterations", 1, 1000000);
    m_training.stallTimeout = options.GetTime("stall-timeout");
    if (m_training.stallTimeout.IsZero())
    {
        options.Refuse("stall-timeout", "a time above 0");
    }
    const uint32_t microBatches = options.GetUint("micro-batches", 1, 100000);
    const uint32_t microBatchSize = options.GetUint("micro-batch-size", 1, 1000000);

    m_graph = ReadDnnGraph(FindFile(options, "model", "models"));
    m_clusterFile = FindFile(options, "cluster", "clusters");
    m_cluster = ReadCluster(m_clusterFile, traces);
    for (const auto& device : m_cluster.devices)
    {
        m_names.push_back(device.name);
    }
    ReadNetwork();
    if (options.GetBool("weight-update"))
    {
        for (const auto& spec : m_cluster.specs)
        {
            m_training.memoryBandwidthBytesPerSecond[spec.name] =
                spec.memoryBandwidthBytesPerSecond;
        }
    }
    m_costs = FindLayerCosts(traces, m_graph, m_cluster.specs, microBatchSize, PassKind::TRAINING);

    double bandwidth = 0;
    if (options.GetString("planner-bandwidth") != "probe")
    {
        bandwidth = options.GetBitsPerSecond("planner-bandwidth");
    }
    else
    {
        // One device sends nothing, and any bandwidth will do.
        bandwidth = m_names.size() > 1
                        ? MeasureBandwidth(m_training.network, m_names, m_training.stallTimeout)
                        : m_training.network.bandwidthBitsPerSecond;
    }
    m_problem =
        BuildPipelineProblem(m_graph, m_cluster, m_costs, microBatchSize, microBatches, bandwidth);
}

void
PipelineStudy::ReadNetwork()
{
    const auto given = [this](const std::string& name) {
        return !m_options.GetString(name).empty();
    };
    NetworkOptions& network = m_training.network;
    network.fidelity = m_options.GetString("fidelity");
    network.link = given("link") ? m_options.GetString("link") : m_cluster.link;
    network.bandwidthBitsPerSecond = m_cluster.bandwidthBitsPerSecond;
    if (given("bandwidth"))
    {
        const auto steps = m_options.GetBandwidthSteps("bandwidth");
        network.bandwidthBitsPerSecond = steps.front().bitsPerSecond;
        network.bandwidthSteps.assign(steps.begin() + 1, steps.end());
    }
    network.delay = given("delay") ? m_options.GetTime("delay")
                                   : Seconds(std::min(m_cluster.delaySeconds, 1e9));
    network.mtuBytes = m_options.GetUint("mtu", 576, 9000);
    network.lossRate = m_options.GetDouble("loss", 0, 0.99);
    network.wifiStandard = m_options.GetString("wifi-standard");
    network.wifiBandGhz = m_options.GetDouble("wifi-band", 2.4, 6);
    network.wifiChannelMhz = m_options.GetUint("wifi-width", 0, 160);
    network.wifiGuardIntervalNs = m_options.GetUint("wifi-guard-interval", 0, 3200);
    network.wifiRateControl = m_options.GetString("wifi-rate-control");
    network.wifiDistanceMeters = m_options.GetDouble("distance", 0.1, 10000);
    if (given("cut"))
    {
        const std::string& cut = m_options.GetString("cut");
        const auto at = cut.rfind('@');
        if (at == 0 || at == std::string::npos || !ParseTime(cut.substr(at + 1), network.cutTime))
        {
            m_options.Refuse("cut", "DEVICE@TIME, such as " + m_names.back() + "@2s");
        }
        network.cutDevice = cut.substr(0, at);
    }
    try
    {
        CheckNetworkOptions(network, m_names);
    }
    catch (const InputError& error)
    {
        // What no option gave came from the cluster's file.
        const std::string what = error.what();
        const bool isOption = given(what.substr(0, what.find(':')));
        throw InputError((isOption ? "--" : m_clusterFile + ": network: ") + what);
    }
}

void
PipelineStudy::Run()
{
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const PipelineCostModel costs(m_problem);
    std::string firstProblem;
    Progress progress;
    for (const auto& name : m_planners)
    {
        PipelineCase one;
        one.planner = name;
        auto planner = FindByName<PipelinePlanner>("--planner", name);
        progress.Update(double(m_cases.size()) / m_planners.size(), name + ": planning");
        try
        {
            one.plan = planner->Plan(m_problem);
            one.decisionSeconds = planner->GetDecisionSeconds();
            one.predictedSeconds = costs.IterationSeconds(one.plan);
            const auto start = Clock::now();
            one.result = RunPipelineTraining(m_problem, one.plan, m_training, [&](double done) {
                progress.Update((m_cases.size() + done) / m_planners.size(), name + ": simulating");
            });
            one.simulationSeconds = since(start);
        }
        catch (const InputError& error)
        {
            one.problemWithPlan = error.what();
            firstProblem = firstProblem.empty() ? error.what() : firstProblem;
        }
        m_cases.push_back(std::move(one));
    }
    for (const auto& one : m_cases)
    {
        if (one.problemWithPlan.empty())
        {
            return;
        }
    }
    if (m_training.schedule != "gpipe")
    {
        firstProblem += " (planners count the memory of the schedule gpipe, which keeps more)";
    }
    throw InputError(firstProblem);
}

int
PipelineStudy::GetStatus() const
{
    for (const auto& one : m_cases)
    {
        if (one.GetStatus() == "stalled")
        {
            return 3;
        }
    }
    return 0;
}

} // namespace edgepipe
} // namespace ns3
