/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PASSES_H
#define EDGEPIPE_PIPELINE_PASSES_H

#include "ns3/edgepipe-pipeline-schedule.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/**
 * A pass of a stage over a micro-batch, with its dependencies. The inputs of all passes are
 * numbered from 0 to 2 * stages * microBatches - 1.
 */
struct PipelinePass
{
    std::size_t stage;  //!< stage of the pass
    bool isBackward;    //!< whether it is backward, else forward
    std::size_t input;  //!< number of its input
    std::size_t output; //!< number of the input that it makes; 2 * stages * microBatches: none
};

/**
 * @param schedule a schedule
 * @param stages number of stages, >= 1
 * @param microBatches number of micro-batches, >= 1
 * @return all passes of an iteration, in an order in which inputs are made before they are needed
 *         and each stage follows its steps; aborts if the schedule has no such order
 */
std::vector<PipelinePass> OrderPasses(const PipelineSchedule& schedule,
                                      uint32_t stages,
                                      uint32_t microBatches);

/**
 * @param steps of a stage
 * @return most micro-batches between their forward and backward passes at once
 */
uint32_t FindMostHeld(const std::vector<PipelineStep>& steps);

/**
 * @param steps of a stage
 * @return number of forward passes right before its backward pass, by micro-batch
 */
std::vector<uint32_t> CountForwards(const std::vector<PipelineStep>& steps);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PASSES_H */
