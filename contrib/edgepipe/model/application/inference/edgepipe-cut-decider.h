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
    uint32_t layer; //!< index of the layer that outputs it; InferenceTag::INPUT for the frame
    uint64_t bytes; //!< size
};

/** A plan in executable form; figures per frame. */
struct InferenceSplit
{
    TwoWayCutPlan plan;                 //!< layer placement
    double deviceSeconds;               //!< computing time on the device
    double serverSeconds;               //!< computing time on the server
    std::vector<CrossingTensor> uplink; //!< tensors to send; empty: the server runs nothing
    uint64_t resultBytes;               //!< size of the result that the server returns
};

/**
 * @param problem a valid problem of fewer than InferenceTag::INPUT layers
 * @param plan layer placement
 * @return the plan in executable form
 * @throws InputError as CheckTwoWayCut
 */
InferenceSplit MakeInferenceSplit(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

/**
 * Plans one problem repeatedly as bandwidth changes.
 *
 * A planner that can plan for every uplink bandwidth at once does so once; later decisions are
 * lookups. Its plans hold for one downlink bandwidth. They are computed again once the download
 * time of all results has changed by more than 1 % of the predicted latency, so a looked-up plan is
 * at most that much slower than the best.
 */
class CutDecider
{
  public:
    /**
     * @param problem problem to plan; its bandwidths are ignored
     * @param planner makes the plans
     */
    CutDecider(TwoWayCutProblem problem, Ptr<TwoWayCutPlanner> planner);

    /**
     * @param uplinkBitsPerSecond from device to server, > 0
     * @param downlinkBitsPerSecond from server to device, > 0
     * @param state run-time state passed to the planner
     * @return the decision
     * @throws InputError if the problem is malformed or the planner finds no plan
     */
    PlanRecord Decide(double uplinkBitsPerSecond,
                      double downlinkBitsPerSecond,
                      std::optional<PlannerState<TwoWayCutPlan>> state = {});

    /** @return the problem, with the last decision's bandwidths */
    const TwoWayCutProblem& GetProblem() const
    {
        return m_problem;
    }

  private:
    /**
     * Plan every uplink bandwidth, if the planner can.
     * @return wall-clock seconds taken
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
     * @return wall-clock seconds taken
     */
    double Plan(TwoWayCutPlan& plan);

    TwoWayCutProblem m_problem;                    //!< problem to plan
    Ptr<TwoWayCutPlanner> m_planner;               //!< makes the plans
    uint64_t m_resultBytes;                        //!< size of all results
    bool m_isBuilt{false};                         //!< whether the planner was asked for m_envelope
    std::unique_ptr<TwoWayCutEnvelope> m_envelope; //!< by uplink bandwidth; null: plan each time
    double m_envelopeDownlink{0};                  //!< downlink bandwidth of m_envelope, bit/s
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CUT_DECIDER_H */
