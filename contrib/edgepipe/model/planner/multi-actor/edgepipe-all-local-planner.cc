/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-all-local-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(AllLocalPlanner);

TypeId
AllLocalPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::AllLocalPlanner")
                            .SetParent<MultiActorPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<AllLocalPlanner>();
    return tid;
}

std::string
AllLocalPlanner::GetName() const
{
    return "all-local";
}

MultiActorPlan
AllLocalPlanner::DoPlan(const MultiActorProblem& problem)
{
    return {std::vector<std::size_t>(problem.actors.size(), problem.model.layerFlop.size())};
}

} // namespace edgepipe
} // namespace ns3
