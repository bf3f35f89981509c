/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem-builder.h"

#include "ns3/edgepipe-input-error.h"

namespace ns3::edgepipe
{

MultiActorModel
BuildMultiActorModel(const DnnGraph& graph, double serverFlopPerSecond)
{
    const std::size_t count = graph.layers.size();
    std::vector<std::size_t> lastReader(count, 0);
    for (std::size_t i = 0; i < count; ++i)
    {
        for (const std::size_t input : graph.layers[i].inputs)
        {
            lastReader[input] = i;
        }
    }
    MultiActorModel model;
    model.name = graph.name;
    model.serverFlopPerSecond = serverFlopPerSecond;
    std::vector<uint64_t> ending(count, 0);
    uint64_t alive = 0;
    uint64_t result = 0;
    const auto makeTensor = [&](std::size_t layer) {
        const uint64_t bytes = graph.layers[layer].outputBytes;
        if (lastReader[layer] == 0)
        {
            result += bytes;
            return;
        }
        alive += bytes;
        ending[lastReader[layer]] += bytes;
    };
    for (std::size_t i = 0; i < count; ++i)
    {
        if (graph.layers[i].operatorName == "input")
        {
            makeTensor(i);
        }
    }
    model.outputBytes.push_back(alive);
    for (std::size_t i = 0; i < count; ++i)
    {
        if (graph.layers[i].operatorName != "input")
        {
            alive -= ending[i];
            makeTensor(i);
            model.layerFlop.push_back(graph.layers[i].flop);
            model.outputBytes.push_back(alive);
        }
    }
    model.outputBytes.back() = result;
    ValidateMultiActorModel(model);
    return model;
}

std::vector<double>
ListLayerSeconds(const LayerCost& cost, const DnnGraph& graph)
{
    std::vector<double> seconds;
    for (std::size_t i = 0; i < graph.layers.size(); ++i)
    {
        if (graph.layers[i].operatorName != "input")
        {
            seconds.push_back(cost.forwardSeconds[i]);
        }
    }
    return seconds;
}

double
GetModelSpeed(const LayerCost& cost, const DnnGraph& graph)
{
    double flop = 0;
    for (const auto& layer : graph.layers)
    {
        flop += static_cast<double>(layer.flop) * cost.batch;
    }
    const double seconds = cost.GetSeconds();
    if (flop == 0 || seconds <= 0)
    {
        throw InputError("model " + graph.name + ": found no FLOP, or layers that take no time " +
                         "on " + cost.device + ", expected a speed");
    }
    return flop / seconds;
}

} // namespace ns3::edgepipe
