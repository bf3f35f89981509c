/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-equal-shares-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(EqualSharesPlanner);

TypeId
EqualSharesPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::EqualSharesPlanner")
                            .SetParent<BatchSharesPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<EqualSharesPlanner>();
    return tid;
}

std::string
EqualSharesPlanner::GetName() const
{
    return "equal";
}

BatchSharesPlan
EqualSharesPlanner::DoPlan(const BatchSharesProblem& problem)
{
    return {SplitBatch(problem.baseBatch, std::vector<double>(problem.nodes.size(), 1))};
}

} // namespace edgepipe
} // namespace ns3
