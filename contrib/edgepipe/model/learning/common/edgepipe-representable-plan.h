/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_REPRESENTABLE_PLAN_H
#define EDGEPIPE_REPRESENTABLE_PLAN_H

#include "ns3/edgepipe-pipeline-cost-model.h"

#include <cstdint>

namespace ns3::edgepipe
{

/** The best plan whose cuts are a function of what SDQN sees. */
struct RepresentablePlan
{
    PipelinePlan plan;           //!< the best that was found
    double seconds{0};           //!< its iteration time, by the cost model
    double lowerBoundSeconds{0}; //!< no such plan takes less; equal to seconds where that is proved
    uint64_t nodes{0};           //!< problems that were solved to find it
};

/**
 * Finds the best plan that SDQN of DGPAS could make if it learned anything its state can say: a
 * function from the eight inputs of a layer (PipelineScales::DescribeLayers) to *split* or
 * *continue*, followed over the layers within the masks of StagedWalk, whose stages are then placed
 * so that no placement takes less. Layers whose inputs are equal thus get the same decision
 * wherever the masks leave one.
 *
 * Branch and bound over the decisions: a node has decided for some inputs, and is bounded by the
 * best plan in which all other layers may be decided freely (PipelineBoxSearch under the node's
 * decisions and the masks). If that plan decides alike wherever inputs are alike, it is the node's
 * best; if not, two nodes follow, with one more input decided. What is best when maxNodes problems
 * were solved is an upper bound, with the least bound of what is left beside it.
 *
 * @param costModel the cost model of a problem for which CanGrowPlans holds
 * @param maxNodes problems to solve at most, at least one
 * @return the plan
 */
RepresentablePlan FindRepresentablePlan(const PipelineCostModel& costModel, uint64_t maxNodes);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_REPRESENTABLE_PLAN_H */
