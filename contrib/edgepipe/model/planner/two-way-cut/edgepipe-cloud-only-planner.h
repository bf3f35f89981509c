/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CLOUD_ONLY_PLANNER_H
#define EDGEPIPE_CLOUD_ONLY_PLANNER_H

#include "edgepipe-two-way-cut-planner.h"

namespace ns3
{
namespace edgepipe
{

/** Runs every layer on the server, whatever that costs. */
class CloudOnlyPlanner : public TwoWayCutPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    bool CanPlanFor(TwoWayCutObjective objective) const override;

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CLOUD_ONLY_PLANNER_H */
