/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-qdmp-planner.h"

#include "edgepipe-cut-blocks.h"

#include "ns3/edgepipe-input-error.h"

#include <limits>
#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(QdmpPlanner);

namespace
{

/**
 * @param problem a problem
 * @throws InputError if its layers cannot be numbered by FindBestCut
 */
void
CheckSize(const TwoWayCutProblem& problem)
{
    if (problem.layers.size() >= std::size_t{std::numeric_limits<int32_t>::max()})
    {
        throw InputError("found " + std::to_string(problem.layers.size()) +
                         " layers, expected fewer than 2^31");
    }
}

} // namespace

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
    CheckSize(problem);
    CutChoices choices;
    const CutLine best = FindBestCut(problem, choices);
    return {choices.Expand(best.choice, problem.layers.size())};
}

std::unique_ptr<TwoWayCutEnvelope>
QdmpPlanner::DoPlanEveryBandwidth(const TwoWayCutProblem& problem)
{
    CheckSize(problem);
    CutChoices choices;
    std::vector<CutLine> lines = FindCutEnvelope(problem, choices);
    return std::make_unique<TwoWayCutEnvelope>(std::move(lines),
                                               std::move(choices),
                                               problem.layers.size());
}

} // namespace edgepipe
} // namespace ns3
