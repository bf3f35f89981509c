/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-radio.h"

#include "ns3/edgepipe-competitors.h"
#include "ns3/edgepipe-mobility.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Where a device is after it has been cut off: nobody hears it, and it hears nobody.
const Vector OUT_OF_RANGE(1e6, 0, 0);

} // namespace

void
PacketRadio::Place(const std::set<uint32_t>& active, Ptr<Node> hub)
{
    for (const uint32_t i : active)
    {
        if (!IsWired(i))
        {
            m_onAir.insert(i);
        }
    }
    InstallMobility(m_options, m_network.devices, m_onAir);
    for (const uint32_t i : m_onAir)
    {
        if (m_names[i] == m_options.cutDevice)
        {
            auto position = m_network.devices.Get(i)->GetObject<MobilityModel>();
            Simulator::Schedule(m_options.cutTime,
                                [position] { position->SetPosition(OUT_OF_RANGE); });
        }
    }
    m_competitors.Create(m_options.competitors);
    PlaceCompetitors(m_options, m_competitors);
    PlaceHub(hub);
}

NodeContainer
PacketRadio::GetStations() const
{
    NodeContainer nodes;
    for (const uint32_t i : m_onAir)
    {
        nodes.Add(m_network.devices.Get(i));
    }
    nodes.Add(m_competitors);
    return nodes;
}

std::vector<std::string>
PacketRadio::GetStationNames() const
{
    std::vector<std::string> names;
    for (const uint32_t i : m_onAir)
    {
        names.push_back(m_names[i]);
    }
    for (uint32_t i = 1; i <= m_competitors.GetN(); ++i)
    {
        names.push_back("competitor " + std::to_string(i));
    }
    return names;
}

std::vector<Ipv4Address>
PacketRadio::Finish(const std::vector<Ipv4Address>& addresses,
                    Ptr<Node> gateway,
                    const std::string& name,
                    Ipv4Address gatewayAddress)
{
    const auto setDefaultRoute = [](Ptr<Node> node, Ipv4Address next, uint32_t interface) {
        Ipv4StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv4>())
            ->SetDefaultRoute(next, interface);
    };
    std::vector<Ipv4Address> found(m_names.size(), Ipv4Address::GetLoopback());
    auto address = addresses.begin();
    for (const uint32_t i : m_onAir)
    {
        found[i] = *address++;
    }
    Ipv4AddressHelper subnets("172.16.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < m_names.size(); ++i)
    {
        if (IsWired(i))
        {
            Ptr<Node> node = m_network.devices.Get(i);
            const auto cable = subnets.Assign(Cable(node, m_names[i], gateway, name));
            subnets.NewNetwork();
            setDefaultRoute(node, cable.GetAddress(1), cable.Get(0).second);
            found[i] = cable.GetAddress(0);
        }
    }
    // A station has its loopback and its radio.
    const NodeContainer stations = GetStations();
    for (auto node = stations.Begin(); node != stations.End(); ++node)
    {
        setDefaultRoute(*node, gatewayAddress, 1);
    }
    if (m_competitors.GetN() > 0)
    {
        StartUploads(m_competitors,
                     {address, addresses.end()},
                     gateway,
                     gatewayAddress,
                     m_options.mtuBytes - TCP_IP_HEADERS,
                     m_attached);
    }
    return found;
}

} // namespace edgepipe
} // namespace ns3
