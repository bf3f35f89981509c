/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-edge-only-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(EdgeOnlyPlanner);

TypeId
EdgeOnlyPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::EdgeOnlyPlanner")
                            .SetParent<TwoWayCutPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<EdgeOnlyPlanner>();
    return tid;
}

std::string
EdgeOnlyPlanner::GetName() const
{
    return "edge-only";
}

bool
EdgeOnlyPlanner::CanPlanFor(TwoWayCutObjective) const
{
    return true;
}

TwoWayCutPlan
EdgeOnlyPlanner::DoPlan(const TwoWayCutProblem& problem)
{
    return {std::vector<bool>(problem.layers.size(), true)};
}

} // namespace edgepipe
} // namespace ns3
