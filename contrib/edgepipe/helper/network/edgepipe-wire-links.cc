/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-wire-links.h"

#include "ns3/edgepipe-table.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LanLink);
NS_OBJECT_ENSURE_REGISTERED(P2pLink);

WireLink::WireLink(const std::string& name, bool isForwarding, double overheadBytes)
    : LinkType({name, {"bandwidth", "delay"}, isForwarding, isForwarding}),
      m_overheadBytes(overheadBytes)
{
}

std::string
WireLink::Describe(const NetworkOptions& options, bool isDetailed) const
{
    if (!isDetailed)
    {
        return GetName();
    }
    return GetName() + " (" + Table::Rounded(options.bandwidthBitsPerSecond / 1e6) + " Mbit/s" +
           (options.bandwidthSteps.empty() ? "" : " at first") + ", delay " +
           Table::Rounded(1e3 * options.delay.GetSeconds()) + " ms)";
}

WireMedium
WireLink::MakeWires(const NetworkOptions& options) const
{
    return {options.bandwidthBitsPerSecond, options.bandwidthSteps, options.delay, m_overheadBytes};
}

TypeId
LanLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::LanLink")
                            .SetParent<LinkType>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<LanLink>();
    return tid;
}

LanLink::LanLink()
    : WireLink("lan", false, ETHERNET_OVERHEAD)
{
}

Topology
LanLink::MakeTopology(const NetworkOptions& options, const std::vector<std::string>& names) const
{
    NetworkOptions alike = options;
    alike.wiredDevices.clear();
    return MakeStar(alike, names, "switch", MakeWires(options));
}

TypeId
P2pLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::P2pLink")
                            .SetParent<LinkType>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<P2pLink>();
    return tid;
}

P2pLink::P2pLink()
    : WireLink("p2p", true, PPP_OVERHEAD)
{
}

Topology
P2pLink::MakeTopology(const NetworkOptions& options, const std::vector<std::string>& names) const
{
    const uint32_t devices = names.size();
    Topology chain{options.mtuBytes, options.lossRate, devices, {MakeWires(options)}, {}};
    for (uint32_t i = 0; i < devices; ++i)
    {
        const uint32_t next = std::min(i + 1, devices - 1);
        const bool isCut = names[i] == options.cutDevice || names[next] == options.cutDevice;
        chain.nodes.push_back({names[i], next, 0, isCut ? options.cutTime : Time::Max()});
    }
    return chain;
}

} // namespace edgepipe
} // namespace ns3
