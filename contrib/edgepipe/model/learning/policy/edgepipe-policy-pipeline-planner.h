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
 * @param actions number of actions
 * @param allowed allowed actions, at least one
 * @return probabilities of every action, 0 for those that are not allowed
 */
std::vector<double> FindProbabilities(const float* logits,
                                      std::size_t actions,
                                      const std::vector<std::size_t>& allowed);

/**
 * @param probabilities of every action
 * @param random source of the draw
 * @return an action whose probability is above 0
 */
std::size_t DrawAction(const std::vector<double>& probabilities,
                       const Ptr<UniformRandomVariable>& random);

/**
 * Derivatives of a step's loss with respect to the logits. With p the probability of the action now
 * and q when it was taken, r = p / q, A the advantage, c the clip, H the entropy and e its weight,
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
 * @param clip c, largest distance of r from 1; infinite: no limit
 * @param entropyWeight e
 * @return by action; 0 where the probability is 0
 */
std::vector<double> GetPolicyGradient(const std::vector<double>& probabilities,
                                      std::size_t action,
                                      double before,
                                      double advantage,
                                      double clip,
                                      double entropyWeight);

/**
 * A policy gradient planner over the decisions of StagedWalk: batch after batch, plans are drawn
 * from the policy and evaluated, and the decisions of the faster ones are made likelier.
 *
 * Two networks decide, one about cuts and one about devices. Each gives the logits of its actions
 * and, as one more output, the expected return, which is the baseline. A plan's return is the
 * logarithm of its speedup over the plans of the first batch, by the cost model (PipelineCostModel,
 * eq. 1); there is no other reward and no discount. Actions that memory or the number of devices
 * forbid have probability 0.
 *
 * A policy may settle in a local optimum, so the budget is divided over several starts. The first,
 * third, ... begin with plans on few fast devices: about one stage for every four devices, and
 * devices chosen in proportion to their speed. The others begin with plans on many: about one stage
 * per device, and all devices equally likely. Neither splits more than every other layer at first.
 */
class PolicyPipelinePlanner : public Typed<PolicyPipelinePlanner, LearningPipelinePlanner>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Signature of Batch.
     *
     * @param evaluations plans evaluated so far
     * @param seconds geometric mean of the iteration times of the plans just drawn
     */
    typedef void (*BatchTracedCallback)(uint64_t evaluations, double seconds);

  protected:
    double m_clip{std::numeric_limits<double>::infinity()}; //!< of GetPolicyGradient
    uint32_t m_epochs{1};                                   //!< gradient steps per batch
    uint32_t m_encoderUnits{0}; //!< units of the GRU that encodes the figures; 0: none

  private:
    class Learner;

    /**
     * Improves the fastest plan of a batch; by default does nothing.
     *
     * @param costModel the cost model
     * @param plan the plan
     * @param budget evaluates plans
     */
    virtual void Refine(const PipelineCostModel& costModel,
                        const PipelinePlan& plan,
                        PlanBudget& budget) const;

    void Learn(const PipelineCostModel& costModel,
               PlanBudget& budget,
               const Ptr<UniformRandomVariable>& random) override;

    /// Fires after the plans of a batch were evaluated, before the policy learns from them.
    TracedCallback<uint64_t, double> m_batch;
    uint32_t m_starts;      //!< policies learned one after the other
    uint32_t m_batchPlans;  //!< plans per batch
    uint32_t m_batchSteps;  //!< decisions per gradient step, of each network
    double m_entropyWeight; //!< of the policy's entropy
    double m_valueWeight;   //!< of the squared error of the expected return
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_POLICY_PIPELINE_PLANNER_H */
