/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_TOPOLOGY_H
#define EDGEPIPE_FLOW_TOPOLOGY_H

#include "ns3/edgepipe-flow-medium.h"
#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Finds routes through the user's own network: asks every node on the way for the route of IPv4,
 * and the channel of every hop for its links in a FlowNetwork.
 *
 * Says on standard error, once, if flows have not been compared with packets on a route of such a
 * kind: over several media that are no wires, or over one that is declared or of the user's own.
 *
 * Only what routes cross is read, when a route first crosses it. Routing protocols that look for a
 * route when a packet comes, AODV and DSR, have none to tell and are refused.
 */
class FlowTopology
{
  public:
    /** @param settings the network and what its media have to know */
    explicit FlowTopology(const FlowMediumSettings& settings);

    /**
     * Say what devices carry to each other; it is believed whatever their channel is.
     *
     * @param devices that reach each other in one hop
     * @param capacity by which
     */
    void Declare(const NetDeviceContainer& devices, const DeclaredCapacity& capacity);

    /**
     * @param from id of a node
     * @param to id of another
     * @return the present route between them
     * @throws InputError naming the node that has no route, or the device whose capacity is unknown
     */
    FlowRoute GetRoute(uint32_t from, uint32_t to);

    /** @return a route on which nothing moves, for two nodes that have lost theirs */
    FlowRoute GetDeadRoute();

    /**
     * Take a constant rate of a route's links, or give it back.
     *
     * @param route the route
     * @param bytesPerSecond of IP packets; below 0: give back
     */
    void Reserve(const FlowRoute& route, double bytesPerSecond);

    /** Take up what has changed in the media. */
    void Update();

  private:
    /**
     * @param address an address of a node
     * @return the device that has it; null if none has
     */
    Ptr<NetDevice> FindOwner(Ipv4Address address);
    /**
     * @param hop a hop
     * @return the medium that it crosses
     * @throws InputError if nothing is known of it
     */
    Ptr<FlowMedium> FindMedium(const FlowHop& hop);

    /// What identifies a medium: its kind and what its hops have in common.
    using Key = std::pair<TypeId, Ptr<Object>>;

    FlowMediumSettings m_settings;                  //!< the network
    std::map<Ipv4Address, Ptr<NetDevice>> m_owners; //!< of addresses
    std::vector<Ptr<FlowMedium>> m_kinds;           //!< one of each kind, to ask
    std::vector<Ptr<FlowMedium>> m_media;           //!< that routes cross, in the order of finding
    std::map<Key, Ptr<FlowMedium>> m_byKey;         //!< the same, but those that are declared
    std::vector<Ptr<FlowMedium>> m_declared;        //!< by the user
    bool m_isDoubted{false};                        //!< whether a route not compared was told of
    uint32_t m_dead{MaxMinSharing::NONE};           //!< stands for a route that is no more
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_TOPOLOGY_H */
