/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-replanner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param share of a device, measured with a clock of nanoseconds
 * @return the share for planners, rounded to thousandths, at least 0.001
 */
double
RoundShare(double share)
{
    return std::max(1.0, std::round(1e3 * share)) / 1e3;
}

/**
 * @param share available share of a device
 * @param flopPerSecond of the idle device; set to that at the share
 * @param layerSeconds on the idle device; set to those at the share
 */
void
Load(double share, double& flopPerSecond, std::vector<double>& layerSeconds)
{
    const double left = RoundShare(share);
    flopPerSecond *= left;
    for (double& seconds : layerSeconds)
    {
        seconds /= left;
    }
}

} // namespace

MultiActor
GetLoadedActor(MultiActor actor, double share)
{
    Load(share, actor.flopPerSecond, actor.layerSeconds);
    return actor;
}

MultiActorModel
GetLoadedModel(MultiActorModel model, double share)
{
    Load(share, model.serverFlopPerSecond, model.serverLayerSeconds);
    return model;
}

NS_LOG_COMPONENT_DEFINE("EdgepipeActorReplanner");

NS_OBJECT_ENSURE_REGISTERED(ActorReplanner);

TypeId
ActorReplanner::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Replan",
             "Whether a change of the server's load triggers a decision; links "
             "and loads of actors do when they are reported.",
             {&ActorReplanner::m_replan, true})
        .Add("Meetings",
             "Whether actors that decide together exchange messages over the "
             "network; otherwise these are only counted, at no cost.",
             {&ActorReplanner::m_sendsMeetings, true});
}

void
ActorReplanner::SetUp(Ptr<MultiActorPlanner> planner,
                      const MultiActorModel& model,
                      const ActorBudgets& budgets)
{
    m_planner = planner;
    m_model = model;
    m_budgets = budgets;
    ValidateMultiActorModel(m_model);
    ValidateMultiActorBudgets(GetBudgets());
}

MultiActorBudgets
ActorReplanner::GetBudgets() const
{
    const double actors = m_budgets.isElastic ? m_order.size() : m_budgets.actors;
    return {m_budgets.computeShare * actors * Sum(m_model.layerFlop),
            m_budgets.bandwidthShare * actors * m_model.outputBytes.front(),
            1};
}

const MultiActorProblem&
ActorReplanner::GetProblem() const
{
    if (!m_problem)
    {
        m_problem.emplace();
        m_problem->model = GetLoadedModel(m_model, m_serverShare);
        m_problem->actors = Map(m_order, [this](uint32_t id) { return GetActor(id); });
        m_problem->budgets = GetBudgets();
    }
    return *m_problem;
}

void
ActorReplanner::Start(const TensorSocket& socket,
                      Ptr<ComputeDevice> compute,
                      ChangedCallback changed)
{
    SetHost(socket, compute);
    m_changed = std::move(changed);
    m_serverShare = m_compute->GetMeasuredShare();
    if (m_replan)
    {
        SetFigures({m_serverShare});
        Watch([this] { DecideIfDue(); });
    }
}

void
ActorReplanner::Push(PlanChangeRecord::Kind kind,
                     uint32_t actor,
                     std::vector<ActorTold> told,
                     std::vector<Newcomer> newcomers)
{
    if (m_isStopped)
    {
        return;
    }
    m_events.push_back(
        {{Simulator::Now(), Time(), kind, actor, std::move(told)}, std::move(newcomers)});
    if (kind == PlanChangeRecord::JOIN && !m_joins.IsRunning())
    {
        m_joins = Simulator::ScheduleNow(&ActorReplanner::Advance, this);
    }
    Advance();
}

void
ActorReplanner::Advance()
{
    while (!m_isDeciding && !m_events.empty() && !m_joins.IsRunning())
    {
        m_event = std::move(m_events.front());
        m_events.pop_front();
        if (PutTogether())
        {
            m_isDeciding = true;
            const double before = GetDecisionSeconds();
            MakePlan();
            Pay(GetDecisionSeconds() - before,
                ActorTag{ActorTag::PLANNING}.Pack(),
                [self = Ptr<ActorReplanner>(this)] {
                    self->BeginRound();
                    self->Advance();
                });
        }
    }
}

