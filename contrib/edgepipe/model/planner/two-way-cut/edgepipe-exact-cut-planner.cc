/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-exact-cut-planner.h"

#include "edgepipe-cut-blocks.h"
#include "edgepipe-pipelined-cut.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(ExactCutPlanner);

TypeId
ExactCutPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::ExactCutPlanner")
                            .SetParent<TwoWayCutPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<ExactCutPlanner>()
                            .AddAttribute("MostSteps",
                                          "For throughput: most layers to place, over and over, "
                                          "before there is no plan.",
                                          UintegerValue(100000000),
                                          MakeUintegerAccessor(&ExactCutPlanner::m_mostSteps),
                                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

std::string
ExactCutPlanner::GetName() const
{
    return "exact";
}

bool
ExactCutPlanner::CanPlanFor(TwoWayCutObjective) const
{
    return true;
}

TwoWayCutPlan
ExactCutPlanner::DoPlan(const TwoWayCutProblem& problem)
{
    if (problem.objective == TwoWayCutObjective::THROUGHPUT)
    {
        return PipelinedCut(problem, m_mostSteps).Find();
    }
    CutChoices choices;
    const CutLine best = FindBestCut(problem, choices);
    return {choices.Expand(best.choice, problem.layers.size())};
}

} // namespace edgepipe
} // namespace ns3
