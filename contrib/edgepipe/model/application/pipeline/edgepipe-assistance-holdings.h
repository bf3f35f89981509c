/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ASSISTANCE_HOLDINGS_H
#define EDGEPIPE_ASSISTANCE_HOLDINGS_H

#include "ns3/edgepipe-assistance-message.h"
#include "ns3/edgepipe-memory-account.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param bytes of a micro-batch
 * @param samples how many of its samples
 * @param all samples in a micro-batch
 * @return their part
 */
uint64_t GetSamplesPart(uint64_t bytes, uint32_t samples, uint32_t all);

/**
 * @ingroup edgepipe
 *
 * What a helper holds of its neighbours where assistance is charged in full: copies of their
 * weights, room for those weights' gradients, and activations. It lends what its own stage never
 * needs, in equal parts to its neighbours, so that help never makes its own steps wait for memory.
 */
class AssistanceHoldings
{
  public:
    /**
     * @param stage the device's stage
     * @param steps its steps
     * @param memory the worker's part of the device's memory
     */
    AssistanceHoldings(const StageAssignment& stage,
                       const std::vector<PipelineStep>& steps,
                       std::shared_ptr<MemoryAccount> memory);

    /** Give all memory back that is lent to others. */
    void GiveBack();

    /**
     * @param owner a neighbour
     * @return memory that can be lent to it, bytes: its part of what the own stage never needs
     */
    uint64_t GetFreeBytes(uint32_t owner) const;

    /**
     * @param owner a neighbour
     * @return backward work on a micro-batch that is owed to the other neighbour, seconds
     */
    double GetLentSeconds(uint32_t owner) const;

    /**
     * A copy of a neighbour's weights has arrived. One that was offered no memory is not kept: it
     * was sent before the plan changed.
     *
     * @param owner the neighbour
     * @param copy the copy
     */
    void TakeCopy(uint32_t owner, const AssistanceCopy& copy);

    /**
     * @param owner a neighbour whose copy is here
     * @return the copy
     */
    const AssistanceCopy& GetCopy(uint32_t owner) const;

    /**
     * Take memory for samples' activations.
     *
     * @param owner whose samples
     * @param microBatch of which micro-batch
     * @param samples how many more
     */
    void Hold(uint32_t owner, uint32_t microBatch, uint32_t samples);

    /**
     * @param owner whose samples
     * @param microBatch of which micro-batch
     * @return how many are held
     */
    uint32_t GetHeld(uint32_t owner, uint32_t microBatch) const;

    /**
     * Give the memory of samples' activations back.
     *
     * @param owner whose samples
     * @param microBatch of which micro-batch
     */
    void Drop(uint32_t owner, uint32_t microBatch);

    /**
     * @param owner the granter
     * @param grant what has been computed
     * @return payload of its result beyond a notice, bytes
     */
    uint64_t GetResultBytes(uint32_t owner, const AssistanceGrant& grant) const;

  private:
    /**
     * Give the memory of a copy back, if there is one.
     * @param owner whose copy
     */
    void DropCopy(uint32_t owner);

    /** Samples of a neighbour. */
    struct Held
    {
        uint32_t samples{0}; //!< how many
        uint64_t bytes{0};   //!< of their activations
    };

    StageAssignment m_stage;                              //!< the device's stage
    std::shared_ptr<MemoryAccount> m_memory;              //!< the device's memory
    uint64_t m_spareBytes{0};                             //!< per neighbour
    std::map<uint32_t, AssistanceCopy> m_copies;          //!< of neighbours, by device
    std::map<std::pair<uint32_t, uint32_t>, Held> m_held; //!< by owner and micro-batch
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ASSISTANCE_HOLDINGS_H */
