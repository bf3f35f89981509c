/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SEARCH_PIPELINE_PLANNER_H
#define EDGEPIPE_SEARCH_PIPELINE_PLANNER_H

#include "edgepipe-pipeline-cost-model.h"
#include "edgepipe-pipeline-planner.h"

#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Pipeline plans as points of a unit cube, for general-purpose searches.
 *
 * Random keys: J. C. Bean, "Genetic algorithms and random keys for sequencing and optimization",
 * ORSA Journal on Computing 6(2), 1994. The first key gives the number of stages, one key per
 * device its rank in the order in which devices take stages, the others the cuts. Every point is a
 * plan that covers all layers with a device per stage, though it may exceed a device's memory.
 */
class PipelineKeys
{
  public:
    /** @param costModel the cost model; must outlive this object */
    explicit PipelineKeys(const PipelineCostModel& costModel);

    /** @return how many keys a plan has, at least 2 */
    std::size_t GetSize() const
    {
        return m_devices + m_mostStages;
    }

    /**
     * @param keys GetSize() numbers from 0 to below 1
     * @return the plan they stand for
     */
    PipelinePlan Decode(const std::vector<double>& keys) const;

    /**
     * Evaluates a plan, and counts the evaluation.
     *
     * @param keys as above
     * @return seconds of an iteration; if a stage does not fit, more than any fitting plan takes,
     *         increasing with the excess
     */
    double Evaluate(const std::vector<double>& keys);

    /** @return how often Evaluate was called */
    uint64_t GetEvaluations() const
    {
        return m_evaluations;
    }

  private:
    const PipelineCostModel& m_costModel; //!< the cost model
    std::size_t m_devices;                //!< how many there are
    std::size_t m_mostStages;             //!< of a plan
    uint64_t m_evaluations{0};            //!< calls of Evaluate
};

/**
 * A planner that draws random plans and improves them, cut and placement together, by the cost
 * model's iteration time. It returns the best plan tried.
 */
class SearchPipelinePlanner : public PipelinePlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SearchPipelinePlanner();

    int64_t AssignStreams(int64_t stream) override;

    uint64_t GetEvaluations() const override
    {
        return m_evaluations;
    }

  protected:
    /** A point and its cost. */
    struct Candidate
    {
        std::vector<double> keys; //!< see PipelineKeys
        double seconds;           //!< see PipelineKeys::Evaluate
    };

    /**
     * @param keys evaluates plans
     * @return a point drawn uniformly
     */
    Candidate Draw(PipelineKeys& keys);

    /**
     * @param keys counts evaluations
     * @return whether another plan may be evaluated
     */
    bool HasBudget(const PipelineKeys& keys) const;

    Ptr<UniformRandomVariable> m_uniform; //!< uniform draws
    Ptr<NormalRandomVariable> m_normal;   //!< draws, of mean 0 and variance 1

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        const PipelineCostModel& costModel) override;

    /**
     * Searches for the best plan.
     *
     * @param keys evaluates plans; to be used while HasBudget
     * @return the best point
     */
    virtual Candidate Search(PipelineKeys& keys) = 0;

    uint64_t m_budget;         //!< plans to evaluate
    uint64_t m_evaluations{0}; //!< plans that the last Plan evaluated
};

/**
 * @param key any number
 * @return the key nearest to it, from 0 to below 1
 */
double ClampKey(double key);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SEARCH_PIPELINE_PLANNER_H */
