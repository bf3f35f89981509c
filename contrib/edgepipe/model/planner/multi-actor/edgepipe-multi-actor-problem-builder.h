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
 * States what actors share when they infer with a network.
 *
 * A cut of the graph is a cut of its order: b_y holds every tensor that a layer behind the cut
 * reads from before it, once, and b_K what no layer reads. The graph's layers with operator "input"
 * are no layers here; what they put out is b_0.
 *
 * @param graph the model
 * @param serverFlopPerSecond what the server sustains
 * @return a valid model
 * @throws InputError when ValidateMultiActorModel refuses it
 */
MultiActorModel BuildMultiActorModel(const DnnGraph& graph, double serverFlopPerSecond);

/**
 * @param cost of inference with a model
 * @param graph the model
 * @return what layers 1 to K take, s: of a batch, in the order of BuildMultiActorModel
 */
std::vector<double> ListLayerSeconds(const LayerCost& cost, const DnnGraph& graph);

/**
 * @param cost of inference with a model
 * @param graph the model
 * @return FLOP/s with which all its layers are computed, one after the other: f of eq. 5
 * @throws InputError if the model has no FLOP or takes no time
 */
double GetModelSpeed(const LayerCost& cost, const DnnGraph& graph);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_BUILDER_H */
