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

/** Follows the IPv4 routes of nodes. */
class HopFinder
{
  public:
    /**
     * @param from id of a node
     * @param to id of another
     * @return the hops of the present route between them
     * @throws InputError naming the node that has no route
     */
    std::vector<FlowHop> Find(uint32_t from, uint32_t to);

    /** Read the nodes' addresses again. */
    void Update()
    {
        m_owners.clear();
    }

  private:
    /**
     * @param address an address of a node
     * @return the device that has it; null if none has
     */
    Ptr<NetDevice> FindOwner(Ipv4Address address);

    std::map<Ipv4Address, Ptr<NetDevice>> m_owners; //!< of addresses
};

/**
 * @ingroup edgepipe
 *
 * Finds routes through the user's own network: follows the IPv4 route of every node on the way, and
 * maps the channel of every hop to links of a FlowNetwork.
 *
 * Warns on standard error, once, about routes on which flows have not been compared with packets:
 * across several shared media, or across one that is declared or the user's own.
 *
 * A medium is read only when a route first crosses it. Reactive routing protocols, AODV and DSR,
 * have no route before a packet is sent and are refused.
 */
class FlowTopology
{
  public:
    /** @param settings the network and the settings of its media */
    explicit FlowTopology(const FlowMediumSettings& settings);

    /**
     * Declare the capacity between devices, which overrides their channel.
     *
     * @param devices that reach each other in one hop
     * @param capacity between them
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
     * Reserve a constant rate on a route's links, or release it.
     *
     * @param route the route
     * @param bytesPerSecond of IP packets; negative: release
     */
    void Reserve(const FlowRoute& route, double bytesPerSecond);

    /** Read the media and the nodes' addresses again. */
    void Update();

  private:
    /**
     * @param hop a hop
     * @return the medium that it crosses
     * @throws InputError if no medium is known for it
     */
    Ptr<FlowMedium> FindMedium(const FlowHop& hop);

    /// What identifies a medium: its kind and what its hops have in common.
    using Key = std::pair<TypeId, Ptr<Object>>;

    FlowMediumSettings m_settings;           //!< the network
    HopFinder m_hops;                        //!< follows routes
    std::vector<Ptr<FlowMedium>> m_kinds;    //!< one of each kind, to find keys
    std::vector<Ptr<FlowMedium>> m_media;    //!< crossed by routes, in the order found
    std::map<Key, Ptr<FlowMedium>> m_byKey;  //!< m_media, by key
    std::vector<Ptr<FlowMedium>> m_declared; //!< by the user
    bool m_isDoubted{false};                 //!< whether the warning has been given
    uint32_t m_dead{MaxMinSharing::NONE};    //!< link without capacity, for lost routes
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_TOPOLOGY_H */
