/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PROBLEM_BUILDER_H
#define EDGEPIPE_MULTI_ACTOR_PROBLEM_BUILDER_H

#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-dnn-graph.h"

namespace ns3
{
namespace edgepipe
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

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_BUILDER_H */
