/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/actor-learner-workload.h"

#include "ns3/edgepipe-multi-actor-problem-builder.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/edgepipe-training-memory.h"

namespace ns3::edgepipe
{

namespace
{

/// Action, reward and end of episode of a step in a trajectory, bytes.
constexpr uint64_t STEP_HEADER_BYTES = 16;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(ActorLearnerWorkload);

void
ActorLearnerWorkload::Declare(ScenarioOptions& o)
{
    m_options = &o;
    o.Bind("model=atari_cnn").Help("DNN that actors infer with: a name in traces/models or a file");
    o.Bind("server-batch=1", m_serverBatch, 1, 65536)
        .Help("batch size of the inference costs by which planners know the server's speed");
    o.Bind("execution=profile", m_execution, "profile", "eq5")
        .Help(
            "simulated layer times: profile (measured, published or estimated), or eq5 (FLOP over "
            "the device's speed with the whole model, as in the Coknight paper)");
    o.Bind("belief=eq5", m_belief, "eq5", "profile")
        .Help("layer times that planners assume: eq5 or profile");
    o.Bind("batching=none", m_batching, "none", "opportunistic")
        .Help(
            "how the server serves requests: none (one at a time), or opportunistic (all that wait "
            "when it is free, as one batch, timed by the profile of that batch size)");
    o.Bind("most-batch=32", m_mostBatch, 1, 1024).Help("opportunistic: most requests in a batch");
    o.Need({"most-batch"}, "batching", "opportunistic");
    o.Bind("frame-element-bytes=4", m_frameElementBytes, 1, 16)
        .Help("bytes per element of the input b_0 when sent");
    o.Bind("trajectory-element-bytes=1", m_trajectoryElementBytes, 1, 16)
        .Help("bytes per element of an observation in a trajectory: 1 as the screen gives it");
    o.BindAttribute("unroll", {"ActorDevice::Unroll"});
    o.Bind("train-batch=32", m_trainBatch, 0, 10000)
        .Help("trajectories per update of the learner; 0: it never updates");
    o.Bind("cluster=")
        .Help("actors and, as the last device, the server: a name in traces/clusters or a file; "
              "empty: --actors of the types --actor, and --server");
    o.Bind("actors=12", m_actors, 1, 10000).Help("devices that may join as actors");
    o.Bind("first-actors=0", m_firstActors, 0, 10000)
        .Help("actors present from the start; 0: all of --actors");
    o.Bind("churn=0", m_churn, 0, 60000)
        .Help("mean joins and leaves per minute, at random times after the start; 0: none");
    o.Bind("actor=raspberry-pi-4b")
        .Help("types of actors, assigned in turn: names in traces/devices or files, NAME@STACK for "
              "another stack, separated by commas");
    o.Bind("speed-spread=0", m_speedSpread, 0, 0.99)
        .Help("largest share by which an actor, at random, is slower or faster than its type");
    o.Bind("server=v100")
        .Help(
            "type of the server: a name in traces/devices or a file; NAME@STACK for another stack");
    DeclarePlanners<MultiActorPlanner>("defp,all-server,all-local");
    o.Bind("planner-time=10s", m_planTime, MilliSeconds(1))
        .Help("time limit of a decision for planners that have one: milp, which fails beyond it");
    o.Bind("compute-budget=0.7", m_setting.budgets.computeShare, 0, 1e6)
        .Help("R_c: share of the FLOP that actors would need with all layers on the server");
    o.Bind("bandwidth-budget=0.8", m_setting.budgets.bandwidthShare, 0, 1e6)
        .Help("R_b: share of the bytes that actors would upload with all layers on the server");
    o.Bind("elastic=true", m_setting.budgets.isElastic)
        .Help("whether budgets grow with the number of actors");
    o.Bind("budget-actors=12", m_setting.budgets.actors, 1, 100000)
        .Help("not elastic: number of actors that the budgets are for");
    o.Need({"budget-actors"}, "elastic", "false", "true");
    o.Bind("planner-bandwidth=lone",
           [this] {
               const std::string& text = m_options->GetString("planner-bandwidth");
               double bitsPerSecond = 0;
               if (text == "share")
               {
                   m_setting.linkShare = 1.0 / m_actors;
               }
               else if (text != "lone")
               {
                   m_options->Expect("planner-bandwidth",
                                     ParseBitsPerSecond(text, bitsPerSecond),
                                     "lone, share, or a data rate such as 80Mbps");
                   m_setting.linkBytesPerSecond = bitsPerSecond / 8;
               }
           })
        .Help(
            "bandwidth of every actor's link as planners see it: lone (of a transfer alone on the "
            "network when the actor joins), share (lone divided by --actors), or a rate such as "
            "80Mbps");
    o.Bind("replan=true", m_replan)
        .Help("whether to plan anew when a link or a load changes, not only when actors join or "
              "leave");
    o.BindName<BandwidthMonitor>("monitor=passive", m_setting.monitor)
        .Help("how links of actors that have joined are estimated: ");
    o.BindAttribute("replan-threshold", {"Replanner::ReplanThreshold"})
        .Help("relative change of a link or a load, above 0, that makes a decision due");
    o.Bind("replan-period=0", m_setting.replanPeriod)
        .Help("plan anew this often as well, such as 5s; 0: never");
    o.Need({"monitor", "replan-threshold", "replan-period"}, "replan", "true");
    o.BindAttribute("meetings", {"ActorReplanner::Meetings"});
    AddPlanningTimeOption(o);
    AddLoadOptions(o,
                   m_setting.load,
                   "DEVICE may be server; without DEVICE: all actors, not the server");
    o.Bind("step-time=100ms", m_stepTime, MicroSeconds(100))
        .Help("mean duration of an environment step on the actor");
    o.Bind("step-spread=0.2", m_setting.environmentSpread, 0, 1)
        .Help("share by which an environment step varies, uniform, 0 to 1");
    o.BindAttribute("most-trajectories", {"ActorDevice::MostTrajectories"});
    o.BindAttribute("parameter-period", {"ActorServer::ParameterPeriod"});
    o.Bind("duration=40s", m_setting.duration, MilliSeconds(1))
        .Help("simulated time after which no step begins");
    o.Bind("warm-up=10s", m_warmUp)
        .Help(
            "initial simulated time that figures leave out, so that first parameters do not count");
    o.Bind("span=1s", m_setting.span, MilliSeconds(1))
        .Help("time resolution of the server's usage");
    AddNetworkOptions(o, m_network);
    SetUsualLink(o, m_network, "wifi");
    o.BindAttribute("start-up", {"FlowTransport::StartUp"})
        .Help("flow level: whether TCP connections begin with handshake and slow start");
    o.BindAttribute("stall-timeout", {"StallMonitor::Timeout"});
}

void
ActorLearnerWorkload::Read()
{
    const Cluster cluster = ReadCluster();
    m_setting.environmentSeconds = m_stepTime.GetSeconds();
    double seconds;
    std::string text = m_options->GetString("step-time");
    if (text.size() > 1 && text.back() == 's' && ParseNumber(text.erase(text.size() - 1), seconds))
    {
        m_setting.environmentSeconds = seconds; // finer than ns-3's clock
    }
    m_setting.planSeconds = m_planTime.GetSeconds();
    m_options->Expect("warm-up",
                      m_warmUp + m_setting.span <= m_setting.duration,
                      "a time that leaves at least one --span of the --duration");
    CheckReplanning();
    if (!m_replan)
    {
        m_setting.monitor.clear();
    }
    ReadActors(cluster);
    const auto names = Map(cluster.devices, &ClusterDevice::name);
    m_setting.loads =
        ReadLoads(*m_options, m_setting.load, names, m_actors, {{"server", names.back()}});
    m_setting.serverName = cluster.devices.back().name;
    ReadNetworkOptions(*m_options, cluster, m_network);
    m_network.wiredDevices = {m_setting.serverName};
    CheckNetwork(*m_options, m_network, names, "network: ");
    if (const auto believed = GetBelieved<ActorLearnerWorkload>())
    {
        TakeBeliefs(believed->m_setting);
    }
}

void
ActorLearnerWorkload::TakeBeliefs(const ActorLearnerSetting& other)
{
    // With --execution=eq5, layer times follow from true speeds, which planners do not know.
    const auto list = [this](double flopPerSecond) {
        return Map(m_setting.model.layerFlop,
                   [flopPerSecond](double flop) { return flop / flopPerSecond; });
    };
    auto& model = m_setting.model;
    if (m_setting.serverBatchSeconds.empty())
    {
        m_setting.serverBatchSeconds.push_back(list(model.serverFlopPerSecond));
    }
    model.serverFlopPerSecond = other.model.serverFlopPerSecond;
    model.serverLayerSeconds = other.model.serverLayerSeconds;
    for (std::size_t i = 0; i < m_setting.actors.size(); ++i)
    {
        ActorSpec& actor = m_setting.actors[i];
        if (actor.layerSeconds.empty())
        {
            actor.layerSeconds = list(actor.flopPerSecond);
        }
        actor.flopPerSecond = other.actors[i].flopPerSecond;
        const auto& believed = other.actors[i].layerSeconds;
        actor.believedSeconds = believed.empty() ? list(actor.flopPerSecond) : believed;
    }
}

Cluster
ActorLearnerWorkload::ReadCluster()
{
    const auto given = ReadServedCluster(*m_options, {"actors", "actor", "server"}, "an actor");
    const auto find = [traces = FindTracesFolder(*m_options)](const std::string& name) {
        return FindDeviceSpec("--actor", name, traces);
    };
    const Cluster cluster = given ? *given
                                  : MakeServedCluster(Map(m_options->GetList("actor"), find),
                                                      FindDeviceSpec(*m_options, "server"),
                                                      m_actors,
                                                      "wifi");
    std::vector<DeviceSpec> types;
    m_actors = cluster.devices.size() - 1;
    for (std::size_t i = 0; i < m_actors; ++i)
    {
        AddDeviceType(types, cluster.specs[cluster.devices[i].spec]);
    }
    m_server = cluster.specs[cluster.devices.back().spec];
    ReadModel(types);
    return cluster;
}

void
ActorLearnerWorkload::ReadModel(const std::vector<DeviceSpec>& types)
{
    const std::string traces = FindTracesFolder(*m_options);
    m_graph = ReadDnnGraph(FindTracesFile(*m_options, "model", "models"));
    for (const auto& [name, cost] : FindLayerCosts(traces, m_graph, types, 1, PassKind::INFERENCE))
    {
        m_speeds[name] = GetModelSpeed(cost, m_graph);
        if (m_execution == "profile")
        {
            m_layerSeconds[name] = ListLayerSeconds(cost, m_graph);
        }
        m_costs["actor " + name] = cost;
    }
    const LayerCost served =
        FindLayerCosts(traces, m_graph, {m_server}, m_serverBatch, PassKind::INFERENCE)
            .at(m_server.name);
    m_costs["server " + m_server.name] = served;
    m_setting.model = BuildMultiActorModel(m_graph, GetModelSpeed(served, m_graph));
    ReadServing(served);
    uint64_t& input = m_setting.model.outputBytes.front();
    input = 0;
    m_stepBytes = STEP_HEADER_BYTES;
    for (const auto& layer : m_graph.layers)
    {
        if (layer.operatorName != "input")
        {
            m_setting.parameterBytes.push_back(layer.parameterBytes);
            continue;
        }
        input += layer.GetSentBytes(m_frameElementBytes);
        m_stepBytes += layer.GetSentBytes(m_trajectoryElementBytes);
    }
    m_batchSteps = m_options->Get<uint32_t>("unroll") * m_trainBatch;
    if (m_batchSteps > 0)
    {
        m_updateSeconds =
            FindLayerCosts(traces, m_graph, {m_server}, m_batchSteps, PassKind::TRAINING)
                .at(m_server.name)
                .GetSeconds();
    }
}

void
ActorLearnerWorkload::ReadServing(const LayerCost& served)
{
    m_setting.believesProfile = m_belief == "profile";
    m_mostBatch = m_batching == "none" ? 1 : m_mostBatch;
    if (m_execution == "eq5")
    {
        m_options->Expect("belief", !m_setting.believesProfile, "eq5 where --execution=eq5");
        return;
    }
    m_setting.model.serverLayerSeconds =
        Map(ListLayerSeconds(served, m_graph),
            [&served](double seconds) { return seconds / served.batch; });
    const std::string traces = FindTracesFolder(*m_options);
    for (uint32_t batch = 1; batch <= m_mostBatch; ++batch)
    {
        const auto costs = FindLayerCosts(traces, m_graph, {m_server}, batch, PassKind::INFERENCE);
        m_setting.serverBatchSeconds.push_back(ListLayerSeconds(costs.at(m_server.name), m_graph));
    }
}

void
ActorLearnerWorkload::ReadActors(const Cluster& cluster)
{
    m_options->Expect("first-actors", m_firstActors <= m_actors, "at most --actors");
    const auto factor = CreateObject<UniformRandomVariable>();
    factor->SetAttribute("Min", DoubleValue(1 - m_speedSpread));
    factor->SetAttribute("Max", DoubleValue(1 + m_speedSpread));
    factor->SetStream(random_streams::ACTOR_SPEED.first);
    for (uint32_t i = 0; i < m_actors; ++i)
    {
        const ClusterDevice& actor = cluster.devices[i];
        const double speed = factor->GetValue();
        m_memoryBytes.push_back(actor.memoryBytes);
        m_setting.actors.push_back({actor.name, m_speeds.at(actor.type) * speed});
        m_setting.actors.back().layerSeconds =
            Map(m_layerSeconds[actor.type], [speed](double seconds) { return seconds / speed; });
    }
    m_setting.changes = DrawActorChanges(m_actors,
                                         m_firstActors > 0 ? m_firstActors : m_actors,
                                         m_churn,
                                         m_setting.duration,
                                         random_streams::ACTOR_CHURN.first);
}

void
ActorLearnerWorkload::Run(ActorLearnerSetting& setting,
                          ActorLearnerCase& one,
                          const std::function<void(double)>& progress)
{
    AttributeDefaults defaults;
    defaults.Set("ActorDevice::StepBytes", UintegerValue(m_stepBytes));
    defaults.Set("Learner::BatchSteps", UintegerValue(m_batchSteps));
    defaults.Set("Learner::UpdateSeconds", DoubleValue(m_updateSeconds));
    defaults.Set("ActorServer::MostBatch", UintegerValue(m_mostBatch));
    ActorLearnerResult& result = one;
    try
    {
        result = RunActorLearner(setting, progress);
        for (const auto& step : PlanOf(one).steps)
        {
            if (const auto overflow = FindOverflow(one.planner, step.parts); !overflow.empty())
            {
                throw InputError(overflow);
            }
        }
    }
    catch (const PlannerFailure&)
    {
        throw;
    }
    catch (const InputError& error)
    {
        if (m_planners.size() == 1)
        {
            throw;
        }
        result = {};
        one.refusal = error.what();
    }
    one.summary = Summarise(setting, one, m_warmUp);
    one.seconds = one.summary.meanSeconds;
    one.requests = one.steps.size();
    one.perSecond = one.summary.requestsPerSecond;
    AddAnswered(one);
}

void
ActorLearnerWorkload::AddAnswered(ActorLearnerCase& one) const
{
    const ActorLearnerSummary& s = one.summary;
    const double believed = m_setting.believesProfile ? s.profileSeconds : s.eq5Seconds;
    one.isClosedLoop = true;
    one.isSaturated =
        s.meanSeconds >= SATURATED * (s.predictedSeconds - believed + s.profileSeconds);
    std::map<uint32_t, Time> firsts; // begins of actors' first steps
    for (const auto& step : one.steps)
    {
        firsts.emplace(step.actor, step.begun);
        if (step.ended >= m_warmUp && step.ended < m_setting.duration)
        {
            one.answered.push_back(
                {step.actor, step.step, step.ended, (step.ended - step.observed).GetSeconds()});
        }
    }
    // An actor steps once it has a cut and the parameters for it.
    Time ready;
    for (const auto& change : m_setting.changes)
    {
        if (change.isJoin && change.time.IsZero())
        {
            const auto first = firsts.find(change.actor);
            ready = std::max(ready, first == firsts.end() ? 2 * m_setting.duration : first->second);
        }
    }
    if (ready > m_warmUp)
    {
        const Time warmUp = Seconds(std::ceil(ready.GetSeconds()));
        const Time duration = warmUp + m_setting.duration - m_warmUp;
        one.longer = {{"warm-up", std::to_string(warmUp.GetMilliSeconds()) + "ms"},
                      {"duration", std::to_string(duration.GetMilliSeconds()) + "ms"}};
    }
}

uint64_t
ActorLearnerWorkload::CountLearnerMemory() const
{
    if (m_batchSteps == 0)
    {
        return 0;
    }
    StageTensors tensors;
    tensors.parameterBytes = Sum(m_graph.layers, &DnnLayer::parameterBytes);
    const std::vector<uint64_t> alive = FindAliveBytes(m_graph.layers);
    tensors.activationBytes = m_batchSteps * Sum(FindKeptBytes(m_graph.layers));
    tensors.largestBytes = m_batchSteps * *std::max_element(alive.begin(), alive.end());
    return CountStageMemory(tensors, CreateObject<TrainingMemory>()->GetOptimizerStates())
        .GetBytes(1);
}

CasePlan
ActorLearnerWorkload::PlanOf(const ActorLearnerCase& one) const
{
    // By layer, number of layers up to it that are no input.
    std::vector<std::size_t> ranks;
    for (const auto& layer : m_graph.layers)
    {
        ranks.push_back((ranks.empty() ? 0 : ranks.back()) + (layer.operatorName != "input"));
    }

    /** Requests under one cut. */
    struct Cut
    {
        std::vector<uint32_t> actors; //!< that have it at the end
        double seconds{0};            //!< of all requests
        double actorSeconds{0};       //!< of computing on actors
        double serverSeconds{0};      //!< on the server, waiting for it included
    };

    CasePlan plan{one.planner,
                  {},
                  "requests' time, spent on the device, waiting there included",
                  "latency"};
    std::map<std::size_t, Cut> cuts;
    for (const auto& step : one.steps)
    {
        Cut& cut = cuts[step.cut];
        cut.seconds += (step.ended - step.observed).GetSeconds();
        cut.actorSeconds += (step.computed - step.observed).GetSeconds();
        cut.serverSeconds += (step.served - step.uploaded).GetSeconds();
    }
    for (const auto& [actor, cut] : one.cuts)
    {
        cuts[cut].actors.push_back(actor);
    }
    for (const auto& [y, cut] : cuts)
    {
        if (cut.actors.empty())
        {
            continue;
        }
        const std::string who = cut.actors.size() == 1
                                    ? m_setting.actors[cut.actors.front()].name
                                    : FormatCount(cut.actors.size(), "actor", "actors");
        PlanStep step;
        for (const bool isActor : {true, false})
        {
            PlanPart part = MakeLayerPart(
                isActor ? who : m_setting.serverName,
                m_graph,
                [&, y = y](std::size_t i) { return (y > 0 && ranks[i] <= y) == isActor; });
            AddInferenceMemory(part,
                               m_graph,
                               isActor ? m_memoryBytes[cut.actors.front()]
                                       : m_server.usableMemoryBytes);
            part.memoryBytes += isActor ? 0 : CountLearnerMemory();
            if (cut.seconds > 0)
            {
                part.share = (isActor ? cut.actorSeconds : cut.serverSeconds) / cut.seconds;
            }
            step.Add(part);
        }
        step.moment = y == 0 ? who : "";
        plan.steps.push_back(step);
    }
    return plan;
}

} // namespace ns3::edgepipe
