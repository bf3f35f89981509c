/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LEARNING_PIPELINE_PLANNER_H
#define EDGEPIPE_LEARNING_PIPELINE_PLANNER_H

#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Budget of cost model evaluations, with the best plan evaluated. */
class PlanBudget
{
  public:
    /**
     * @param costModel the cost model; must outlive this object
     * @param most largest number of evaluations, at least 1
     */
    PlanBudget(const PipelineCostModel& costModel, uint64_t most)
        : m_costModel(costModel),
          m_most(most)
    {
    }

    /** @return evaluations left */
    uint64_t GetLeft() const
    {
        return m_most - m_evaluations;
    }

    /** @return evaluations made */
    uint64_t GetEvaluations() const
    {
        return m_evaluations;
    }

    /** @return the share of the budget that is spent, 0 to 1 */
    double GetShare() const
    {
        return static_cast<double>(m_evaluations) / static_cast<double>(m_most);
    }

    /**
     * Evaluates a plan, which spends one evaluation.
     *
     * @param plan a plan that CheckPlan accepts; GetLeft must be above 0
     * @return seconds of one iteration
     */
    double Evaluate(const PipelinePlan& plan);

    /** @return the fastest plan evaluated */
    const PipelinePlan& GetBest() const
    {
        return m_best;
    }

  private:
    const PipelineCostModel& m_costModel;                          //!< the cost model
    uint64_t m_most;                                               //!< most evaluations
    uint64_t m_evaluations{0};                                     //!< evaluations made
    PipelinePlan m_best;                                           //!< the fastest plan evaluated
    double m_bestSeconds{std::numeric_limits<double>::infinity()}; //!< its iteration time
};

/**
 * A planner that learns on the given problem, from plans that it evaluates, and returns the fastest
 * of these.
 *
 * Every Plan learns from scratch, so learning is part of the decision, like the search of ga and
 * pso, and Evaluations bounds both. All draws of a Plan, initial weights included, come from one
 * ns-3 stream: the same problem, seed and run give the same plan on one machine. Networks use
 * LibTorch (QNetwork).
 */
class LearningPipelinePlanner : public Typed<LearningPipelinePlanner, PipelinePlanner>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    int64_t AssignStreams(int64_t stream) override;

    uint64_t GetEvaluations() const override
    {
        return m_evaluations;
    }

  protected:
    /**
     * @return units of the hidden layers
     * @throws InputError when the attribute HiddenUnits cannot be used
     */
    std::vector<std::size_t> FindHiddenUnits() const;

    double m_learningRate; //!< of Adam

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        const PipelineCostModel& costModel) override;

    /**
     * Learns, evaluating at least one plan.
     *
     * @param costModel the cost model of a problem for which CanGrowPlans holds
     * @param budget evaluates plans
     * @param random source of draws
     */
    virtual void Learn(const PipelineCostModel& costModel,
                       PlanBudget& budget,
                       const Ptr<UniformRandomVariable>& random) = 0;

    uint64_t m_most;                      //!< most evaluations
    int64_t m_firstStream{STREAMS.first}; //!< first stream assigned
    int64_t m_stream;                     //!< stream of the draws, as an offset from it
    std::string m_hiddenUnits;            //!< such as 64,64
    uint64_t m_evaluations{0};            //!< plans evaluated by the last Plan
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LEARNING_PIPELINE_PLANNER_H */
