/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_POLICY_PIPELINE_PLANNER_H
#define EDGEPIPE_POLICY_PIPELINE_PLANNER_H

#include "ns3/edgepipe-learning-pipeline-planner.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @param logits of every action
 * @param actions how many there are
 * @param allowed actions; one at least
 * @return probabilities of every action, 0 for those that are not allowed
 */
std::vector<double> FindProbabilities(const float* logits,
                                      std::size_t actions,
                                      const std::vector<std::size_t>& allowed);

/**
 * @param probabilities of every action
 * @param random where the draw comes from
 * @return an action whose probability is above 0
 */
std::size_t DrawAction(const std::vector<double>& probabilities,
                       const Ptr<UniformRandomVariable>& random);

/**
 * Derivatives of a step's loss by the logits. With p the probability of the action now, q that
 * when it was taken, r = p / q, A the advantage, c the clip and H the entropy,
 *
 *     loss = -min(r A, clamp(r, 1 - c, 1 + c) A) - e H
 *
 * (J. Schulman et al., "Proximal policy optimization algorithms", 2017, eq. 7 and 9). Where p = q
 * this is REINFORCE's gradient.
 *
 * @param probabilities of every action, now
 * @param action that was taken
 * @param before q
 * @param advantage A
 * @param clip c, furthest that r may move from 1; infinite: no limit
 * @param entropyWeight e
 * @return by action; 0 where the probability is
 */
std::vector<double> GetPolicyGradient(const std::vector<double>& probabilities,
                                      std::size_t action,
                                      double before,
                                      double advantage,
                                      double clip,
                                      double entropyWeight);

/**
 * A planner that learns a policy by its gradient, over the decisions of StagedWalk: batch after
 * batch, plans are drawn from the policy, looked at, and what led to the faster ones of them is
 * made likelier.
 *
 * Two networks decide, one about cuts and one about devices. Each gives the logits of its actions
 * and, as one more output, the return that it expects, which is the baseline. A plan's return is
 * the logarithm of how many times faster it is than the plans of the first batch, by the cost
 * model (PipelineCostModel, eq. 1); there is no other reward and no discount. Actions that memory
 * or the number of devices forbid have no probability.
 *
 * A policy settles on plans that are good for what it does otherwise, and may leave better ones
 * aside. So the budget is divided over several starts. The first and every other one begins with
 * plans on few fast devices: it splits with the probability that gives about one stage for every
 * four devices, and chooses devices in proportion to their speed. The others begin with plans on
 * many: about one stage per device, and all devices alike. Neither splits more than every other
 * layer at first.
 */
class PolicyPipelinePlanner : public LearningPipelinePlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Signature of Batch.
     *
     * @param evaluations plans looked at so far
     * @param seconds geometric mean of the iteration times of the plans just drawn
     */
    typedef void (*BatchCallback)(uint64_t evaluations, double seconds);

  protected:
    double m_clip{std::numeric_limits<double>::infinity()}; //!< of GetPolicyGradient
    uint32_t m_epochs{1};                                   //!< gradient steps per batch
    uint32_t m_encoderUnits{0}; //!< of a GRU that the figures pass through; 0: none

  private:
    class Learner;

    /**
     * Improves the fastest plan of a batch; by default does nothing.
     *
     * @param costModel the cost model
     * @param plan the plan
     * @param budget what plans are looked at through
     */
    virtual void Refine(const PipelineCostModel& costModel,
                        const PipelinePlan& plan,
                        PlanBudget& budget) const;

    void Learn(const PipelineCostModel& costModel,
               PlanBudget& budget,
               const Ptr<UniformRandomVariable>& random) override;

    /// Fires after the plans of a batch were looked at, before the policy learns from them.
    TracedCallback<uint64_t, double> m_batch;
    uint32_t m_starts;      //!< policies learned one after the other
    uint32_t m_batchPlans;  //!< plans per batch
    uint32_t m_batchSteps;  //!< decisions per gradient step, of each network
    double m_entropyWeight; //!< of the policy's entropy
    double m_valueWeight;   //!< of the squared error of the return expected
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_POLICY_PIPELINE_PLANNER_H */
