/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cloud-only-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(CloudOnlyPlanner);

TypeId
CloudOnlyPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::CloudOnlyPlanner")
                            .SetParent<TwoWayCutPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<CloudOnlyPlanner>();
    return tid;
}

std::string
CloudOnlyPlanner::GetName() const
{
    return "cloud-only";
}

bool
CloudOnlyPlanner::CanPlanFor(TwoWayCutObjective) const
{
    return true;
}

TwoWayCutPlan
CloudOnlyPlanner::DoPlan(const TwoWayCutProblem& problem)
{
    return {std::vector<bool>(problem.layers.size(), false)};
}

} // namespace edgepipe
} // namespace ns3
