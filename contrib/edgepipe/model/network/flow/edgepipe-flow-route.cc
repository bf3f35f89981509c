/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-route.h"

#include "ns3/edgepipe-flow-network.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Share of a slot that is the rounding of times.
constexpr double SLOT_ROUNDING = 1e-6;

} // namespace

void
Cross(uint32_t link, const LinkCrossing& crossing, FlowRoute& route)
{
    if (crossing.slotSeconds > 0)
    {
        const double slot = crossing.slotSeconds;
        if (route.slots.seconds == 0)
        {
            route.slots.seconds = slot;
            route.slots.beforeSeconds = route.delaySeconds;
        }
        else
        {
            // Bytes that come from one such link all wait for the same instant of a slot.
            const double since = route.delaySeconds - route.slots.beforeSeconds - slot / 2;
            route.delaySeconds += std::ceil(since / slot - SLOT_ROUNDING) * slot - since - slot / 2;
        }
        route.slots.links.push_back(link);
    }
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
        route.trail.turnSeconds += crossing.turnSeconds;
        route.trail.backoffSeconds += crossing.backoffSeconds;
    }
    else if (crossing.trailShare > 0)
    {
        route.trail = {link,
                       crossing.trailShare,
                       crossing.burstBytes,
                       crossing.turnSeconds,
                       crossing.backoffSeconds};
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
    const auto& slotted = route.slots.links;
    double seconds = 0;
    double ahead = 0; // of the last packet, when the one before it has passed
    for (auto use = route.uses.begin(); use != route.uses.end(); ++use)
    {
        const double here =
            std::find(slotted.begin(), slotted.end(), use->link) == slotted.end() ? get(*use) : 0;
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

double
GetSlotStart(const FlowSlots& slots, double seconds)
{
    const double there = (seconds + slots.beforeSeconds) / slots.seconds;
    return (std::floor(there + SLOT_ROUNDING) + 1) * slots.seconds - slots.beforeSeconds;
}

double
GetWholeSlots(const FlowSlots& slots, double seconds)
{
    return slots.seconds == 0 ? seconds : std::floor(seconds / slots.seconds) * slots.seconds;
}

double
GetSlotSeconds(const FlowRoute& route, double waited, double seconds)
{
    const FlowSlots& slots = route.slots;
    const double there = (seconds + waited + slots.beforeSeconds) / slots.seconds;
    const double end = std::ceil(there - SLOT_ROUNDING) * slots.seconds - slots.beforeSeconds;
    // The delay counts half a slot of waiting and a first block, here both are known.
    return end - seconds - 1.5 * slots.seconds;
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
