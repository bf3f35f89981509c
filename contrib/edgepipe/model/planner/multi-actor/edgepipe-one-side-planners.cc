/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

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
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::AllLocalPlanner")
                                .SetParent<MultiActorPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<AllLocalPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "all-local";
    }

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        return {std::vector<std::size_t>(problem.actors.size(), problem.model.layerFlop.size())};
    }
};

NS_OBJECT_ENSURE_REGISTERED(AllLocalPlanner);

/**
 * The server runs all layers for every actor, y = 0, as in Seed-RL (L. Espeholt et al., ICLR 2020),
 * whatever the budgets are: it does not keep them.
 */
class AllServerPlanner : public MultiActorPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::AllServerPlanner")
                                .SetParent<MultiActorPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<AllServerPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "all-server";
    }

    bool KeepsBudgets() const override
    {
        return false;
    }

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        return {std::vector<std::size_t>(problem.actors.size(), 0)};
    }
};

NS_OBJECT_ENSURE_REGISTERED(AllServerPlanner);

} // namespace edgepipe
} // namespace ns3
