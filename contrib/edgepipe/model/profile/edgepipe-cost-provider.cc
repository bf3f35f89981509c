/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cost-provider.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <filesystem>

namespace ns3
{
namespace edgepipe
{

namespace
{

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
    const auto file = std::filesystem::path(tracesDirectory) / "devices" / (spec.name + ".json");
    std::error_code error;
    if (std::filesystem::exists(file, error) && !(ReadDeviceSpec(file.string()) == spec))
    {
        throw InputError("device type " + QuoteForMessage(spec.name) +
                         ": found other figures than those of " + file.string() +
                         ", which has been profiled, expected another name");
    }
}

} // namespace

std::map<std::string, LayerCost>
FindLayerCosts(const std::string& tracesDirectory,
               const DnnGraph& graph,
               const std::vector<DeviceSpec>& specs,
               uint32_t batch,
               PassKind kind)
{
    namespace fs = std::filesystem;
    std::map<std::string, LayerCost> costs;
    std::vector<DeviceSpec> types;
    for (const DeviceSpec& spec : specs)
    {
        AddDeviceType(types, spec);
        fs::path file = fs::path(tracesDirectory) / "profiles" / spec.name /
                        (graph.name + ".b" + std::to_string(batch) + ".csv");
        std::error_code error;
        if (!fs::exists(file, error))
        {
            costs[spec.name] = EstimateLayerCosts(graph, spec, batch, kind);
            continue;
        }
        CheckIsProfiled(tracesDirectory, spec);
        LayerCost cost = ReadLayerProfile(file.string(), graph);
        cost.source = file.lexically_relative(tracesDirectory).string();
        if (cost.device != spec.name)
        {
            throw InputError(file.string() + ": device: found " + QuoteForMessage(cost.device) +
                             ", expected " + QuoteForMessage(spec.name));
        }
        if (cost.batch != batch)
        {
            throw InputError(file.string() + ": batch: found " + std::to_string(cost.batch) +
                             ", expected " + std::to_string(batch));
        }
        const auto isZero = [](double seconds) { return seconds == 0; };
        if (kind == PassKind::TRAINING &&
            std::all_of(cost.backwardSeconds.begin(), cost.backwardSeconds.end(), isZero) &&
            !std::all_of(cost.forwardSeconds.begin(), cost.forwardSeconds.end(), isZero))
        {
            throw InputError(file.string() + ": backwardSeconds: found 0 for every layer, expected "
                                             "a profile with the backward pass to train with");
        }
        if (kind == PassKind::INFERENCE)
        {
            std::fill(cost.backwardSeconds.begin(), cost.backwardSeconds.end(), 0);
            std::fill(cost.isolatedBackwardSeconds.begin(), cost.isolatedBackwardSeconds.end(), 0);
        }
        costs[spec.name] = cost;
    }
    return costs;
}

} // namespace edgepipe
} // namespace ns3
