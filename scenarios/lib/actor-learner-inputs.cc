/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/actor-learner-inputs.h"

#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/traces-option.h"
#include "lib/training-inputs.h"
#include "runs/actor-churn.h"

#include "ns3/double.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Bytes of an element in a model file's tensors.
constexpr uint64_t FILE_ELEMENT_BYTES = 4;
/// Action, reward and end of episode of a step in a trajectory, bytes.
constexpr uint64_t STEP_HEADER_BYTES = 16;

} // namespace

ActorModelInputs::ActorModelInputs(ScenarioOptions& o, ActorLearnerOptions& run)
    : m_options(o),
      m_run(run)
{
    o.Bind("model=atari_cnn").Help("DNN that actors infer with: a name in traces/models or a file");
    o.Bind("server-batch=1", m_serverBatch, 1, 65536)
        .Help("inferences in a batch by which planners know how fast the server is");
    o.Bind("execution=profile", m_execution, "profile", "eq5")
        .Help(
            "what layers take when they run: profile (measured, published or estimated), or "
            "eq5 (FLOP over the device's speed with the whole model, as Coknight's paper has it)");
    o.Bind("belief=eq5", m_belief, "eq5", "profile")
        .Help("what planners believe that they take: eq5 or profile");
    o.Bind("batching=none", m_batching, "none", "opportunistic")
        .Help("how the server serves: none (one request at a time), or opportunistic (those that "
              "wait when it is free together, by its profile for so many)");
    o.Bind("most-batch=32", m_mostBatch, 1, 1024).Help("opportunistic: requests of a batch");
    o.Bind("frame-element-bytes=4", m_frameElementBytes, 1, 16)
        .Help("bytes of an element of the input b_0 on the way");
    o.Bind("trajectory-element-bytes=1", m_trajectoryElementBytes, 1, 16)
        .Help("bytes of an element of the observation in a trajectory: 1 as the screen gives it");
    o.Bind("unroll=20", run.unroll, 1, 100000).Help("steps of a trajectory");
    o.Bind("train-batch=32", m_trainBatch, 0, 10000)
        .Help("trajectories of an update of the learner; 0: it never updates");
}

void
ActorModelInputs::Read()
{
    const std::string traces = FindTracesFolder(m_options);
    server = ReadDeviceSpec(FindTracesFile(m_options, "server", "devices"));
    for (const auto& name : m_options.GetList("actor"))
    {
        actorTypes.push_back(ReadDeviceSpec(FindTracesFile("--actor", name, "devices", traces)));
    }
    ReadModel();
}

void
ActorModelInputs::Read(const Cluster& cluster)
{
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i + 1 < cluster.devices.size(); ++i)
    {
        if (seen.insert(cluster.devices[i].spec).second)
        {
            actorTypes.push_back(cluster.specs[cluster.devices[i].spec]);
        }
    }
    server = cluster.specs[cluster.devices.back().spec];
    ReadModel();
}

void
ActorModelInputs::ReadModel()
{
    const std::string traces = FindTracesFolder(m_options);
    graph = ReadDnnGraph(FindTracesFile(m_options, "model", "models"));
    for (const auto& [name, cost] :
         FindLayerCosts(traces, graph, actorTypes, 1, PassKind::INFERENCE))
    {
        speeds[name] = GetModelSpeed(cost, graph);
        if (m_execution == "profile")
        {
            layerSeconds[name] = ListLayerSeconds(cost, graph);
        }
        costs["actor " + name] = cost;
    }
    const LayerCost served =
        FindLayerCosts(traces, graph, {server}, m_serverBatch, PassKind::INFERENCE).at(server.name);
    costs["server " + server.name] = served;
    m_run.model = BuildMultiActorModel(graph, GetModelSpeed(served, graph));
    ReadServing(served);
    uint64_t& input = m_run.model.outputBytes.front();
    const uint64_t elements = input / FILE_ELEMENT_BYTES;
    input = elements * m_frameElementBytes;
    m_run.stepBytes = elements * m_trajectoryElementBytes + STEP_HEADER_BYTES;
    for (const auto& layer : graph.layers)
    {
        if (layer.operatorName != "input")
        {
            m_run.parameterBytes.push_back(layer.parameterBytes);
        }
    }
    m_run.batchSteps = m_run.unroll * m_trainBatch;
    if (m_run.batchSteps > 0)
    {
        m_run.updateSeconds =
            FindLayerCosts(traces, graph, {server}, m_run.batchSteps, PassKind::TRAINING)
                .at(server.name)
                .GetSeconds();
    }
}

