/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-defp-as-printed-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(DefpAsPrintedPlanner);

TypeId
DefpAsPrintedPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::DefpAsPrintedPlanner")
                            .SetParent<DefpPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<DefpAsPrintedPlanner>();
    return tid;
}

std::string
DefpAsPrintedPlanner::GetName() const
{
    return "defp-as-printed";
}

DefpRules
DefpAsPrintedPlanner::GetRules() const
{
    DefpRules rules;
    rules.margin = 0;
    rules.mostReruns = 0;
    rules.replayPairs = 0;
    return rules;
}

} // namespace edgepipe
} // namespace ns3
