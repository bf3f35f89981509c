/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLAN_BUDGET_H
#define EDGEPIPE_PLAN_BUDGET_H

#include "ns3/edgepipe-pipeline-cost-model.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace edgepipe
{

/** How many plans a planner may ask the cost model about, and the best that it asked about. */
class PlanBudget
{
  public:
    /**
     * @param costModel the cost model; must outlive this object
     * @param most plans that may be looked at, at least 1
     */
    PlanBudget(const PipelineCostModel& costModel, uint64_t most);

    /** @return how many plans may still be looked at */
    uint64_t GetLeft() const;

    /** @return how many plans were looked at */
    uint64_t GetEvaluations() const;

    /** @return the share of the budget that is spent, 0 to 1 */
    double GetShare() const;

    /**
     * Looks at a plan, and counts that.
     *
     * @param plan a plan that CheckPlan accepts; GetLeft must be above 0
     * @return seconds of one iteration
     */
    double Evaluate(const PipelinePlan& plan);

    /**
     * As Evaluate, for a plan that is no candidate.
     *
     * @param plan a plan that CheckPlan accepts; GetLeft must be above 0
     * @return seconds of one iteration
     */
    double Consider(const PipelinePlan& plan);

    /** @return the fastest plan looked at, those apart that are no candidates */
    const PipelinePlan& GetBest() const;

  private:
    const PipelineCostModel& m_costModel;                          //!< the cost model
    uint64_t m_most;                                               //!< plans that may be looked at
    uint64_t m_evaluations{0};                                     //!< plans that were
    PipelinePlan m_best;                                           //!< the fastest of them
    double m_bestSeconds{std::numeric_limits<double>::infinity()}; //!< its iteration time
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PLAN_BUDGET_H */
