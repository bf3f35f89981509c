/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_BLOCKS_H
#define EDGEPIPE_CUT_BLOCKS_H

#include "edgepipe-two-way-cut-envelope.h"
#include "edgepipe-two-way-cut-problem.h"

#include <memory>

namespace ns3::edgepipe
{

/**
 * Finds the cheapest closed partition block by block.
 *
 * A virtual source stands for the model's input, and a virtual sink reads all that nothing else
 * reads. A layer that no tensor bypasses in a topological order is a cut vertex: it lies on every
 * path from source to sink. A closed partition cuts inside exactly one block between two
 * neighbouring cut vertices. So the best one is the least over blocks of: everything before the
 * block on the device, the best cut inside it, the rest on the server (S. Zhang et al., see
 * TwoWayCutProblem, theorem 2 and algorithm 2). Inside a block, branches that share only the
 * block's ends are independent once it is fixed whether the tensor at the block's head crosses. A
 * branch has cut vertices of its own, and so on recursively. A chain thus takes a single pass.
 * Parts that cannot be divided, or lie more than 64 levels deep, are PrimeBlocks. Without these the
 * time is linear in layers and inputs. Latencies are compared as floating-point sums relative to
 * everything on the server, so differences below some 1e-15 of that latency without the upload may
 * go unnoticed.
 *
 * @param problem a valid problem
 * @return the cheapest cut at the problem's uplink bandwidth
 */
TwoWayCutPlan FindBestCut(const TwoWayCutProblem& problem);

/**
 * Finds the cheapest closed partition for every uplink bandwidth at once. Where FindBestCut takes
 * the lesser of two lines and adds two lines, this takes lower envelopes of two sets and sums of
 * two envelopes.
 *
 * @param problem a valid problem; its uplink is ignored
 * @return the best cuts by bandwidth
 */
std::unique_ptr<TwoWayCutEnvelope> FindCutEnvelope(const TwoWayCutProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CUT_BLOCKS_H */
