/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COST_PROVIDER_H
#define EDGEPIPE_COST_PROVIDER_H

#include "edgepipe-device-spec.h"
#include "edgepipe-layer-cost.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** What a batch is computed for. */
enum class PassKind
{
    INFERENCE, //!< forward only
    TRAINING   //!< forward and backward
};

/**
 * Estimates what every layer costs on a device, for hardware that nobody measured.
 *
 * A layer takes o + max(F / (e P), B / W) seconds: F its FLOP for the batch, P the device's peak
 * FLOP/s, e the device's efficiency for the class of the operator, B the bytes of the layer's
 * inputs, outputs and parameters, each read or written once, W the memory bandwidth and o the
 * overhead per layer. Operators other than convolutions and linear layers have no F. Backward
 * takes o + max(2F / (e P), 2B / W); in inference it takes nothing. A layer with operator
 * "input" computes nothing and costs nothing. The model is the roofline of S. Williams,
 * A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
 * architectures", CACM 52(4), 2009.
 *
 * @param graph the model
 * @param spec the device
 * @param batch samples per batch, at least 1
 * @param kind whether efficiencies of inference or of training apply
 * @return the costs, with origin "estimated"; isolated costs equal those in context
 */
LayerCost EstimateLayerCosts(const DnnGraph& graph,
                             const DeviceSpec& spec,
                             uint32_t batch,
                             PassKind kind);

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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COST_PROVIDER_H */
