/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-plan-regression.h"

#include <Eigen/QR>
#include <algorithm>
#include <map>
#include <string>

namespace ns3::edgepipe
{

namespace
{

/// Figures in addition to one per device type.
constexpr std::size_t COMMON = 7;
/// Weight of the ridge, which determines the weights of figures that never change.
constexpr double RIDGE = 1e-4;
/// Least iteration time, seconds.
constexpr double LEAST_SECONDS = 1e-12;

} // namespace

PlanRegression::PlanRegression(const PipelineCostModel& costModel)
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

std::vector<double>
PlanRegression::Describe(const PipelinePlan& plan) const
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

void
PlanRegression::Add(const PipelinePlan& plan, double seconds)
{
    m_rows.push_back(Describe(plan));
    m_seconds.push_back(std::max(LEAST_SECONDS, seconds));
}

void
PlanRegression::Fit()
{
    const auto rows = static_cast<Eigen::Index>(m_rows.size());
    const auto width = static_cast<Eigen::Index>(m_rows.front().size());
    Eigen::MatrixXd left = Eigen::MatrixXd::Zero(rows + width, width);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(rows + width);
    for (Eigen::Index i = 0; i < rows; ++i)
    {
        // Divided by the plan's own time, so that errors are relative.
        for (Eigen::Index j = 0; j < width; ++j)
        {
            left(i, j) = m_rows[i][j] * m_unit / m_seconds[i];
        }
        right(i) = 1;
    }
    for (Eigen::Index j = 0; j < width; ++j)
    {
        left(rows + j, j) = RIDGE * std::max(1.0, left.col(j).head(rows).norm());
    }
    const Eigen::VectorXd weights = left.colPivHouseholderQr().solve(right);
    m_weights.assign(weights.data(), weights.data() + width);
}

double
PlanRegression::PredictSeconds(const PipelinePlan& plan) const
{
    const auto figures = Describe(plan);
    double seconds = 0;
    for (std::size_t j = 0; j < figures.size(); ++j)
    {
        seconds += m_weights[j] * figures[j] * m_unit;
    }
    return std::max(LEAST_SECONDS, seconds);
}

} // namespace ns3::edgepipe
