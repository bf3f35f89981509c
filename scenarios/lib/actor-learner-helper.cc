/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/actor-learner-helper.h"

#include "lib/actor-learner-check.h"
#include "lib/simulation-end.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-actor-device.h"
#include "ns3/edgepipe-actor-log.h"
#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-edge-server.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-learner.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// How often progress is told.
const Time TOLD = MilliSeconds(500);

/** A run of actors and learner in the present simulation. */
class ActorRun
{
  public:
    /**
     * @param options how to run
     * @param progress may be empty
     */
    ActorRun(const ActorLearnerOptions& options, const std::function<void(double)>& progress)
        : m_options(options),
          m_progress(progress),
          m_server(options.actors.size()),
          m_usage(options.span)
    {
    }

    /** @return what comes of it */
    ActorLearnerResult Simulate();

  private:
    /** Build network, transport and what watches them. */
    void Join();
    /**
     * @param index of an actor or the server
     * @return its processor
     */
    Ptr<ComputeDevice> MakeCompute(uint32_t index);
    /** Put the server's application on its node. */
    void BuildServer();
    /**
     * Put an actor's application on its node.
     * @param index of the actor
     */
    void BuildActor(uint32_t index);
    /**
     * @param index of an actor
     * @return what it tells when it joins
     */
    MultiActor Describe(uint32_t index);
    /**
     * Have an actor come or go, if it has not yet.
     * @param change what is to happen
     */
    void Change(const ActorChange& change);
    /** The duration is over. */
    void Rest();
    /** End the run if every step has ended. */
    void FinishIfDone();
    /** Tell how far it is. */
    void Tell();
    /** @return what came of it */
    ActorLearnerResult Collect();

    const ActorLearnerOptions& m_options;          //!< how to run
    const std::function<void(double)>& m_progress; //!< may be empty
    SimulationEnd m_simulation;                    //!< taken down last
    const uint32_t m_server;                       //!< index of the server
    ActorLog m_log;                                //!< records steps and plans
    ActorUsage m_usage;                            //!< records use over time
    std::vector<std::string> m_names;              //!< of actors and server
    Network m_network;                             //!< joins them
    Ptr<StallMonitor> m_stall;                     //!< ends a run that is stuck
    Ptr<Learner> m_learner;                        //!< trains
    Ptr<EdgeServer> m_serverApplication;           //!< serves the actors
    std::vector<Ptr<ActorDevice>> m_actors;        //!< by index
    std::map<uint32_t, MultiActor> m_told;         //!< what actors told when they joined last
    std::map<std::string, uint32_t> m_waits;       //!< for what, when the duration was over
    bool m_isResting{false};                       //!< whether the duration is over
    bool m_isDone{false};                          //!< whether every step has ended
};

ActorLearnerResult
ActorRun::Simulate()
{
    Join();
    BuildServer();
    for (uint32_t i = 0; i < m_server; ++i)
    {
        BuildActor(i);
    }
    for (const auto& change : m_options.changes)
    {
        if (change.time < m_options.duration)
        {
            Simulator::Schedule(change.time, [this, change] { Change(change); });
        }
    }
    Simulator::Schedule(m_options.duration, [this] { Rest(); });
    Tell();
    m_stall->Start();
    Simulator::Run();
    ActorLearnerResult result = Collect();
    m_stall->Dispose();
    return result;
}

void
ActorRun::Join()
{
    for (const auto& actor : m_options.actors)
    {
        m_names.push_back(actor.name);
    }
    m_names.push_back(m_options.serverName);
    NetworkOptions network = m_options.network;
    network.wiredDevices.insert(m_options.serverName);
    std::set<uint32_t> active{m_server};
    for (const auto& change : m_options.changes)
    {
        active.insert(change.actor);
    }
    m_network = NetworkHelper(network, m_names).Build(active);
    const auto transport = m_network.transport;
    m_simulation.transport = transport;
    transport->SetAttributeFailSafe("StartUp", BooleanValue(m_options.startUp));
    if (m_options.linkBytesPerSecond == 0 && !m_network.capacity)
    {
        throw InputError("link: found \"" + m_options.network.link +
                         "\", whose capacity no oracle knows, expected another link, or a "
                         "bandwidth for the planner");
    }
    m_usage.Observe(transport);
    m_stall = CreateObject<StallMonitor>();
    m_stall->SetAttribute("Timeout", TimeValue(m_options.stallTimeout));
    m_stall->WatchTransport(transport, m_names, [](const Message& message) {
        return ActorTag::Unpack(message.tag).Describe();
    });
}

Ptr<ComputeDevice>
ActorRun::MakeCompute(uint32_t index)
{
    auto compute = CreateObject<ComputeDevice>();
    m_stall->WatchCompute(index, compute);
    return compute;
}

