/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-network-options.h"

#include "edgepipe-link-type.h"

#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-table.h"

#include <cmath>

namespace ns3::edgepipe
{

/// Range of SO_SNDBUF, bytes.
constexpr uint32_t LEAST_SEND_BUFFER = 4096;
constexpr uint32_t LARGEST_SEND_BUFFER = 1 << 30;

std::vector<NetworkOptions>
ListNetworks(const NetworkOptions& options)
{
    return options.groups.empty() ? std::vector<NetworkOptions>{options}
                                  : Map(options.groups, &NetworkGroup::network);
}

void
CheckBandwidth(const std::string& option, double bitsPerSecond, bool mayBeOff)
{
    Require((bitsPerSecond >= 1e3 && bitsPerSecond <= 1e12) || (mayBeOff && bitsPerSecond == 0),
            option,
            Table::Exact(bitsPerSecond),
            "1e3 to 1e12 bit/s, or 0 for a while except on lan and p2p");
}

void
CheckNetworkOptions(const NetworkOptions& o, const std::vector<std::string>& names)
{
    Require(o.fidelity == "packet" || o.fidelity == "flow",
            "fidelity",
            "\"" + o.fidelity + "\"",
            "packet or flow");
    const auto link = FindLinkType(o);
    const LinkTraits& traits = link->GetTraits();
    const auto allow = [&](const std::string& option, bool isGiven, const std::string& found) {
        // Groups check their own.
        if (isGiven && o.groups.empty() && !traits.options.count(option))
        {
            throw InputError(option, found, ExplainUnused(*link, option));
        }
    };
    const double downlink = o.downlinkBitsPerSecond;
    allow("downlink-bandwidth", downlink != 0, Table::Exact(downlink));
    allow("jitter", !o.jitter.IsZero(), Table::Exact(o.jitter.GetSeconds()));
    allow("queue", o.queuePackets != 0, std::to_string(o.queuePackets));
    allow("trace", !o.uplinkTrace.empty(), "\"" + o.uplinkTrace + "\"");
    allow("trace-down", !o.downlinkTrace.empty(), "\"" + o.downlinkTrace + "\"");
    allow("mobility", o.mobility != "static", o.mobility);
    allow("competitors", o.competitors > 0, std::to_string(o.competitors));
    const uint32_t buffer = o.sendBufferBytes.value_or(0);
    Require(buffer <= LARGEST_SEND_BUFFER && (buffer == 0 || buffer >= LEAST_SEND_BUFFER),
            "send-buffer",
            std::to_string(buffer),
            "0, or " + std::to_string(LEAST_SEND_BUFFER) + " to " +
                std::to_string(LARGEST_SEND_BUFFER) + " bytes");
    link->Check(o, names);
    if (o.uplinkTrace.empty())
    {
        CheckBandwidth("bandwidth", o.bandwidthBitsPerSecond, !traits.options.count("queue"));
    }
    for (const auto& step : o.bandwidthSteps)
    {
        CheckBandwidth("bandwidth",
                       step.bitsPerSecond,
                       traits.options.count("downlink-bandwidth") > 0);
    }
    const bool isUnlimited = traits.options.count("distance") > 0 && std::isinf(downlink);
    if (o.downlinkTrace.empty() && !isUnlimited)
    {
        CheckBandwidth("downlink-bandwidth", downlink, true);
    }
    for (const auto& step : o.downlinkSteps)
    {
        CheckBandwidth("downlink-bandwidth", step.bitsPerSecond, true);
    }
    Require(!o.delay.IsStrictlyNegative() && o.delay <= Seconds(100),
            "delay",
            Table::Exact(o.delay.GetSeconds()),
            "0 to 100 s");
    Require(o.lossRate >= 0 && o.lossRate < 1,
            "loss",
            Table::Exact(o.lossRate),
            "a share of packets from 0 to below 1");
    Require(o.mtuBytes >= 576 && o.mtuBytes <= traits.largestMtu,
            "mtu",
            std::to_string(o.mtuBytes),
            "576 to " + std::to_string(traits.largestMtu) + " bytes on " + o.link);
    if (!o.cutDevice.empty())
    {
        Require(Contains(names, o.cutDevice),
                "cut",
                "\"" + o.cutDevice + "\"",
                "a device of the cluster, such as " + names.back());
        Require(!o.cutTime.IsStrictlyNegative(),
                "cut",
                Table::Exact(o.cutTime.GetSeconds()),
                "a time of 0 s or later");
    }
}

} // namespace ns3::edgepipe
