/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-planner.h"

namespace ns3
{
namespace edgepipe
{

/** Runs every layer on the server, whatever that costs. */
class CloudOnlyPlanner : public TwoWayCutPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::CloudOnlyPlanner")
                                .SetParent<TwoWayCutPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<CloudOnlyPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "cloud-only";
    }

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
class EdgeOnlyPlanner : public TwoWayCutPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::EdgeOnlyPlanner")
                                .SetParent<TwoWayCutPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<EdgeOnlyPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "edge-only";
    }

    bool CanPlanFor(TwoWayCutObjective) const override
    {
        return true;
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        return {std::vector<bool>(problem.layers.size(), true)};
    }
};

NS_OBJECT_ENSURE_REGISTERED(EdgeOnlyPlanner);

} // namespace edgepipe
} // namespace ns3
