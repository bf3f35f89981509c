/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-planner.h"

#include "edgepipe-two-way-cut-cost.h"

#include "ns3/edgepipe-attributes.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(TwoWayCutPlanner);

TypeId
TwoWayCutPlanner::AddAttributes(TypeId tid)
{
    return Attributes(tid).Add(
        "CountResult",
        "Whether the time to return the result to the device influences the decision, "
        "if the problem counts it.",
        {&TwoWayCutPlanner::m_countResult, true});
}

const TwoWayCutProblem&
TwoWayCutPlanner::FindSeen(const TwoWayCutProblem& problem, TwoWayCutProblem& copy) const
{
    ValidateTwoWayCutProblem(problem);
    if (!CanPlanFor(problem.objective))
    {
        Refuse(
            InputError("objective", "\"throughput\"", "latency, which is all that it plans for"));
    }
    if (!problem.countResult || m_countResult)
    {
        return problem; // a copy may take as long as a decision
    }
    copy = problem;
    copy.countResult = false;
    return copy;
}

TwoWayCutPlan
TwoWayCutPlanner::Plan(const TwoWayCutProblem& problem)
{
    TwoWayCutProblem copy;
    const TwoWayCutProblem& seen = FindSeen(problem, copy);
    return MakeOrRefuse([&] {
        TwoWayCutPlan plan = DecideTimed([&] { return DoPlan(seen); });
        CheckTwoWayCut(problem, plan);
        return plan;
    });
}

std::unique_ptr<TwoWayCutEnvelope>
TwoWayCutPlanner::PlanEveryBandwidth(const TwoWayCutProblem& problem)
{
    TwoWayCutProblem copy;
    const TwoWayCutProblem& seen = FindSeen(problem, copy);
    return DecideTimed([&] { return DoPlanEveryBandwidth(seen); });
}

bool
TwoWayCutPlanner::CanPlanFor(TwoWayCutObjective objective) const
{
    return objective == TwoWayCutObjective::LATENCY || IsFromOutside();
}

std::unique_ptr<TwoWayCutEnvelope>
TwoWayCutPlanner::DoPlanEveryBandwidth(const TwoWayCutProblem&)
{
    return nullptr;
}

} // namespace ns3::edgepipe
