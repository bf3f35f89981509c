/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CLOSED_CUT_H
#define EDGEPIPE_CLOSED_CUT_H

#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/** A vertex of a graph to be cut in two: a layer, or the model's input. */
struct ClosedCutNode
{
    double deviceSeconds{0};         //!< cost on the device, >= 0
    double serverSeconds{0};         //!< cost on the server, >= 0; infinite: must be on the device
    double tensorSeconds{0};         //!< cost of sending its output once, >= 0
    std::vector<uint32_t> consumers; //!< indices of the later nodes that read its output
};

/** The algorithms of Boost.Graph that find a maximum flow, and with it a minimum cut. */
enum class MinCutAlgorithm
{
    BOYKOV_KOLMOGOROV, //!< augmenting paths from two search trees
    PUSH_RELABEL,      //!< preflows
    EDMONDS_KARP       //!< shortest augmenting paths
};

/**
 * Finds the cheapest closed partition of any directed acyclic graph as a minimum cut.
 *
 * Follows the graph of S. Zhang et al. (see TwoWayCutProblem), section 3.2.1: a node's server cost
 * is on its arc from the source and its device cost on its arc to the sink. Its tensor's cost is on
 * an arc to an extra vertex from which infinite arcs lead to its consumers, so that it is paid
 * once. An infinite arc from each consumer back to the node forbids partitions that are not closed,
 * which the paper's graph permits. Capacities are integers in units of some 2^-50 of their sum, far
 * below a nanosecond, since push-relabel does not terminate reliably on floating-point capacities.
 *
 * @param nodes in a topological order; some closed partition must cost less than infinity
 * @param algorithm which to use; the costs do not depend on it
 * @return by node, whether it is on the device; of several cheapest partitions, the one with the
 *         fewest nodes there
 */
std::vector<bool> FindMinimumClosedCut(const std::vector<ClosedCutNode>& nodes,
                                       MinCutAlgorithm algorithm);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CLOSED_CUT_H */
