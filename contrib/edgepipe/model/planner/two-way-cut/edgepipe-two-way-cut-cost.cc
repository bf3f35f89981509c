/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-cost.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

namespace ns3::edgepipe
{

std::vector<bool>
FindReadLayers(const TwoWayCutProblem& problem)
{
    std::vector<bool> isRead(problem.layers.size(), false);
    for (const TwoWayCutLayer& layer : problem.layers)
    {
        for (const std::size_t input : layer.inputs)
        {
            isRead[input] = true;
        }
    }
    return isRead;
}

void
CheckTwoWayCut(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan)
{
    const std::size_t count = problem.layers.size();
    if (plan.isOnDevice.size() != count)
    {
        throw InputError("the plan places " + std::to_string(plan.isOnDevice.size()) +
                         " layers, expected " + std::to_string(count));
    }
    for (std::size_t i = 0; i < count; ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        for (const std::size_t input : layer.inputs)
        {
            if (plan.isOnDevice[i] && !plan.isOnDevice[input])
            {
                throw InputError("layer " + QuoteForMessage(layer.name) +
                                 " is on the device and reads " +
                                 QuoteForMessage(problem.layers[input].name) + " on the server");
            }
        }
    }
}

TwoWayCutCrossing
FindCrossing(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan)
{
    CheckTwoWayCut(problem, plan);
    std::vector<bool> isSent(problem.layers.size(), false);
    TwoWayCutCrossing crossing;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        if (plan.isOnDevice[i])
        {
            continue;
        }
        const std::vector<std::size_t>& inputs = problem.layers[i].inputs;
        crossing.isInputSent = crossing.isInputSent || inputs.empty();
        for (const std::size_t input : inputs)
        {
            if (plan.isOnDevice[input] && !isSent[input])
            {
                isSent[input] = true;
                crossing.layers.push_back(input);
            }
        }
    }
    return crossing;
}

TwoWayCutCost
EvaluateTwoWayCut(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan)
{
    const TwoWayCutCrossing crossing = FindCrossing(problem, plan);
    const std::vector<bool> isRead = FindReadLayers(problem);
    TwoWayCutCost cost;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        if (plan.isOnDevice[i])
        {
            cost.deviceSeconds += layer.deviceSeconds;
            continue;
        }
        cost.serverSeconds += layer.serverSeconds;
        cost.downlinkBytes += isRead[i] ? 0 : layer.outputBytes;
    }
    cost.uplinkBytes = crossing.isInputSent ? problem.inputBytes : 0;
    for (const std::size_t layer : crossing.layers)
    {
        cost.uplinkBytes += problem.layers[layer].outputBytes;
    }
    cost.transferSeconds = static_cast<double>(cost.uplinkBytes) * 8 / problem.uplinkBitsPerSecond +
                           GetResultSeconds(problem, cost.downlinkBytes);
    const bool isSplit = crossing.isInputSent || !crossing.layers.empty();
    cost.delaySeconds = isSplit ? GetMessageSeconds(problem) : 0;
    cost.latencySeconds =
        cost.deviceSeconds + cost.serverSeconds + cost.transferSeconds + cost.delaySeconds;
    return cost;
}

} // namespace ns3::edgepipe
