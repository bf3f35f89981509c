/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-device-spec.h"

#include "ns3/edgepipe-json-reader.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param parent the object that holds the figure
 * @param key the figure's key
 * @return the figure's value; a figure must also say its source
 */
JsonField
GetFigure(const JsonField& parent, const std::string& key)
{
    JsonField figure = parent.GetField(key);
    figure.CheckKeys({"value", "source"});
    figure.GetField("source").GetName();
    return figure.GetField("value");
}

/**
 * @param parent the object that holds the efficiencies
 * @param key "inference" or "training"
 * @return the efficiencies
 */
OperatorEfficiency
ReadEfficiency(const JsonField& parent, const std::string& key)
{
    JsonField field = parent.GetField(key);
    field.CheckKeys({"convolution", "groupedConvolution", "depthwiseConvolution", "linear"});
    OperatorEfficiency efficiency;
    efficiency.convolution = GetFigure(field, "convolution").GetPositiveNumber();
    efficiency.groupedConvolution = GetFigure(field, "groupedConvolution").GetPositiveNumber();
    efficiency.depthwiseConvolution = GetFigure(field, "depthwiseConvolution").GetPositiveNumber();
    efficiency.linear = GetFigure(field, "linear").GetPositiveNumber();
    return efficiency;
}

} // namespace

DeviceSpec
ReadDeviceSpec(const std::string& path)
{
    JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-device 1");
    root.CheckKeys({"format",
                    "name",
                    "description",
                    "peakFlopPerSecond",
                    "memoryBytes",
                    "memoryBandwidthBytesPerSecond",
                    "idleWatts",
                    "loadWatts",
                    "layerOverheadSeconds",
                    "efficiency"});
    DeviceSpec spec;
    spec.name = root.GetField("name").GetFileStem();
    spec.description = root.GetField("description").GetString();
    spec.peakFlopPerSecond = GetFigure(root, "peakFlopPerSecond").GetPositiveNumber();
    spec.memoryBytes = GetFigure(root, "memoryBytes").GetInteger(1);
    spec.memoryBandwidthBytesPerSecond =
        GetFigure(root, "memoryBandwidthBytesPerSecond").GetPositiveNumber();
    spec.idleWatts = GetFigure(root, "idleWatts").GetNumber(0);
    spec.loadWatts = GetFigure(root, "loadWatts").GetNumber(0);
    spec.layerOverheadSeconds = GetFigure(root, "layerOverheadSeconds").GetNumber(0);
    JsonField efficiency = root.GetField("efficiency");
    efficiency.CheckKeys({"inference", "training"});
    spec.inference = ReadEfficiency(efficiency, "inference");
    spec.training = ReadEfficiency(efficiency, "training");
    return spec;
}

} // namespace edgepipe
} // namespace ns3
