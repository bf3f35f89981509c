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
 * A learned cost model: linear regression of a plan's iteration time on figures that are known
 * without running it.
 *
 * A stage of work W on a device of speed F (PipelineScales) takes about W / F, and its tensors
 * about c, the bytes of its cut over the bandwidth. The figures of a plan are the sum of W / F
 * over the stages of each device type, the largest W / F, the sum and the largest of c, the
 * largest of W / F + 2 c and of max(W / F, 2 c), the number of stages, and 1. Their weights, which
 * also correct for devices that are not equally fast at all layers, are learned from plans of known
 * time, by least squares of the relative error with a slight ridge (Eigen, Householder QR).
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

    /** Fits the weights to all added plans, at least one. */
    void Fit();

    /**
     * @param plan a plan
     * @return its iteration time predicted by the last Fit, above 0, seconds
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
    std::vector<std::size_t> m_typeOf;       //!< type of each device, from 0
    std::size_t m_types{0};                  //!< number of types
    double m_unit;                           //!< seconds that figures are divided by
    std::vector<std::vector<double>> m_rows; //!< figures of the plans that were added
    std::vector<double> m_seconds;           //!< their iteration times
    std::vector<double> m_weights;           //!< by figure
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PLAN_REGRESSION_H */
