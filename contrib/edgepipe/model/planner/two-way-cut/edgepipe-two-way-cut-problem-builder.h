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

/** The link between device and server. */
struct TwoWayLink
{
    double uplinkBitsPerSecond;   //!< from device to server, bit/s, > 0
    double downlinkBitsPerSecond; //!< from server to device, bit/s, > 0
};

/**
 * Bytes sent per element. Model files count float32, 4 bytes; a camera frame has 1, as have tensors
 * quantised to 8 bits.
 */
struct TwoWayEncoding
{
    uint32_t frameBytesPerElement{4};  //!< of the model's input, >= 1
    uint32_t tensorBytesPerElement{4}; //!< of the other layers' outputs, >= 1
};

/**
 * Builds the planning problem of cooperative inference on one frame.
 *
 * Layers keep their order and their indices. The model's layers with operator "input" remain
 * layers: they cost nothing, and their outputs make up the frame. Isolated times are included if
 * both costs have them; for predicted times see SetPredictedSeconds.
 *
 * @param graph the model
 * @param device forward costs of its layers on the device, for batches of one sample
 * @param server forward costs on the server
 * @param link between them
 * @param encoding bytes sent per element
 * @return a valid problem that counts the result
 * @throws InputError when ValidateTwoWayCutProblem refuses it, or costs are for larger batches
 */
TwoWayCutProblem BuildTwoWayCutProblem(const DnnGraph& graph,
                                       const LayerCost& device,
                                       const LayerCost& server,
                                       const TwoWayLink& link,
                                       const TwoWayEncoding& encoding = {});

/**
 * Adds the times that a regression, such as LayerRegression, predicts for each layer.
 *
 * @param problem the problem
 * @param deviceSeconds by layer, on the device, >= 0
 * @param serverSeconds by layer, on the server, >= 0
 * @throws InputError unless there is one valid cost of each for every layer
 */
void SetPredictedSeconds(TwoWayCutProblem& problem,
                         const std::vector<double>& deviceSeconds,
                         const std::vector<double>& serverSeconds);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_BUILDER_H */
