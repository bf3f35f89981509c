/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COST_DRAW_H
#define EDGEPIPE_COST_DRAW_H

#include "edgepipe-cost-provider.h"
#include "edgepipe-layer-cost.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/// Largest number of a draw of costs, see GetCostDraw.
constexpr uint32_t MOST_COST_DRAWS = 100000;

/**
 * The draw that FindLayerCosts applies to costs, ns-3's global value EdgepipeCostDraw.
 *
 * @return its number, 1 to MOST_COST_DRAWS; 0: costs are as estimated or measured
 */
uint32_t GetCostDraw();

/**
 * @param device name of a type of device
 * @param kind of pass
 * @param logSpread standard deviation of the factor's logarithm, >= 0
 * @param draw its number; 0: no draw
 * @return the factor of an estimate, see DrawCosts; 1 without a draw
 */
double DrawFactor(const std::string& device, PassKind kind, double logSpread, uint32_t draw);

/**
 * Factor of the memory rule (CountStageMemory) in a draw, the same for all devices: the logarithm
 * is normal, with mean and deviation of measured peaks over the rule.
 *
 * @param draw its number; 0: no draw
 * @return the factor; 1 without a draw
 */
double DrawMemoryFactor(uint32_t draw);

/**
 * Draw costs within their uncertainty.
 *
 * The logarithm of a time is normal; the estimate or measurement is the median. All estimated times
 * of a device type share one factor, from LayerCost::logSpread. With a spread of layers, operators
 * and, among theirs, layers that do the same have factors of their own too, with the correlation
 * of both passes in profiles; they cancel out over the network, whose total is known better than
 * its layers. Each measured layer has a factor of its own for either pass, from
 * LayerCost::forwardSpreadSeconds and backwardSpreadSeconds. Draws depend on ns-3's seed and run,
 * the type's name, the kind of pass and the number, so they are the same for all devices of a type,
 * batches and planners.
 *
 * @param cost to change
 * @param graph its model
 * @param layerLogSpread of an estimate: standard deviation of the logarithm of an operator's
 * factor, and of a layer's among those of its operator, >= 0
 * @param kind of pass
 * @param draw its number, from 1 on
 */
void DrawCosts(LayerCost& cost,
               const DnnGraph& graph,
               double layerLogSpread,
               PassKind kind,
               uint32_t draw);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COST_DRAW_H */
