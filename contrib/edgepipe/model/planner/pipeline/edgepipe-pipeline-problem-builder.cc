/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-problem-builder.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-training-memory.h"

#include <limits>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param bytes bytes per sample
 * @param samples how many samples
 * @param layer name of the layer, for messages
 * @return bytes of all samples
 */
uint64_t
ScaleBytes(uint64_t bytes, uint32_t samples, const std::string& layer)
{
    Require(bytes <= std::numeric_limits<uint64_t>::max() / samples,
            "layer \"" + layer + "\": " + std::to_string(samples) + " samples of " +
                std::to_string(bytes) + " bytes do not fit 64 bits");
    return bytes * samples;
}

/**
 * @param cost of layers
 * @param recomputes whether backward passes begin with a forward pass
 * @return time of the backward pass by layer, seconds
 */
std::vector<double>
FindBackwardSeconds(const LayerCost& cost, bool recomputes)
{
    std::vector<double> seconds = cost.backwardSeconds;
    for (std::size_t i = 0; recomputes && i < seconds.size(); ++i)
    {
        seconds[i] += cost.forwardSeconds[i];
    }
    return seconds;
}

} // namespace

PipelineProblem
BuildPipelineProblem(const DnnGraph& graph,
                     const Cluster& cluster,
                     const std::map<std::string, LayerCost>& costs,
                     uint32_t microBatchSize,
                     uint32_t microBatches,
                     double bandwidthBitsPerSecond)
{
    Require(microBatchSize > 0, "micro-batch size: found 0, expected a positive integer");
    PipelineProblem problem;
    problem.model = graph.name;
    problem.microBatches = microBatches;
    problem.bandwidthBitsPerSecond = bandwidthBitsPerSecond;
    const auto memory = CreateObject<TrainingMemory>();
    problem.optimizerStates = memory->GetOptimizerStates();
    problem.recomputes = memory->Recomputes();
    for (const DnnLayer& layer : graph.layers)
    {
        problem.layers.push_back({layer.name,
                                  layer.inputs,
                                  ScaleBytes(layer.outputBytes, microBatchSize, layer.name),
                                  layer.parameterBytes,
                                  ScaleBytes(layer.activationBytes, microBatchSize, layer.name),
                                  layer.tied});
    }
    problem.memoryMargin = memory->GetMargin();
    for (const ClusterDevice& device : cluster.devices)
    {
        const auto bytes = static_cast<double>(device.memoryBytes) * (1 - problem.memoryMargin);
        problem.devices.push_back({device.name, device.type, static_cast<uint64_t>(bytes)});
    }
    for (const auto& [type, cost] : costs)
    {
        Require(cost.batch == microBatchSize,
                cost.source + ": costs are of batches of " + std::to_string(cost.batch) +
                    ", expected " + std::to_string(microBatchSize) + ", the micro-batch size");
        problem.costs[type] = {cost.forwardSeconds,
                               FindBackwardSeconds(cost, problem.recomputes),
                               cost.fixedSeconds};
    }
    ValidatePipelineProblem(problem);
    return problem;
}

void
AddPartCosts(PipelineProblem& problem,
             uint32_t microBatchSize,
             const std::function<std::map<std::string, LayerCost>(uint32_t)>& find)
{
    problem.microBatchSamples = microBatchSize;
    for (uint64_t samples = 1; samples < microBatchSize; samples *= 2)
    {
        for (const auto& [type, cost] : find(samples))
        {
            problem.costs.at(type).parts.push_back({static_cast<uint32_t>(samples),
                                                    cost.forwardSeconds,
                                                    FindBackwardSeconds(cost, problem.recomputes)});
        }
    }
    ValidatePipelineProblem(problem);
}

} // namespace ns3::edgepipe
