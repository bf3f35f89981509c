/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SEARCH_PIPELINE_PLANNER_H
#define EDGEPIPE_SEARCH_PIPELINE_PLANNER_H

#include "edgepipe-pipeline-keys.h"
#include "edgepipe-pipeline-planner.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

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

    uint64_t GetEvaluations() const override;

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
     * @param lowest smallest value
     * @param highest bound of the values
     * @return a number drawn uniformly from there
     */
    double DrawNumber(double lowest, double highest);

    /** @return a number drawn from the normal distribution of mean 0 and variance 1 */
    double DrawNormal();

    /**
     * @param keys plans
     * @return whether another one may be looked at
     */
    bool HasBudget(const PipelineKeys& keys) const;

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

    uint64_t m_budget;                    //!< plans to look at
    uint64_t m_evaluations{0};            //!< plans that the last Plan looked at
    Ptr<UniformRandomVariable> m_uniform; //!< draws
    Ptr<NormalRandomVariable> m_normal;   //!< draws
};

/**
 * @param key any number
 * @return the key nearest to it, from 0 to below 1
 */
double ClampKey(double key);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_SEARCH_PIPELINE_PLANNER_H */
