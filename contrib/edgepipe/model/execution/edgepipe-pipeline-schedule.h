/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_SCHEDULE_H
#define EDGEPIPE_PIPELINE_SCHEDULE_H

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
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
class PipelineSchedule : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /** @return the name it is selected by */
    virtual std::string GetName() const = 0;

    /**
     * @return into how many equal parts every micro-batch is cut, >= 1. To the schedule and to the
     *         stages the parts are micro-batches.
     */
    virtual uint32_t GetParts() const;

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

/**
 * @ingroup edgepipe
 *
 * All micro-batches forward, then all backward (Huang et al., GPipe, NeurIPS 2019, section 2.3).
 * A stage holds the activations of every micro-batch.
 */
class GpipeSchedule : public PipelineSchedule
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::vector<PipelineStep> GetSteps(uint32_t stage,
                                       uint32_t stages,
                                       uint32_t microBatches) const override;
};

/**
 * @ingroup edgepipe
 *
 * One forward, one backward, with a flush at the end of the iteration (PipeDream-Flush:
 * Narayanan et al., ICML 2021, section 2; the order of Harlap et al., PipeDream, 2018).
 * Stage r of s begins with s - r - 1 forward passes and then alternates, so that it holds the
 * activations of at most s - r micro-batches.
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::vector<PipelineStep> GetSteps(uint32_t stage,
                                       uint32_t stages,
                                       uint32_t microBatches) const override;
};

/**
 * @ingroup edgepipe
 *
 * One forward, one backward over parts of micro-batches, which fills and drains the pipeline
 * faster: what A. Sun et al., "Seq1F1B: Efficient Sequence-Level Pipeline Parallelism for Large
 * Language Model Training", NAACL 2025, do with the parts of a sequence, done with the samples of a
 * micro-batch. Samples do not depend on each other, so that parts keep their order backward, too.
 * A part takes its share of the micro-batch's time, tensors and activations, that is, devices are
 * taken to be as efficient at smaller batches.
 */
class SequenceOneForwardOneBackwardSchedule : public OneForwardOneBackwardSchedule
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    uint32_t GetParts() const override;

  private:
    uint32_t m_parts; //!< of a micro-batch
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_SCHEDULE_H */
