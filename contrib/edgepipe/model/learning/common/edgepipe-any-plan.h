/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ANY_PLAN_H
#define EDGEPIPE_ANY_PLAN_H

#include "ns3/edgepipe-pipeline-cost-model.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @param costModel the cost model of a problem
 * @return whether plans can be grown layer by layer or stage by stage as StageFit says, which is
 *         what planners that learn do
 */
bool CanGrowPlans(const PipelineCostModel& costModel);

/**
 * What planners that learn fall back on where they cannot grow a plan.
 *
 * @param costModel the cost model of a problem
 * @return a plan that fits
 * @throws InputError when there is none, or finding one takes too long
 */
PipelinePlan FindAnyPlan(const PipelineCostModel& costModel);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ANY_PLAN_H */
