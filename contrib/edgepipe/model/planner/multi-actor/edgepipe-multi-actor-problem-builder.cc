/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem-builder.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-training-memory.h"

namespace ns3::edgepipe
{

MultiActorModel
BuildMultiActorModel(const DnnGraph& graph, double serverFlopPerSecond)
{
    std::vector<bool> isRead(graph.layers.size(), false);
    for (const DnnLayer& layer : graph.layers)
    {
        for (const std::size_t input : layer.inputs)
        {
            isRead[input] = true;
        }
    }
    uint64_t result = 0;
    uint64_t given = 0; // by layers with operator "input" that are yet to come
    for (std::size_t i = 0; i < graph.layers.size(); ++i)
    {
        const DnnLayer& layer = graph.layers[i];
        given += isRead[i] && layer.operatorName == "input" ? layer.outputBytes : 0;
        result += isRead[i] ? 0 : layer.outputBytes;
    }
    MultiActorModel model;
    model.name = graph.name;
    model.serverFlopPerSecond = serverFlopPerSecond;
    model.outputBytes.push_back(given);
    const std::vector<uint64_t> cuts = FindCutBytes(graph.layers);
    for (std::size_t i = 0; i < graph.layers.size(); ++i)
    {
        const DnnLayer& layer = graph.layers[i];
        if (layer.operatorName == "input")
        {
            given -= isRead[i] ? layer.outputBytes : 0;
            continue;
        }
        model.layerFlop.push_back(layer.flop);
        model.outputBytes.push_back(cuts[i] + given);
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
    Require(flop > 0 && seconds > 0,
            "model " + graph.name + ": found no FLOP, or layers that take no time on " +
                cost.device + ", expected a speed");
    return flop / seconds;
}

} // namespace ns3::edgepipe
