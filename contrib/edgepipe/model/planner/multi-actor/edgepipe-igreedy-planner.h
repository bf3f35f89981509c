/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_IGREEDY_PLANNER_H
#define EDGEPIPE_IGREEDY_PLANNER_H

#include "edgepipe-multi-actor-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * The incremental greedy algorithm of the paper that MultiActorProblem names: every actor that
 * joins takes its best response to what is free (eq. 25), and nobody ever gives anything back.
 */
class IgreedyPlanner : public MultiActorPlanner
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

#endif /* EDGEPIPE_IGREEDY_PLANNER_H */
