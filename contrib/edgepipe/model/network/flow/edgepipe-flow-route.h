/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_ROUTE_H
#define EDGEPIPE_FLOW_ROUTE_H

#include "ns3/edgepipe-link-counter.h"
#include "ns3/edgepipe-link-crossing.h"
#include "ns3/edgepipe-max-min-sharing.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

class FlowNetwork;

/**
 * What a shared medium has yet to carry when the last byte of a message has come through, such as
 * the acknowledgements of its last burst and the gaps between those. It belongs to the time that
 * the medium's bytes take, but the receiver need not wait for it.
 */
struct FlowTrail
{
    uint32_t link{MaxMinSharing::NONE}; //!< the medium, NONE if nothing follows
    double share{0};                    //!< of a burst's time
    double burstBytes{0};               //!< longest burst, headers included, bytes
    double turnSeconds{0};              //!< of a lone packet, see LinkCrossing
    double backoffSeconds{0};           //!< likewise
};

/** Where a route's bytes are sent in blocks that begin at multiples of a slot, see LinkCrossing. */
struct FlowSlots
{
    double seconds{0};           //!< a slot, 0 if there are none, s
    double beforeSeconds{0};     //!< delay before the first such link, s
    std::vector<uint32_t> links; //!< such links
};

/** How bytes get from one device to another in a FlowNetwork. */
struct FlowRoute
{
    /// Transmitters, mostly one up and one down.
    using Counters = boost::container::small_vector<LinkCounter*, 2>;

    MaxMinSharing::Uses uses; //!< the links crossed, in order, each once
    double delaySeconds{0};   //!< one way, of a packet without length, s
    double burstSeconds{0};   //!< further delay of a message of several packets, s
    FlowTrail trail;          //!< of the last medium that has one
    FlowSlots slots;          //!< if some links have them
    Counters senders;         //!< transmitters that send every byte
    Counters answerers;       //!< transmitters that send every acknowledgement
    /// What fits into the shortest queue before one of the links, headers included, bytes
    double queueBytes{MaxMinSharing::UNBOUNDED};
    double requestSeconds{0}; //!< of the delay, see LinkCrossing
    double grantBytes{0};     //!< of a grant, see LinkCrossing
};

/// Finds the route between two different devices; it is asked once for each pair that talks.
using FlowRouter = std::function<FlowRoute(uint32_t from, uint32_t to)>;

/**
 * Add a link to a route, or what it takes of it if the route crosses it already.
 *
 * @param link the link
 * @param crossing how the route crosses it
 * @param route gets it, its delay and its trail
 */
void Cross(uint32_t link, const LinkCrossing& crossing, FlowRoute& route);

/**
 * @param network the links
 * @param route a route
 * @return bytes/s of its slowest link, if nobody else used it
 */
double GetRouteRate(const FlowNetwork& network, const FlowRoute& route);

/**
 * @param network the links
 * @param route a route
 * @param most size of a message's first packets with their headers, bytes
 * @param last size of its last packet, bytes; it passes none of the others
 * @return time that storing and forwarding takes, all links but the slowest and those with slots,
 *         where the delay counts it, s
 */
double GetForwardSeconds(const FlowNetwork& network,
                         const FlowRoute& route,
                         double most,
                         double last);

/**
 * @param slots of a route
 * @param seconds when bytes enter the route; what comes as a slot begins has missed it
 * @return when the slot begins in which they are sent, less the delay before, s
 */
double GetSlotStart(const FlowSlots& slots, double seconds);

/**
 * @param slots of a route
 * @param seconds a duration
 * @return the slots in it, s
 */
double GetWholeSlots(const FlowSlots& slots, double seconds);

/**
 * @param route with slots
 * @param waited for the first slot, less what was not waited for a grant, s
 * @param seconds when the last byte has passed the slowest link if none had waited
 * @return how much later than the route's delay says the last block is there, s; may be negative
 */
double GetSlotSeconds(const FlowRoute& route, double waited, double seconds);

/**
 * @param network the links
 * @param route a route on which bytes flow
 * @param without a route whose flow does not count; null if every flow does
 * @return the link before which the bytes queue: the first with the smallest share for each flow
 */
uint32_t FindQueue(const FlowNetwork& network, const FlowRoute& route, const FlowRoute* without);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_ROUTE_H */
