/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/cooperative-inputs.h"

#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/traces-option.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-layer-regression.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

#include <algorithm>
#include <iterator>

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

CooperativeInputs::CooperativeInputs(ScenarioOptions& o)
    : m_options(o)
{
    o.Bind("model=resnet18").Help("DNN: a name in traces/models or a file");
    o.Bind("cluster=")
        .Help("end devices and, as its last device, the server: a name in traces/clusters or a "
              "file; empty: --devices of the type --device, and --server");
    o.Bind("device=raspberry-pi-3b")
        .Help("type of the end devices: a name in traces/devices or a file");
    o.Bind("server=rtx-2080-ti").Help("type of the server: a name in traces/devices or a file");
    o.Bind("devices=1", m_count, 1, 10000).Help("end devices that share the server and the cell");
    o.Bind("frame-element-bytes=1", m_encoding.frameBytesPerElement, 1, 16)
        .Help("bytes that an element of the frame takes on the way: 1 as cameras give them, 4 as "
              "float32");
    o.Bind("tensor-element-bytes=4", m_encoding.tensorBytesPerElement, 1, 16)
        .Help("bytes that an element of a tensor takes on the way: 4 as float32, 1 if quantised");
    o.BindNames<TwoWayCutPlanner>("planner=qdmp", planners);
    AddPlanOption(o, planners);
    o.Bind("objective=latency", m_objective, "latency", "throughput")
        .Help("what plans are the best in: latency (of a lone frame) or throughput (the longest of "
              "computing on the device, moving, and computing on the server is the shortest; "
              "planners exact, neurosurgeon, edge-only, cloud-only and those from outside)");
    o.BindName<BandwidthMonitor>("monitor=passive", run.monitor).Help("who estimates bandwidth: ");
    o.Bind("frames=100", run.frames, 1, 10000000).Help("frames of each device's camera");
    o.Bind("frame-rate=0", run.framesPerSecond, 0, 1e6)
        .Help("frames/s of each camera; 0: back to back");
    o.Bind("in-flight=1", run.framesInFlight, 1, 1000000)
        .Help("back to back: frames begun and not ended");
    o.Bind("frame-queue=1", run.queueFrames, 1, 1000000)
        .Help("with a frame rate: frames that may wait before the device, and as many before the "
              "uplink; "
              "further ones are dropped");
    o.Bind("replan=true", run.replan).Help("whether to plan anew when bandwidth changes");
    o.Bind("replan-threshold=0.1", run.replanThreshold, 1e-6, 1e6)
        .Help("share by which it must change, above 0");
    o.Bind("replan-period=0", run.replanPeriod)
        .Help("plan anew this often as well, such as 5s; 0: never");
    o.Bind("know-others=false", run.knowOthers)
        .Help("whether plans count what waits at the device, the uplink and the server, and what "
              "other devices take of the server and of the cell, as the server tells (ours)");
    o.Bind("both-hold-model=true", run.bothHoldModel)
        .Help(
            "whether device and server hold all weights; otherwise those that a new plan lacks are "
            "sent first");
    AddPlanningTimeOption(o, run.planning);
    AddLoadOptions(o,
                   run.load,
                   "DEVICE may be server; without DEVICE: all end devices, not the server");
    o.Rename("load-trace", "--load=FILE");
    o.Rename("server-load-trace", "--load=server:FILE");
    AddNetworkOptions(o, run.network);
    SetUsualLink(o, run.network, "4g");
    o.Bind("planner-bandwidth=oracle", [this] { ReadPlannerBandwidth(); })
        .Help("what the first plan is made for: UP or UP,DOWN such as 5.85Mbps; oracle: what there "
              "is");
    o.Bind("start-up=true", run.startUp)
        .Help("whether TCP connections start up slowly, at flow level");
    o.Bind("stall-timeout=60s", run.stallTimeout, NanoSeconds(1))
        .Help("longest simulated time without progress");
    o.AddOut();
}

