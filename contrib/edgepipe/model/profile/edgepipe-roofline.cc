/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-roofline.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param operatorName an operator
 * @param efficiency the device's efficiencies
 * @return the efficiency that applies; 0 for an operator bound by memory alone
 */
double
GetEfficiency(const std::string& operatorName, const OperatorEfficiency& efficiency)
{
    if (operatorName == "conv2d")
    {
        return efficiency.convolution;
    }
    if (operatorName == "grouped_conv2d")
    {
        return efficiency.groupedConvolution;
    }
    if (operatorName == "depthwise_conv2d")
    {
        return efficiency.depthwiseConvolution;
    }
    return operatorName == "linear" ? efficiency.linear : 0;
}

} // namespace

LayerCost
EstimateLayerCosts(const DnnGraph& graph, const DeviceSpec& spec, uint32_t batch, PassKind kind)
{
    const OperatorEfficiency& efficiencies =
        kind == PassKind::TRAINING ? spec.training : spec.inference;
    LayerCost cost;
    cost.model = graph.name;
    cost.device = spec.name;
    cost.origin = "estimated";
    cost.source = "roofline of device " + spec.name;
    cost.batch = batch;
    for (const DnnLayer& layer : graph.layers)
    {
        double forward = 0;
        double backward = 0;
        if (layer.operatorName != "input")
        {
            double bytesPerSample = static_cast<double>(layer.outputBytes);
            for (std::size_t input : layer.inputs)
            {
                bytesPerSample += static_cast<double>(graph.layers[input].outputBytes);
            }
            double bytes = batch * bytesPerSample + static_cast<double>(layer.parameterBytes);
            double seconds = bytes / spec.memoryBandwidthBytesPerSecond;
            double efficiency = GetEfficiency(layer.operatorName, efficiencies);
            if (efficiency > 0)
            {
                double flop = static_cast<double>(layer.flop) * batch;
                seconds = std::max(seconds, flop / (efficiency * spec.peakFlopPerSecond));
            }
            forward = spec.layerOverheadSeconds + seconds;
            backward = kind == PassKind::TRAINING ? spec.layerOverheadSeconds + 2 * seconds : 0;
        }
        cost.forwardSeconds.push_back(forward);
        cost.backwardSeconds.push_back(backward);
        cost.fixedSeconds.push_back(layer.operatorName == "input" ? 0 : spec.layerOverheadSeconds);
    }
    cost.isolatedForwardSeconds = cost.forwardSeconds;
    cost.isolatedBackwardSeconds = cost.backwardSeconds;
    return cost;
}

} // namespace edgepipe
} // namespace ns3
