// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_OWN_TOPOLOGY_H
#define EDGEPIPE_OWN_TOPOLOGY_H

#include "test.h"

/** A topology made by script, as a user's would be. */
struct OwnTopology
{
    NodeContainer nodes;        //!< that send and receive
    NetDeviceContainer devices; //!< theirs
};

/** A message between two of the nodes. */
struct Transfer
{
    double start;   //!< s
    uint32_t from;  //!< place of the node, from 0
    uint32_t to;    //!< likewise
    uint64_t bytes; //!< payload
};

/// Makes a topology in the present simulation.
using TopologyMaker = std::function<OwnTopology()>;
/// Does something with a transport before its nodes have it.
using TransportSetter = std::function<void(TransportHelper&, const OwnTopology&)>;

/// @param queue packets before each wire; 0: what ns-3 has by itself
/// @return point-to-point links to a node in the middle
OwnTopology MakeStar(uint32_t leaves,
                     const std::string& rate,
                     const std::string& delay,
                     uint32_t queue = 0);

/// @return four nodes in a row
OwnTopology MakeChain(const std::string& rate, const std::string& delay);

/// @return nodes on a CSMA channel
OwnTopology MakeBus(uint32_t nodes, const std::string& rate, const std::string& delay);

/// @param distance of each from its access point, m
/// @param apart if above 0, the second half has an access point of its own on the same channel, so
///        far away, m; a wire of 1 Gbit/s joins the two
/// @return 802.11n stations at 5 GHz, 20 MHz; the access point is a further node
OwnTopology MakeWifiCell(uint32_t stations, double distance, double apart = 0);

/// @param distance of each from the base station, m
/// @param isAttached whether they are attached to it from the start
/// @return LTE devices of 25 resource blocks, and as the last node a server behind the gateway
OwnTopology MakeLteCell(uint32_t stations, double distance, bool isAttached = true);

/// Run transfers over a topology of one's own.
/// @param set what else to tell the transport; may be null
/// @return when each arrives, s; 0 if it has not after 1000 s
std::vector<double> RunOwn(const std::string& fidelity,
                           const TopologyMaker& make,
                           const std::vector<Transfer>& transfers,
                           const TransportSetter& set = nullptr);

/// Run transfers over a network of NetworkHelper's.
/// @return when each arrives, s; 0 if it has not after 1000 s
std::vector<double> RunOptions(const NetworkOptions& options,
                               uint32_t devices,
                               const std::vector<Transfer>& transfers);

#endif /* EDGEPIPE_OWN_TOPOLOGY_H */
