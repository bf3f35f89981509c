/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ALL_SERVER_PLANNER_H
#define EDGEPIPE_ALL_SERVER_PLANNER_H

#include "edgepipe-multi-actor-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * The server runs all layers for every actor, y = 0, as in Seed-RL (L. Espeholt et al., ICLR 2020),
 * whatever the budgets are: it does not keep them.
 */
class AllServerPlanner : public MultiActorPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

    bool KeepsBudgets() const override;

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ALL_SERVER_PLANNER_H */
