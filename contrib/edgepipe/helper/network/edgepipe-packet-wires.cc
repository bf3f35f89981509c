/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-wires.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace edgepipe
{

std::vector<Ipv4Address>
PacketLan::Join(const std::set<uint32_t>& /* active */)
{
    m_network.capacity = [options = m_options](uint32_t, uint32_t) {
        return GetWireGoodput(options, Simulator::Now());
    };
    NodeContainer all(m_network.devices);
    all.Create(1);
    Ptr<Node> hub = all.Get(all.GetN() - 1);
    InternetStackHelper stack;
    stack.Install(all);
    m_wireShare = GetEthernetShare(m_options.mtuBytes);
    std::vector<Ipv4Address> found;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < m_names.size(); ++i)
    {
        Ptr<Node> node = m_network.devices.Get(i);
        const auto ends = Wire(node, m_names[i], hub, "switch", {m_names[i]});
        const auto interfaces = addresses.Assign(ends);
        addresses.NewNetwork();
        found.push_back(interfaces.GetAddress(0));
        Ipv4StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv4>())
            ->SetDefaultRoute(interfaces.GetAddress(1), interfaces.Get(0).second);
    }
    stack.AssignStreams(all, m_stream);
    return found;
}

std::vector<Ipv4Address>
PacketChain::Join(const std::set<uint32_t>& /* active */)
{
    m_network.capacity = [options = m_options](uint32_t, uint32_t) {
        return GetWireGoodput(options, Simulator::Now());
    };
    InternetStackHelper stack;
    stack.Install(m_network.devices);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    std::vector<Ipv4Address> found(m_names.size(), Ipv4Address::GetLoopback());
    for (uint32_t i = 0; i + 1 < m_names.size(); ++i)
    {
        const auto ends = Wire(m_network.devices.Get(i),
                               m_names[i],
                               m_network.devices.Get(i + 1),
                               m_names[i + 1],
                               {m_names[i], m_names[i + 1]});
        const auto interfaces = addresses.Assign(ends);
        addresses.NewNetwork();
        if (i == 0)
        {
            found[0] = interfaces.GetAddress(0);
        }
        found[i + 1] = interfaces.GetAddress(1);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    stack.AssignStreams(m_network.devices, m_stream);
    return found;
}

} // namespace edgepipe
} // namespace ns3
