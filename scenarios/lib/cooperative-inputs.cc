/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/cooperative-inputs.h"

#include "lib/adaptive-inputs.h"
#include "lib/network-inputs.h"
#include "lib/traces-option.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-layer-regression.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * Set up the end devices, the server, and a LAN between them for options to change.
 *
 * @param device type of the end devices
 * @param server type of the server
 * @param count how many end devices
 * @return end devices, then the server
 */
Cluster
MakeCluster(const DeviceSpec& device, const DeviceSpec& server, uint32_t count)
{
    Cluster cluster{"", {device}, {}, "lan", 1e9, 20e-6};
    if (server.name != device.name)
    {
        cluster.specs.push_back(server);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        cluster.devices.push_back(
            {device.name + "-" + std::to_string(i), device.name, 0, device.memoryBytes});
    }
    cluster.devices.push_back(
        {"server", server.name, cluster.specs.size() - 1, server.memoryBytes});
    return cluster;
}

} // namespace

void
CooperativeInputs::AddOptions(ScenarioOptions& o)
{
    o.Add("model", "DNN: a name in traces/models or a file", "resnet18");
    o.Add("device",
          "type of the end devices: a name in traces/devices or a file",
          "raspberry-pi-3b");
    o.Add("server", "type of the server: a name in traces/devices or a file", "rtx-2080-ti");
    o.Add("devices", "end devices that share the server and the cell", "1");
    o.Add(
        "frame-element-bytes",
        "bytes that an element of the frame takes on the way: 1 as cameras give them, 4 as float32",
        "1");
    o.Add("tensor-element-bytes",
          "bytes that an element of a tensor takes on the way: 4 as float32, 1 if quantised",
          "4");
    o.Add("planner",
          JoinNames<TwoWayCutPlanner>() + ", several separated by commas, or all",
          "qdmp");
    o.Add("monitor", "who estimates bandwidth: " + JoinNames<BandwidthMonitor>(), "passive");
    o.Add("frames", "frames of each device's camera", "100");
    o.Add("frame-rate", "frames/s of each camera; 0: back to back", "0");
    o.Add("in-flight", "back to back: frames begun and not ended", "1");
    o.Add(
        "frame-queue",
        "with a frame rate: frames that may wait before the device, and as many before the uplink; "
        "further ones are dropped",
        "1");
    o.Add("replan", "whether to plan anew when bandwidth changes", "true");
    o.Add("replan-threshold", "share by which it must change, above 0", "0.1");
    o.Add("replan-period", "plan anew this often as well, such as 5s; 0: never", "0");
    o.Add("both-hold-model",
          "whether device and server hold all weights; otherwise those that a new plan lacks are "
          "sent first",
          "true");
    AddPlanningTimeOption(o);
    o.Add("load-trace", "CSV seconds,share of each device that is left for us; empty: all", "");
    o.Add("server-load-trace", "the same of the server", "");
    AddLoadEndOption(o);
    AddNetworkOptions(o);
    o.SetDefault("link", "4g");
    o.Add("planner-bandwidth",
          "what the first plan is made for: UP or UP,DOWN such as 5.85Mbps; oracle: what there is",
          "oracle");
    o.Add("start-up", "whether TCP connections start up slowly, at flow level", "true");
    o.Add("stall-timeout", "longest simulated time without progress", "60s");
    o.Add("out", "folder for the results", "results/" + o.GetName());
}

CooperativeInputs::CooperativeInputs(const ScenarioOptions& options)
    : m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    const std::string traces = FindTracesFolder(options);
    if (options.GetString("planner") == "all")
    {
        const auto all = GetNames<TwoWayCutPlanner>();
        planners.assign(all.begin(), all.end());
    }
    else
    {
        planners = options.GetList("planner");
        for (const auto& name : planners)
        {
            FindByName<TwoWayCutPlanner>("--planner", name);
        }
    }
    ReadRun();
    graph = ReadDnnGraph(FindTracesFile(options, "model", "models"));
    m_cluster = MakeCluster(ReadDeviceSpec(FindTracesFile(options, "device", "devices")),
                            ReadDeviceSpec(FindTracesFile(options, "server", "devices")),
                            options.GetUint("devices", 1, 10000));
    names = GetDeviceNames(m_cluster.devices);
    run.serverName = names.back();
    run.network = ReadNetworkOptions(options, m_cluster);
    run.network.wiredDevices = {run.serverName};
    CheckNetwork(options, run.network, names, "network: ");
    costs = FindLayerCosts(traces, graph, m_cluster.specs, 1, PassKind::INFERENCE);
    BuildProblem(traces);
    std::vector<uint64_t> parameterBytes;
    for (const auto& layer : graph.layers)
    {
        parameterBytes.push_back(layer.parameterBytes);
    }
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
    {
        devices.push_back({names[i], problem, parameterBytes, options.GetString("load-trace")});
    }
}

