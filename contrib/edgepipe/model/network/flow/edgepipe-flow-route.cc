/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-route.h"

#include "ns3/edgepipe-flow-network.h"

#include <algorithm>

namespace ns3::edgepipe
{

bool
Cross(uint32_t link, double weight, double delaySeconds, FlowRoute& route)
{
    route.delaySeconds += delaySeconds;
    route.backSeconds += delaySeconds;
    const auto use = std::find_if(route.uses.begin(), route.uses.end(), [link](const auto& other) {
        return other.link == link;
    });
    if (use == route.uses.end())
    {
        route.uses.push_back({link, weight});
        return false;
    }
    use->weight += weight;
    return true;
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
GetForwardSeconds(const FlowNetwork& network, const FlowRoute& route, double most, double last)
{
    const auto get = [&network](const MaxMinSharing::Use& use) {
        const double capacity = network.GetCapacity(use.link);
        return capacity > 0 ? use.weight / capacity : 0;
    };
    const auto slowest =
        std::max_element(route.uses.begin(),
                         route.uses.end(),
                         [&get](const auto& a, const auto& b) { return get(a) < get(b); });
    double seconds = 0;
    double ahead = 0; // lag of the last packet behind the one before it
    for (auto use = route.uses.begin(); use != route.uses.end(); ++use)
    {
        const double here = get(*use);
        if (use < slowest)
        {
            seconds += most * here;
        }
        else if (use == slowest)
        {
            ahead = last * here;
        }
        else
        {
            const double waits = std::max(0.0, most * here - ahead);
            seconds += waits + last * here;
            ahead += waits + last * here - most * here;
        }
    }
    return seconds;
}

uint32_t
FindQueue(const FlowNetwork& network, const FlowRoute& route)
{
    uint32_t slowest = MaxMinSharing::NONE;
    double lowest = MaxMinSharing::UNBOUNDED;
    for (const auto& use : route.uses)
    {
        const double rate = network.GetCapacity(use.link) / use.weight;
        const std::size_t flows = network.GetFlowCount(use.link);
        const double share = flows > 1 ? rate / flows : rate;
        if (share < lowest)
        {
            slowest = use.link;
            lowest = share;
        }
    }
    return slowest;
}

} // namespace ns3::edgepipe
