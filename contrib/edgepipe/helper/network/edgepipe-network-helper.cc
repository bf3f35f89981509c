/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-network-helper.h"

#include "edgepipe-packet-network-builder.h"
#include "edgepipe-topology-oracle.h"

#include "ns3/uinteger.h"

namespace ns3::edgepipe
{

namespace
{

/// Linux holds so much of what SO_SNDBUF is set to, meant to be half of it its own bookkeeping;
/// next to none of it is where nothing is segmented before the device.
constexpr uint32_t KERNEL_SHARE = 2;

} // namespace

NetworkHelper::NetworkHelper(NetworkOptions options, std::vector<std::string> names)
    : m_options(std::move(options)),
      m_names(std::move(names))
{
    CheckNetworkOptions(m_options, m_names);
}

Network
NetworkHelper::Build(const std::set<uint32_t>& active) const
{
    const Topology topology = FindLinkType(m_options)->MakeTopology(m_options, m_names);
    Network network = m_options.fidelity == "packet" ? PacketNetworkBuilder(topology).Build(active)
                                                     : BuildFlowNetwork(topology);
    network.transport->SetAttribute("SendBuffer",
                                    UintegerValue(KERNEL_SHARE * m_options.sendBufferBytes));
    network.capacity = MakeOracle(topology, network.devices);
    network.delaySeconds = [topology](uint32_t from, uint32_t to) {
        return topology.GetDelaySeconds(from, to);
    };
    return network;
}

} // namespace ns3::edgepipe
