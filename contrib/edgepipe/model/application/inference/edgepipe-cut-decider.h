/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_DECIDER_H
#define EDGEPIPE_CUT_DECIDER_H

#include "ns3/edgepipe-inference-record.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3::edgepipe
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

/**
 * Decides on plans for one problem again and again, as bandwidth changes.
 *
 * A planner that can plan every uplink bandwidth at once is asked to do so once, and every later
 * decision looks up. What it found holds for one downlink bandwidth; it is asked again as soon as
 * the way back of all results has changed by more than a hundredth of the latency found, so a
 * looked-up plan is at most that much slower than the best.
 */
class CutDecider
{
  public:
    /**
     * @param problem what to decide on; its bandwidths do not matter
     * @param planner who decides
     */
    CutDecider(TwoWayCutProblem problem, Ptr<TwoWayCutPlanner> planner);

    /**
     * @param uplinkBitsPerSecond from device to server, > 0
     * @param downlinkBitsPerSecond from server to device, > 0
     * @param state what the planner is told during a run
     * @return the decision
     * @throws InputError if the problem is malformed or the planner finds no plan
     */
    PlanRecord Decide(double uplinkBitsPerSecond,
                      double downlinkBitsPerSecond,
                      std::optional<PlannerState<TwoWayCutPlan>> state = {});

    /** @return what it decides on, at the last decision's bandwidths */
    const TwoWayCutProblem& GetProblem() const
    {
        return m_problem;
    }

  private:
    /**
     * Plan every uplink bandwidth, if the planner can.
     * @return wall-clock seconds that took
     */
    double Build()
    {
        m_isBuilt = true;
        m_envelope = m_planner->PlanEveryBandwidth(m_problem);
        m_envelopeDownlink = m_problem.downlinkBitsPerSecond;
        return m_planner->GetDecisionSeconds();
    }

    /**
     * @param [out] plan the plan for the present bandwidths
     * @return wall-clock seconds that took
     */
    double Plan(TwoWayCutPlan& plan);

    TwoWayCutProblem m_problem;                    //!< what to decide on
    Ptr<TwoWayCutPlanner> m_planner;               //!< who decides
    uint64_t m_resultBytes;                        //!< of all results
    bool m_isBuilt{false};                         //!< whether the planner was asked for m_envelope
    std::unique_ptr<TwoWayCutEnvelope> m_envelope; //!< null: plan afresh
    double m_envelopeDownlink{0};                  //!< that m_envelope was made for, bit/s
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CUT_DECIDER_H */