bool
ActorReplanner::PutTogether()
{
    PlanChangeRecord& change = m_event.change;
    if (change.kind == PlanChangeRecord::SERVER)
    {
        return !m_order.empty();
    }
    if (change.kind == PlanChangeRecord::JOIN)
    {
        PutJoinsTogether();
    }
    if (change.kind != PlanChangeRecord::REPORT)
    {
        return true;
    }
    if (m_actors.count(change.actor) == 0)
    {
        return false; // it has left
    }
    std::map<uint32_t, ActorTold> latest{{change.actor, change.told.front()}};
    const auto isReport = [&](const Event& event) {
        const bool isOne =
            event.change.kind == PlanChangeRecord::REPORT && m_actors.count(event.change.actor);
        if (isOne)
        {
            latest[event.change.actor] = event.change.told.front();
        }
        return isOne;
    };
    m_events.erase(std::remove_if(m_events.begin(), m_events.end(), isReport), m_events.end());
    change.told = Map(latest, [](const auto& each) { return each.second; });
    return true;
}

void
ActorReplanner::PutJoinsTogether()
{
    PlanChangeRecord& change = m_event.change;
    while (!m_events.empty() && m_events.front().change.kind == PlanChangeRecord::JOIN &&
           m_events.front().change.time == change.time)
    {
        change.told.push_back(m_events.front().change.told.front());
        m_event.newcomers.push_back(std::move(m_events.front().newcomers.front()));
        m_events.pop_front();
    }
}

MultiActorPlan
ActorReplanner::AskPlanner()
{
    const PlanChangeRecord& change = m_event.change;
    const bool isServer = change.kind == PlanChangeRecord::SERVER;
    std::vector<std::size_t> changed;
    const auto left = std::find(m_order.begin(), m_order.end(), change.actor);
    const std::size_t index = left - m_order.begin();
    switch (change.kind)
    {
    case PlanChangeRecord::JOIN:
        for (std::size_t i = 0; i < m_event.newcomers.size(); ++i)
        {
            const auto& [actor, stay, idle] = m_event.newcomers[i];
            NS_ABORT_MSG_UNLESS(m_actors.emplace(actor, idle).second,
                                "actor " << actor << " is in the plan");
            m_order.push_back(actor);
            m_shares[actor] = change.told[i].share;
            if (m_problem)
            {
                m_problem->actors.push_back(GetActor(actor));
            }
        }
        if (m_problem)
        {
            m_problem->budgets = GetBudgets();
        }
        break;
    case PlanChangeRecord::LEAVE:
        NS_ABORT_MSG_IF(left == m_order.end(), "actor " << change.actor << " is not in the plan");
        m_order.erase(left);
        m_actors.erase(change.actor);
        m_shares.erase(change.actor);
        m_plan.cuts.erase(m_plan.cuts.begin() + index);
        m_evaluation.Remove(index);
        m_problem.reset();
        break;
    case PlanChangeRecord::REPORT:
        for (const auto& told : change.told)
        {
            m_actors.at(told.actor).bytesPerSecond = told.bytesPerSecond;
            m_shares[told.actor] = told.share;
            changed.push_back(std::find(m_order.begin(), m_order.end(), told.actor) -
                              m_order.begin());
        }
        std::sort(changed.begin(), changed.end());
        break;
    case PlanChangeRecord::SERVER: {
        const double before = std::exchange(m_serverShare, m_compute->GetMeasuredShare());
        changed.resize(RoundShare(m_serverShare) == RoundShare(before) ? 0 : m_order.size());
        std::iota(changed.begin(), changed.end(), 0);
        break;
    }
    }
    if (m_problem && isServer && !changed.empty())
    {
        m_problem->model = GetLoadedModel(m_model, m_serverShare);
    }
    for (const std::size_t i : changed)
    {
        m_evaluation.Forget(i);
        if (m_problem)
        {
            m_problem->actors[i] = GetActor(m_order[i]);
        }
    }
    if (m_planner->IsFromOutside() && !m_plan.cuts.empty())
    {
        PlannerState<MultiActorPlan> state;
        state.seconds = Simulator::Now().GetSeconds();
        state.plan = m_plan;
        for (const uint32_t id : m_order)
        {
            const MultiActor& actor = m_actors.at(id);
            state.devices.push_back(
                {actor.name, 8 * actor.bytesPerSecond, {}, m_shares.at(id), {}});
        }
        state.devices.push_back(
            {"server", {}, {}, m_compute->GetAvailableShare(), m_compute->GetBacklog()});
        m_planner->SetState(std::move(state));
    }
    const MultiActorProblem& problem = GetProblem();
    MultiActorPlan plan = change.kind == PlanChangeRecord::JOIN
                              ? m_planner->PlanJoin(problem, m_event.newcomers.size())
                          : change.kind == PlanChangeRecord::LEAVE
                              ? m_planner->PlanLeave(problem, index)
                              : m_planner->PlanChange(problem, changed);
    m_event.change.messages = m_order.empty() ? 0 : m_planner->GetMessages();
    return plan;
}

