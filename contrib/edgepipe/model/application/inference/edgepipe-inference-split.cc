/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-split.h"

#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-two-way-cut-cost.h"

namespace ns3
{
namespace edgepipe
{

InferenceSplit
MakeInferenceSplit(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan)
{
    const TwoWayCutCost cost = EvaluateTwoWayCut(problem, plan);
    InferenceSplit split{plan, cost.deviceSeconds, cost.serverSeconds, {}, cost.downlinkBytes};
    const TwoWayCutCrossing crossing = FindCrossing(problem, plan);
    if (crossing.isInputSent)
    {
        split.uplink.push_back({InferenceTag::INPUT, problem.inputBytes});
    }
    for (const std::size_t layer : crossing.layers)
    {
        split.uplink.push_back({static_cast<uint32_t>(layer), problem.layers[layer].outputBytes});
    }
    return split;
}

} // namespace edgepipe
} // namespace ns3
