/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-flow-paths.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

FlowRoute
FlowPaths::GetRoute(uint32_t from, uint32_t to) const
{
    FlowRoute route;
    std::vector<MaxMinSharing::Use> gates;
    for (const auto& [node, isUp] : topology.GetPath(from, to))
    {
        const FlowPathHop& hop = hops[node];
        const std::size_t way = isUp ? 0 : 1;
        route.senders.push_back(hop.senders[way]);
        route.answerers.push_back(hop.senders[1 - way]);
        route.queueBytes = std::min(route.queueBytes, hop.queueBytes);
        Cross(hop.links[way], hop.crossings[way], route);
        for (const uint32_t use : hop.uses[way])
        {
            gates.push_back({use, 1});
        }
        for (const uint32_t gate : hop.gates)
        {
            gates.push_back({gate, 1});
        }
    }
    route.uses.insert(route.uses.end(), gates.begin(), gates.end());
    return route;
}

} // namespace edgepipe
} // namespace ns3
