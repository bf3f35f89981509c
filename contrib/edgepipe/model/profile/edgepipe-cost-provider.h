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

/**
 * Estimates what every layer costs on a device, for hardware that nobody measured.
 *
 * With the stack's figures (OperatorFigure), the device's peak P FLOP/s and its memory bandwidth W
 * bytes/s, a layer of F FLOP whose inputs and outputs have B bytes and whose weights V computes for
 * C = F / (e g P) (1 + s / n) seconds and moves data for M = B / (m W) + V / (w W), where e is the
 * rate of its class, g the gain of tensor cores, s the outputs of saturation, n the numbers in the
 * output, and m and w the bandwidths of its class and of weights. Channels below 32 per group lower
 * e by the root of their share; Winograd's algorithm reads three times the weights on CPUs.
 * Bandwidths are those of caches for few bytes. On a CPU a layer takes o + C + M, o the overhead of
 * a call; where launches overlap it takes max(o, (C^1.5 + M^1.5)^(2/3)). Backward C and M are
 * multiplied by the ratio of the class, by half of it for a convolution of the network's input;
 * additions and concatenations have no backward pass.
 *
 * It extends the roofline of S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful
 * visual performance model for multicore architectures", CACM 52(4), 2009.
 *
 * @param graph the model
 * @param spec the device
 * @param batch samples per batch, at least 1
 * @param kind which of the device's stacks runs, and whether batch norm and dropout train
 * @return the costs, with origin "estimated"; isolated costs equal those in context
 * @throws InputError if the device has no stack
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
 * LayerCost::origin and LayerCost::source say which. By a draw (GetCostDraw) they are as DrawCosts
 * leaves them.
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
