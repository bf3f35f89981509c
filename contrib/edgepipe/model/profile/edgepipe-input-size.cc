/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-input-size.h"

#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns3
{
namespace edgepipe
{

uint32_t
ReadInputSide(const std::string& path)
{
    const JsonField shape = ReadJsonFile(path).GetField("inputShape");
    const std::vector<JsonField> extents = shape.GetElements();
    if (extents.size() != 3)
    {
        shape.Fail("channels, height and width");
    }
    return extents.back().GetInteger(1, UINT32_MAX);
}

DnnGraph
ScaleInput(const DnnGraph& graph, uint32_t from, uint32_t to)
{
    DnnGraph scaled = graph;
    scaled.name += "-" + std::to_string(to) + "px";
    const double area = static_cast<double>(to) / from * to / from;
    const auto scale = [area](uint64_t& figure) {
        figure = static_cast<uint64_t>(std::llround(static_cast<double>(figure) * area));
    };
    std::vector<bool> isFlat;
    for (DnnLayer& layer : scaled.layers)
    {
        isFlat.push_back(layer.operatorName == "linear" || layer.operatorName == "flatten" ||
                         std::any_of(layer.inputs.begin(),
                                     layer.inputs.end(),
                                     [&isFlat](std::size_t input) { return isFlat[input]; }));
        if (!isFlat.back())
        {
            scale(layer.flop);
            scale(layer.outputBytes);
            scale(layer.activationBytes);
        }
    }
    return scaled;
}

} // namespace edgepipe
} // namespace ns3
