/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-defp-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Algorithm 1 of the paper that MultiActorProblem names and nothing else: DefpPlanner without a
 * margin, re-runs and replays, whatever its attributes say of these.
 */
class DefpAsPrintedPlanner : public DefpPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::DefpAsPrintedPlanner")
                                .SetParent<DefpPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<DefpAsPrintedPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "defp-as-printed";
    }

    DefpRules GetRules() const override
    {
        DefpRules rules;
        rules.margin = 0;
        rules.mostReruns = 0;
        rules.replayPairs = 0;
        return rules;
    }
};

NS_OBJECT_ENSURE_REGISTERED(DefpAsPrintedPlanner);

} // namespace edgepipe
} // namespace ns3
