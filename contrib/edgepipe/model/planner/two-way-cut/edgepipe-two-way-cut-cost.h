/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_COST_H
#define EDGEPIPE_TWO_WAY_CUT_COST_H

#include "edgepipe-two-way-cut-problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/** Costs of a single frame, without contention, under a partition. */
struct TwoWayCutCost
{
    double latencySeconds{0};  //!< sum of the four below
    double deviceSeconds{0};   //!< computing on the device
    double serverSeconds{0};   //!< computing on the server
    double transferSeconds{0}; //!< sending tensors up and, if counted, the result down
    double delaySeconds{0};    //!< of messages: tensors up and, if counted, the result down
    uint64_t uplinkBytes{0};   //!< every tensor that crosses, once
    uint64_t downlinkBytes{0}; //!< of the result, counted or not
};

/**
 * @param cost of a partition
 * @return the longest of its three parts, the interval at which back-to-back frames finish
 *         (S. Zhang et al., see TwoWayCutProblem, section 5.2.2)
 */
inline double
GetBottleneckSeconds(const TwoWayCutCost& cost)
{
    return std::max({cost.deviceSeconds, cost.transferSeconds, cost.serverSeconds});
}

/**
 * @param problem a problem
 * @param bytes a number of bytes
 * @return their transfer time from server to device, seconds; 0 if the result is not counted
 */
inline double
GetResultSeconds(const TwoWayCutProblem& problem, uint64_t bytes)
{
    return problem.countResult ? static_cast<double>(bytes) * 8 / problem.downlinkBitsPerSecond : 0;
}

/**
 * @param problem a problem
 * @return delay of a frame's messages if any layer is on the server, seconds
 */
inline double
GetMessageSeconds(const TwoWayCutProblem& problem)
{
    return problem.delaySeconds * (problem.countResult ? 2 : 1);
}

/**
 * @param problem a problem
 * @return by layer, whether another layer reads its output; the others make the result
 */
std::vector<bool> FindReadLayers(const TwoWayCutProblem& problem);

/**
 * Refuses a plan that does not place every layer, or is not closed.
 *
 * @param problem a valid problem
 * @param plan a plan
 * @throws InputError naming what is wrong
 */
void CheckTwoWayCut(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

/** What a partition sends from the device to the server, each tensor once. */
struct TwoWayCutCrossing
{
    std::vector<std::size_t> layers; //!< whose outputs cross
    bool isInputSent{false};         //!< whether the frame itself does
};

/**
 * @param problem a valid problem
 * @param plan a plan
 * @return the tensors that cross
 * @throws InputError as CheckTwoWayCut
 */
TwoWayCutCrossing FindCrossing(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

/**
 * The latency of a frame under a partition: T_e + T_c + T_t of the paper's section 3, and the delay
 * of messages.
 *
 * A tensor crosses once, however many layers on the server read it, and the input crosses if one of
 * them reads it. Uses in-context times, whatever a planner believed. Takes time linear in layers
 * and inputs.
 *
 * @param problem a valid problem
 * @param plan a plan
 * @return its costs
 * @throws InputError as CheckTwoWayCut
 */
TwoWayCutCost EvaluateTwoWayCut(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_COST_H */
