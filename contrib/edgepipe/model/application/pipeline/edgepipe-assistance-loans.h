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
 * @param samples number of samples
 * @param all samples in a micro-batch
 * @return bytes of those samples
 */
uint64_t GetSamplesPart(uint64_t bytes, uint32_t samples, uint32_t all);

/**
 * @ingroup edgepipe
 *
 * Memory that a helper holds for its neighbours where assistance is charged in full: copies of
 * their weights, room for the weight gradients, and activations. It lends only what its own stage
 * never needs, in equal parts to its neighbours, so its own steps never wait for memory.
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

    /** Release all memory lent to others. */
    void GiveBack();

    /**
     * @param owner a neighbour
     * @return memory that can still be lent to it, bytes
     */
    uint64_t GetFreeBytes(uint32_t owner) const;

    /**
     * @param owner a neighbour
     * @return most backward work on a micro-batch owed to the other neighbour, seconds
     */
    double GetLentSeconds(uint32_t owner) const;

    /**
     * A copy of a neighbour's weights has arrived. One that does not fit is discarded: it was sent
     * before the plan changed.
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
     * Reserve memory for samples' activations.
     *
     * @param owner device they belong to
     * @param microBatch their micro-batch
     * @param samples number of samples to add
     */
    void Hold(uint32_t owner, uint32_t microBatch, uint32_t samples);

    /**
     * @param owner device they belong to
     * @param microBatch their micro-batch
     * @return number of samples held
     */
    uint32_t GetHeld(uint32_t owner, uint32_t microBatch) const
    {
        const auto held = m_held.find({owner, microBatch});
        return held == m_held.end() ? 0 : held->second.samples;
    }

    /**
     * Release the memory of samples' activations.
     *
     * @param owner device they belong to
     * @param microBatch their micro-batch
     */
    void Drop(uint32_t owner, uint32_t microBatch)
    {
        m_memory->Release(m_held.at({owner, microBatch}).bytes);
        m_held.erase({owner, microBatch});
    }

    /**
     * @param owner the granter
     * @param grant the samples computed
     * @return payload of the result beyond a notice, bytes
     */
    uint64_t GetResultBytes(uint32_t owner, const AssistanceGrant& grant) const;

  private:
    /**
     * Release the memory of a copy, if there is one.
     * @param owner device it came from
     */
    void DropCopy(uint32_t owner);

    /** Samples of a neighbour. */
    struct Held
    {
        uint32_t samples{0}; //!< number of samples
        uint64_t bytes{0};   //!< of their activations
    };

    StageAssignment m_stage;                              //!< the device's stage
    std::shared_ptr<MemoryAccount> m_memory;              //!< the device's memory
    uint64_t m_spareBytes{0};                             //!< that can be lent, per neighbour
    std::map<uint32_t, AssistanceCopy> m_copies;          //!< by device they came from
    std::map<std::pair<uint32_t, uint32_t>, Held> m_held; //!< by owner and micro-batch
};

