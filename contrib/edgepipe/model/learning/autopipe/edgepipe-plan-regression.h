/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLAN_REGRESSION_H
#define EDGEPIPE_PLAN_REGRESSION_H

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-scales.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
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
    explicit PlanRegression(const PipelineCostModel& costModel)
        : m_costModel(costModel),
          m_scales(costModel),
          m_unit(m_scales.GetTotalWork())
    {
        std::map<std::string, std::size_t> types;
        for (const PipelineDevice& device : costModel.GetProblem().devices)
        {
            m_typeOf.push_back(types.emplace(device.type, types.size()).first->second);
        }
        m_types = types.size();
    }

    /**
     * @param plan a plan
     * @param seconds its iteration time
     */
    void Add(const PipelinePlan& plan, double seconds)
    {
        m_rows.push_back(Describe(plan));
        m_seconds.push_back(std::max(LEAST_SECONDS, seconds));
    }

    /** Fits the weights to all added plans, at least one. */
    void Fit();

    /**
     * @param plan a plan
     * @return its iteration time predicted by the last Fit, above 0, seconds
     */
    double PredictSeconds(const PipelinePlan& plan) const
    {
        const auto figures = Describe(plan);
        double seconds = 0;
        for (std::size_t j = 0; j < figures.size(); ++j)
        {
            seconds += m_weights[j] * figures[j] * m_unit;
        }
        return std::max(LEAST_SECONDS, seconds);
    }

  private:
    /// Figures in addition to one per device type.
    static constexpr std::size_t COMMON = 7;
    /// Least iteration time, seconds.
    static constexpr double LEAST_SECONDS = 1e-12;

    /**
     * @param plan a plan
     * @return its figures, seconds over m_unit
     */
    std::vector<double> Describe(const PipelinePlan& plan) const
    {
        std::vector<double> figures(m_types + COMMON, 0);
        double* common = figures.data() + m_types;
        for (std::size_t i = 0; i < plan.stages.size(); ++i)
        {
            const PipelineStage& stage = plan.stages[i];
            const double work = m_scales.GetWork(stage.firstLayer, stage.lastLayer) /
                                m_scales.GetSpeed(stage.device) / m_unit;
            const PassSeconds cut = m_costModel.CutSeconds(plan, i);
            const double forward = cut.forward / m_unit;
            const double backward = cut.backward / m_unit;
            figures[m_typeOf[stage.device]] += work;
            common[0] = std::max(common[0], work);
            common[1] += (forward + backward) / 2;
            common[2] = std::max({common[2], forward, backward});
            common[3] = std::max(common[3], work + (forward + backward));
            common[4] = std::max({common[4], work, forward + backward});
            common[5] += 1;
        }
        common[6] = 1;
        return figures;
    }

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
