/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_SPLIT_H
#define EDGEPIPE_INFERENCE_SPLIT_H

#include "ns3/edgepipe-two-way-cut-problem.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A tensor that crosses from device to server. */
struct CrossingTensor
{
    uint32_t layer; //!< whose output it is; InferenceTag::INPUT for the frame
    uint64_t bytes; //!< its size
};

/** A plan as the applications carry it out, per frame. */
struct InferenceSplit
{
    TwoWayCutPlan plan;                 //!< who runs what
    double deviceSeconds;               //!< computing on the device
    double serverSeconds;               //!< computing on the server
    std::vector<CrossingTensor> uplink; //!< what crosses; empty: the server has no part
    uint64_t resultBytes;               //!< what the server sends back
};

/**
 * @param problem a valid problem of fewer than InferenceTag::INPUT layers
 * @param plan who runs what
 * @return how to carry it out
 * @throws InputError as CheckTwoWayCut
 */
InferenceSplit MakeInferenceSplit(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_INFERENCE_SPLIT_H */
