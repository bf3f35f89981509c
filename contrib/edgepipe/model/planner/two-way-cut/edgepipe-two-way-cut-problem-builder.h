/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_PROBLEM_BUILDER_H
#define EDGEPIPE_TWO_WAY_CUT_PROBLEM_BUILDER_H

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"

#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/** The way between device and server. */
struct TwoWayLink
{
    double uplinkBitsPerSecond;   //!< from device to server, bit/s, > 0
    double downlinkBitsPerSecond; //!< from server to device, bit/s, > 0
};

/**
 * How many bytes an element takes on the way. Model files count float32, 4 bytes; a frame of a
 * camera has 1, and tensors do if they are sent quantised to 8 bits.
 */
struct TwoWayEncoding
{
    uint32_t frameBytesPerElement{4};  //!< of the model's input, >= 1
    uint32_t tensorBytesPerElement{4}; //!< of what the other layers put out, >= 1
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
 * @param encoding bytes of an element on the way
 * @return a valid problem that counts the result
 * @throws InputError when ValidateTwoWayCutProblem refuses it, or costs are of larger batches
 */
TwoWayCutProblem BuildTwoWayCutProblem(const DnnGraph& graph,
                                       const LayerCost& device,
                                       const LayerCost& server,
                                       const TwoWayLink& link,
                                       const TwoWayEncoding& encoding = {});

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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_BUILDER_H */
