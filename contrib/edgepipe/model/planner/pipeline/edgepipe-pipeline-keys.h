/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_KEYS_H
#define EDGEPIPE_PIPELINE_KEYS_H

#include "edgepipe-pipeline-cost-model.h"

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
 * @param key any number
 * @return the key nearest to it, from 0 to below 1
 */
double ClampKey(double key);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_KEYS_H */
