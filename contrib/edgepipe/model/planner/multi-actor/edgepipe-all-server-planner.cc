/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-all-server-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(AllServerPlanner);

TypeId
AllServerPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::AllServerPlanner")
                            .SetParent<MultiActorPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<AllServerPlanner>();
    return tid;
}

std::string
AllServerPlanner::GetName() const
{
    return "all-server";
}

bool
AllServerPlanner::KeepsBudgets() const
{
    return false;
}

MultiActorPlan
AllServerPlanner::DoPlan(const MultiActorProblem& problem)
{
    return {std::vector<std::size_t>(problem.actors.size(), 0)};
}

} // namespace edgepipe
} // namespace ns3
