/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_REPRESENTABLE_PLAN_H
#define EDGEPIPE_REPRESENTABLE_PLAN_H

#include "ns3/edgepipe-pipeline-cost-model.h"

#include <cstdint>

namespace ns3::edgepipe
{

/** The best plan whose cuts are a function of SDQN's inputs. */
struct RepresentablePlan
{
    PipelinePlan plan;           //!< the best found
    double seconds{0};           //!< its iteration time, by the cost model
    double lowerBoundSeconds{0}; //!< no such plan takes less; equals seconds if proved optimal
    uint64_t nodes{0};           //!< subproblems solved
};

/**
 * Finds the best plan that SDQN of DGPAS could make with ideal learning: any function from the
 * eight inputs of a layer (PipelineScales::DescribeLayers) to *split* or *continue*, applied to the
 * layers in turn within the masks of StagedWalk, with optimal placement of the stages. Layers with
 * equal inputs thus get the same decision wherever the masks leave a choice.
 *
 * Branch and bound over the decisions: a node fixes the decisions for some inputs, and its bound is
 * the best plan that decides all other layers freely (SearchPipelines under the node's decisions
 * and the masks). If that plan decides equally for equal inputs, it is the node's best; otherwise
 * the node branches on one more input. After maxNodes subproblems, the best plan is an upper bound,
 * and the least bound of the open nodes a lower one.
 *
 * @param costModel the cost model of a problem for which CanGrowPlans holds
 * @param maxNodes most subproblems to solve, at least one
 * @return the plan
 */
RepresentablePlan FindRepresentablePlan(const PipelineCostModel& costModel, uint64_t maxNodes);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_REPRESENTABLE_PLAN_H */
