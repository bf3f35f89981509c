/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEVICE_SPEC_H
#define EDGEPIPE_DEVICE_SPEC_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/// Sustained over peak FLOP/s, above 0, by operator: conv2d, grouped_conv2d, depthwise_conv2d,
/// linear.
using OperatorEfficiency = std::map<std::string, double>;

/** What a type of device can do. */
struct DeviceSpec
{
    std::string name;                     //!< as clusters and profiles name the type
    std::string description;              //!< for people
    double peakFlopPerSecond;             //!< FLOP/s, > 0
    uint64_t memoryBytes;                 //!< bytes, > 0
    double memoryBandwidthBytesPerSecond; //!< bytes/s, > 0
    double idleWatts;                     //!< W, >= 0
    double loadWatts;                     //!< W, >= 0
    double layerOverheadSeconds;          //!< fixed cost of a layer, seconds, >= 0
    OperatorEfficiency inference;         //!< when only the forward pass runs
    OperatorEfficiency training;          //!< for both passes of training

    /**
     * @param other some other
     * @return whether name and all figures are the same
     */
    bool operator==(const DeviceSpec& other) const;
};

/**
 * Add a type to a list of types, unless it is there; results and costs know types by their names.
 *
 * @param types each once
 * @param spec the type
 * @return its place in the list
 * @throws InputError if there is another type of that name
 */
std::size_t AddDeviceType(std::vector<DeviceSpec>& types, const DeviceSpec& spec);

/**
 * Reads a device file (doc/reference/formats.rst, "Device").
 *
 * @param path the device file
 * @return the device
 * @throws InputError for an unreadable or malformed file, a figure without a source or out of
 *         range
 */
DeviceSpec ReadDeviceSpec(const std::string& path);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEVICE_SPEC_H */
