/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLAN_SEARCH_H
#define EDGEPIPE_PLAN_SEARCH_H

#include "ns3/edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Improves a plan by local search, accepting every change that makes it faster.
 *
 * Changes, in this order: one cut or several consecutive ones move by 1, 2, 4, ... layers in either
 * direction; two stages swap devices; two neighbouring stages swap devices and their cut moves so
 * that each device keeps about its work; a stage moves to a free device; two neighbouring stages
 * merge; a stage is split in the middle of its work, either half going to a free device. Of free
 * devices with the same type and memory only the first is tried. With groups, a free device also
 * joins a stage or a device leaves it, and the samples are shared anew after every change
 * (ShareStage). After a round without improvement,
 * the best plan is kicked, a stage swapping places with one to three neighbours in turn, and
 * improved again (iterated local search, H. Lourenco et al., 2003), until the evaluations are
 * spent. Kicks use their own random stream, restarted for every call.
 *
 * @param costModel the cost model
 * @param evaluations most plans to try
 * @param plan a plan that CheckPlan accepts; replaced by one that is as fast or faster
 * @param seconds its iteration time, replaced with it
 * @param takesGroups whether stages may be put on groups of devices, if the problem takes them
 * @return how many plans were tried
 */
uint64_t ImprovePlan(const PipelineCostModel& costModel,
                     uint64_t evaluations,
                     PipelinePlan& plan,
                     double& seconds,
                     bool takesGroups = false);

/**
 * @param problem a problem
 * @param plan for it
 * @return of the devices without a stage, the first of each type and memory
 */
std::vector<std::size_t> FindFreeDevices(const PipelineProblem& problem, const PipelinePlan& plan);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PLAN_SEARCH_H */
