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
    double deviceSeconds{0};         //!< what it costs on the device, >= 0
    double serverSeconds{0};         //!< on the server, >= 0; infinite: it must be on the device
    double tensorSeconds{0};         //!< what sending its output costs, once, >= 0
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
 * The graph of S. Zhang et al. (see TwoWayCutProblem), section 3.2.1: a node's server cost on its
 * arc from the source, its device cost on its arc to the sink, its tensor on an arc to a vertex of
 * its own from which infinite arcs lead to its consumers, so that it is paid once. An infinite arc
 * from each consumer back to the node forbids partitions that are not closed, which the paper's
 * graph lets pass. Capacities are whole numbers of a unit that is some 2^-50 of their sum, far
 * below a nanosecond, since push-relabel does not end reliably on floating-point ones.
 *
 * @param nodes in a topological order; some closed partition must cost less than infinity
 * @param algorithm which to use; the costs do not depend on it
 * @return by node, whether it is on the device; of several cheapest partitions the one with the
 *         fewest there
 */
std::vector<bool> FindMinimumClosedCut(const std::vector<ClosedCutNode>& nodes,
                                       MinCutAlgorithm algorithm);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CLOSED_CUT_H */
