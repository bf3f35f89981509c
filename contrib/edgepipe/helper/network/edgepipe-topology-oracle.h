/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TOPOLOGY_ORACLE_H
#define EDGEPIPE_TOPOLOGY_ORACLE_H

#include "edgepipe-network-helper.h"
#include "edgepipe-topology.h"

namespace ns3::edgepipe
{

/**
 * @param topology a network; input files of cells are read when they are first needed
 * @param devices its devices, which know where they are if they move
 * @return what a device could only know by an oracle: on the way from one to another the least that
 *         a wire or bearer gives, or a cell at the present distances
 * @throws InputError if a recording cannot be used
 */
CapacityOracle MakeOracle(const Topology& topology, const NodeContainer& devices);

/**
 * @param options of a link of wires
 * @param time when
 * @return what a lone transfer gets of a wire then, payload bit/s
 */
double GetWireGoodput(const NetworkOptions& options, const Time& time);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TOPOLOGY_ORACLE_H */
