/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-any-plan.h"

#include "ns3/edgepipe-bounded-pipeline-search.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-stage-fit.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most steps of dynamic programming to find a plan that fits where no simple rule finds one.
constexpr double MOST_STEPS = 2e9;

} // namespace

bool
CanGrowPlans(const PipelineCostModel& costModel)
{
    const std::vector<bool> isTaken(costModel.GetProblem().devices.size(), false);
    return StageFit(costModel).CanComplete(0, isTaken);
}

PipelinePlan
FindAnyPlan(const PipelineCostModel& costModel)
{
    BoundedPipelineSearch search(costModel);
    if (search.GetStepsPerSearch() > MOST_STEPS)
    {
        throw InputError("no plan found: giving the devices with the most memory as many layers as "
                         "fit leaves layers over, and the problem is too large for a search");
    }
    auto found = search.Search({});
    if (!found)
    {
        throw InputError("no plan fits: no cut of the layers fits the memory of the devices");
    }
    return found->plan;
}

} // namespace edgepipe
} // namespace ns3
