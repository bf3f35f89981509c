/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_SCHEDULE_H
#define EDGEPIPE_PIPELINE_SCHEDULE_H

#include "ns3/edgepipe-find-by-name.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** One task of a stage in an iteration. */
struct PipelineStep
{
    bool backward;       //!< the backward pass, else the forward pass
    uint32_t microBatch; //!< which micro-batch, from 0
};

/**
 * @ingroup edgepipe
 *
 * The order in which a stage works through an iteration's micro-batches.
 *
 * A stage takes its steps strictly in this order and waits for the tensor a step needs. Every
 * micro-batch appears once forward and, later, once backward. Select one with
 * FindByName<PipelineSchedule>.
 */
class PipelineSchedule : public Typed<PipelineSchedule, Object>
{
  public:
    /** @return the name it is selected by */
    virtual std::string GetName() const = 0;

    /**
     * @return number of equal parts of every micro-batch, >= 1. The schedule and the stages treat
     *         the parts as micro-batches.
     */
    virtual uint32_t GetParts() const
    {
        return 1;
    }

    /**
     * @param stage which stage, from 0
     * @param stages number of stages, > stage
     * @param microBatches number of micro-batches, >= 1
     * @return the stage's 2 * microBatches steps, in order
     */
    virtual std::vector<PipelineStep> GetSteps(uint32_t stage,
                                               uint32_t stages,
                                               uint32_t microBatches) const = 0;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_SCHEDULE_H */
