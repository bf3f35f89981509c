/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_OGREEDY_PLANNER_H
#define EDGEPIPE_OGREEDY_PLANNER_H

#include "edgepipe-multi-actor-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * The offline greedy algorithm of the paper that MultiActorProblem names, which does not spell it
 * out: of all cuts of all actors it takes that first which saves most per unit of the scarcer
 * resource, if it fits and its actor has none yet.
 *
 * Scarcer is the resource of which all actors' best cuts (eq. 7) together take the larger share of
 * its budget.
 */
class OgreedyPlanner : public MultiActorPlanner
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

#endif /* EDGEPIPE_OGREEDY_PLANNER_H */
