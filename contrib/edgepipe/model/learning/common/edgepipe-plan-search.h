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
 * Improves a plan by small changes, taking every change that makes it faster.
 *
 * Changes, in this order: a cut, or several cuts in a row, move by 1, 2, 4, ... layers in either
 * direction; two stages change devices; two neighbours change devices and the cut moves so that
 * each device keeps about its work; a stage moves to a free device; two neighbouring stages become
 * one; a stage is split in the middle of its work, either half going to a free device. Of devices
 * that agree in type and memory only the first free one is tried. When a round brings nothing, the
 * best plan is kicked, a stage changing places with one to three neighbours in a row, and improved
 * again (iterated local search, H. Lourenco et al., 2003), until the evaluations are spent. Kicks
 * are drawn from a stream of their own, which begins alike every time.
 *
 * @param costModel the cost model
 * @param evaluations how many plans may be tried
 * @param plan a plan that CheckPlan accepts; replaced by one that is as fast or faster
 * @param seconds its iteration time, replaced with it
 * @return how many plans were tried
 */
uint64_t ImprovePlan(const PipelineCostModel& costModel,
                     uint64_t evaluations,
                     PipelinePlan& plan,
                     double& seconds);

/**
 * @param problem a problem
 * @param plan for it
 * @return of the devices without a stage the first of those that agree in type and memory
 */
std::vector<std::size_t> FindFreeDevices(const PipelineProblem& problem, const PipelinePlan& plan);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PLAN_SEARCH_H */
