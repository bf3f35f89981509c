/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLAN_REGRESSION_H
#define EDGEPIPE_PLAN_REGRESSION_H

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-scales.h"

#include <cstddef>
#include <vector>

namespace ns3::edgepipe
{

/**
 * A cost model that is learned: the iteration time of plans, by linear regression on figures that
 * can be told without running anything.
 *
 * A stage of work W on a device of speed F (PipelineScales) takes about W / F, and its tensors
 * about c, the bytes of its cut over the bandwidth. The figures of a plan are the sum of W / F
 * over the stages of each device type, the largest W / F, the sum and the largest of c, the
 * largest of W / F + 2 c and of max(W / F, 2 c), the number of stages, and 1. How these make up
 * an iteration, and where a speed misleads, since a device is not equally fast at all layers, is
 * learned from plans whose time is known: least squares of the relative error, with a slight
 * ridge (Eigen, Householder QR).
 */
class PlanRegression
{
  public:
    /** @param costModel the cost model of a valid problem; must outlive this object */
    explicit PlanRegression(const PipelineCostModel& costModel);

    /**
     * @param plan a plan
     * @param seconds its iteration time
     */
    void Add(const PipelinePlan& plan, double seconds);

    /** Fits to all that was added, one plan at least. */
    void Fit();

    /**
     * @param plan a plan
     * @return its iteration time as Fit left it, above 0, seconds
     */
    double PredictSeconds(const PipelinePlan& plan) const;

  private:
    /**
     * @param plan a plan
     * @return its figures, seconds over m_unit
     */
    std::vector<double> Describe(const PipelinePlan& plan) const;

    const PipelineCostModel& m_costModel;    //!< for bytes and bandwidth
    PipelineScales m_scales;                 //!< W and F
    std::vector<std::size_t> m_typeOf;       //!< by device, from 0
    std::size_t m_types{0};                  //!< how many
    double m_unit;                           //!< seconds that figures are divided by
    std::vector<std::vector<double>> m_rows; //!< figures of the plans that were added
    std::vector<double> m_seconds;           //!< their iteration times
    std::vector<double> m_weights;           //!< by figure
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PLAN_REGRESSION_H */