void
ActorModelInputs::ReadServing(const LayerCost& served)
{
    m_run.believesProfile = m_belief == "profile";
    m_run.mostBatch = m_batching == "none" ? 1 : m_mostBatch;
    if (m_batching == "none" && m_options.IsChanged("most-batch"))
    {
        m_options.Refuse("most-batch", "none without --batching=opportunistic");
    }
    if (m_execution == "eq5")
    {
        if (m_run.believesProfile)
        {
            m_options.Refuse("belief", "eq5 where --execution=eq5");
        }
        return;
    }
    for (const double seconds : ListLayerSeconds(served, graph))
    {
        m_run.model.serverLayerSeconds.push_back(seconds / served.batch);
    }
    const std::string traces = FindTracesFolder(m_options);
    for (uint32_t batch = 1; batch <= m_run.mostBatch; ++batch)
    {
        const auto costs = FindLayerCosts(traces, graph, {server}, batch, PassKind::INFERENCE);
        m_run.serverBatchSeconds.push_back(ListLayerSeconds(costs.at(server.name), graph));
    }
}

ActorLearnerInputs::ActorLearnerInputs(ScenarioOptions& o)
    : files(o, run),
      m_options(o)
{
    o.Bind("cluster=")
        .Help("actors and, as its last device, the server: a name in traces/clusters or a file; "
              "empty: --actors of the types --actor, and --server");
    o.Bind("actors=12", m_actors, 1, 10000).Help("devices that may join as actors");
    o.Bind("first-actors=0", m_firstActors, 0, 10000)
        .Help("of them that are there from the start; 0: all");
    o.Bind("churn=0", m_churn, 0, 60000)
        .Help("joins and leaves a minute after that, drawn; 0: none");
    o.Bind("actor=raspberry-pi-4b")
        .Help("types of actors, in turn: names in traces/devices or files, separated by commas");
    o.Bind("speed-spread=0", m_speedSpread, 0, 0.99)
        .Help("actors are drawn slower or faster than their type, by up to this share");
    o.Bind("server=v100").Help("type of the server: a name in traces/devices or a file");
    o.BindNames<MultiActorPlanner>("planner=defp,all-server,all-local", planners);
    AddPlanOption(o, planners);
    o.Bind("planner-time=10s", m_planTime, MilliSeconds(1))
        .Help("most of a decision for planners that have a limit: milp, which then refuses");
    o.Bind("compute-budget=0.7", run.budgets.computeShare, 0, 1e6)
        .Help("R_c: share of what the actors take with all layers on the server");
    o.Bind("bandwidth-budget=0.8", run.budgets.bandwidthShare, 0, 1e6)
        .Help("R_b: share of what they upload then");
    o.Bind("elastic=true", run.budgets.isElastic).Help("whether budgets grow with the actors");
    o.Bind("budget-actors=12", run.budgets.actors, 1, 100000)
        .Help("not elastic: how many actors the budgets are for");
    o.Bind("planner-bandwidth=lone", [this] { ReadPlannerBandwidth(); })
        .Help("every actor's link for the planner: lone (what one gets that has the network to "
              "itself "
              "when it joins), share (that over --actors), or a rate such as 80Mbps");
    o.Bind("replan=true", m_replan)
        .Help("whether to plan anew when a link or a load changes, not only when actors join or "
              "leave");
    o.BindName<BandwidthMonitor>("monitor=passive", run.monitor)
        .Help("who estimates actors' links after that: ");
    o.Bind("replan-threshold=0.1", run.replanThreshold, 1e-6, 1e6)
        .Help("share by which a link or a load must change, above 0");
    o.Bind("replan-period=0", run.replanPeriod)
        .Help("plan anew this often as well, such as 5s; 0: never");
    o.Bind("meetings=true", run.sendMeetings)
        .Help("whether actors that decide together (defp) meet over the network; otherwise their "
              "messages are counted and cost nothing");
    AddPlanningTimeOption(o, run.planning);
    AddLoadOptions(o, run.load, "DEVICE may be server; without DEVICE: all actors, not the server");
    o.Bind("step-time=100ms", m_stepTime, MicroSeconds(100))
        .Help("a step of the environment on the actor, mean");
    o.Bind("step-spread=0.2", run.environmentSpread, 0, 1)
        .Help("share by which it varies, uniform, 0 to 1");
    o.Bind("most-trajectories=4", run.mostTrajectories, 1, 1000000)
        .Help("of an actor on the way; with so many it waits");
    o.Bind("parameter-period=1s", run.parameterPeriod, MilliSeconds(1))
        .Help("between parameters for actors that run layers");
    o.Bind("duration=40s", run.duration, MilliSeconds(1))
        .Help("when no further step begins, simulated");
    o.Bind("warm-up=10s", warmUp).Help("what ends before does not count, such as first parameters");
    o.Bind("span=1s", run.span, MilliSeconds(1)).Help("resolution of the server's use over time");
    AddNetworkOptions(o, run.network);
    SetUsualLink(o, run.network, "wifi");
    o.Bind("start-up=true", run.startUp)
        .Help("whether TCP connections start up slowly, at flow level");
    o.Bind("stall-timeout=60s", run.stallTimeout, MilliSeconds(1))
        .Help("longest simulated time without progress");
    o.AddOut();
}

