/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_KEYS_H
#define EDGEPIPE_PIPELINE_KEYS_H

#include "edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
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
    std::size_t GetSize() const;

    /**
     * @param keys GetSize() numbers from 0 to below 1
     * @return the plan they stand for
     */
    PipelinePlan Decode(const std::vector<double>& keys) const;

    /**
     * @param plan a plan
     * @return whether every stage fits its device's memory
     */
    bool Fits(const PipelinePlan& plan) const;

    /**
     * Looks at a plan, and counts that.
     *
     * @param keys as above
     * @return seconds of an iteration; where a stage does not fit, more than any plan that does
     *         takes, and the more the larger the part that is too much
     */
    double Evaluate(const std::vector<double>& keys);

    /** @return how often Evaluate was called */
    uint64_t GetEvaluations() const;

  private:
    const PipelineCostModel& m_costModel; //!< what plans cost
    std::size_t m_devices;                //!< how many there are
    std::size_t m_mostStages;             //!< of a plan
    uint64_t m_evaluations{0};            //!< calls of Evaluate
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_KEYS_H */
