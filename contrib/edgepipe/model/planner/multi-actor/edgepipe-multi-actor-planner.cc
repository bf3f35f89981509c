/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-planner.h"

#include "edgepipe-multi-actor-cost.h"

#include "ns3/log.h"

#include <numeric>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeMultiActorPlanner");

NS_OBJECT_ENSURE_REGISTERED(MultiActorPlanner);

MultiActorPlan
MultiActorPlanner::Plan(const MultiActorProblem& problem)
{
    ValidateMultiActorProblem(problem);
    return PlanValid(problem);
}

MultiActorPlan
MultiActorPlanner::PlanValid(const MultiActorProblem& problem)
{
    NS_LOG_FUNCTION(this);
    return MakeOrRefuse([&] {
        MultiActorPlan plan = DecideTimed([&] { return DoPlan(problem); });
        Require(IsWithinMultiActorBudgets(problem, plan) || !KeepsBudgets(),
                "the plan takes more than the budgets");
        return plan;
    });
}

void
MultiActorPlanner::ValidateJoined(const MultiActorProblem& problem, std::size_t newcomers)
{
    std::vector<std::size_t> joined(newcomers);
    std::iota(joined.begin(), joined.end(), problem.actors.size() - newcomers);
    ValidateActors(problem, joined);
}

MultiActorPlan
MultiActorPlanner::PlanJoin(const MultiActorProblem& problem, std::size_t newcomers)
{
    ValidateJoined(problem, newcomers);
    return PlanValid(problem);
}

MultiActorPlan
MultiActorPlanner::PlanLeave(const MultiActorProblem& problem, std::size_t)
{
    if (problem.actors.empty())
    {
        return {};
    }
    ValidateActors(problem, {});
    return PlanValid(problem);
}

MultiActorPlan
MultiActorPlanner::PlanChange(const MultiActorProblem& problem,
                              const std::vector<std::size_t>& changed)
{
    ValidateActors(problem, changed);
    return PlanValid(problem);
}

} // namespace ns3::edgepipe
