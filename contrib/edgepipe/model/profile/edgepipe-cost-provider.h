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
 * Estimates the cost of every layer on a device, for hardware without measurements.
 *
 * A device has peak P FLOP/s and memory bandwidth W bytes/s. A layer has F FLOP, B bytes of inputs
 * and outputs, V bytes of weights and n numbers in its output. It computes for
 *
 *     C = F / (e g P) (1 + s / n) seconds and moves data for M = B / (m W) + V / (w W) seconds.
 *
 * The stack's figures (OperatorFigure) are the rate e and bandwidth m of the layer's class, the
 * bandwidth w of weights, the saturation outputs s and the overhead o of a call; g is its
 * tensor-core gain. Below 32 channels per group, e is multiplied by the root of channels / 32. On
 * CPUs, Winograd's algorithm reads three times the weights. Weights take no more bytes than in the
 * model. Few bytes move at the bandwidth of caches. Other operators, whatever their name, have
 * C = 0 and an M of at least F / (e g P) with the e of linear layers, whose backward ratio they
 * have where that counts. A layer takes o + C + M on a CPU, and max(o, (C^1.5 + M^1.5)^(2/3)) on a
 * GPU, where launches overlap. In the backward pass, C and M are multiplied by the ratio of the
 * class, or half of it for a convolution of the network's input; additions and concatenations have
 * no backward pass. They, and layers that cost nothing, may have 32 FLOP for each number of the
 * output; with more they are like other operators.
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
 * Finds the layer costs of a model on each device type.
 *
 * A type's costs are those of the profile `TRACES/profiles/TYPE/MODEL.bBATCH.csv` (training mode)
 * or `MODEL.bBATCH.evaluation.csv` if that file exists. Between two profiled batches, every layer's
 * time is interpolated linearly; otherwise costs are the roofline estimate, since profiles are not
 * extrapolated. Where inference has profiles of training mode alone, their forward passes estimate
 * it. LayerCost::origin and LayerCost::source say which, and between which factors of an estimate
 * the time of a whole network lies with 90 %. A cost draw (GetCostDraw) then changes them by
 * DrawCosts.
 *
 * @param tracesDirectory the traces folder
 * @param graph the model
 * @param specs the device types
 * @param batch samples per batch, at least 1
 * @param kind inference leaves every backward cost 0
 * @return costs by name of type
 * @throws InputError for a profile that is malformed, has another device or batch than its path, or
 *         of evaluation mode where training has no other; for two types of one name; for a profiled
 * type whose figures differ from those in `TRACES/devices`
 */
std::map<std::string, LayerCost> FindLayerCosts(const std::string& tracesDirectory,
                                                const DnnGraph& graph,
                                                const std::vector<DeviceSpec>& specs,
                                                uint32_t batch,
                                                PassKind kind);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COST_PROVIDER_H */
