/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/actor-learner-inputs.h"

#include "lib/actor-churn.h"
#include "lib/network-inputs.h"
#include "lib/traces-option.h"

#include "ns3/double.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-multi-actor-problem-builder.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <numeric>

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

double
GetModelSpeed(const LayerCost& cost, const DnnGraph& graph)
{
    double flop = 0;
    for (const auto& layer : graph.layers)
    {
        flop += static_cast<double>(layer.flop) * cost.batch;
    }
    const double seconds =
        std::accumulate(cost.forwardSeconds.begin(), cost.forwardSeconds.end(), 0.0);
    if (flop == 0 || seconds <= 0)
    {
        throw InputError("model " + graph.name + ": found no FLOP, or layers that take no time " +
                         "on " + cost.device + ", expected a speed");
    }
    return flop / seconds;
}

void
AddActorModelOptions(ScenarioOptions& o)
{
    o.Add("model", "DNN that actors infer with: a name in traces/models or a file", "atari_cnn");
    o.Add("server-batch",
          "inferences in a batch by which the server's speed is known; it serves one at a time",
          "1");
    o.Add("frame-element-bytes", "bytes of an element of the input b_0 on the way", "4");
    o.Add("trajectory-element-bytes",
          "bytes of an element of the observation in a trajectory: 1 as the screen gives it",
          "1");
    o.Add("unroll", "steps of a trajectory", "20");
    o.Add("train-batch", "trajectories of an update of the learner; 0: it never updates", "32");
}

ActorModelInputs::ActorModelInputs(const ScenarioOptions& o)
{
    const std::string traces = FindTracesFolder(o);
    graph = ReadDnnGraph(FindTracesFile(o, "model", "models"));
    server = ReadDeviceSpec(FindTracesFile(o, "server", "devices"));
    for (const auto& name : o.GetList("actor"))
    {
        actorTypes.push_back(ReadDeviceSpec(FindTracesFile("--actor", name, "devices", traces)));
    }
    for (const auto& [name, cost] :
         FindLayerCosts(traces, graph, actorTypes, 1, PassKind::INFERENCE))
    {
        speeds[name] = GetModelSpeed(cost, graph);
        costs["actor " + name] = cost;
    }
    const uint32_t batch = o.GetUint("server-batch", 1, 65536);
    const LayerCost served =
        FindLayerCosts(traces, graph, {server}, batch, PassKind::INFERENCE).at(server.name);
    costs["server " + server.name] = served;
    model = BuildMultiActorModel(graph, GetModelSpeed(served, graph));
    const uint64_t elements = model.outputBytes.front() / FILE_ELEMENT_BYTES;
    model.outputBytes.front() = elements * o.GetUint("frame-element-bytes", 1, 16);
    stepBytes = elements * o.GetUint("trajectory-element-bytes", 1, 16) + STEP_HEADER_BYTES;
    for (const auto& layer : graph.layers)
    {
        if (layer.operatorName != "input")
        {
            parameterBytes.push_back(layer.parameterBytes);
        }
    }
    unroll = o.GetUint("unroll", 1, 100000);
    batchSteps = unroll * o.GetUint("train-batch", 0, 10000);
    updateSeconds = 0;
    if (batchSteps > 0)
    {
        const LayerCost training =
            FindLayerCosts(traces, graph, {server}, batchSteps, PassKind::TRAINING).at(server.name);
        const auto sum = [](const std::vector<double>& values) {
            return std::accumulate(values.begin(), values.end(), 0.0);
        };
        updateSeconds = sum(training.forwardSeconds) + sum(training.backwardSeconds);
    }
}

void
ActorModelInputs::FillIn(ActorLearnerOptions& run) const
{
    run.model = model;
    run.parameterBytes = parameterBytes;
    run.unroll = unroll;
    run.batchSteps = batchSteps;
    run.updateSeconds = updateSeconds;
    run.stepBytes = stepBytes;
}

void
ActorLearnerInputs::AddOptions(ScenarioOptions& o)
{
    AddActorModelOptions(o);
    o.Add("actors", "devices that may join as actors", "12");
    o.Add("first-actors", "of them that are there from the start; 0: all", "0");
    o.Add("churn", "joins and leaves a minute after that, drawn; 0: none", "0");
    o.Add("actor",
          "types of actors, in turn: names in traces/devices or files, separated by commas",
          "raspberry-pi-4b");
    o.Add("speed-spread",
          "actors are drawn slower or faster than their type, by up to this share",
          "0");
    o.Add("server", "type of the server: a name in traces/devices or a file", "v100");
    o.Add("planner",
          JoinNames<MultiActorPlanner>() + ", several separated by commas, or all",
          "defp");
    o.Add("planner-time",
          "most seconds of a decision for planners that have a limit: milp, which then refuses",
          "10");
    o.Add("compute-budget",
          "R_c: share of what the actors take with all layers on the server",
          "0.7");
    o.Add("bandwidth-budget", "R_b: share of what they upload then", "0.8");
    o.Add("elastic", "whether budgets grow with the actors", "true");
    o.Add("budget-actors", "not elastic: how many actors the budgets are for", "12");
    o.Add("planner-bandwidth",
          "every actor's link for the planner: lone (what one gets that has the network to itself "
          "when it joins), share (that over --actors), or a rate such as 80Mbps",
          "lone");
    o.Add("step-time", "a step of the environment on the actor, mean", "100ms");
    o.Add("step-spread", "share by which it varies, uniform, 0 to 1", "0.2");
    o.Add("most-trajectories", "of an actor on the way; with so many it waits", "4");
    o.Add("parameter-period", "between parameters for actors that run layers", "1s");
    o.Add("duration", "when no further step begins, simulated", "40s");
    o.Add("warm-up", "what ends before does not count, such as first parameters", "10s");
    o.Add("span", "resolution of the server's use over time", "1s");
    AddNetworkOptions(o);
    o.SetDefault("link", "wifi");
    o.Add("start-up", "whether TCP connections start up slowly, at flow level", "true");
    o.Add("stall-timeout", "longest simulated time without progress", "60s");
    o.Add("out", "folder for the results", "results/" + o.GetName());
}

