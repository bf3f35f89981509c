/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-planner.h"

namespace ns3::edgepipe
{

/** Runs every layer on the server, whatever that costs. */
class CloudOnlyPlanner : public Named<CloudOnlyPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "cloud-only"; //!< for users

    bool CanPlanFor(TwoWayCutObjective) const override
    {
        return true;
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        return {std::vector<bool>(problem.layers.size(), false)};
    }
};

NS_OBJECT_ENSURE_REGISTERED(CloudOnlyPlanner);

/** Runs every layer on the device, whatever that costs. */
class EdgeOnlyPlanner : public Named<EdgeOnlyPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "edge-only"; //!< for users

    bool CanPlanFor(TwoWayCutObjective) const override
    {
        return true;
    }

    bool MayUseLink() const override
    {
        return false;
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        return {std::vector<bool>(problem.layers.size(), true)};
    }
};

NS_OBJECT_ENSURE_REGISTERED(EdgeOnlyPlanner);

} // namespace ns3::edgepipe
