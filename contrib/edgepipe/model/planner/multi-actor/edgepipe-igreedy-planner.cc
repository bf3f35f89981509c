/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-igreedy-planner.h"

#include "edgepipe-multi-actor-cut.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(IgreedyPlanner);

TypeId
IgreedyPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::IgreedyPlanner")
                            .SetParent<MultiActorPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<IgreedyPlanner>();
    return tid;
}

std::string
IgreedyPlanner::GetName() const
{
    return "igreedy";
}

MultiActorPlan
IgreedyPlanner::DoPlan(const MultiActorProblem& problem)
{
    MultiActorLimits free = GetMultiActorLimits(problem.budgets);
    MultiActorPlan plan;
    for (const MultiActor& actor : problem.actors)
    {
        const auto cuts = ListUsefulMultiActorCuts(problem.model, actor);
        const MultiActorCut& best = cuts[FindBestResponse(cuts, free)];
        free.flop -= best.flop;
        free.bytes -= best.bytes;
        plan.cuts.push_back(best.cut);
    }
    return plan;
}

} // namespace edgepipe
} // namespace ns3