ActorLearnerInputs::ActorLearnerInputs(const ScenarioOptions& options)
    : files(options),
      m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    if (options.GetString("planner") == "all")
    {
        const auto all = GetNames<MultiActorPlanner>();
        planners.assign(all.begin(), all.end());
    }
    else
    {
        planners = options.GetList("planner");
        for (const auto& name : planners)
        {
            FindByName<MultiActorPlanner>("--planner", name);
        }
    }
    files.FillIn(run);
    ReadRun();
    ReadPlannerBandwidth();
    ReadActors();
    Cluster cluster{"", {}, {}, "wifi", 1e9, 20e-6};
    std::vector<std::string> names;
    for (const auto& actor : run.actors)
    {
        cluster.devices.push_back({actor.name, "", 0, 0});
        names.push_back(actor.name);
    }
    cluster.devices.push_back({run.serverName, "", 0, 0});
    names.push_back(run.serverName);
    run.network = ReadNetworkOptions(options, cluster);
    run.network.wiredDevices = {run.serverName};
    CheckNetwork(options, run.network, names, "network: ");
}

void
ActorLearnerInputs::ReadRun()
{
    const auto above0 = [this](const std::string& name) {
        const Time time = m_options.GetTime(name);
        if (time < MilliSeconds(1))
        {
            m_options.Refuse(name, "a time of 1ms or more");
        }
        return time;
    };
    run.planSeconds = m_options.GetDouble("planner-time", 1e-3, 1e6);
    run.budgets.computeShare = m_options.GetDouble("compute-budget", 0, 1e6);
    run.budgets.bandwidthShare = m_options.GetDouble("bandwidth-budget", 0, 1e6);
    run.budgets.isElastic = m_options.GetBool("elastic");
    run.budgets.actors = m_options.GetUint("budget-actors", 1, 100000);
    run.environmentSeconds = m_options.GetTime("step-time").GetSeconds();
    if (run.environmentSeconds < 1e-4)
    {
        m_options.Refuse("step-time", "a time of 0.1ms or more");
    }
    run.environmentSpread = m_options.GetDouble("step-spread", 0, 1);
    run.mostTrajectories = m_options.GetUint("most-trajectories", 1, 1000000);
    run.parameterPeriod = above0("parameter-period");
    run.duration = above0("duration");
    run.span = above0("span");
    warmUp = m_options.GetTime("warm-up");
    if (warmUp + run.span > run.duration)
    {
        m_options.Refuse("warm-up", "a time that leaves at least one --span of the --duration");
    }
    run.startUp = m_options.GetBool("start-up");
    run.stallTimeout = above0("stall-timeout");
}

void
ActorLearnerInputs::ReadPlannerBandwidth()
{
    const std::string& text = m_options.GetString("planner-bandwidth");
    double bitsPerSecond = 0;
    if (text == "share")
    {
        run.linkShare = 1.0 / m_options.GetUint("actors", 1, 10000);
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

void
ActorLearnerInputs::ReadActors()
{
    const uint32_t count = m_options.GetUint("actors", 1, 10000);
    uint32_t first = m_options.GetUint("first-actors", 0, 10000);
    if (first > count)
    {
        m_options.Refuse("first-actors", "at most --actors");
    }
    first = first == 0 ? count : first;
    const double spread = m_options.GetDouble("speed-spread", 0, 0.99);
    const auto factor = CreateObject<UniformRandomVariable>();
    factor->SetAttribute("Min", DoubleValue(1 - spread));
    factor->SetAttribute("Max", DoubleValue(1 + spread));
    factor->SetStream(random_streams::ACTOR_SPEED.first);
    for (uint32_t i = 0; i < count; ++i)
    {
        const std::string& type = files.actorTypes[i % files.actorTypes.size()].name;
        run.actors.push_back(
            {type + "-" + std::to_string(i), files.speeds.at(type) * factor->GetValue()});
    }
    run.changes = DrawActorChanges(count,
                                   first,
                                   m_options.GetDouble("churn", 0, 60000),
                                   run.duration,
                                   random_streams::ACTOR_CHURN.first);
}

const ScenarioOptions&
ActorLearnerInputs::GetOptions() const
{
    return m_options;
}

} // namespace edgepipe
} // namespace ns3