/**
 * A stage's loans to a helper where assistance is charged in full: which neighbour holds its
 * weights and samples, what that costs in memory and bytes, and how many samples may be granted
 * without slowing anything down.
 *
 * A stage lends to one neighbour at a time, the holder. The holder gets a copy of the weights if
 * the predicted gain over the rest of the iteration exceeds the time to send it and the gradients
 * back. Gain counts only until the stage is as fast as the slowest other stage or transfer. The
 * holder keeps the activations of samples whose forward pass it ran, and runs their backward pass
 * as well. No more samples are granted than it can run backward in the time by which its own passes
 * are shorter, from one backward pass to the next, including the scheduled forward passes between
 * them. For other samples it repeats the forward pass. Before the update it sends its weight
 * gradients.
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
     * The weights have been updated; copies are stale.
     * @param share available share of this device
     * @return whether to send the holder, if any, the new ones, assuming its last request
     */
    bool NoticeUpdate(double share);

    /**
     * @param helper a neighbour
     * @return whether it has the current weights
     */
    bool HasCopy(uint32_t helper) const
    {
        return m_holder == helper && m_isFresh;
    }

    /**
     * @param helper the asking neighbour
     * @param request its request
     * @param share available share of this device
     * @param microBatches number of micro-batches yet to begin
     * @return whether to send it the weights
     */
    bool WouldPay(uint32_t helper,
                  const AssistanceRequest& request,
                  double share,
                  uint32_t microBatches);
    /**
     * The weights are sent.
     *
     * @param helper receiving neighbour
     * @return message body to send with them
     */
    AssistanceCopy SendCopy(uint32_t helper);
    /**
     * The weights have arrived.
     * @param seconds duration of the transfer
     */
    void NoticeCopy(double seconds);

    /**
     * A tensor has arrived at a neighbour. One that moved faster than the last copy shows that the
     * copy's rate is out of date; a small one may move slower.
     *
     * @param neighbour the neighbour
     * @param bytesPerSecond its rate
     */
    void NoticeRate(uint32_t neighbour, double bytesPerSecond)
    {
        if (m_holder == neighbour)
        {
            m_bandwidth = std::max(m_bandwidth, bytesPerSecond);
        }
    }

    /** @return the holder, also while its copy is under way; there must be one */
    uint32_t GetHolder() const
    {
        return m_holder.value();
    }

    /**
     * @param helper a neighbour
     * @param request its request
     * @param isBackward which pass
     * @param microBatch which micro-batch
     * @param secondsPerSample time of that pass here, seconds
     * @param samplesLeft samples left of the micro-batch, may be fractional
     * @return the split to be made, without its limits
     */
    AssistanceQuestion Ask(uint32_t helper,
                           const AssistanceRequest& request,
                           bool isBackward,
                           uint32_t microBatch,
                           double secondsPerSample,
                           double samplesLeft) const;
    /**
     * @param helper the holder
     * @param request its request
     * @param isBackward which pass
     * @param microBatch which micro-batch
     * @param share available share of this device, > 0
     * @param held samples of that micro-batch that this device runs backward for the previous stage
     * @return most samples it may get, excluding those that this device runs for it
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
     * @param microBatch which micro-batch
     * @param samples number of samples
     * @return payload of the grant beyond a notice, bytes
     */
    uint64_t Lend(bool isBackward, uint32_t microBatch, uint32_t samples);

    /**
     * @param microBatch a micro-batch
     * @return samples whose backward pass the holder runs since it ran their forward pass
     */
    uint32_t GetLent(uint32_t microBatch) const
    {
        return m_lent[microBatch];
    }

    /** @return whether the holder must be sent gradients for them; else it computes those */
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

    /** The result of a backward pass at the holder has arrived. */
    void NoticeBackward()
    {
        --m_backwardAway;
        m_owesGradients = true;
    }

    /**
     * Request the holder's gradients, once; nothing more is lent in this iteration then.
     * @return whether to request them: it has some to send, and none to compute
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
     * @return payload to the next or previous stage, without samples needed elsewhere, bytes
     */
    uint64_t GetOutputBytes(const PipelineStep& step, uint32_t held) const;

  private:
    /**
     * @param bytes of a micro-batch
     * @return transfer time of one sample, seconds
     */
    double GetSecondsPerSample(uint64_t bytes) const
    {
        return bytes / m_bandwidth / m_stage.samples;
    }

    /**
     * @param helper a neighbour
     * @param request its request
     * @param microBatch which micro-batch
     * @param share available share of this device
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
    std::optional<uint32_t> m_holder;   //!< neighbour that was sent weights
    bool m_isFresh{false};              //!< whether its copy has arrived and is current
    bool m_isUnderWay{false};           //!< whether its copy is being sent
    AssistanceRequest m_lastRequest;    //!< the holder's last request
    std::vector<uint32_t> m_lent;       //!< samples lent forward, by micro-batch
    std::vector<uint32_t> m_recomputed; //!< samples lent backward only, by micro-batch
    uint32_t m_backwardAway{0};         //!< backward passes pending at the holder
    bool m_owesGradients{false};        //!< whether the holder owes gradients
    bool m_isCollecting{false};         //!< whether they have been requested
    /// Forward passes right before each micro-batch's backward pass, of the previous stage, this
    /// one and the next; 0 before the first and after the last.
    std::array<std::vector<uint32_t>, 3> m_forwards;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ASSISTANCE_LOANS_H */
