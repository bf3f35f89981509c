/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-random-shares-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(RandomSharesPlanner);

TypeId
RandomSharesPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::RandomSharesPlanner")
                            .SetParent<BatchSharesPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<RandomSharesPlanner>();
    return tid;
}

std::string
RandomSharesPlanner::GetName() const
{
    return "random";
}

BatchSharesPlan
RandomSharesPlanner::DoPlan(const BatchSharesProblem& problem)
{
    std::vector<double> weights;
    for (std::size_t i = 0; i < problem.nodes.size(); ++i)
    {
        weights.push_back(m_weight->GetValue());
    }
    return {SplitBatch(problem.baseBatch, weights)};
}

int64_t
RandomSharesPlanner::AssignStreams(int64_t stream)
{
    m_weight->SetStream(stream);
    return 1;
}

} // namespace edgepipe
} // namespace ns3
