/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CLUSTER_H
#define EDGEPIPE_CLUSTER_H

#include "edgepipe-device-spec.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** How a device is joined to the others; what a file leaves open is as the link usually has it. */
struct ClusterNetwork
{
    std::string link;                 //!< kind of link, such as "lan"; scenarios know the kinds
    std::string cell;                 //!< devices of one cell share it; empty: those of one kind
    double bandwidthBitsPerSecond{0}; //!< of the uplink or wire, bit/s; 0: left open
    double downlinkBitsPerSecond{0};  //!< bit/s; 0: left open
    double delaySeconds{-1};          //!< one way, seconds; negative: left open
    std::string trace;                //!< file of a recorded uplink; empty: none
    std::string downlinkTrace;        //!< file of a recorded downlink; empty: left open
    double traceOffsetSeconds{0};     //!< where in the recordings the simulation starts
    double traceScale{1};             //!< recorded bandwidth is multiplied by this, > 0
    double distanceMeters{0};         //!< from the middle of the cell; 0: left open
    std::string mobility;             //!< in the cell; empty: left open
    double speedMetersPerSecond{-1};  //!< of a device that moves; negative: left open

    /**
     * @param other another
     * @return whether it says the same
     */
    bool operator==(const ClusterNetwork& other) const;
};

/** One device of a cluster. */
struct ClusterDevice
{
    std::string name;     //!< unique in its cluster
    std::string type;     //!< name of its DeviceSpec
    std::size_t spec;     //!< index into Cluster::specs
    uint64_t memoryBytes; //!< bytes it offers, > 0
    /// Its own network; null: the cluster's
    std::shared_ptr<const ClusterNetwork> network{};
};

/** A named set of devices and the network between them. */
struct Cluster
{
    std::string name;                   //!< as results name the cluster
    std::vector<DeviceSpec> specs;      //!< the types in use, each once, by first use
    std::vector<ClusterDevice> devices; //!< at least one
    std::string link;                   //!< kind of link, such as "lan"; scenarios know the kinds
    double bandwidthBitsPerSecond;      //!< bit/s, > 0
    double delaySeconds;                //!< one way, seconds, >= 0
};

/**
 * Reads a cluster file (doc/reference/formats.rst, "Cluster") and the device files it names.
 *
 * A device file is looked for in `../devices` beside the cluster file, then in
 * `TRACES/devices`.
 *
 * @param path the cluster file
 * @param tracesDirectory the traces folder
 * @return the cluster, its devices expanded
 * @throws InputError for an unreadable or malformed file, an unknown device type, a figure out
 *         of range or a device name used twice
 */
Cluster ReadCluster(const std::string& path, const std::string& tracesDirectory);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CLUSTER_H */
