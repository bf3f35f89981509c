/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-plan-budget.h"

#include "ns3/assert.h"

namespace ns3
{
namespace edgepipe
{

PlanBudget::PlanBudget(const PipelineCostModel& costModel, uint64_t most)
    : m_costModel(costModel),
      m_most(most)
{
}

uint64_t
PlanBudget::GetLeft() const
{
    return m_most - m_evaluations;
}

uint64_t
PlanBudget::GetEvaluations() const
{
    return m_evaluations;
}

double
PlanBudget::GetShare() const
{
    return static_cast<double>(m_evaluations) / static_cast<double>(m_most);
}

double
PlanBudget::Evaluate(const PipelinePlan& plan)
{
    const double seconds = Consider(plan);
    if (seconds < m_bestSeconds)
    {
        m_bestSeconds = seconds;
        m_best = plan;
    }
    return seconds;
}

double
PlanBudget::Consider(const PipelinePlan& plan)
{
    NS_ASSERT_MSG(GetLeft() > 0, "the budget is spent");
    ++m_evaluations;
    return m_costModel.IterationSeconds(plan);
}

const PipelinePlan&
PlanBudget::GetBest() const
{
    return m_best;
}

} // namespace edgepipe
} // namespace ns3
