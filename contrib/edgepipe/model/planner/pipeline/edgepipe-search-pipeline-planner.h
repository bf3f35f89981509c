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
 * Pipeline plans as points of a unit cube, for searches that know nothing of pipelines.
 *
 * Random keys: J. C. Bean, "Genetic algorithms and random keys for sequencing and optimization",
 * ORSA Journal on Computing 6(2), 1994. The first key says how many stages there are, one per
 * device its place in the order in which devices take stages, the others where the cuts are. Every
 * point is a plan that covers all layers with a device per stage, though it may exceed a memory.
 */
class PipelineKeys
{
  public:
    /** @param costModel what plans cost; must outlive this object */
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
     * Looks at a plan, and counts that.
     *
     * @param keys as above
     * @return seconds of an iteration; where a stage does not fit, more than any plan that does
     *         takes, and the more the larger the part that is too much
     */
    double Evaluate(const std::vector<double>& keys);

    /** @return how often Evaluate was called */
    uint64_t GetEvaluations() const
    {
        return m_evaluations;
    }

  private:
    const PipelineCostModel& m_costModel; //!< what plans cost
    std::size_t m_devices;                //!< how many there are
    std::size_t m_mostStages;             //!< of a plan
    uint64_t m_evaluations{0};            //!< calls of Evaluate
};

/**
 * A planner that tries plans at random and improves on them: cut and placement together, judged by
 * the cost model's iteration time, the best of all that were tried.
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
    /** A point and its worth. */
    struct Candidate
    {
        std::vector<double> keys; //!< see PipelineKeys
        double seconds;           //!< see PipelineKeys::Evaluate
    };

    /**
     * @param keys plans
     * @return a point drawn uniformly
     */
    Candidate Draw(PipelineKeys& keys);

    /**
     * @param keys plans
     * @return whether another one may be looked at
     */
    bool HasBudget(const PipelineKeys& keys) const;

    Ptr<UniformRandomVariable> m_uniform; //!< draws
    Ptr<NormalRandomVariable> m_normal;   //!< draws, of mean 0 and variance 1

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        const PipelineCostModel& costModel) override;

    /**
     * Search.
     *
     * @param keys plans; to be evaluated while HasBudget
     * @return the best point
     */
    virtual Candidate Search(PipelineKeys& keys) = 0;

    uint64_t m_budget;         //!< plans to look at
    uint64_t m_evaluations{0}; //!< plans that the last Plan looked at
};

/**
 * @param key any number
 * @return the key nearest to it, from 0 to below 1
 */
double ClampKey(double key);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SEARCH_PIPELINE_PLANNER_H */
