/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-network-helper.h"

#include "ns3/edgepipe-bearer.h"
#include "ns3/edgepipe-flow-bearers.h"
#include "ns3/edgepipe-flow-radio.h"
#include "ns3/edgepipe-flow-wires.h"
#include "ns3/edgepipe-packet-bearers.h"
#include "ns3/edgepipe-packet-lte.h"
#include "ns3/edgepipe-packet-wifi.h"
#include "ns3/edgepipe-packet-wires.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @tparam Builder of networks of a fidelity; the others are its kinds
 * @param options how to join the devices, checked
 * @param names of the devices
 * @return what builds the network
 */
template <typename Builder,
          typename Lan,
          typename Chain,
          typename Wifi,
          typename Lte,
          typename Bearers>
std::unique_ptr<Builder>
Make(const NetworkOptions& options, const std::vector<std::string>& names)
{
    if (options.link == "lan")
    {
        return std::make_unique<Lan>(options, names);
    }
    if (options.link == "p2p")
    {
        return std::make_unique<Chain>(options, names);
    }
    if (options.link == "lte")
    {
        return std::make_unique<Lte>(options, names);
    }
    if (FindBearer(options.link))
    {
        return std::make_unique<Bearers>(options, names);
    }
    return std::make_unique<Wifi>(options, names);
}

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
    if (m_options.fidelity == "packet")
    {
        return Make<PacketNetworkBuilder,
                    PacketLan,
                    PacketChain,
                    PacketWifi,
                    PacketLte,
                    PacketBearers>(m_options, m_names)
            ->Build(active);
    }
    return Make<FlowNetworkBuilder, FlowLan, FlowChain, FlowRadio, FlowRadio, FlowBearers>(
               m_options,
               m_names)
        ->Build();
}

} // namespace edgepipe
} // namespace ns3
