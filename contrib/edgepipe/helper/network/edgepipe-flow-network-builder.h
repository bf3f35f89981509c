/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_NETWORK_BUILDER_H
#define EDGEPIPE_FLOW_NETWORK_BUILDER_H

#include "edgepipe-network-helper.h"
#include "edgepipe-topology.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Realise a topology by the links of a FlowNetwork with FlowTransport on top: what
 * PacketNetworkBuilder builds, without packets. The nodes are bare, without an Internet stack.
 *
 * @param topology what to build in the present simulation
 * @return the network, without its oracle
 */
Network BuildFlowNetwork(const Topology& topology);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_NETWORK_BUILDER_H */
