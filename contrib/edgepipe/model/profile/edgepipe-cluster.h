/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CLUSTER_H
#define EDGEPIPE_CLUSTER_H

#include "edgepipe-device-spec.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One device of a cluster. */
struct ClusterDevice
{
    std::string name;     //!< unique in its cluster
    std::string type;     //!< name of its DeviceSpec
    std::size_t spec;     //!< index into Cluster::specs
    uint64_t memoryBytes; //!< bytes it offers, > 0
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
 * Reads a cluster file (doc/formats.rst, "Cluster") and the device files it names.
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

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CLUSTER_H */
