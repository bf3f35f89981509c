/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-network-helper.h"

#include "ns3/edgepipe-flow-network-builder.h"
#include "ns3/edgepipe-packet-network-builder.h"

namespace ns3
{
namespace edgepipe
{

NetworkHelper::NetworkHelper(NetworkOptions options, std::vector<std::string> names)
    : m_options(std::move(options)),
      m_names(std::move(names))
{
    CheckNetworkOptions(m_options, m_names);
}

Network
NetworkHelper::Build(const std::set<uint32_t>& active) const
{
    return m_options.fidelity == "packet" ? PacketNetworkBuilder(m_options, m_names).Build(active)
                                          : FlowNetworkBuilder(m_options, m_names).Build();
}

} // namespace edgepipe
} // namespace ns3
