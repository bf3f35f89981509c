/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-route.h"

#include "ns3/edgepipe-flow-network.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

void
Cross(uint32_t link, const LinkCrossing& crossing, FlowRoute& route)
{
    route.delaySeconds += crossing.delaySeconds;
    const auto use = std::find_if(route.uses.begin(), route.uses.end(), [link](const auto& other) {
        return other.link == link;
    });
    const double before = use == route.uses.end() ? 0 : use->weight;
    if (use == route.uses.end())
    {
        route.uses.push_back({link, crossing.weight});
    }
    else
    {
        use->weight += crossing.weight;
        route.delaySeconds += crossing.againSeconds;
        route.burstSeconds += crossing.burstSeconds;
    }
    if (crossing.requestSeconds > 0)
    {
        route.requestSeconds = crossing.requestSeconds;
        route.grantBytes = crossing.grantBytes;
    }
    if (route.trail.link == link)
    {
        route.trail.share = (before * route.trail.share + crossing.weight * crossing.trailShare) /
                            (before + crossing.weight);
        route.trail.burstBytes = std::min(route.trail.burstBytes, crossing.burstBytes);
    }
    else if (crossing.trailShare > 0)
    {
        route.trail = {link, crossing.trailShare, crossing.burstBytes};
    }
}

double
GetRouteRate(const FlowNetwork& network, const FlowRoute& route)
{
    double rate = MaxMinSharing::UNBOUNDED;
    for (const auto& use : route.uses)
    {
        rate = std::min(rate, network.GetCapacity(use.link) / use.weight);
    }
    return rate;
}

double
GetForwardSeconds(const FlowNetwork& network, const FlowRoute& route, double bytes)
{
    double seconds = 0;
    double longest = 0;
    for (const auto& use : route.uses)
    {
        const double capacity = network.GetCapacity(use.link);
        const double here = capacity > 0 ? bytes * use.weight / capacity : 0;
        seconds += here;
        longest = std::max(longest, here);
    }
    return seconds - longest;
}

uint32_t
FindQueue(const FlowNetwork& network, const FlowRoute& route, const FlowRoute* without)
{
    const auto isWithout = [without](uint32_t link) {
        return without && std::any_of(without->uses.begin(),
                                      without->uses.end(),
                                      [link](const auto& use) { return use.link == link; });
    };
    uint32_t slowest = MaxMinSharing::NONE;
    double lowest = MaxMinSharing::UNBOUNDED;
    for (const auto& use : route.uses)
    {
        const std::size_t flows = network.GetSharing().GetFlowCount(use.link);
        const double share =
            network.GetCapacity(use.link) / use.weight / (isWithout(use.link) ? flows - 1 : flows);
        if (share < lowest)
        {
            slowest = use.link;
            lowest = share;
        }
    }
    return slowest;
}

} // namespace edgepipe
} // namespace ns3
