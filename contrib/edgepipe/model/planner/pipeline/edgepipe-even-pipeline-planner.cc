/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-even-pipeline-planner.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(EvenPipelinePlanner);

TypeId
EvenPipelinePlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::EvenPipelinePlanner")
                            .SetParent<PipelinePlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<EvenPipelinePlanner>();
    return tid;
}

std::string
EvenPipelinePlanner::GetName() const
{
    return "even";
}

PipelinePlan
EvenPipelinePlanner::DoPlan(const PipelineProblem& problem,
                            [[maybe_unused]] const PipelineCostModel& costModel)
{
    std::size_t layers = problem.layers.size();
    std::size_t stages = std::min(problem.devices.size(), layers);
    PipelinePlan plan;
    std::size_t first = 0;
    for (std::size_t i = 0; i < stages; ++i)
    {
        std::size_t size = layers / stages + (i < layers % stages ? 1 : 0);
        plan.stages.push_back({i, first, first + size - 1});
        first += size;
    }
    return plan;
}

} // namespace edgepipe
} // namespace ns3
