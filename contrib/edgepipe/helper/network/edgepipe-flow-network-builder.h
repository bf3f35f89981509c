/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_NETWORK_BUILDER_H
#define EDGEPIPE_FLOW_NETWORK_BUILDER_H

#include "edgepipe-flow-paths.h"
#include "edgepipe-flow-stations.h"
#include "edgepipe-network-helper.h"

#include "ns3/edgepipe-capacity-replay.h"
#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-transport.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Realises a topology by the links of a FlowNetwork with FlowTransport on top: what
 * PacketNetworkBuilder builds, without packets. The nodes are bare, without an Internet stack.
 */
class FlowNetworkBuilder
{
  public:
    /** @param topology what to build */
    explicit FlowNetworkBuilder(Topology topology);

    /**
     * Build the network in the present simulation.
     *
     * @return the network, without its oracle
     */
    Network Build();

  private:
    /// Links, and when they go dead.
    using Ends = std::vector<std::pair<uint32_t, Time>>;

    /**
     * Add the two directions of a wire.
     *
     * @param node whose link to its parent it is
     * @param wire what it is made of
     */
    void AddWire(uint32_t node, const WireMedium& wire);

    /**
     * Add the two directions of a bearer.
     *
     * @param node whose link to its parent it is
     * @param bearer what it is made of
     */
    void AddBearer(uint32_t node, const BearerMedium& bearer);

    /**
     * Put a node on the air.
     *
     * @param node a device
     */
    void AddStation(uint32_t node);

    /**
     * Make a hop of the two directions of a link.
     *
     * @param node whose link to its parent it is
     * @param forth the link up
     * @param back the link down
     * @param delaySeconds of either, s
     */
    void AddHop(uint32_t node, uint32_t forth, uint32_t back, double delaySeconds);

    /**
     * @param from name of a transmitter
     * @param to what it sends to
     * @return what counts its bytes
     */
    LinkCounter* AddCounter(const std::string& from, const std::string& to);

    /** Build the cells that stations have joined, and let them work. */
    void StartCells();

    /** Change the capacity of every wire as its medium says, and end what goes dead. */
    void ScheduleCapacities();

    /** Have the bearers' capacities followed while messages are under way. */
    void FollowMessages();

    std::shared_ptr<FlowPaths> m_paths;                             //!< of the topology
    Network m_network;                                              //!< under construction
    Ptr<FlowNetwork> m_flows;                                       //!< the links
    Ptr<FlowTransport> m_transport;                                 //!< on top of them
    std::map<uint32_t, std::shared_ptr<FlowStations>> m_cells;      //!< by medium
    std::map<uint32_t, std::vector<Ptr<CapacityReplay>>> m_replays; //!< up and down, by medium
    std::map<uint32_t, Ends> m_wires;                               //!< by medium
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_NETWORK_BUILDER_H */
