/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/actor-learner-run.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-actor-learner-helper.h"
#include "ns3/edgepipe-time.h"
#include "ns3/pointer.h"

namespace ns3::edgepipe
{

namespace
{

/// Interval of progress reports.
const Time TOLD = MilliSeconds(500);

/**
 * @param change a join or leave
 * @return whether an actor joins when its application starts
 */
bool
IsAtStart(const ActorChange& change)
{
    return change.isJoin && change.time.IsZero();
}

/** A run of actors and learner in the present simulation. */
class ActorRun
{
  public:
    /**
     * @param options how to run
     * @param progress may be empty
     */
    ActorRun(const ActorLearnerSetting& options, const std::function<void(double)>& progress)
        : m_options(options),
          m_progress(progress),
          m_server(options.actors.size()),
          m_usage(options.span)
    {
    }

    /** @return the result */
    ActorLearnerResult Simulate()
    {
        Join();
        Install();
        for (const auto& change : m_options.changes)
        {
            if (change.time < m_options.duration && !IsAtStart(change))
            {
                Simulator::Schedule(change.time, [this, change] {
                    const auto& actor = m_actors.at(change.actor);
                    if (change.isJoin && !actor->IsIn())
                    {
                        actor->Join();
                    }
                    else if (!change.isJoin && actor->IsIn())
                    {
                        actor->Leave();
                    }
                });
            }
        }
        Simulator::Schedule(m_options.duration, [this] { Rest(); });
        ReportProgress();
        m_deployment->Run();
        return Collect();
    }

  private:
    /** Build the network, the devices and their observers. */
    void Join()
    {
        auto names = Map(m_options.actors, &ActorSpec::name);
        names.push_back(m_options.serverName);
        RunSetting setting = m_options;
        setting.network.wiredDevices.insert(m_options.serverName);
        for (const auto& change : m_options.changes)
        {
            m_active.insert(change.actor);
        }
        std::set<uint32_t> active = m_active;
        active.insert(m_server);
        m_deployment = std::make_unique<Deployment>(setting, names, active);
        const auto transport = m_deployment->GetNetwork().transport;
        m_usage.Observe(transport);
        m_usage.Observe(m_deployment->AddDevice(m_server));
        for (const uint32_t index : m_active)
        {
            m_deployment->AddDevice(index);
        }
        m_deployment->AddLoads();
    }

    /** Put the applications on their nodes. */
    void Install()
    {
        const auto& o = m_options;
        const auto& devices = m_deployment->GetNetwork().devices;
        MultiActorModel told = o.model;
        if (!o.believesProfile)
        {
            told.serverLayerSeconds.clear();
        }
        ActorLearnerHelper helper(told, o.parameterBytes, o.serverBatchSeconds);
        const auto planner = FindByName<MultiActorPlanner>("planner", o.planner);
        planner->SetAttributeFailSafe("TimeLimit", DoubleValue(o.planSeconds));
        helper.SetPlanner(planner);
        helper.SetBudgets(o.budgets);
        helper.SetCapacity([this](uint32_t index, uint32_t) {
            double bytesPerSecond = m_options.linkBytesPerSecond;
            if (bytesPerSecond == 0)
            {
                bytesPerSecond =
                    std::max(1.0, m_deployment->GetNetwork().capacity(index, m_server) / 8);
            }
            return 8 * bytesPerSecond * m_options.linkShare;
        });
        if (!o.monitor.empty())
        {
            helper.SetMonitor(o.monitor, [this](uint32_t from, uint32_t to) {
                return m_options.linkShare * m_deployment->GetNetwork().capacity(from, to);
            });
        }
        helper.SetReporterAttribute("ReplanPeriod", TimeValue(o.replanPeriod));
        helper.SetReplannerAttribute("Replan", BooleanValue(!o.monitor.empty()));
        helper.SetActorAttribute("JoinAtStart", BooleanValue(false));
        NodeContainer actors;
        for (const uint32_t index : m_active)
        {
            actors.Add(devices.Get(index));
            const auto& actor = o.actors[index];
            const MultiActor executed{actor.name, actor.flopPerSecond, 1, actor.layerSeconds};
            const MultiActor eq5{actor.name, actor.flopPerSecond, 1};
            helper.SetActor(devices.Get(index),
                            executed,
                            o.believesProfile ? actor.GetProfile() : eq5);
        }
        const ApplicationContainer applications = helper.Install(actors, devices.Get(m_server));
        m_deployment->Watch(applications);
        m_serverApplication = DynamicCast<ActorServer>(applications.Get(0));
        m_log.Observe(m_serverApplication, m_serverApplication->GetLearner());
        Connect(m_serverApplication, "PlanChange", [this](const PlanChangeRecord& change) {
            AddBelief(change);
            if (IsOutsidePlanner(m_options.planner) && m_firstSeconds <= 0)
            {
                m_firstSeconds = m_serverApplication->GetReplanner()->GetDecisionSeconds();
            }
        });
        for (uint32_t i = 1; i < applications.GetN(); ++i)
        {
            SetUp(DynamicCast<ActorDevice>(applications.Get(i)));
        }
    }

