/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COMPETITORS_H
#define EDGEPIPE_COMPETITORS_H

#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Let stations upload all the time by TCP, each over one connection, in a PacketTransport of their
 * own that ends with the simulation.
 *
 * @param stations their nodes, with an Internet stack
 * @param addresses theirs
 * @param sink the receiver's node, with an Internet stack
 * @param sinkAddress where the stations reach it
 * @param segmentBytes TCP payload per full segment, bytes
 * @param begin when they connect, at the earliest
 */
void StartUploads(const NodeContainer& stations,
                  const std::vector<Ipv4Address>& addresses,
                  Ptr<Node> sink,
                  Ipv4Address sinkAddress,
                  uint32_t segmentBytes,
                  const Time& begin);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COMPETITORS_H */
