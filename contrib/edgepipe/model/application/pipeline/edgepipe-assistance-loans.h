/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ASSISTANCE_LOANS_H
#define EDGEPIPE_ASSISTANCE_LOANS_H

#include "ns3/edgepipe-adjacent-scheduling.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::edgepipe
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
    const AssistanceCopy& GetCopy(uint32_t owner) const
    {
        return m_copies.at(owner);
    }

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
    uint32_t GetHeld(uint32_t owner, uint32_t microBatch) const
    {
        const auto held = m_held.find({owner, microBatch});
        return held == m_held.end() ? 0 : held->second.samples;
    }

    /**
     * Give the memory of samples' activations back.
     *
     * @param owner whose samples
     * @param microBatch of which micro-batch
     */
    void Drop(uint32_t owner, uint32_t microBatch)
    {
        m_memory->Release(m_held.at({owner, microBatch}).bytes);
        m_held.erase({owner, microBatch});
    }

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

/**
 * What assistance costs where it is charged in full: who holds whose weights and samples, what
 * that takes in memory and bytes, and what may be granted so that nothing gets slower.
 *
 * A stage lends to one neighbour at a time, the holder. The holder gets a copy of the weights when
 * the rest of the iteration is predicted to gain more than sending it and the gradients back takes,
 * counting only what makes the stage faster than the slowest other one. It keeps the activations
 * of the samples whose forward pass it ran, so that their backward pass is its as well; no more are
 * granted than what it can do backward in the time by which its own passes are shorter: from one
 * backward pass to the next, with the forward passes that the schedule has between them. For other
 * samples it runs the forward pass again. Before the update it sends its weight gradients.
 */
class AssistanceLoans
{
  public:
    /**
     * @param stage the device's stage
     * @param checkpoints per task
     */
    AssistanceLoans(const StageAssignment& stage, uint32_t checkpoints);

    /** An iteration begins. */
    void BeginIteration();

    /**
     * The weights have been updated; copies are of yesterday.
     * @param share of this device that is left for us
     * @return whether to send the holder, if there is one, the new ones: it will ask as it last did
     */
    bool NoticeUpdate(double share);

    /**
     * @param helper a neighbour
     * @return whether it has the weights as they are
     */
    bool HasCopy(uint32_t helper) const
    {
        return m_holder == helper && m_isFresh;
    }

    /**
     * @param helper a neighbour that asks
     * @param request what it asks
     * @param share of this device that is left for us
     * @param microBatches that have yet to begin
     * @return whether to send it the weights
     */
    bool WouldPay(uint32_t helper,
                  const AssistanceRequest& request,
                  double share,
                  uint32_t microBatches);
    /**
     * The weights are sent.
     *
     * @param helper to whom
     * @return what goes with them
     */
    AssistanceCopy SendCopy(uint32_t helper);
    /**
     * The weights have arrived.
     * @param seconds it took
     */
    void NoticeCopy(double seconds);

    /** @return who has weights or has them under way, and there is one */
    uint32_t GetHolder() const
    {
        return m_holder.value();
    }

    /**
     * @param helper a neighbour
     * @param request what it asks
     * @param isBackward which pass
     * @param microBatch of which micro-batch
     * @param secondsPerSample of that pass here, seconds
     * @param samplesLeft of the micro-batch, also in part
     * @return the split to be made, but for what limits it
     */
    AssistanceQuestion Ask(uint32_t helper,
                           const AssistanceRequest& request,
                           bool isBackward,
                           uint32_t microBatch,
                           double secondsPerSample,
                           double samplesLeft) const;
    /**
     * @param helper the holder
     * @param request what it asks
     * @param isBackward which pass
     * @param microBatch of which micro-batch
     * @param share of this device that is left for us, above 0
     * @param held samples of that micro-batch that this device runs backward for the previous stage
     * @return most samples it may get: none of those that are the helper's own to be run here
     */
    uint32_t FindMost(uint32_t helper,
                      const AssistanceRequest& request,
                      bool isBackward,
                      uint32_t microBatch,
                      double share,
                      uint32_t held) const;
    /**
     * Samples are granted to the holder.
     *
     * @param isBackward in which pass
     * @param microBatch of which micro-batch
     * @param samples how many
     * @return payload of the grant beyond a notice, bytes
     */
    uint64_t Lend(bool isBackward, uint32_t microBatch, uint32_t samples);