void
CooperativeInputs::Read()
{
    const std::string traces = FindTracesFolder(m_options);
    if (run.replanPeriod.IsStrictlyPositive() && run.replanPeriod < MilliSeconds(1))
    {
        m_options.Refuse("replan-period", "0, or 1ms or more");
    }
    if (run.knowOthers && !run.replan)
    {
        m_options.Refuse("know-others", "false, since --replan=false lets no plan follow");
    }
    const bool hasRate = run.framesPerSecond > 0;
    for (const char* name : {"in-flight", "frame-queue"})
    {
        if (m_options.IsChanged(name) && hasRate == (std::string(name) == "in-flight"))
        {
            m_options.Refuse(name,
                             std::string("none, since it is for frames ") +
                                 (hasRate ? "back to back, without --frame-rate"
                                          : "of a camera, with --frame-rate"));
        }
    }
    graph = ReadDnnGraph(FindTracesFile(m_options, "model", "models"));
    CheckObjective();
    const auto given =
        ReadServedCluster(m_options, {"devices", "device", "server"}, "an end device");
    m_cluster = given ? *given
                      : MakeCluster(ReadDeviceSpec(FindTracesFile(m_options, "device", "devices")),
                                    ReadDeviceSpec(FindTracesFile(m_options, "server", "devices")),
                                    m_count);
    names = GetDeviceNames(m_cluster.devices);
    for (const auto& device : m_cluster.devices)
    {
        types.push_back(device.type);
    }
    run.serverName = names.back();
    ReadNetworkOptions(m_options, m_cluster, run.network);
    run.network.wiredDevices = {run.serverName};
    CheckNetwork(m_options, run.network, names, "network: ");
    costs = FindLayerCosts(traces, graph, m_cluster.specs, 1, PassKind::INFERENCE);
    std::vector<TwoWayCutProblem> problems;
    for (std::size_t type = 0; type < m_cluster.specs.size(); ++type)
    {
        problems.push_back(BuildProblem(traces, type));
    }
    std::vector<uint64_t> parameterBytes;
    for (const auto& layer : graph.layers)
    {
        parameterBytes.push_back(layer.parameterBytes);
    }
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
    {
        devices.push_back({names[i], problems[m_cluster.devices[i].spec], parameterBytes, "", {}});
    }
    for (const auto& load : ReadLoads(m_options, run.load, names, devices.size()))
    {
        const std::size_t at = std::find(names.begin(), names.end(), load.device) - names.begin();
        const bool isServer = at == devices.size();
        (isServer ? run.serverLoadTrace : devices[at].loadTrace) = load.trace;
        (isServer ? run.serverLoadSteps : devices[at].loadSteps) = load.steps;
    }
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
CooperativeInputs::CheckObjective() const
{
    for (const auto& name : planners)
    {
        if (IsForThroughput() && !FindByName<TwoWayCutPlanner>("planner", name)
                                      ->CanPlanFor(TwoWayCutObjective::THROUGHPUT))
        {
            m_options.Refuse("objective",
                             "latency, which is all that " + name +
                                 " plans for; exact, neurosurgeon, edge-only, cloud-only and "
                                 "planners from outside also plan for throughput");
        }
    }
}

TwoWayCutProblem
CooperativeInputs::BuildProblem(const std::string& traces, std::size_t type) const
{
    // A recording has no bandwidth to put down here; the run fills in what there is.
    const double uplink = run.network.bandwidthBitsPerSecond;
    const double downlink = run.network.downlinkBitsPerSecond;
    const DeviceSpec& device = m_cluster.specs[type];
    const DeviceSpec& server = m_cluster.specs[m_cluster.devices.back().spec];
    TwoWayCutProblem problem =
        BuildTwoWayCutProblem(graph,
                              costs.at(device.name),
                              costs.at(server.name),
                              {uplink > 0 ? uplink : 1, downlink > 0 ? downlink : 1},
                              m_encoding);
    problem.objective =
        IsForThroughput() ? TwoWayCutObjective::THROUGHPUT : TwoWayCutObjective::LATENCY;
    if (std::find(planners.begin(), planners.end(), "neurosurgeon") != planners.end())
    {
        const auto predict = [&](const DeviceSpec& spec) {
            return FitLayerRegression(traces, spec, 1).Predict(graph);
        };
        SetPredictedSeconds(problem, predict(device), predict(server));
    }
    return problem;
}

std::string
CooperativeInputs::GetDeviceTypes() const
{
    std::vector<std::string> seen;
    std::copy_if(types.begin(), types.end() - 1, std::back_inserter(seen), [&](const auto& type) {
        return std::find(seen.begin(), seen.end(), type) == seen.end();
    });
    return JoinWords(seen);
}

bool
CooperativeInputs::IsForThroughput() const
{
    return m_objective == "throughput";
}

const std::string&
CooperativeInputs::GetServerType() const
{
    return types.back();
}

std::string
CooperativeInputs::DescribeNetwork() const
{
    const NetworkOptions& network = run.network;
    const bool isRecorded = !network.uplinkTrace.empty() || !network.downlinkTrace.empty();
    return FindLinkType(network)->Describe(network, true) +
           (isRecorded ? ", replayed from " + Table::Exact(network.trace.offset.GetSeconds()) +
                             " s on, times " + Table::Exact(network.trace.scale) + ", then " +
                             network.trace.end
                       : "");
}

} // namespace edgepipe
} // namespace ns3
