/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_WIRES_H
#define EDGEPIPE_PACKET_WIRES_H

#include "ns3/edgepipe-packet-network-builder.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Full-duplex Ethernet to one switch, which is a node that forwards in no time beyond its wires'
 * delays. Wires are ns-3 point-to-point links whose rate is set so that a full packet takes as
 * long as on Ethernet, with its 38 bytes of preamble, header, check sequence and gap; shorter
 * packets are slightly too fast.
 */
class PacketLan : public PacketNetworkBuilder
{
  public:
    using PacketNetworkBuilder::PacketNetworkBuilder;

  private:
    std::vector<Ipv4Address> Join(const std::set<uint32_t>& active) override;
};

/**
 * @ingroup edgepipe
 *
 * A chain of point-to-point links in the order of the devices, which forward for each other.
 */
class PacketChain : public PacketNetworkBuilder
{
  public:
    using PacketNetworkBuilder::PacketNetworkBuilder;

  private:
    std::vector<Ipv4Address> Join(const std::set<uint32_t>& active) override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PACKET_WIRES_H */
