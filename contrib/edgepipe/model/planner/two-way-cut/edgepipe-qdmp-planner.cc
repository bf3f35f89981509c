/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-qdmp-planner.h"

#include "edgepipe-cut-blocks.h"

#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(QdmpPlanner);

TypeId
QdmpPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::QdmpPlanner")
                            .SetParent<TwoWayCutPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<QdmpPlanner>();
    return tid;
}

std::string
QdmpPlanner::GetName() const
{
    return "qdmp";
}

TwoWayCutPlan
QdmpPlanner::DoPlan(const TwoWayCutProblem& problem)
{
    CutChoices choices;
    const CutLine best = FindBestCut(problem, choices);
    return {choices.Expand(best.choice, problem.layers.size())};
}

std::unique_ptr<TwoWayCutEnvelope>
QdmpPlanner::DoPlanEveryBandwidth(const TwoWayCutProblem& problem)
{
    CutChoices choices;
    std::vector<CutLine> lines = FindCutEnvelope(problem, choices);
    return std::make_unique<TwoWayCutEnvelope>(std::move(lines),
                                               std::move(choices),
                                               problem.layers.size());
}

} // namespace edgepipe
} // namespace ns3