    /**
     * Compare the rates that a plan was decided for with those of the uplinks now: of the actors
     * that join or report, and of all others once a second, since thousands may report.
     * @param change the decision
     */
    void AddBelief(const PlanChangeRecord& change)
    {
        std::map<uint32_t, double> changed;
        for (const auto& told : change.told)
        {
            m_told[told.actor] = 8 * told.bytesPerSecond / m_options.linkShare;
            changed[told.actor] = m_told[told.actor];
        }
        if (change.kind == PlanChangeRecord::LEAVE)
        {
            m_told.erase(change.actor);
        }
        const Time now = Simulator::Now();
        const bool isOfAll = change.kind != PlanChangeRecord::JOIN && now >= m_nextComparison;
        if (isOfAll)
        {
            m_nextComparison = now + Seconds(1);
        }
        const auto& compared = isOfAll ? m_told : changed;
        const auto compare = [&](const auto& told) -> RateBelief {
            const double actual =
                FindNearestShare(told.second,
                                 m_deployment->GetNetwork().capacity(told.first, m_server),
                                 1 + m_options.network.CountCompetitors());
            return {now.GetSeconds(), "", m_options.serverName, told.second, actual};
        };
        if (!compared.empty())
        {
            const auto& worst =
                MaxBy(compared, [&](const auto& told) { return compare(told).GetFactor(); });
            m_beliefs.push_back(compare(worst));
            m_beliefs.back().from = m_options.actors[worst.first].name;
        }
    }

    /**
     * Configure an actor and record it.
     * @param actor the actor
     */
    void SetUp(Ptr<ActorDevice> actor)
    {
        const auto& o = m_options;
        const uint32_t index = actor->GetNode()->GetId();
        const auto seconds = CreateObject<UniformRandomVariable>();
        seconds->SetAttribute("Min", DoubleValue(o.environmentSeconds * (1 - o.environmentSpread)));
        seconds->SetAttribute("Max", DoubleValue(o.environmentSeconds * (1 + o.environmentSpread)));
        actor->SetAttribute("EnvironmentSeconds", PointerValue(seconds));
        actor->AssignStream(random_streams::ENVIRONMENT.Get(index));
        actor->SetAttribute("JoinAtStart",
                            BooleanValue(AnyOf(o.changes, [index](const auto& change) {
                                return change.actor == index && IsAtStart(change);
                            })));
        m_log.Observe(actor);
        Connect(actor, "StepEnd", [this](const StepRecord&) {
            if (m_isResting)
            {
                Simulator::ScheduleNow([this] { FinishIfDone(); });
            }
        });
        m_actors[index] = actor;
    }

    /** The duration is over. */
    void Rest()
    {
        m_isResting = true;
        for (const auto& [index, actor] : m_actors)
        {
            const std::string what = actor->GetAwaited();
            if (!what.empty())
            {
                ++m_waits["waits for " + what];
            }
        }
        m_serverApplication->StopApplication();
        for (const auto& [index, actor] : m_actors)
        {
            actor->Rest();
        }
        FinishIfDone();
    }

    /** End the run if every step has ended. */
    void FinishIfDone()
    {
        m_isDone = !AnyOf(m_actors, [](const auto& each) { return each.second->IsStepping(); });
        if (m_isDone)
        {
            m_deployment->End();
        }
    }

