/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CLUSTER_H
#define EDGEPIPE_CLUSTER_H

#include "edgepipe-device-spec.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** How devices are connected, as options of a scenario. */
struct ClusterNetwork
{
    std::string link; //!< kind of link, such as "lan"; scenarios define the kinds
    std::string cell; //!< shared by devices of one link and cell; empty: by all of that link
    std::map<std::string, std::string> options{}; //!< such as {"distance", "5"}, as typed
    std::string place{};                          //!< file and field, for messages

    /**
     * @param other another
     * @return whether all but the place is equal
     */
    bool operator==(const ClusterNetwork& other) const;
};

/** One device of a cluster. */
struct ClusterDevice
{
    std::string name;     //!< unique in its cluster
    std::string type;     //!< name of its DeviceSpec
    std::size_t spec;     //!< index into Cluster::specs
    uint64_t memoryBytes; //!< bytes that can be allocated, > 0
    /// Its own network; null: the cluster's
    std::shared_ptr<const ClusterNetwork> network{};
};

/** A named set of devices and the network between them. */
struct Cluster
{
    std::string name;                   //!< as results name the cluster
    std::vector<DeviceSpec> specs;      //!< the types in use, each once, by first use
    std::vector<ClusterDevice> devices; //!< at least one
    ClusterNetwork network;             //!< of devices that have none of their own
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