void
CooperativeInputs::ReadRun()
{
    const auto above0 = [this](const std::string& name) {
        const Time time = m_options.GetTime(name);
        if (time.IsZero())
        {
            m_options.Refuse(name, "a time above 0");
        }
        return time;
    };
    run.monitor = m_options.GetString("monitor");
    FindByName<BandwidthMonitor>("--monitor", run.monitor);
    run.frames = m_options.GetUint("frames", 1, 10000000);
    run.framesPerSecond = m_options.GetDouble("frame-rate", 0, 1e6);
    run.framesInFlight = m_options.GetUint("in-flight", 1, 1000000);
    run.queueFrames = m_options.GetUint("frame-queue", 1, 1000000);
    run.replan = m_options.GetBool("replan");
    run.replanThreshold = m_options.GetDouble("replan-threshold", 1e-6, 1e6);
    run.replanPeriod = m_options.GetTime("replan-period");
    if (run.replanPeriod.IsStrictlyPositive() && run.replanPeriod < MilliSeconds(1))
    {
        m_options.Refuse("replan-period", "0, or 1ms or more");
    }
    run.bothHoldModel = m_options.GetBool("both-hold-model");
    run.serverLoadTrace = m_options.GetString("server-load-trace");
    run.load = ReadLoadEnd(m_options);
    for (const auto& trace : {m_options.GetString("load-trace"), run.serverLoadTrace})
    {
        if (!trace.empty())
        {
            OpenLoadTrace(trace, run.load);
        }
    }
    run.startUp = m_options.GetBool("start-up");
    run.stallTimeout = above0("stall-timeout");
    const PlanningTime planning = ReadPlanningTime(m_options);
    run.planningTime = planning.kind;
    run.fixedPlanningTime = planning.fixed;
    run.planningScale = planning.scale;
    ReadPlannerBandwidth();
}

void
CooperativeInputs::ReadPlannerBandwidth()
{
    if (m_options.GetString("planner-bandwidth") == "oracle")
    {
        return;
    }
    std::vector<double> rates;
    for (const auto& text : m_options.GetList("planner-bandwidth"))
    {
        double rate = 0;
        if (!ParseBitsPerSecond(text, rate) || rates.size() == 2)
        {
            m_options.Refuse("planner-bandwidth",
                             "oracle, or a data rate above 0 such as 5.85Mbps, or one up and one "
                             "down, separated by a comma");
        }
        rates.push_back(rate);
    }
    run.firstUplinkBitsPerSecond = rates.front();
    run.firstDownlinkBitsPerSecond = rates.back();
}

void
CooperativeInputs::BuildProblem(const std::string& traces)
{
    // A recording has no bandwidth to put down here; the run fills in what there is.
    const double uplink = run.network.bandwidthBitsPerSecond;
    const double downlink = run.network.downlinkBitsPerSecond;
    problem = BuildTwoWayCutProblem(graph,
                                    costs.at(GetDeviceType()),
                                    costs.at(GetServerType()),
                                    {uplink > 0 ? uplink : 1, downlink > 0 ? downlink : 1},
                                    {m_options.GetUint("frame-element-bytes", 1, 16),
                                     m_options.GetUint("tensor-element-bytes", 1, 16)});
    if (std::find(planners.begin(), planners.end(), "neurosurgeon") != planners.end())
    {
        const auto predict = [&](const DeviceSpec& spec) {
            return FitLayerRegression(traces, spec, 1).Predict(graph);
        };
        SetPredictedSeconds(problem,
                            predict(m_cluster.specs.front()),
                            predict(m_cluster.specs.back()));
    }
}

const ScenarioOptions&
CooperativeInputs::GetOptions() const
{
    return m_options;
}

const std::string&
CooperativeInputs::GetDeviceType() const
{
    return m_cluster.specs.front().name;
}

const std::string&
CooperativeInputs::GetServerType() const
{
    return m_cluster.specs.back().name;
}

std::string
CooperativeInputs::DescribeNetwork() const
{
    NetworkOptions network = run.network;
    for (auto* trace : {&network.uplinkTrace, &network.downlinkTrace})
    {
        *trace = trace->substr(trace->find_last_of('/') + 1);
    }
    const bool isRecorded = !network.uplinkTrace.empty() || !network.downlinkTrace.empty();
    return FindLinkType(network)->Describe(network, true) +
           (isRecorded ? ", recorded from " + Table::Exact(network.trace.offset.GetSeconds()) +
                             " s on, times " + Table::Exact(network.trace.scale) + ", then " +
                             network.trace.end
                       : "");
}

} // namespace edgepipe
} // namespace ns3
