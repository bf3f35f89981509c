/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MILP_PLANNER_H
#define EDGEPIPE_MILP_PLANNER_H

#include "edgepipe-multi-actor-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * The best plan of all: the multiple-choice knapsack problem with two resources (eq. 17 to 21 of
 * the paper that MultiActorProblem names), solved by branch and cut.
 *
 * An actor chooses at most one of the cuts that save it something (ListUsefulMultiActorCuts), so
 * there are as many 0/1 variables as such cuts. Time grows exponentially in the worst case. A build
 * without COIN-OR CBC has this planner too; it then refuses every problem.
 */
class MilpPlanner : public MultiActorPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override;

    double m_relativeGap; //!< share of the best total that may be missed
    double m_mostSeconds; //!< limit of the search
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MILP_PLANNER_H */
