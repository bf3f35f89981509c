/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_PATHS_H
#define EDGEPIPE_FLOW_PATHS_H

#include "edgepipe-topology.h"

#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-link-counter.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A link of a topology as flows cross it: up from a node to its parent, and down. */
struct FlowPathHop
{
    std::array<uint32_t, 2> links{};             //!< up and down; on the air both may be the same
    std::array<LinkCrossing, 2> crossings;       //!< of them
    std::array<LinkCounter*, 2> senders{};       //!< count what is sent up and down
    std::array<std::vector<uint32_t>, 2> uses;   //!< further links up and down that count users
    std::vector<uint32_t> gates;                 //!< further links, which close for both ways
    double queueBytes{MaxMinSharing::UNBOUNDED}; //!< before either link
};

/** The ways through a topology as flows take them. */
struct FlowPaths
{
    Topology topology;                                  //!< the nodes
    std::vector<FlowPathHop> hops;                      //!< from each node
    std::vector<std::shared_ptr<LinkCounter>> counters; //!< keeps the hops' counters

    /**
     * @param from a node
     * @param to another
     * @return the route between them at present
     */
    FlowRoute GetRoute(uint32_t from, uint32_t to) const;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_PATHS_H */