    /** Report progress, now and at intervals. */
    void ReportProgress()
    {
        if (m_progress && !m_isResting)
        {
            m_progress(Simulator::Now().GetSeconds() / m_options.duration.GetSeconds());
            Simulator::Schedule(TOLD, [this] { ReportProgress(); });
        }
    }

    /** @return the result */
    ActorLearnerResult Collect()
    {
        ActorLearnerResult result;
        static_cast<ActorRecords&>(result) = m_log.GetRecords();
        m_deployment->Collect(m_isDone, result);
        result.takenIn = m_serverApplication->GetLearner()->GetSteps();
        result.spans = m_usage.GetSpans();
        result.delaySeconds = Map(CountUp(m_server), [this](uint32_t i) {
            return m_deployment->GetNetwork().delaySeconds(i, m_server);
        });
        result.decisionSeconds = m_serverApplication->GetReplanner()->GetDecisionSeconds();
        result.times.Add(result.decisionSeconds, result.changes.size(), m_firstSeconds);
        result.failures = m_serverApplication->GetReplanner()->GetFailures();
        result.problem = m_serverApplication->GetReplanner()->GetProblem();
        result.cuts = m_serverApplication->GetReplanner()->GetCuts();
        result.waits = m_waits;
        result.beliefs = m_beliefs;
        return result;
    }

    const ActorLearnerSetting& m_options;          //!< how to run
    const std::function<void(double)>& m_progress; //!< may be empty
    const uint32_t m_server;                       //!< index of the server
    ActorLog m_log;                                //!< records steps and plans
    ActorUsage m_usage;                            //!< records the server's usage over time
    std::set<uint32_t> m_active;                   //!< actors that ever join
    double m_firstSeconds{0};                      //!< first decision of a program; 0: none yet
    std::unique_ptr<Deployment> m_deployment;      //!< actors, server and their network
    Ptr<ActorServer> m_serverApplication;          //!< serves the actors
    std::map<uint32_t, Ptr<ActorDevice>> m_actors; //!< those that ever join, by index
    std::map<std::string, uint32_t> m_waits;       //!< actors that wait at the end, by what for
    std::map<uint32_t, double> m_told;             //!< by present actor, uplink, payload bit/s
    std::vector<RateBelief> m_beliefs;             //!< of every decision
    Time m_nextComparison;                         //!< when all of m_told are compared again
    bool m_isResting{false};                       //!< whether the duration is over
    bool m_isDone{false};                          //!< whether every step has ended
};

} // namespace

ActorLearnerResult
RunActorLearner(const ActorLearnerSetting& options, const std::function<void(double)>& progress)
{
    return ActorRun(options, progress).Simulate();
}

std::vector<ActorChange>
DrawActorChanges(uint32_t actors,
                 uint32_t first,
                 double perMinute,
                 const Time& duration,
                 int64_t stream)
{
    std::vector<ActorChange> changes = JoinAll(first);
    if (perMinute <= 0)
    {
        return changes;
    }
    const auto interval = CreateObject<ExponentialRandomVariable>();
    interval->SetAttribute("Mean", DoubleValue(60 / perMinute));
    const auto coin = CreateObject<UniformRandomVariable>();
    const auto choice = CreateObject<UniformRandomVariable>();
    interval->SetStream(stream);
    coin->SetStream(stream + 1);
    choice->SetStream(stream + 2);
    std::vector<uint32_t> in(first);
    std::iota(in.begin(), in.end(), 0);
    std::vector<uint32_t> out(actors - first);
    std::iota(out.begin(), out.end(), first);
    const double end = duration.GetSeconds();
    for (double time = interval->GetValue(); time < end; time += interval->GetValue())
    {
        const bool isHeads = coin->GetValue() < 0.5;
        const bool isJoin = !out.empty() && (in.size() < 2 || isHeads);
        auto& from = isJoin ? out : in;
        if (!isJoin && in.size() < 2)
        {
            continue;
        }
        std::swap(from[choice->GetInteger(0, from.size() - 1)], from.back());
        changes.push_back({RoundSeconds(time), from.back(), isJoin});
        (isJoin ? in : out).push_back(from.back());
        from.pop_back();
    }
    return changes;
}

std::vector<ActorChange>
JoinAll(uint32_t count)
{
    return Map(CountUp(count), [](uint32_t i) { return ActorChange{Time(), i, true}; });
}

} // namespace ns3::edgepipe
