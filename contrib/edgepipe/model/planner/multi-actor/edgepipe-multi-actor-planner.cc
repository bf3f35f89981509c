/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-planner.h"

#include "edgepipe-multi-actor-cost.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/log.h"

#include <chrono>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeMultiActorPlanner");

NS_OBJECT_ENSURE_REGISTERED(MultiActorPlanner);

TypeId
MultiActorPlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::MultiActorPlanner").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

MultiActorPlan
MultiActorPlanner::Plan(const MultiActorProblem& problem)
{
    NS_LOG_FUNCTION(this);
    ValidateMultiActorProblem(problem);
    try
    {
        const auto start = std::chrono::steady_clock::now();
        MultiActorPlan plan = DoPlan(problem);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        m_decisionSeconds = elapsed.count();
        const MultiActorCost cost = EvaluateMultiActor(problem, plan);
        if (KeepsBudgets() && !cost.isWithinBudgets)
        {
            throw InputError("the plan takes more than the budgets");
        }
        return plan;
    }
    catch (const InputError& error)
    {
        throw InputError("planner " + GetName() + ": " + error.what());
    }
}

double
MultiActorPlanner::GetDecisionSeconds() const
{
    return m_decisionSeconds;
}

uint64_t
MultiActorPlanner::GetMessages() const
{
    return 0;
}

bool
MultiActorPlanner::KeepsBudgets() const
{
    return true;
}

} // namespace edgepipe
} // namespace ns3
