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

/** How many plans a planner may ask the cost model about, and the best that it asked about. */
class PlanBudget
{
  public:
    /**
     * @param costModel the cost model; must outlive this object
     * @param most plans that may be looked at, at least 1
     */
    PlanBudget(const PipelineCostModel& costModel, uint64_t most)
        : m_costModel(costModel),
          m_most(most)
    {
    }

    /** @return how many plans may still be looked at */
    uint64_t GetLeft() const
    {
        return m_most - m_evaluations;
    }

    /** @return how many plans were looked at */
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
     * Looks at a plan, and counts that.
     *
     * @param plan a plan that CheckPlan accepts; GetLeft must be above 0
     * @return seconds of one iteration
     */
    double Evaluate(const PipelinePlan& plan);

    /** @return the fastest plan looked at */
    const PipelinePlan& GetBest() const
    {
        return m_best;
    }

  private:
    const PipelineCostModel& m_costModel;                          //!< the cost model
    uint64_t m_most;                                               //!< plans that may be looked at
    uint64_t m_evaluations{0};                                     //!< plans that were
    PipelinePlan m_best;                                           //!< the fastest of them
    double m_bestSeconds{std::numeric_limits<double>::infinity()}; //!< its iteration time
};

/**
 * A planner that learns for the problem it is asked about, from plans that it tries, and returns
 * the fastest that it tried.
 *
 * It begins anew at every Plan, so learning is part of the decision, as search is of ga's and
 * pso's, and Evaluations bounds both. All draws of a Plan come from one ns-3 stream, initial
 * weights included: the same problem, seed and run bring the same plan on one machine. Networks
 * are computed by LibTorch (QNetwork).
 */
class LearningPipelinePlanner : public PipelinePlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

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
     * Learns, looking at one plan at least.
     *
     * @param costModel the cost model of a problem for which CanGrowPlans holds
     * @param budget what plans are looked at through
     * @param random where draws come from
     */
    virtual void Learn(const PipelineCostModel& costModel,
                       PlanBudget& budget,
                       const Ptr<UniformRandomVariable>& random) = 0;

    uint64_t m_most;                      //!< plans that may be looked at
    int64_t m_firstStream{STREAMS.first}; //!< that it may draw from
    int64_t m_stream;                     //!< of the draws, from there on
    std::string m_hiddenUnits;            //!< such as 64,64
    uint64_t m_evaluations{0};            //!< plans that the last Plan looked at
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LEARNING_PIPELINE_PLANNER_H */
