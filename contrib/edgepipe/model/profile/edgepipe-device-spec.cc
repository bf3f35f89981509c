/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-device-spec.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/// What a device file calls classes of operators, and a model its operators.
const std::vector<const char*> OPERATOR_KEYS{"convolution",
                                             "groupedConvolution",
                                             "depthwiseConvolution",
                                             "linear"};
constexpr const char* OPERATOR_NAMES[] = {"conv2d", "grouped_conv2d", "depthwise_conv2d", "linear"};

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
 * Refuses an object that has other keys, and notes those that it lacks.
 * @param object the object
 * @param keys what it must have
 * @param missing gets those that are missing, each behind the prefix
 * @param prefix where the object stands
 */
void
CheckKeys(const JsonField& object,
          const std::vector<const char*>& keys,
          std::vector<std::string>& missing,
          const std::string& prefix = "")
{
    object.CheckKeys(keys);
    for (const auto* key : keys)
    {
        if (!object.FindField(key))
        {
            missing.push_back(prefix + key);
        }
    }
}

/**
 * @param parent the object that holds the efficiencies
 * @param key "inference" or "training"
 * @return the efficiencies
 */
OperatorEfficiency
ReadEfficiency(const JsonField& parent, const std::string& key)
{
    const JsonField field = parent.GetField(key);
    OperatorEfficiency efficiency;
    for (std::size_t i = 0; i < OPERATOR_KEYS.size(); ++i)
    {
        efficiency[OPERATOR_NAMES[i]] = GetFigure(field, OPERATOR_KEYS[i]).GetPositiveNumber();
    }
    return efficiency;
}

} // namespace

bool
DeviceSpec::operator==(const DeviceSpec& other) const
{
    const auto tie = [](const DeviceSpec& spec) {
        return std::tie(spec.name,
                        spec.peakFlopPerSecond,
                        spec.memoryBytes,
                        spec.memoryBandwidthBytesPerSecond,
                        spec.idleWatts,
                        spec.loadWatts,
                        spec.layerOverheadSeconds,
                        spec.inference,
                        spec.training);
    };
    return tie(*this) == tie(other);
}

std::size_t
AddDeviceType(std::vector<DeviceSpec>& types, const DeviceSpec& spec)
{
    const auto known = std::find_if(types.begin(), types.end(), [&spec](const auto& other) {
        return other.name == spec.name;
    });
    const std::size_t place = known - types.begin();
    if (known == types.end())
    {
        types.push_back(spec);
    }
    else if (!(*known == spec))
    {
        throw InputError("device type " + QuoteForMessage(spec.name) +
                         ": found two with different figures, expected a name for each");
    }
    return place;
}

DeviceSpec
ReadDeviceSpec(const std::string& path)
{
    JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-device 1");
    std::vector<std::string> missing;
    CheckKeys(root,
              {"format",
               "name",
               "description",
               "peakFlopPerSecond",
               "memoryBytes",
               "memoryBandwidthBytesPerSecond",
               "idleWatts",
               "loadWatts",
               "layerOverheadSeconds",
               "efficiency"},
              missing);
    if (const auto efficiency = root.FindField("efficiency"))
    {
        CheckKeys(*efficiency, {"inference", "training"}, missing, "efficiency.");
        for (const std::string mode : {"inference", "training"})
        {
            if (const auto field = efficiency->FindField(mode))
            {
                CheckKeys(*field, OPERATOR_KEYS, missing, "efficiency." + mode + ".");
            }
        }
    }
    if (!missing.empty())
    {
        root.FailWith("missing " + JoinWords(missing) +
                      "; traces/capture/device_figures.py measures and writes a whole file");
    }
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
    spec.inference = ReadEfficiency(efficiency, "inference");
    spec.training = ReadEfficiency(efficiency, "training");
    return spec;
}

} // namespace ns3::edgepipe
