/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ALL_LOCAL_PLANNER_H
#define EDGEPIPE_ALL_LOCAL_PLANNER_H

#include "edgepipe-multi-actor-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Every actor runs all layers, y = K, as in IMPALA (L. Espeholt et al., ICML 2018): the server only
 * learns.
 */
class AllLocalPlanner : public MultiActorPlanner
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
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ALL_LOCAL_PLANNER_H */
