/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOINT_GRDQN_H
#define EDGEPIPE_JOINT_GRDQN_H

#include "ns3/edgepipe-grdqn-agent.h"
#include "ns3/edgepipe-partial-plan.h"
#include "ns3/edgepipe-replay-buffer.h"

namespace ns3
{
namespace edgepipe
{

/**
 * SDQN and GRDQN trained together on the true cost: the variant "improved".
 *
 * A plan grows stage by stage: GRDQN gives the next stage a device d, SDQN its last layer. Let T
 * be the finished plan's iteration time and P(s) the promise of the plan in the making
 * (PartialPlanner). The return is -log T, and the potential that shapes it -log P: a step from s
 * to s' earns log(P(s) / P(s')), and all steps of an episode together log(P(begin) / T), since
 * P = T at the end. So the networks learn by what factor a promise is missed,
 *
 *     V(s') = max over d of Q(s', d),   Q(s, d) = max over ends of log(P(s) / P(s')) + V(s'),
 *
 * V being SDQN's one output, of the state that a cut leads to (0 for a finished plan), and Q
 * GRDQN's, whose GRU carries h from stage to stage. Targets come from the target networks, with
 * the maximising action taken by the other network (double DQN, H. van Hasselt et al., AAAI
 * 2016), and are no lower than the return that an episode observed from there: the problem is
 * deterministic, so what was reached once can be reached again.
 *
 * Every plan that an episode makes is improved by PlanSearch, and what that finds is replayed as
 * an episode of its own (expert iteration, T. Anthony et al., NeurIPS 2017): trying a plan costs
 * far less than a gradient step, and the networks learn to begin where the search would end.
 *
 * Deciding is a beam search by log P - V over a few devices and ends at every step. Where search is
 * allowed, plans in which the 1, 2, ... fastest devices share the layers by speed are looked at
 * too, and PlanSearch goes on from the fastest plan of all.
 */
class JointGrdqn : public GrdqnAgent
{
  public:
    /** @copydoc StagedGrdqn::StagedGrdqn */
    JointGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options);

    /**
     * An agent for another problem that shares another agent's networks and experience.
     *
     * @param costModel as above
     * @param other the other agent
     */
    JointGrdqn(const PipelineCostModel& costModel, const JointGrdqn& other);

    void Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress) override;
    PipelinePlan Decide() override;

    /**
     * Draws new weights and trains them for several problems in turn. What counts is the sum over
     * the problems of the logarithms of the iteration times of the networks' plans.
     *
     * @param agents that share networks and experience, one per problem
     * @param random where every draw comes from
     * @param progress told after every episode; may be empty
     */
    static void TrainTogether(const std::vector<JointGrdqn*>& agents,
                              Ptr<UniformRandomVariable> random,
                              const GrdqnProgress& progress);

    /**
     * @param options how
     * @param weights of SDQN and GRDQN
     * @param devices that there are
     * @return for how many devices the weights are, at least as many; 0: they fit none
     */
    static std::size_t FindSlots(const GrdqnOptions& options,
                                 const std::vector<std::vector<float>>& weights,
                                 std::size_t devices);

  private:
    /** A plan in the making and what GRDQN sees of it. */
    struct Node
    {
        PartialPlan partial;         //!< the plan
        std::vector<float> previous; //!< h of the step before
        double promise;              //!< P, seconds
        double estimate;             //!< of -log T
    };

    /** A decision's input for GRDQN; slots are places in its figures and among its outputs. */
    struct PlaceState
    {
        std::vector<float> devices;       //!< x
        std::vector<float> previous;      //!< h of the step before
        std::vector<float> features;      //!< s
        std::vector<std::size_t> allowed; //!< slots of devices
    };

    /** Stages that a device may get. */
    struct Choices
    {
        std::vector<PartialPlan> partials; //!< the plans they lead to
        std::vector<double> promises;      //!< P of those, seconds
        std::vector<float> features;       //!< of those, one after the other
    };

    /** What GRDQN learns from. */
    struct PlaceStep
    {
        PlaceState state;            //!< s
        std::size_t slot;            //!< of d
        std::vector<double> rewards; //!< by end
        std::vector<bool> isLast;    //!< by end, whether the plan is finished
        std::vector<float> features; //!< by end, of s'
        double observed;             //!< the return of the episode from here
    };

    /** What SDQN learns from. */
    struct CutStep
    {
        PlaceState state; //!< s'
        double observed;  //!< the return of the episode from here
    };

    /** What agents that learn together share, besides their networks. */
    struct Experience
    {
        ReplayBuffer<PlaceStep> placings; //!< what GRDQN learns from
        ReplayBuffer<CutStep> cuts;       //!< what SDQN learns from
        uint64_t fits{0};                 //!< gradient steps
    };

    /** Orders the devices into slots. */
    void FillSlots();

    /**
     * @param node a plan in the making
     * @return GRDQN's input
     */
    PlaceState DescribePlacing(const Node& node) const;

    /**
     * @param inputs what to add a row to
     * @param state the row
     */
    static void Append(QInputs& inputs, const PlaceState& state);

    /**
     * @param partial a plan in the making
     * @param device for the next stage
     * @param also an end to add, as the last one; 0: none
     * @return the stages it may get; finished plans among them are counted as looked at
     */
    Choices FindChoices(const PartialPlan& partial, std::size_t device, std::size_t also);

    /**
     * @param values some numbers, at least one
     * @return index of the largest
     */
    static std::size_t FindLargest(const std::vector<double>& values);

    /**
     * @param choices some stages
     * @return estimates of -log T, by stage
     */
    std::vector<double> EstimateChoices(const Choices& choices);

    /** @return a plan without a stage */
    Node BeginNode() const;

    /**
     * Makes a plan and keeps what was done for learning.
     * @param epsilon share of random actions
     * @param random where they come from
     * @param given the plan to make, or null: what the networks and chance decide
     * @return the finished plan
     */
    Node Walk(double epsilon, const Ptr<UniformRandomVariable>& random, const PipelinePlan* given);

    /**
     * Makes a plan, improves it, and learns.
     * @param random where draws come from
     * @param report of the episode; reward and loss are set
     */
    void PlayEpisode(const Ptr<UniformRandomVariable>& random, GrdqnEpisode& report);

    /**
     * One gradient step of each network.
     * @param random where draws come from
     * @return the mean squared error of both
     */
    double Fit(const Ptr<UniformRandomVariable>& random);

    /** @copydoc Fit */
    double FitPlace(const Ptr<UniformRandomVariable>& random);

    /** @copydoc Fit */
    double FitCut(const Ptr<UniformRandomVariable>& random);

    /**
     * @param devices how many of the fastest ones are to share the layers
     * @return a plan in which they do, in proportion to their speed as far as memory allows
     */
    PartialPlan ShareBySpeed(std::size_t devices) const;

    /**
     * @param width plans kept at every step
     * @return finished plans, the fastest first
     */
    std::vector<Node> Search(std::size_t width);

    PartialPlanner m_partials;                //!< grows plans
    std::vector<std::size_t> m_deviceOf;      //!< by slot, the fastest device first
    std::vector<std::size_t> m_slotOf;        //!< by device
    std::shared_ptr<Experience> m_experience; //!< what is learned from
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_JOINT_GRDQN_H */
