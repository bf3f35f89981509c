/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_NETWORK_BUILDER_H
#define EDGEPIPE_PACKET_NETWORK_BUILDER_H

#include "edgepipe-network-helper.h"
#include "edgepipe-topology.h"

#include "ns3/error-model.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/net-device-container.h"

#include <map>

namespace ns3::edgepipe
{

struct SwitchBuffer;

/**
 * @ingroup edgepipe
 *
 * Realises a topology by ns-3's links, with an Internet stack and static routes on every node and
 * PacketTransport on top.
 *
 * Random streams are assigned from a fixed number on, so that a network behaves the same whatever
 * was simulated before it in the same program.
 */
class PacketNetworkBuilder
{
  public:
    /** @param topology what to build */
    explicit PacketNetworkBuilder(Topology topology);

    /**
     * Build the network in the present simulation.
     *
     * @param active devices that will send or receive. The others are wired up as well, but stay
     *        off the air, since on Wi-Fi every station costs time for every frame.
     * @return the network, without its oracle
     */
    Network Build(const std::set<uint32_t>& active);

    /**
     * @param end time from which on all packets are lost
     * @return a model that loses packets at the rate of the topology; null if none are ever lost
     */
    Ptr<RateErrorModel> MakeLoss(const Time& end = Time::Max());

    /**
     * @param name of a transmitter
     * @return counter of its bytes
     */
    std::shared_ptr<LinkCounter> AddCounter(const std::string& name)
    {
        m_network.links.push_back(std::make_shared<LinkCounter>());
        m_network.links.back()->name = name;
        return m_network.links.back();
    }

    /**
     * @param device a net device
     * @param trace name of a trace source that fires for every packet sent
     * @param name the transmitter's name
     */
    void Count(Ptr<Object> device, const std::string& trace, const std::string& name);

    /// Mask of the addresses of AssignCellAddresses.
    static constexpr const char* CELL_MASK = "255.255.0.0";

    /**
     * @param devices of a cell
     * @return their interfaces, with addresses of a network of the cell's own
     */
    Ipv4InterfaceContainer AssignCellAddresses(const NetDeviceContainer& devices)
    {
        const auto interfaces = m_cellAddresses.Assign(devices);
        m_cellAddresses.NewNetwork();
        return interfaces;
    }

    /**
     * @param assign assigns random streams from its argument on, and returns how many
     */
    void AssignStreams(const std::function<int64_t(int64_t)>& assign)
    {
        m_stream += assign(m_stream);
    }

  private:
    /** How a node reaches the one below, for the routes of nodes above. */
    struct Way
    {
        Ipv4Address address; //!< of the lower end
        uint32_t interface;  //!< of the upper node
    };

    /**
     * Build a cell.
     *
     * @param medium number of a cell
     * @param active devices that will send or receive
     */
    void BuildCell(uint32_t medium, const std::set<uint32_t>& active);

    /**
     * Limit what the devices of a cell send, and what its hub sends to them.
     *
     * @param devices on the air
     * @param stations all nodes on the air but the hub
     * @param hub of the cell
     */
    void Limit(const std::set<uint32_t>& devices,
               const NodeContainer& stations,
               const PacketHub& hub);

    /**
     * Connect a node to its parent by a point-to-point link.
     *
     * @param node a node
     * @param wire medium of the link
     * @return the link's two ends, the node's first
     */
    NetDeviceContainer Wire(uint32_t node, const WireMedium& wire);

    /**
     * Connect a node to its parent by a PacedNetDevice at either end.
     *
     * @param node a node
     * @param bearer medium of the link
     * @return the link's two ends, the node's first
     */
    NetDeviceContainer Carry(uint32_t node, const BearerMedium& bearer);

    /**
     * @param node a node
     * @param isUp whether to its parent, not from it
     * @return name of a transmitter
     */
    std::string NameTransmitter(uint32_t node, bool isUp) const
    {
        const TopologyNode& lower = m_topology.nodes[node];
        const std::string& upper = m_topology.nodes[lower.parent].name;
        return isUp ? lower.name + " -> " + upper : upper + " -> " + lower.name;
    }

    /**
     * Add routes to a network at all nodes above a node.
     *
     * @param node a node through which the network is reached
     * @param network to reach
     * @param mask of the network
     */
    void RouteDown(uint32_t node, Ipv4Address network, Ipv4Mask mask);

    /** Change the rate of every wire as its medium says. */
    void ScheduleBandwidth();

    Topology m_topology;                                 //!< what to build
    Network m_network;                                   //!< under construction
    std::vector<Ptr<Node>> m_nodes;                      //!< of the topology
    NodeContainer m_onAir;                               //!< stations and hubs of cells
    std::map<uint32_t, Way> m_ways;                      //!< by lower node, with a link of its own
    std::vector<std::pair<uint32_t, PacketHub>> m_cells; //!< nodes that are hubs
    std::map<uint32_t, NetDeviceContainer> m_wires;      //!< ends of every wire, by medium
    std::map<uint32_t, std::shared_ptr<SwitchBuffer>> m_buffers; //!< by switch
    std::vector<std::function<void()>> m_uploads;                //!< start uploads of competitors
    Ipv4AddressHelper m_cellAddresses;                           //!< used by AssignCellAddresses
    Time m_attached;  //!< when devices have attached to their cells
    int64_t m_stream; //!< next random stream to assign
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PACKET_NETWORK_BUILDER_H */