void
ActorReplanner::MakePlan()
{
    PlanChangeRecord& change = m_event.change;
    MultiActorPlan plan;
    if (!Ask([&] { plan = AskPlanner(); }))
    {
        // Keep the cuts, as far as the budgets allow.
        const std::size_t all = m_model.layerFlop.size();
        plan = m_plan;
        plan.cuts.resize(m_order.size(), all);
        for (auto last = plan.cuts.rbegin();
             last != plan.cuts.rend() && !EvaluateMultiActor(GetProblem(), plan).isWithinBudgets;
             ++last)
        {
            *last = all;
        }
    }
    change.serverShare = m_serverShare;
    change.actors = m_order.size();
    m_newCuts.clear();
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        const bool isNew = i >= m_plan.cuts.size();
        if (isNew || m_plan.cuts[i] != plan.cuts[i])
        {
            change.moved += !isNew;
            m_newCuts.emplace_back(m_order[i], plan.cuts[i]);
        }
    }
    m_plan = std::move(plan);
    change.isMet = m_sendsMeetings;
    const MultiActorCost cost =
        m_order.empty() ? MultiActorCost() : m_evaluation.Evaluate(GetProblem(), m_plan);
    change.totalReductionSeconds = cost.totalReductionSeconds;
    change.cutVariance = cost.cutVariance;
    change.reductionVariance = cost.reductionVariance;
    change.used = {cost.computeUsedFlop, static_cast<uint64_t>(cost.bandwidthUsedBytes)};
    change.limits = GetLimits();
    m_rounds = m_sendsMeetings ? m_planner->GetRounds() : std::vector<MultiActorRound>();
    m_held = 0;
}

void
ActorReplanner::BeginRound()
{
    if (m_isStopped)
    {
        return;
    }
    if (m_held == m_rounds.size())
    {
        m_isDeciding = false;
        m_event.change.inForce = Simulator::Now();
        m_changed(m_event.change, m_event.newcomers);
        return;
    }
    const MultiActorRound round = m_rounds[m_held++];
    ActorRoster roster{{m_order.begin(), m_order.begin() + round.actors}};
    roster.others.erase(roster.others.begin() + round.actor);
    const std::string body = WriteBody(roster);
    NS_LOG_LOGIC("actor " << m_order[round.actor] << " meets " << roster.others.size());
    m_socket.Send(m_order[round.actor],
                  ACTOR_PORT,
                  ActorTag{ActorTag::ROUND, ++m_round}.Pack(),
                  ACTOR_NOTICE_BYTES + body.size(),
                  body);
}

void
ActorReplanner::TakeMet(uint32_t round)
{
    if (round == m_round)
    {
        BeginRound();
        Advance();
    }
}

} // namespace ns3::edgepipe
