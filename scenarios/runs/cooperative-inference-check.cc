/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/cooperative-inference-check.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-table.h"

#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Largest rate of a camera, relative change or scale that a user may ask for.
constexpr double LARGEST = 1e9;
/// Frames of all devices; each has a record of 72 bytes.
constexpr uint64_t MOST_FRAMES = 10000000;

/**
 * @param option its name
 * @param isGood whether it makes sense
 * @param found what it is
 * @param expected what it should be
 * @throws InputError unless it is good
 */
void
Require(const std::string& option,
        bool isGood,
        const std::string& found,
        const std::string& expected)
{
    if (!isGood)
    {
        throw InputError(option + ": found " + found + ", expected " + expected);
    }
}

/**
 * @param option its name
 * @param bitsPerSecond first estimate; 0: none is given
 * @throws InputError if it makes no sense
 */
void
CheckFirst(const std::string& option, double bitsPerSecond)
{
    Require(option,
            bitsPerSecond == 0 || (bitsPerSecond >= 1 && bitsPerSecond <= 1e15),
            Table::Exact(bitsPerSecond),
            "0, or 1 to 1e15 bit/s");
}

/**
 * @param o how to run
 * @param devices how many there are, at least 1
 * @throws InputError naming what makes no sense
 */
void
CheckOptions(const CooperativeInferenceOptions& o, std::size_t devices)
{
    const auto isRate = [](double value) { return value >= 0 && value <= LARGEST; };
    Require("frames",
            o.frames >= 1 && o.frames <= MOST_FRAMES / devices,
            std::to_string(o.frames) + " for each of " + std::to_string(devices) + " devices",
            "1 to " + std::to_string(MOST_FRAMES) + " in all");
    Require("fps", isRate(o.framesPerSecond), Table::Exact(o.framesPerSecond), "0 to 1e9 frames/s");
    Require("frame-rate",
            o.framesPerSecond == 0 || o.frames <= LARGEST * o.framesPerSecond,
            Table::Exact(o.framesPerSecond),
            "0, or enough for " + std::to_string(o.frames) + " frames in 1e9 s");
    Require("in-flight", o.framesInFlight >= 1, "0", "at least 1 frame");
    Require("replan-threshold",
            o.replanThreshold > 0 && isRate(o.replanThreshold),
            Table::Exact(o.replanThreshold),
            "a relative change above 0");
    Require("replan-period",
            !o.replanPeriod.IsStrictlyNegative(),
            Table::Exact(o.replanPeriod.GetSeconds()),
            "0 s or more");
    Require("planning-time",
            !o.planning.fixed.IsStrictlyNegative(),
            Table::Exact(o.planning.fixed.GetSeconds()),
            "0 s or more");
    Require("planning-scale",
            isRate(o.planning.scale),
            Table::Exact(o.planning.scale),
            "a number from 0 to 1e9");
    Require("stall-timeout",
            o.stallTimeout.IsStrictlyPositive(),
            Table::Exact(o.stallTimeout.GetSeconds()),
            "more than 0 s");
    CheckFirst("first-uplink", o.firstUplinkBitsPerSecond);
    CheckFirst("first-downlink", o.firstDownlinkBitsPerSecond);
}

/**
 * @param devices the devices
 * @param server name of the server
 * @throws InputError naming what makes no sense
 */
void
CheckDevices(const std::vector<CooperativeDevice>& devices, const std::string& server)
{
    const std::size_t most = UINT16_MAX - BandwidthMonitor::MONITOR_PORT;
    Require("devices",
            !devices.empty() && devices.size() <= most,
            std::to_string(devices.size()),
            "1 to " + std::to_string(most));
    std::set<std::string> names{server};
    for (const auto& device : devices)
    {
        const std::string what = "device \"" + device.name + "\"";
        Require(what, names.insert(device.name).second, "this name twice", "another name");
        const std::size_t layers = device.problem.layers.size();
        Require(what,
                layers < InferenceTag::INPUT,
                std::to_string(layers) + " layers",
                "fewer than " + std::to_string(InferenceTag::INPUT));
        Require(what,
                device.parameterBytes.size() == layers,
                "weights of " + std::to_string(device.parameterBytes.size()) + " layers",
                "of each of its " + std::to_string(layers));
    }
}

} // namespace

void
CheckCooperativeInference(const std::vector<CooperativeDevice>& devices,
                          const CooperativeInferenceOptions& options)
{
    CheckDevices(devices, options.serverName);
    CheckOptions(options, devices.size());
}

} // namespace edgepipe
} // namespace ns3
