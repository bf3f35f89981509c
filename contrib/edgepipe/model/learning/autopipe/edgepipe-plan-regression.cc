/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-plan-regression.h"

#include <Eigen/QR>

namespace ns3::edgepipe
{

namespace
{

/// Weight of the ridge, which determines the weights of figures that never change.
constexpr double RIDGE = 1e-4;

} // namespace

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

} // namespace ns3::edgepipe
