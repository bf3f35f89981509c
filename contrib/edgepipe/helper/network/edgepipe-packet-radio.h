/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_RADIO_H
#define EDGEPIPE_PACKET_RADIO_H

#include "ns3/edgepipe-packet-network-builder.h"
#include "ns3/node-container.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * What wireless networks have in common: devices that may move around a hub, the access point or
 * base station, further stations that upload all the time, and wired devices behind the hub. A
 * device that is cut off leaves the range.
 */
class PacketRadio : public PacketNetworkBuilder
{
  public:
    using PacketNetworkBuilder::PacketNetworkBuilder;

  protected:
    /**
     * Put a hub at the origin, and around it those active devices that are not wired, in
     * m_onAir, and the competitors.
     *
     * @param active devices that will send or receive
     * @param hub node of the access point or base station
     */
    void Place(const std::set<uint32_t>& active, Ptr<Node> hub);

    /** @return nodes on the air: those of m_onAir, then the competitors' */
    NodeContainer GetStations() const;

    /** @return names of the nodes on the air */
    std::vector<std::string> GetStationNames() const;

    /**
     * Join the wired devices to the network and let the competitors upload.
     *
     * @param addresses of the nodes on the air
     * @param gateway node that the cables go to and that uploads end at
     * @param name its name
     * @param gatewayAddress where the nodes on the air reach it
     * @return where each device is reached; the loopback address if it is not
     */
    std::vector<Ipv4Address> Finish(const std::vector<Ipv4Address>& addresses,
                                    Ptr<Node> gateway,
                                    const std::string& name,
                                    Ipv4Address gatewayAddress);

    std::set<uint32_t> m_onAir;  //!< devices on the air
    NodeContainer m_competitors; //!< further stations
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PACKET_RADIO_H */
