/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ASSISTANCE_LOANS_H
#define EDGEPIPE_ASSISTANCE_LOANS_H

#include "ns3/edgepipe-assistance-message.h"
#include "ns3/edgepipe-assistance-split.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

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
    /** The weights have been updated; copies are of yesterday. */
    void NoticeUpdate();
    /**
     * @param helper a neighbour
     * @return whether it has the weights as they are
     */
    bool HasCopy(uint32_t helper) const;
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
    /** @return whether there is a holder, with weights or with weights under way */
    bool HasHolder() const;
    /** @return the holder, if there is one */
    uint32_t GetHolder() const;
    /** @return micro-batches of this iteration with samples at the holder */
    uint32_t CountLent() const;
    /** @return what the holder last asked */
    const AssistanceRequest& GetLastRequest() const;
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
    uint32_t GetLent(uint32_t microBatch) const;
    /** @return whether the holder needs gradients for them, else it makes those itself */
    bool IsHandedOver() const;
    /**
     * @param microBatch a micro-batch
     * @return payload of those gradients, bytes
     */
    uint64_t GetHandOverBytes(uint32_t microBatch) const;
    /** A backward pass at the holder has come back. */
    void NoticeBackward();
    /** @return whether the holder has gradients to send, and no more to compute */
    bool IsToCollect() const;
    /** The holder is asked for its gradients; nothing more is lent in this iteration. */
    void Collect();
    /** The holder's gradients have arrived. */
    void Merge();
    /** @return whether all gradients are here */
    bool IsMerged() const;

    /**
     * @param step a step whose samples have been computed
     * @param held samples of that micro-batch that this device runs backward for the previous stage
     * @return payload to the next or previous stage: less what is needed elsewhere, bytes
     */
    uint64_t GetOutputBytes(const PipelineStep& step, uint32_t held) const;

  private:
    /**
     * @param helper a neighbour
     * @param request what it asks
     * @param isBackward which pass
     * @param microBatch of which micro-batch
     * @param share of this device that is left for us, above 0
     * @return most samples by the helper's time and memory
     */
    double FindMostAffordable(uint32_t helper,
                              const AssistanceRequest& request,
                              bool isBackward,
                              uint32_t microBatch,
                              double share) const;
    /**
     * @param bytes of a micro-batch
     * @return what the transfer of one sample's part takes, seconds
     */
    double GetSecondsPerSample(uint64_t bytes) const;
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
    bool IsNext(uint32_t device) const;

    StageAssignment m_stage;            //!< the device's stage
    uint32_t m_checkpoints;             //!< per task
    double m_bandwidth;                 //!< to neighbours, bytes/s
    bool m_hasHolder{false};            //!< whether someone got weights
    uint32_t m_holder{0};               //!< who
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

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ASSISTANCE_LOANS_H */
