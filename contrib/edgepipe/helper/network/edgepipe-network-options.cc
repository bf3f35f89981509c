/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-network-options.h"

#include "edgepipe-link-type.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/// What SO_SNDBUF may be set to, bytes.
constexpr uint32_t LEAST_SEND_BUFFER = 4096;
constexpr uint32_t LARGEST_SEND_BUFFER = 1 << 30;

} // namespace

void
RefuseOption(const std::string& option, const std::string& found, const std::string& want)
{
    throw InputError(option, found, want);
}

void
CheckNetworkOptions(const NetworkOptions& o, const std::vector<std::string>& names)
{
    if (o.fidelity != "packet" && o.fidelity != "flow")
    {
        RefuseOption("fidelity", "\"" + o.fidelity + "\"", "packet or flow");
    }
    if (o.fidelity == "flow" && o.lossRate > 0)
    {
        RefuseOption("loss",
                     Table::Exact(o.lossRate),
                     "0, or --fidelity=packet: flows are made of bytes, and lose no packets");
    }
    const auto link = FindLinkType(o);
    const LinkTraits& traits = link->GetTraits();
    const auto allow = [&](const std::string& option, bool isGiven, const std::string& found) {
        if (isGiven && !traits.options.count(option))
        {
            RefuseOption(option, found, ExplainUnused(*link, option));
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
    if (o.sendBufferBytes > LARGEST_SEND_BUFFER ||
        (o.sendBufferBytes > 0 && o.sendBufferBytes < LEAST_SEND_BUFFER))
    {
        RefuseOption("send-buffer",
                     std::to_string(o.sendBufferBytes),
                     "0, or " + std::to_string(LEAST_SEND_BUFFER) + " to " +
                         std::to_string(LARGEST_SEND_BUFFER) + " bytes");
    }
    link->Check(o, names);
    if (o.uplinkTrace.empty() &&
        !(o.bandwidthBitsPerSecond >= 1e3 && o.bandwidthBitsPerSecond <= 1e12))
    {
        RefuseOption("bandwidth", Table::Exact(o.bandwidthBitsPerSecond), "1e3 to 1e12 bit/s");
    }
    for (const auto& step : o.bandwidthSteps)
    {
        if (!(step.bitsPerSecond >= 1e3 && step.bitsPerSecond <= 1e12))
        {
            RefuseOption("bandwidth", Table::Exact(step.bitsPerSecond), "1e3 to 1e12 bit/s");
        }
    }
    if (o.delay.IsStrictlyNegative() || o.delay > Seconds(100))
    {
        RefuseOption("delay", Table::Exact(o.delay.GetSeconds()), "0 to 100 s");
    }
    if (!(o.lossRate >= 0 && o.lossRate < 1))
    {
        RefuseOption("loss", Table::Exact(o.lossRate), "a share of packets from 0 to below 1");
    }
    if (o.mtuBytes < 576 || o.mtuBytes > traits.largestMtu)
    {
        RefuseOption("mtu",
                     std::to_string(o.mtuBytes),
                     "576 to " + std::to_string(traits.largestMtu) + " bytes on " + o.link);
    }
    if (!o.cutDevice.empty())
    {
        if (std::find(names.begin(), names.end(), o.cutDevice) == names.end())
        {
            RefuseOption("cut",
                         "\"" + o.cutDevice + "\"",
                         "a device of the cluster, such as " + names.back());
        }
        if (o.cutTime.IsStrictlyNegative())
        {
            RefuseOption("cut", Table::Exact(o.cutTime.GetSeconds()), "a time of 0 s or later");
        }
    }
}

} // namespace ns3::edgepipe