void
ActorLearnerInputs::Read()
{
    const Cluster cluster = ReadCluster();
    run.environmentSeconds = m_stepTime.GetSeconds();
    double seconds;
    std::string text = m_options.GetString("step-time");
    if (text.size() > 1 && text.back() == 's' && ParseNumber(text.erase(text.size() - 1), seconds))
    {
        run.environmentSeconds = seconds; // finer than ns-3's clock
    }
    run.planSeconds = m_planTime.GetSeconds();
    if (warmUp + run.span > run.duration)
    {
        m_options.Refuse("warm-up", "a time that leaves at least one --span of the --duration");
    }
    if (run.replanPeriod.IsStrictlyPositive() && run.replanPeriod < MilliSeconds(1))
    {
        m_options.Refuse("replan-period", "0, or 1ms or more");
    }
    if (!m_replan)
    {
        run.monitor.clear();
    }
    ReadActors(cluster);
    const auto names = GetDeviceNames(cluster.devices);
    run.loads = ReadLoads(m_options, run.load, names, m_actors, {{"server", names.back()}});
    run.serverName = cluster.devices.back().name;
    ReadNetworkOptions(m_options, cluster, run.network);
    run.network.wiredDevices = {run.serverName};
    CheckNetwork(m_options, run.network, names, "network: ");
}

void
ActorLearnerInputs::ReadPlannerBandwidth()
{
    const std::string& text = m_options.GetString("planner-bandwidth");
    double bitsPerSecond = 0;
    if (text == "share")
    {
        run.linkShare = 1.0 / m_actors;
    }
    else if (text != "lone")
    {
        if (!ParseBitsPerSecond(text, bitsPerSecond))
        {
            m_options.Refuse("planner-bandwidth", "lone, share, or a data rate such as 80Mbps");
        }
        run.linkBytesPerSecond = bitsPerSecond / 8;
    }
}

Cluster
ActorLearnerInputs::ReadCluster()
{
    const auto given = ReadServedCluster(m_options, {"actors", "actor", "server"}, "an actor");
    if (!given)
    {
        files.Read();
        Cluster cluster{"", {}, {}, "wifi", 1e9, 20e-6};
        for (uint32_t i = 0; i < m_actors; ++i)
        {
            const std::string& type = files.actorTypes[i % files.actorTypes.size()].name;
            cluster.devices.push_back({type + "-" + std::to_string(i), type, 0, 0});
        }
        cluster.devices.push_back({run.serverName, files.server.name, 0, 0});
        return cluster;
    }
    m_actors = given->devices.size() - 1;
    files.Read(*given);
    return *given;
}

void
ActorLearnerInputs::ReadActors(const Cluster& cluster)
{
    if (m_firstActors > m_actors)
    {
        m_options.Refuse("first-actors", "at most --actors");
    }
    const auto factor = CreateObject<UniformRandomVariable>();
    factor->SetAttribute("Min", DoubleValue(1 - m_speedSpread));
    factor->SetAttribute("Max", DoubleValue(1 + m_speedSpread));
    factor->SetStream(random_streams::ACTOR_SPEED.first);
    for (uint32_t i = 0; i < m_actors; ++i)
    {
        const ClusterDevice& actor = cluster.devices[i];
        const double speed = factor->GetValue();
        run.actors.push_back({actor.name, files.speeds.at(actor.type) * speed});
        for (const double seconds : files.layerSeconds[actor.type])
        {
            run.actors.back().layerSeconds.push_back(seconds / speed);
        }
    }
    run.changes = DrawActorChanges(m_actors,
                                   m_firstActors > 0 ? m_firstActors : m_actors,
                                   m_churn,
                                   run.duration,
                                   random_streams::ACTOR_CHURN.first);
}

} // namespace edgepipe
} // namespace ns3
