/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_AUTO_PIPE_PIPELINE_PLANNER_H
#define EDGEPIPE_AUTO_PIPE_PIPELINE_PLANNER_H

#include "ns3/edgepipe-learning-pipeline-planner.h"
#include "ns3/edgepipe-partial-plan.h"
#include "ns3/edgepipe-plan-regression.h"
#include "ns3/edgepipe-q-network.h"
#include "ns3/edgepipe-replay-buffer.h"

#include <map>
#include <memory>

namespace ns3
{
namespace edgepipe
{

/**
 * Reinforcement learning over several steps on a learned cost model, after AutoPipe (J. Hu et al.,
 * "AutoPipe: automatic configuration of pipeline parallelism in shared GPU cluster", ICPP 2024, as
 * DGPAS, section 5.2.2, describes it).
 *
 * First plans are drawn at random, looked at, and a cost model is fitted to them
 * (PlanRegression). Then, in rounds, episodes are played against that model, which costs no look:
 * a plan grows stage by stage (PartialPlanner), each time by the device and last layer whose
 * outcome a network values most, or by chance. The value of a plan in the making is the logarithm
 * of how fast it ends up; its target is the largest value n steps on, or the predicted time of the
 * finished plan where that is nearer (n-step Q learning, R. Sutton and A. Barto, "Reinforcement
 * learning", 2nd ed., section 7). After a round the plans predicted to be fastest are looked at
 * with the true cost model, and the learned one is fitted anew, those included.
 */
class AutoPipePipelinePlanner : public LearningPipelinePlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    /** What the network learns from. */
    struct Lesson
    {
        std::vector<float> features; //!< PartialPlanner::Describe
        float target;                //!< value that it should have
    };

    /** All that takes part in learning. */
    struct Work
    {
        PartialPlanner partials;           //!< grows plans
        PlanRegression model;              //!< the learned cost model
        std::unique_ptr<QNetwork> network; //!< values of plans in the making
        ReplayBuffer<Lesson> replay;       //!< lessons
        Ptr<UniformRandomVariable> random; //!< where draws come from
        double unit{1};                    //!< seconds whose value is 0
    };

    /** A step that a plan may take. */
    struct Option
    {
        PartialPlan partial;         //!< where it leads
        std::vector<float> features; //!< of that; empty where it is finished
        double value{0};             //!< of that
    };

    /// Plans in the order of their stages, so that none is looked at twice.
    using Plans = std::map<std::vector<std::size_t>, PipelinePlan>;

    void Learn(const PipelineCostModel& costModel,
               PlanBudget& budget,
               const Ptr<UniformRandomVariable>& random) override;

    /**
     * @param plan a plan
     * @return what tells it from others
     */
    static std::vector<std::size_t> GetKey(const PipelinePlan& plan);

    /**
     * @param partials grows plans
     * @param random where draws come from
     * @return a plan whose steps are drawn at random
     */
    PipelinePlan DrawPlan(const PartialPlanner& partials,
                          const Ptr<UniformRandomVariable>& random) const;

    /**
     * @param work what learns
     * @param partial a plan in the making
     * @return the steps that it may take, with values
     */
    std::vector<Option> FindOptions(Work& work, const PartialPlan& partial) const;

    /**
     * Makes a plan by value and chance, and keeps lessons.
     * @param work what learns
     * @param epsilon share of random steps
     * @return the plan
     */
    PipelinePlan Play(Work& work, double epsilon) const;

    /**
     * Looks at the plans that promise most, and fits the learned cost model anew.
     * @param work what learns
     * @param found plans
     * @param most how many may be looked at
     * @param seen plans that were looked at before; grows
     * @param budget what plans are looked at through
     */
    static void Validate(Work& work,
                         const Plans& found,
                         uint64_t most,
                         Plans& seen,
                         PlanBudget& budget);

    double m_sampleShare; //!< of the plans looked at that are drawn at random
    uint32_t m_rounds;    //!< of learning and looking
    uint32_t m_episodes;  //!< per round
    uint32_t m_steps;     //!< n
    uint32_t m_ends;      //!< last layers tried per device
    uint32_t m_batchSize; //!< lessons per gradient step
    double m_lastEpsilon; //!< share of random steps in the last episode
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_AUTO_PIPE_PIPELINE_PLANNER_H */
