/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_POLICY_PIPELINE_PLANNER_H
#define EDGEPIPE_POLICY_PIPELINE_PLANNER_H

#include "edgepipe-policy.h"

#include "ns3/edgepipe-learning-pipeline-planner.h"
#include "ns3/edgepipe-q-network.h"
#include "ns3/edgepipe-staged-rewards.h"

#include <limits>
#include <memory>

namespace ns3
{
namespace edgepipe
{

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
 * With Setting "paper" states and rewards are those that SDQN and GRDQN have in DGPAS instead, so
 * that planners of either kind can be compared on the same information: the return of a decision is
 * the discounted sum of the rewards of eq. 2, 3 and 5, or of eq. 8, from there on, by the constants
 * and discounts of GrdqnPlanner's attributes, kappa and varsigma chosen likewise. The true cost
 * then only tells which of the plans that were drawn is handed back, as it does for the faithful
 * GrdqnPlanner.
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
    double m_clip{std::numeric_limits<double>::infinity()}; //!< PolicyWeights::clip
    uint32_t m_epochs{1};                                   //!< gradient steps per batch
    uint32_t m_encoderUnits{0}; //!< of a GRU that the figures pass through; 0: none

  private:
    /** What was decided once, and in what state. */
    struct Step
    {
        bool isCut;         //!< whether about a cut
        QState state;       //!< in which it was
        std::size_t action; //!< what was decided
        double probability; //!< that it had
        double value;       //!< return expected
        std::size_t plan;   //!< index in its batch
        std::size_t at;     //!< layer or stage decided about
        double goal;        //!< return that came
    };

    /** One of the two networks. */
    struct Net
    {
        std::unique_ptr<QNetwork> network; //!< the network itself
        std::vector<const Step*> steps;    //!< what it learns from
    };

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

    /** The rewards of the paper. */
    struct PaperRewards
    {
        std::unique_ptr<StagedRewards>
            rewards;          //!< of eq. 2 to 5 and 8; null: the plan's time counts
        double cutDiscount;   //!< gamma of eq. 6
        double placeDiscount; //!< gamma of eq. 9
    };

    /**
     * @param costModel the cost model
     * @param budget what plans are looked at through while thresholds are chosen
     * @param random where draws come from
     * @return the rewards, if the setting is the paper's
     */
    PaperRewards MakeRewards(const PipelineCostModel& costModel,
                             PlanBudget& budget,
                             const Ptr<UniformRandomVariable>& random) const;

    /**
     * Sets what decisions came to, by the rewards of the paper.
     * @param rewards they
     * @param plans that were drawn
     * @param steps what led to them
     */
    static void SetGoals(const PaperRewards& rewards,
                         const std::vector<PipelinePlan>& plans,
                         std::vector<Step>& steps);

    /**
     * Learns one policy.
     * @param walk the decisions
     * @param costModel the cost model
     * @param rewards of the paper, or none
     * @param start how many policies were learned before
     * @param budget what plans are looked at through; a part of it is spent
     * @param random where draws come from
     */
    void LearnOnce(const StagedWalk& walk,
                   const PipelineCostModel& costModel,
                   const PaperRewards& rewards,
                   uint32_t start,
                   PlanBudget& budget,
                   const Ptr<UniformRandomVariable>& random);

    /**
     * @param figures that describe a state
     * @param actions that there are
     * @param random where initial weights come from
     * @return a network for that
     */
    Net MakeNet(std::size_t figures,
                std::size_t actions,
                const Ptr<UniformRandomVariable>& random) const;

    /**
     * @param net a network
     * @param logits that are added to what it begins with, by action
     */
    static void Bias(Net& net, const std::vector<double>& logits);

    /**
     * @param walk the decisions
     * @param costModel the cost model
     * @param state a plan in the making
     * @param hidden h of the step before
     * @return what the policy decides in
     */
    QState Describe(const StagedWalk& walk,
                    const PipelineCostModel& costModel,
                    const StagedPlan& state,
                    const std::vector<float>& hidden) const;

    /**
     * Draws plans from the policy.
     * @param walk the decisions
     * @param costModel the cost model
     * @param cut decides about cuts
     * @param place decides about devices
     * @param count how many
     * @param random where draws come from
     * @param steps set to all that was decided where there was a choice
     * @return the plans
     */
    std::vector<PipelinePlan> DrawPlans(const StagedWalk& walk,
                                        const PipelineCostModel& costModel,
                                        Net& cut,
                                        Net& place,
                                        std::size_t count,
                                        const Ptr<UniformRandomVariable>& random,
                                        std::vector<Step>& steps) const;

    /**
     * One gradient step of a network.
     * @param net the network and what it learns from
     * @param scale that advantages are divided by
     * @param random where draws come from
     */
    void Fit(Net& net, double scale, const Ptr<UniformRandomVariable>& random) const;

    /// Fires after the plans of a batch were looked at, before the policy learns from them.
    TracedCallback<uint64_t, double> m_batch;
    std::string m_setting;  //!< ours or paper
    uint32_t m_starts;      //!< policies learned one after the other
    uint32_t m_batchPlans;  //!< plans per batch
    uint32_t m_batchSteps;  //!< decisions per gradient step, of each network
    double m_entropyWeight; //!< PolicyWeights::entropy
    double m_valueWeight;   //!< of the squared error of the return expected
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_POLICY_PIPELINE_PLANNER_H */
