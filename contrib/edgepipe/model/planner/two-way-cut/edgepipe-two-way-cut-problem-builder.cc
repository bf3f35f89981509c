/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem-builder.h"

#include "ns3/edgepipe-input-error.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param cost costs of a model
 * @throws InputError if they are not for single samples
 */
void
CheckBatch(const LayerCost& cost)
{
    Require(cost.batch == 1,
            cost.source + ": costs are of batches of " + std::to_string(cost.batch) +
                ", expected 1, a frame");
}

} // namespace

TwoWayCutProblem
BuildTwoWayCutProblem(const DnnGraph& graph,
                      const LayerCost& device,
                      const LayerCost& server,
                      const TwoWayLink& link,
                      const TwoWayEncoding& encoding)
{
    CheckBatch(device);
    CheckBatch(server);
    TwoWayCutProblem problem;
    problem.model = graph.name;
    problem.uplinkBitsPerSecond = link.uplinkBitsPerSecond;
    problem.downlinkBitsPerSecond = link.downlinkBitsPerSecond;
    const bool hasIsolated =
        !device.isolatedForwardSeconds.empty() && !server.isolatedForwardSeconds.empty();
    for (std::size_t i = 0; i < graph.layers.size(); ++i)
    {
        const DnnLayer& layer = graph.layers[i];
        const uint64_t bytes = layer.GetSentBytes(
            layer.inputs.empty() ? encoding.frameBytesPerElement : encoding.tensorBytesPerElement);
        problem.inputBytes += layer.inputs.empty() ? bytes : 0;
        problem.layers.Edit().push_back({layer.name,
                                         layer.inputs,
                                         bytes,
                                         device.forwardSeconds[i],
                                         server.forwardSeconds[i],
                                         static_cast<double>(layer.flop)});
        if (hasIsolated)
        {
            problem.isolated.Edit().push_back(
                {device.isolatedForwardSeconds[i], server.isolatedForwardSeconds[i]});
        }
    }
    ValidateTwoWayCutProblem(problem);
    return problem;
}

void
SetPredictedSeconds(TwoWayCutProblem& problem,
                    const std::vector<double>& deviceSeconds,
                    const std::vector<double>& serverSeconds)
{
    const std::size_t count = problem.layers.size();
    Require(deviceSeconds.size() == count && serverSeconds.size() == count,
            "predicted seconds: found " + std::to_string(deviceSeconds.size()) +
                " for the device and " + std::to_string(serverSeconds.size()) +
                " for the server, expected one for each of " + std::to_string(count) + " layers");
    problem.predicted = {};
    for (std::size_t i = 0; i < count; ++i)
    {
        problem.predicted.Edit().push_back({deviceSeconds[i], serverSeconds[i]});
    }
    ValidateTwoWayCutProblem(problem);
}

} // namespace ns3::edgepipe
