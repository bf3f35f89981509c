/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_BEARERS_H
#define EDGEPIPE_PACKET_BEARERS_H

#include "ns3/edgepipe-packet-network-builder.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A star around the network's core, a node that forwards in no time: each device has a bearer of
 * its own, a PacedNetDevice at either end; wired devices have a cable.
 */
class PacketBearers : public PacketNetworkBuilder
{
  public:
    using PacketNetworkBuilder::PacketNetworkBuilder;

  private:
    std::vector<Ipv4Address> Join(const std::set<uint32_t>& active) override;

    /**
     * Join a device to the core.
     *
     * @param node the device's node
     * @param name its name
     * @param core the core's node
     * @return the bearer's two ends, the device's first
     */
    NetDeviceContainer Carry(Ptr<Node> node, const std::string& name, Ptr<Node> core);
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PACKET_BEARERS_H */
