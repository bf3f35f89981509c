/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-network-options.h"

#include "edgepipe-mixed-network.h"
#include "edgepipe-topology.h"

#include "ns3/edgepipe-table.h"

namespace ns3::edgepipe
{

/// Range of SO_SNDBUF, bytes.
constexpr uint32_t LEAST_SEND_BUFFER = 4096;
constexpr uint32_t LARGEST_SEND_BUFFER = 1 << 30;

void
NetworkGroup::Set(const std::string& attribute, const AttributeValue& value)
{
    const Ptr<LinkType> other = SetLike(FindByName<LinkType>("link", link->GetName()), *link);
    other->SetAttribute(attribute, value);
    link = other;
}

bool
NetworkOptions::IsRecorded() const
{
    return AnyOf(groups, [](const auto& group) {
        return AnyOf(group.link->GetRates(), [](const auto& rate) { return !rate.trace.empty(); });
    });
}

bool
NetworkOptions::IsMobile() const
{
    return AnyOf(groups, [](const auto& group) {
        const auto radio = DynamicCast<const RadioLink>(group.link);
        return radio && radio->IsMobile();
    });
}

uint32_t
NetworkOptions::CountCompetitors() const
{
    uint32_t most = 0;
    for (const auto& group : groups)
    {
        const auto radio = DynamicCast<const RadioLink>(group.link);
        most = std::max(most, radio ? radio->GetCompetitors() : 0);
    }
    return most;
}

std::string
DescribeLink(const NetworkOptions& network)
{
    return network.IsMixed() ? DescribeMixed(network) : network.GetLink().Describe(network);
}

Topology
MakeTopology(const NetworkOptions& network, const std::vector<std::string>& names)
{
    return network.IsMixed() ? MakeMixedTopology(network, names)
                             : network.GetLink().MakeTopology(network, names);
}

void
CheckNetworkOptions(const NetworkOptions& o, const std::vector<std::string>& names)
{
    Require(o.fidelity == "packet" || o.fidelity == "flow",
            "fidelity",
            "\"" + o.fidelity + "\"",
            "packet or flow");
    const uint32_t buffer = o.sendBufferBytes.value_or(0);
    Require(buffer <= LARGEST_SEND_BUFFER && (buffer == 0 || buffer >= LEAST_SEND_BUFFER),
            "send-buffer",
            std::to_string(buffer),
            "0, or " + std::to_string(LEAST_SEND_BUFFER) + " to " +
                std::to_string(LARGEST_SEND_BUFFER) + " bytes");
    o.IsMixed() ? CheckMixed(o, names) : o.GetLink().Check(o, names);
    Require(o.lossRate >= 0 && o.lossRate < 1,
            "loss",
            Table::Exact(o.lossRate),
            "a share of packets from 0 to below 1");
    const uint32_t most =
        o.IsMixed() ? LinkTraits().largestMtu : o.GetLink().GetTraits().largestMtu;
    Require(o.mtuBytes >= 576 && o.mtuBytes <= most,
            "mtu",
            std::to_string(o.mtuBytes),
            "576 to " + std::to_string(most) + " bytes on " + o.GetLinkName());
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

NetworkOptions
GetGroupOptions(const NetworkOptions& network, const NetworkGroup& group)
{
    NetworkOptions own = network;
    own.groups = {{group.cell, {}, group.link}};
    own.wiredDevices.clear();
    return own;
}

} // namespace ns3::edgepipe
