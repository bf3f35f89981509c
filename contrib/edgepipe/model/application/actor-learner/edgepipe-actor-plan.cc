/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-plan.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/edgepipe-defp-planner.h"
#include "ns3/edgepipe-find-by-name.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** Adds wall-clock time to a sum for as long as it lives. */
class Stopwatch
{
  public:
    /** @param seconds sum to add to */
    explicit Stopwatch(double& seconds)
        : m_seconds(seconds),
          m_start(std::chrono::steady_clock::now())
    {
    }

    ~Stopwatch()
    {
        m_seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

  private:
    double& m_seconds;                             //!< sum
    std::chrono::steady_clock::time_point m_start; //!< since when
};

} // namespace

ActorPlan::ActorPlan(const std::string& planner,
                     double mostSeconds,
                     const MultiActorModel& model,
                     const ActorBudgets& budgets)
    : m_model(model),
      m_budgets(budgets),
      m_planner(FindByName<MultiActorPlanner>("planner", planner))
{
    m_planner->SetAttributeFailSafe("TimeLimit", DoubleValue(mostSeconds));
    ValidateMultiActorModel(m_model);
    ValidateMultiActorBudgets(GetBudgets());
    if (const auto defp = DynamicCast<DefpPlanner>(m_planner))
    {
        m_game = std::make_unique<DefpGame>(m_model, GetBudgets(), defp->GetRules());
    }
}

ActorPlan::~ActorPlan() = default;

MultiActorBudgets
ActorPlan::GetBudgets() const
{
    const double actors = m_budgets.isElastic ? m_order.size() : m_budgets.actors;
    const double flop = std::accumulate(m_model.layerFlop.begin(), m_model.layerFlop.end(), 0.0);
    return {m_budgets.computeShare * actors * flop,
            m_budgets.bandwidthShare * actors * m_model.outputBytes.front(),
            1};
}

MultiActorProblem
ActorPlan::GetProblem() const
{
    MultiActorProblem problem{m_model, {}, GetBudgets()};
    for (const uint32_t id : m_order)
    {
        problem.actors.push_back(m_actors.at(id));
    }
    return problem;
}

void
ActorPlan::Join(uint32_t id, const MultiActor& actor)
{
    NS_ABORT_MSG_IF(m_actors.count(id), "actor " << id << " is in the plan");
    m_order.push_back(id);
    m_actors[id] = actor;
    const Stopwatch stopwatch(m_seconds);
    if (m_game)
    {
        m_game->SetBudgets(GetBudgets());
        m_ids[id] = m_game->Join(actor);
    }
    PlanAnew();
}

void
ActorPlan::Leave(uint32_t id)
{
    NS_ABORT_MSG_UNLESS(m_actors.count(id), "actor " << id << " is not in the plan");
    m_order.erase(std::find(m_order.begin(), m_order.end(), id));
    m_actors.erase(id);
    m_cuts.erase(id);
    const Stopwatch stopwatch(m_seconds);
    if (m_game)
    {
        m_game->Leave(m_ids.at(id));
        m_ids.erase(id);
        m_game->SetBudgets(GetBudgets());
    }
    PlanAnew();
}

void
ActorPlan::PlanAnew()
{
    if (m_game)
    {
        for (const auto& [id, player] : m_ids)
        {
            m_cuts[id] = m_game->GetCut(player).cut;
        }
        m_messages = m_game->GetMessages();
        return;
    }
    if (m_order.empty())
    {
        return;
    }
    const MultiActorPlan plan = m_planner->Plan(GetProblem());
    m_messages += m_planner->GetMessages();
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        m_cuts[m_order[i]] = plan.cuts[i];
    }
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

double
ActorPlan::GetDecisionSeconds() const
{
    return m_seconds;
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