    /**
     * @param microBatch a micro-batch
     * @return how many of its samples' backward passes are the holder's from the beginning
     */
    uint32_t GetLent(uint32_t microBatch) const
    {
        return m_lent[microBatch];
    }

    /** @return whether the holder needs gradients for them, else it makes those itself */
    bool IsHandedOver() const
    {
        return !IsNext(GetHolder());
    }

    /**
     * @param microBatch a micro-batch
     * @return payload of those gradients, bytes
     */
    uint64_t GetHandOverBytes(uint32_t microBatch) const
    {
        return GetSamplesPart(m_stage.outputBytes, m_lent[microBatch], m_stage.samples);
    }

    /** A backward pass at the holder has come back. */
    void NoticeBackward()
    {
        --m_backwardAway;
        m_owesGradients = true;
    }

    /**
     * Have the holder asked for its gradients once; nothing more is lent in this iteration then.
     * @return whether to ask: it has some to send, and no more to compute
     */
    bool Collect()
    {
        return m_owesGradients && m_backwardAway == 0 && !std::exchange(m_isCollecting, true);
    }

    /** The holder's gradients have arrived. */
    void Merge()
    {
        m_owesGradients = false;
    }

    /** @return whether all gradients are here */
    bool IsMerged() const
    {
        return !m_owesGradients && m_backwardAway == 0;
    }

    /**
     * @param step a step whose samples have been computed
     * @param held samples of that micro-batch that this device runs backward for the previous stage
     * @return payload to the next or previous stage: less what is needed elsewhere, bytes
     */
    uint64_t GetOutputBytes(const PipelineStep& step, uint32_t held) const;

  private:
    /**
     * @param bytes of a micro-batch
     * @return what the transfer of one sample's part takes, seconds
     */
    double GetSecondsPerSample(uint64_t bytes) const
    {
        return bytes / m_bandwidth / m_stage.samples;
    }

    /**
     * @param helper a neighbour
     * @param request what it asks
     * @param microBatch of which micro-batch
     * @param share of this device that is left for us
     * @return most samples it may run forward
     */
    double FindMostForward(uint32_t helper,
                           const AssistanceRequest& request,
                           uint32_t microBatch,
                           double share) const;

    /**
     * @param device a neighbour
     * @return whether it runs the next stage, else the previous one
     */
    bool IsNext(uint32_t device) const
    {
        return m_stage.stage + 1 < m_stage.stages && device == m_stage.next;
    }

    StageAssignment m_stage;            //!< the device's stage
    uint32_t m_checkpoints;             //!< per task
    double m_bandwidth;                 //!< to neighbours, bytes/s
    std::optional<uint32_t> m_holder;   //!< who got weights
    bool m_isFresh{false};              //!< whether they are there and right
    bool m_isUnderWay{false};           //!< whether they are being sent
    AssistanceRequest m_lastRequest;    //!< of the holder
    std::vector<uint32_t> m_lent;       //!< by micro-batch, forward
    std::vector<uint32_t> m_recomputed; //!< by micro-batch
    uint32_t m_backwardAway{0};         //!< passes at the holder
    bool m_owesGradients{false};        //!< the holder does
    bool m_isCollecting{false};         //!< it has been asked
    /// Forward passes between the backward passes of the micro-batch before and of each, of the
    /// previous stage, this one and the next one; 0 before the first and behind the last.
    std::array<std::vector<uint32_t>, 3> m_forwards;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ASSISTANCE_LOANS_H */
