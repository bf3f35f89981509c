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
 * A pass of a stage over a micro-batch, with what joins it to others. The inputs of all passes are
 * numbered from 0 to below 2 * stages * microBatches.
 */
struct PipelinePass
{
    std::size_t stage;  //!< whose
    bool isBackward;    //!< or forward
    std::size_t input;  //!< number of what it needs
    std::size_t output; //!< number of what it makes; as many as there are: nobody needs it
};

/**
 * @param schedule a schedule
 * @param stages number of stages, >= 1
 * @param microBatches number of micro-batches, >= 1
 * @return all passes of an iteration, in an order in which each has what it needs and a stage's
 *         are in the order of its steps; ends the program where the schedule has none
 */
std::vector<PipelinePass> OrderPasses(const PipelineSchedule& schedule,
                                      uint32_t stages,
                                      uint32_t microBatches);

/**
 * @param steps of a stage
 * @return most micro-batches that are between their passes at once
 */
uint32_t FindMostHeld(const std::vector<PipelineStep>& steps);

/**
 * @param steps of a stage
 * @return by micro-batch, the forward passes right before its backward pass
 */
std::vector<uint32_t> CountForwards(const std::vector<PipelineStep>& steps);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PASSES_H */
