/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_PROBLEM_BUILDER_H
#define EDGEPIPE_TWO_WAY_CUT_PROBLEM_BUILDER_H

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"

#include <vector>

namespace ns3
{
namespace edgepipe
{

/** The way between device and server. */
struct TwoWayLink
{
    double uplinkBitsPerSecond;   //!< from device to server, bit/s, > 0
    double downlinkBitsPerSecond; //!< from server to device, bit/s, > 0
};

/**
 * States the planning problem of inferring one frame together.
 *
 * Layers keep their order and their indices. The model's own layers with operator "input" stay
 * layers: they cost nothing, and the frame is as large as what they put out. Isolated times are
 * taken where both costs have them. Predicted ones are left open, see SetPredictedSeconds.
 *
 * @param graph the model
 * @param device what its layers cost on the device, forward, for batches of one sample
 * @param server the same on the server
 * @param link the way between them
 * @return a valid problem that counts the result
 * @throws InputError when ValidateTwoWayCutProblem refuses it, or costs are of larger batches
 */
TwoWayCutProblem BuildTwoWayCutProblem(const DnnGraph& graph,
                                       const LayerCost& device,
                                       const LayerCost& server,
                                       const TwoWayLink& link);

/**
 * Add what a regression predicts for each layer, such as LayerRegression does.
 *
 * @param problem the problem
 * @param deviceSeconds by layer, on the device, >= 0
 * @param serverSeconds by layer, on the server, >= 0
 * @throws InputError if there is not one of each for every layer, or one is no cost
 */
void SetPredictedSeconds(TwoWayCutProblem& problem,
                         const std::vector<double>& deviceSeconds,
                         const std::vector<double>& serverSeconds);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_BUILDER_H */
