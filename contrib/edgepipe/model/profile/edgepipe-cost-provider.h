/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COST_PROVIDER_H
#define EDGEPIPE_COST_PROVIDER_H

#include "edgepipe-roofline.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Finds what the layers of a model cost on each of some device types.
 *
 * For each type it is the profile `TRACES/profiles/TYPE/MODEL.bBATCH.csv` where that file
 * exists; between two batches that are profiled, every layer's time lies on the line through both;
 * elsewhere it is the roofline estimate, since profiles say nothing of batches beyond them.
 * LayerCost::origin and LayerCost::source say which.
 *
 * @param tracesDirectory the traces folder
 * @param graph the model
 * @param specs the device types
 * @param batch samples per batch, at least 1
 * @param kind inference leaves every backward cost 0
 * @return costs by name of type
 * @throws InputError for a profile that is malformed, is of another device or batch than its file
 *         name says, or is to be trained with and has no backward pass; for two types of one name;
 *         for a type that has the name of a profiled one of `TRACES/devices` and other figures
 */
std::map<std::string, LayerCost> FindLayerCosts(const std::string& tracesDirectory,
                                                const DnnGraph& graph,
                                                const std::vector<DeviceSpec>& specs,
                                                uint32_t batch,
                                                PassKind kind);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COST_PROVIDER_H */
