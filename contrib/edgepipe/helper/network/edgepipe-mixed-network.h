/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MIXED_NETWORK_H
#define EDGEPIPE_MIXED_NETWORK_H

#include "edgepipe-topology.h"

namespace ns3::edgepipe
{

/**
 * Describe groups of devices, NetworkOptions::groups, around one core that forwards in no time:
 * bearers end at it; access points, base stations, switches and devices of no group are connected
 * to it by a cable. Groups of one link and cell share the cell, in which each device has its own
 * place, or the switch.
 *
 * @param network with groups
 * @param names of the devices
 * @return the topology
 */
Topology MakeMixedTopology(const NetworkOptions& network, const std::vector<std::string>& names);

/**
 * @param network with groups
 * @param names of the devices
 * @throws InputError naming the option, if they make no sense together
 */
void CheckMixed(const NetworkOptions& network, const std::vector<std::string>& names);

/**
 * @param network with groups
 * @return their links, and how many devices are on each
 */
std::string DescribeMixed(const NetworkOptions& network);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MIXED_NETWORK_H */
