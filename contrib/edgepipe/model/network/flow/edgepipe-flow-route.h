/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_ROUTE_H
#define EDGEPIPE_FLOW_ROUTE_H

#include "ns3/edgepipe-link-counter.h"
#include "ns3/edgepipe-max-min-sharing.h"
#include "ns3/object.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::edgepipe
{

class FlowNetwork;

/// Full segments per acknowledgement.
constexpr double SEGMENTS_PER_ACKNOWLEDGEMENT = 2;

/** A message as FlowRules see it. */
struct FlowMessage
{
    double bytes;    //!< headers included
    double segments; //!< full ones plus the last one
    double seconds;  //!< transmission time on the slowest link of its route
    bool isNext;     //!< whether it directly follows another of its connection
};

/** State that FlowRules keep for a connection. */
struct FlowMemory
{
    double waitedSeconds{0};      //!< extra wait of the first of consecutive messages, s
    double acknowledgementDue{0}; //!< when a delayed acknowledgement is due, s
};

/** Load on a medium after the last byte of a message has passed. */
struct FlowTrail
{
    MaxMinSharing::Use use{MaxMinSharing::NONE, 0}; //!< the medium
    double bytes{0}; //!< bytes that take as long; the receiver does not wait for them
    double least{0}; //!< minimum if the connection has nothing else to send
};

/**
 * @ingroup edgepipe
 *
 * Effects of a medium on messages beyond its capacity and delay. Each connection that crosses the
 * medium has its own object, replaced when its route changes.
 */
class FlowRules
{
  public:
    virtual ~FlowRules() = default;

    /**
     * A connection begins to send the first message of its queue.
     *
     * @param message the message
     * @param memory of the connection
     */
    virtual void Begin([[maybe_unused]] const FlowMessage& message,
                       [[maybe_unused]] FlowMemory& memory)
    {
    }

    /**
     * @param bytes of a message, headers included
     * @return what follows it; the trail's bytes are part of the message's
     */
    virtual FlowTrail GetTrail([[maybe_unused]] double bytes) const
    {
        return {};
    }

    /**
     * The last byte of a message has entered the last link.
     *
     * @param message the message
     * @param memory of the connection
     * @return delay of its arrival beyond the route's, s; may be negative
     */
    virtual double End([[maybe_unused]] const FlowMessage& message,
                       [[maybe_unused]] const FlowMemory& memory) const
    {
        return 0;
    }

    /**
     * A message has arrived.
     *
     * @param message the message
     * @param memory of the connection
     */
    virtual void Arrive([[maybe_unused]] const FlowMessage& message,
                        [[maybe_unused]] FlowMemory& memory)
    {
    }
};

/** The path of bytes from one device to another in a FlowNetwork. */
struct FlowRoute
{
    /// Transmitters, mostly one up and one down.
    using Counters = boost::container::small_vector<LinkCounter*, 2>;

    MaxMinSharing::Uses uses;               //!< the links crossed, in order, each once
    uint32_t hostLink{MaxMinSharing::NONE}; //!< the first one if that is the host's wire
    const Object* station{nullptr};         //!< whose messages leave in order, or null
    bool isLimited{false};                  //!< whether stations have limits, which break up bursts
    double delaySeconds{0};                 //!< one way, of a packet of no length, s
    double backSeconds{0};                  //!< the same of an acknowledgement's way back, s
    double lossRate{0};                     //!< share of packets lost on the way, 0 to 1
    Counters senders;                       //!< transmitters that send every byte
    Counters acknowledgers;                 //!< transmitters that send every acknowledgement
    /// Size of the smallest queue before one of the links, headers included, bytes
    double queueBytes{MaxMinSharing::UNBOUNDED};
    std::vector<std::shared_ptr<FlowRules>> rules; //!< of media that have any
    std::vector<uint32_t*> tallies; //!< each counts the flows under way on some routes
    double tallyBytes{0};           //!< with no more bytes than this, a flow is not counted
};

/// Finds the route between two different devices; called once per connection and at each update.
using FlowRouter = std::function<FlowRoute(uint32_t from, uint32_t to)>;

/**
 * Add a link to a route, or to its weight if the route crosses it already.
 *
 * @param link the link
 * @param weight how much of its capacity a byte/s takes
 * @param delaySeconds of a packet of no length, each way, s
 * @param route gets both
 * @return whether the route crossed it before
 */
bool Cross(uint32_t link, double weight, double delaySeconds, FlowRoute& route);

/**
 * @param lossRate share of packets lost on one more link, 0 to 1
 * @param route loses them too
 */
inline void
Lose(double lossRate, FlowRoute& route)
{
    route.lossRate = 1 - (1 - route.lossRate) * (1 - lossRate);
}

/**
 * @param route a route
 * @return its rules of one kind, created if missing
 */
template <typename Rules>
Rules&
GetRules(FlowRoute& route)
{
    for (const auto& rules : route.rules)
    {
        if (auto* found = dynamic_cast<Rules*>(rules.get()))
        {
            return *found;
        }
    }
    auto rules = std::make_shared<Rules>();
    route.rules.push_back(rules);
    return *rules;
}

/**
 * @param network the links
 * @param route a route
 * @return bytes/s of its slowest link without other flows
 */
double GetRouteRate(const FlowNetwork& network, const FlowRoute& route);

/**
 * @param network the links
 * @param route a route
 * @param most size of a message's first packets with their headers, bytes
 * @param last size of its last packet, bytes; it overtakes none of the others
 * @return time that storing and forwarding takes on all links but the slowest, s
 */
double GetForwardSeconds(const FlowNetwork& network,
                         const FlowRoute& route,
                         double most,
                         double last);

/**
 * @param network the links
 * @param route a route on which bytes flow
 * @return the link before which the bytes queue: the first with the smallest capacity per flow
 */
uint32_t FindQueue(const FlowNetwork& network, const FlowRoute& route);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_ROUTE_H */