void
ActorRun::BuildServer()
{
    const auto compute = MakeCompute(m_server);
    m_usage.Observe(compute);
    m_learner = CreateObject<Learner>();
    m_learner->SetAttribute("BatchSteps", UintegerValue(m_options.batchSteps));
    m_learner->SetAttribute("UpdateSeconds", DoubleValue(m_options.updateSeconds));
    m_learner->SetUp(compute);
    const auto server = CreateObject<EdgeServer>();
    m_serverApplication = server;
    server->SetAttribute("ParameterPeriod", TimeValue(m_options.parameterPeriod));
    server->SetUp(m_server, m_network.transport, compute, m_learner);
    server->SetModel(m_options.model,
                     m_options.parameterBytes,
                     std::make_unique<ActorPlan>(m_options.planner,
                                                 m_options.planSeconds,
                                                 m_options.model,
                                                 m_options.budgets),
                     [this](uint32_t actor) { return Describe(actor); });
    m_log.Observe(server, m_learner);
    m_network.devices.Get(m_server)->AddApplication(server);
    m_stall->WatchParty(m_server, [server] { return server->DescribeWait(); });
}

MultiActor
ActorRun::Describe(uint32_t index)
{
    double bytesPerSecond = m_options.linkBytesPerSecond;
    if (bytesPerSecond == 0)
    {
        bytesPerSecond = std::max(1.0, m_network.capacity(index, m_server) / 8);
    }
    const auto& actor = m_options.actors[index];
    m_told[index] = {actor.name, actor.flopPerSecond, bytesPerSecond * m_options.linkShare};
    return m_told[index];
}

void
ActorRun::BuildActor(uint32_t index)
{
    const auto& o = m_options;
    const auto compute = MakeCompute(index);
    const auto seconds = CreateObject<UniformRandomVariable>();
    seconds->SetAttribute("Min", DoubleValue(o.environmentSeconds * (1 - o.environmentSpread)));
    seconds->SetAttribute("Max", DoubleValue(o.environmentSeconds * (1 + o.environmentSpread)));
    const auto actor = CreateObject<ActorDevice>();
    actor->SetAttribute("EnvironmentSeconds", PointerValue(seconds));
    actor->SetAttribute("Unroll", UintegerValue(o.unroll));
    actor->SetAttribute("StepBytes", UintegerValue(o.stepBytes));
    actor->SetAttribute("MostTrajectories", UintegerValue(o.mostTrajectories));
    actor->SetUp(index, m_server, m_network.transport, compute);
    actor->SetModel(o.model, o.actors[index].flopPerSecond);
    actor->AssignStream(random_streams::ENVIRONMENT.Get(index));
    m_log.Observe(actor);
    actor->TraceConnectWithoutContext("StepEnd",
                                      Callback<void, const StepRecord&>([this](const StepRecord&) {
                                          if (m_isResting)
                                          {
                                              Simulator::ScheduleNow([this] { FinishIfDone(); });
                                          }
                                      }));
    m_network.devices.Get(index)->AddApplication(actor);
    m_stall->WatchParty(index, [actor] { return actor->DescribeWait(); });
    m_actors.push_back(actor);
}

void
ActorRun::Change(const ActorChange& change)
{
    const auto& actor = m_actors[change.actor];
    if (change.isJoin && !actor->IsIn())
    {
        actor->Join();
    }
    else if (!change.isJoin && actor->IsIn())
    {
        actor->Leave();
    }
}

void
ActorRun::Rest()
{
    m_isResting = true;
    for (const auto& actor : m_actors)
    {
        const std::string what = actor->GetAwaited();
        if (!what.empty())
        {
            ++m_waits["waits for " + what];
        }
    }
    m_serverApplication->Rest();
    for (const auto& actor : m_actors)
    {
        actor->Rest();
    }
    FinishIfDone();
}

void
ActorRun::FinishIfDone()
{
    m_isDone = std::none_of(m_actors.begin(), m_actors.end(), [](const auto& actor) {
        return actor->IsStepping();
    });
    if (m_isDone)
    {
        m_stall->Stop();
        Simulator::Stop();
    }
}

void
ActorRun::Tell()
{
    if (m_progress && !m_isResting)
    {
        m_progress(Simulator::Now().GetSeconds() / m_options.duration.GetSeconds());
        Simulator::Schedule(TOLD, [this] { Tell(); });
    }
}

ActorLearnerResult
ActorRun::Collect()
{
    ActorLearnerResult result;
    result.isComplete = m_isDone;
    result.steps = m_log.GetSteps();
    result.begun = m_log.GetBegun();
    result.served = m_log.GetServed();
    result.takenIn = m_learner->GetSteps();
    result.changes = m_log.GetChanges();
    result.budgets = m_log.GetBudgets();
    result.updates = m_log.GetUpdates();
    result.spans = m_usage.GetSpans();
    for (const auto& link : m_network.links)
    {
        result.links.push_back(*link);
    }
    result.told = m_told;
    result.bytesMoved = m_network.transport->GetDeliveredBytes();
    result.decisionSeconds = m_serverApplication->GetPlan().GetDecisionSeconds();
    result.end = Simulator::Now();
    result.waits = m_waits;
    if (!m_isDone)
    {
        result.diagnosis = m_stall->Diagnose();
    }
    return result;
}

} // namespace

ActorLearnerResult
RunActorLearner(const ActorLearnerOptions& options, const std::function<void(double)>& progress)
{
    CheckActorLearner(options);
    return ActorRun(options, progress).Simulate();
}

std::vector<ActorChange>
JoinAll(uint32_t count)
{
    std::vector<ActorChange> changes;
    for (uint32_t i = 0; i < count; ++i)
    {
        changes.push_back({Time(), i, true});
    }
    return changes;
}

} // namespace edgepipe
} // namespace ns3
