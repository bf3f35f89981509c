/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PROBLEM_BUILDER_H
#define EDGEPIPE_MULTI_ACTOR_PROBLEM_BUILDER_H

#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"

#include <vector>

namespace ns3::edgepipe
{

/**
 * Builds the model that actors share.
 *
 * A cut divides the order of layers: b_y counts every tensor made before the cut and read behind
 * it, once, and b_K the tensors that no layer reads. Layers with operator "input" do not count as
 * layers; their output is b_0.
 *
 * @param graph the model
 * @param serverFlopPerSecond sustained speed of the server
 * @return a valid model
 * @throws InputError when ValidateMultiActorModel refuses it
 */
MultiActorModel BuildMultiActorModel(const DnnGraph& graph, double serverFlopPerSecond);

/**
 * @param cost of inference with a model
 * @param graph the model
 * @return seconds of layers 1 to K per batch, in the order of BuildMultiActorModel
 */
std::vector<double> ListLayerSeconds(const LayerCost& cost, const DnnGraph& graph);

/**
 * @param cost of inference with a model
 * @param graph the model
 * @return mean FLOP/s over all its layers in sequence: f of eq. 5
 * @throws InputError if the model has no FLOP or takes no time
 */
double GetModelSpeed(const LayerCost& cost, const DnnGraph& graph);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_BUILDER_H */
