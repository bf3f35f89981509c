/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-plan.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param share of a device, timed by a clock of nanoseconds
 * @return what planners are told: in thousandths, one of them at least
 */
double
RoundShare(double share)
{
    return std::max(1.0, std::round(1e3 * share)) / 1e3;
}

/**
 * @param share of a device that is left for us
 * @param flopPerSecond of the idle device; set to what is left
 * @param layerSeconds on the idle device; set to what they take with what is left
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

ActorPlan::ActorPlan(Ptr<MultiActorPlanner> planner,
                     const MultiActorModel& model,
                     const ActorBudgets& budgets)
    : m_model(model),
      m_budgets(budgets),
      m_planner(planner)
{
    ValidateMultiActorModel(m_model);
    ValidateMultiActorBudgets(GetBudgets());
}

MultiActorBudgets
ActorPlan::GetBudgets() const
{
    const double actors = m_budgets.isElastic ? m_order.size() : m_budgets.actors;
    const double flop = std::accumulate(m_model.layerFlop.begin(), m_model.layerFlop.end(), 0.0);
    return {m_budgets.computeShare * actors * flop,
            m_budgets.bandwidthShare * actors * m_model.outputBytes.front(),
            1};
}

const MultiActorProblem&
ActorPlan::GetProblem() const
{
    if (!m_problem)
    {
        m_problem.emplace();
        m_problem->model = GetLoadedModel(m_model, m_serverShare);
        for (const uint32_t id : m_order)
        {
            m_problem->actors.push_back(GetLoadedActor(m_actors.at(id), m_shares.at(id)));
        }
        m_problem->budgets = GetBudgets();
    }
    return *m_problem;
}

void
ActorPlan::Join(uint32_t id, const MultiActor& actor, double share)
{
    NS_ABORT_MSG_IF(m_actors.count(id), "actor " << id << " is in the plan");
    m_order.push_back(id);
    m_actors[id] = actor;
    m_shares[id] = share;
    if (m_problem)
    {
        m_problem->actors.push_back(GetLoadedActor(actor, share));
        m_problem->budgets = GetBudgets();
    }
    Ask([this](const MultiActorProblem& problem) { return m_planner->PlanJoin(problem); });
}

void
ActorPlan::Leave(uint32_t id)
{
    NS_ABORT_MSG_UNLESS(m_actors.count(id), "actor " << id << " is not in the plan");
    const std::size_t index = std::find(m_order.begin(), m_order.end(), id) - m_order.begin();
    m_order.erase(m_order.begin() + index);
    m_actors.erase(id);
    m_shares.erase(id);
    m_cuts.erase(id);
    m_problem.reset();
    Ask([this, index](const MultiActorProblem& problem) {
        return m_planner->PlanLeave(problem, index);
    });
}

void
ActorPlan::Change(const std::vector<ActorTold>& told, double serverShare)
{
    const bool isServer = RoundShare(serverShare) != RoundShare(m_serverShare);
    m_serverShare = serverShare;
    std::set<uint32_t> others;
    for (const auto& one : told)
    {
        m_actors.at(one.actor).bytesPerSecond = one.bytesPerSecond;
        m_shares[one.actor] = one.share;
        others.insert(one.actor);
    }
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        if (isServer || others.count(m_order[i]))
        {
            changed.push_back(i);
        }
    }
    if (m_problem && isServer)
    {
        m_problem->model = GetLoadedModel(m_model, m_serverShare);
    }
    for (const std::size_t i : changed)
    {
        if (m_problem)
        {
            m_problem->actors[i] = GetLoadedActor(m_actors.at(m_order[i]), m_shares.at(m_order[i]));
        }
    }
    Ask([=](const MultiActorProblem& problem) { return m_planner->PlanChange(problem, changed); });
}

void
ActorPlan::SetServerShare(double share)
{
    m_problem.reset();
    m_serverShare = share;
}

void
ActorPlan::SetServerState(std::function<DeviceState()> describe)
{
    m_describeServer = std::move(describe);
}

double
ActorPlan::GetServerShare() const
{
    return m_serverShare;
}

const std::vector<uint32_t>&
ActorPlan::GetOrder() const
{
    return m_order;
}

std::vector<MultiActorRound>
ActorPlan::GetRounds() const
{
    return m_planner->GetRounds();
}

void
ActorPlan::Ask(const std::function<MultiActorPlan(const MultiActorProblem& problem)>& decide)
{
    if (m_planner->IsFromOutside() && !m_cuts.empty())
    {
        m_planner->SetState(MakeState());
    }
    Take(decide(GetProblem()));
    m_messages += m_order.empty() ? 0 : m_planner->GetMessages();
}

void
ActorPlan::Take(const MultiActorPlan& plan)
{
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        m_cuts[m_order[i]] = plan.cuts[i];
    }
}

PlannerState<MultiActorPlan>
ActorPlan::MakeState() const
{
    PlannerState<MultiActorPlan> state;
    state.seconds = Simulator::Now().GetSeconds();
    for (const uint32_t id : m_order)
    {
        const auto cut = m_cuts.find(id);
        if (cut != m_cuts.end())
        {
            state.plan.cuts.push_back(cut->second);
        }
        const MultiActor& actor = m_actors.at(id);
        state.devices.push_back({actor.name, 8 * actor.bytesPerSecond, {}, m_shares.at(id), {}});
    }
    if (m_describeServer)
    {
        state.devices.push_back(m_describeServer());
    }
    return state;
}

void
ActorPlan::Keep()
{
    const MultiActorProblem& problem = GetProblem();
    const std::size_t all = m_model.layerFlop.size();
    MultiActorPlan plan;
    for (const uint32_t id : m_order)
    {
        const auto cut = m_cuts.find(id);
        plan.cuts.push_back(cut == m_cuts.end() ? all : cut->second);
    }
    for (auto last = plan.cuts.rbegin();
         last != plan.cuts.rend() && !EvaluateMultiActor(problem, plan).isWithinBudgets;
         ++last)
    {
        *last = all;
    }
    Take(plan);
}

const std::map<uint32_t, std::size_t>&
ActorPlan::GetCuts() const
{
    return m_cuts;
}

MultiActorLimits
ActorPlan::GetLimits() const
{
    return GetMultiActorLimits(GetBudgets());
}

bool
ActorPlan::KeepsBudgets() const
{
    return m_planner->KeepsBudgets();
}

uint64_t
ActorPlan::GetMessages() const
{
    return m_messages;
}

MultiActorCost
ActorPlan::Evaluate() const
{
    if (m_order.empty())
    {
        return {};
    }
    MultiActorPlan plan;
    for (const uint32_t id : m_order)
    {
        plan.cuts.push_back(m_cuts.at(id));
    }
    return EvaluateMultiActor(GetProblem(), plan);
}

} // namespace edgepipe
} // namespace ns3
