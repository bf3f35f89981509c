/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cost-provider.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

namespace ns3::edgepipe
{

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
            const auto efficiency = efficiencies.find(layer.operatorName);
            if (efficiency != efficiencies.end())
            {
                double flop = static_cast<double>(layer.flop) * batch;
                seconds = std::max(seconds, flop / (efficiency->second * spec.peakFlopPerSecond));
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

namespace
{

namespace fs = std::filesystem;

/**
 * Refuse a type that would get the profile of another by its name.
 *
 * @param tracesDirectory the traces folder
 * @param spec a type with a profile there
 * @throws InputError if the type of that name there is another
 */
void
CheckIsProfiled(const std::string& tracesDirectory, const DeviceSpec& spec)
{
    const auto file = fs::path(tracesDirectory) / "devices" / (spec.name + ".json");
    std::error_code error;
    Require(!fs::exists(file, error) || ReadDeviceSpec(file.string()) == spec,
            "device type " + QuoteForMessage(spec.name) + ": found other figures than those of " +
                file.string() + ", which has been profiled, expected another name");
}

/**
 * @param folder that holds a device type's profiles
 * @param model name of a model
 * @return the batches it is profiled at, and the files
 */
std::map<uint32_t, fs::path>
ListProfiles(const fs::path& folder, const std::string& model)
{
    std::map<uint32_t, fs::path> files;
    const std::string begin = model + ".b";
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
    {
        const std::string stem = entry.path().stem().string();
        if (entry.path().extension() != ".csv" || stem.rfind(begin, 0) != 0)
        {
            continue;
        }
        uint32_t batch = 0;
        const char* last = stem.data() + stem.size();
        const auto [end, error] = std::from_chars(stem.data() + begin.size(), last, batch);
        if (error == std::errc() && end == last && batch > 0)
        {
            files[batch] = entry.path();
        }
    }
    return files;
}

/**
 * @param tracesDirectory the traces folder
 * @param graph the model
 * @param spec a device type
 * @param profile its batch, and the file
 * @param kind of pass
 * @return what the profile says
 * @throws InputError if it cannot be used
 */
LayerCost
ReadProfile(const std::string& tracesDirectory,
            const DnnGraph& graph,
            const DeviceSpec& spec,
            const std::pair<const uint32_t, fs::path>& profile,
            PassKind kind)
{
    const auto& [batch, file] = profile;
    CheckIsProfiled(tracesDirectory, spec);
    LayerCost cost = ReadLayerProfile(file.string(), graph);
    cost.source = file.lexically_relative(tracesDirectory).string();
    Require(cost.device == spec.name,
            file.string() + ": device: found " + QuoteForMessage(cost.device) + ", expected " +
                QuoteForMessage(spec.name));
    Require(cost.batch == batch,
            file.string() + ": batch: found " + std::to_string(cost.batch) + ", expected " +
                std::to_string(batch));
    const auto isZero = [](double seconds) { return seconds == 0; };
    Require(kind != PassKind::TRAINING ||
                !std::all_of(cost.backwardSeconds.begin(), cost.backwardSeconds.end(), isZero) ||
                std::all_of(cost.forwardSeconds.begin(), cost.forwardSeconds.end(), isZero),
            file.string() + ": backwardSeconds: found 0 for every layer, expected "
                            "a profile with the backward pass to train with");
    if (kind == PassKind::INFERENCE)
    {
        std::fill(cost.backwardSeconds.begin(), cost.backwardSeconds.end(), 0);
        std::fill(cost.isolatedBackwardSeconds.begin(), cost.isolatedBackwardSeconds.end(), 0);
    }
    return cost;
}

/**
 * @param below costs of a batch
 * @param above costs of a larger one
 * @param batch in between
 * @return its costs, every layer's on the line through both
 */
LayerCost
Interpolate(const LayerCost& below, const LayerCost& above, uint32_t batch)
{
    LayerCost cost = below;
    cost.origin = "interpolated";
    cost.source =
        below.source + " (" + below.origin + "), " + above.source + " (" + above.origin + ")";
    cost.header.clear();
    cost.batch = batch;
    cost.negativeValues = below.negativeValues + above.negativeValues;
    const double share = double(batch - below.batch) / (above.batch - below.batch);
    for (const auto seconds : {&LayerCost::forwardSeconds,
                               &LayerCost::backwardSeconds,
                               &LayerCost::isolatedForwardSeconds,
                               &LayerCost::isolatedBackwardSeconds})
    {
        auto& mine = cost.*seconds;
        const auto& theirs = above.*seconds;
        mine.resize(std::min(mine.size(), theirs.size())); // alone may be unknown
        std::transform(mine.begin(), mine.end(), theirs.begin(), mine.begin(), [=](auto a, auto b) {
            return a + share * (b - a);
        });
    }
    return cost;
}

} // namespace

std::map<std::string, LayerCost>
FindLayerCosts(const std::string& tracesDirectory,
               const DnnGraph& graph,
               const std::vector<DeviceSpec>& specs,
               uint32_t batch,
               PassKind kind)
{
    std::map<std::string, LayerCost> costs;
    std::vector<DeviceSpec> types;
    for (const DeviceSpec& spec : specs)
    {
        AddDeviceType(types, spec);
        const auto profiles =
            ListProfiles(fs::path(tracesDirectory) / "profiles" / spec.name, graph.name);
        const auto read = [&](const auto& profile) {
            return ReadProfile(tracesDirectory, graph, spec, profile, kind);
        };
        const auto above = profiles.lower_bound(batch);
        if (above != profiles.end() && above->first == batch)
        {
            costs[spec.name] = read(*above);
        }
        else if (above != profiles.begin() && above != profiles.end())
        {
            costs[spec.name] = Interpolate(read(*std::prev(above)), read(*above), batch);
        }
        else
        {
            LayerCost& cost = costs[spec.name] = EstimateLayerCosts(graph, spec, batch, kind);
            if (!profiles.empty())
            {
                cost.source +=
                    "; its profiles are of batch " + std::to_string(profiles.begin()->first) +
                    (profiles.size() == 1 ? ""
                                          : " to " + std::to_string(profiles.rbegin()->first)) +
                    ", not " + std::to_string(batch);
            }
        }
    }
    return costs;
}

} // namespace ns3::edgepipe
