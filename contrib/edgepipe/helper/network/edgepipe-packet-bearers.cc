/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-bearers.h"

#include "ns3/edgepipe-bearer.h"
#include "ns3/edgepipe-paced-net-device.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/pointer.h"
#include "ns3/simple-channel.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

std::vector<Ipv4Address>
PacketBearers::Join(const std::set<uint32_t>& /* active */)
{
    m_network.capacity = MakeBearerCapacity(m_options, m_names);
    NodeContainer all(m_network.devices);
    all.Create(1);
    Ptr<Node> core = all.Get(all.GetN() - 1);
    InternetStackHelper stack;
    stack.Install(all);
    std::vector<Ipv4Address> found;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < m_names.size(); ++i)
    {
        Ptr<Node> node = m_network.devices.Get(i);
        const auto ends =
            IsWired(i) ? Cable(node, m_names[i], core, "core") : Carry(node, m_names[i], core);
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

NetDeviceContainer
PacketBearers::Carry(Ptr<Node> node, const std::string& name, Ptr<Node> core)
{
    auto channel = CreateObject<SimpleChannel>();
    channel->SetAttribute("Delay", TimeValue(m_options.delay));
    const uint32_t queue =
        m_options.queuePackets ? m_options.queuePackets : FindBearer(m_options.link)->queuePackets;
    NetDeviceContainer ends;
    for (const auto direction : {TraceDirection::UP, TraceDirection::DOWN})
    {
        const bool isUp = direction == TraceDirection::UP;
        auto end = CreateObject<PacedNetDevice>();
        end->SetAddress(Mac48Address::Allocate());
        end->SetMtu(m_options.mtuBytes);
        end->SetPacer(MakeBearerPacer(m_options, direction));
        end->SetAttribute("QueueSize", UintegerValue(queue));
        end->SetAttribute("Jitter", TimeValue(m_options.jitter));
        m_stream += end->AssignStreams(m_stream);
        if (auto loss = MakeLoss({name}))
        {
            end->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        Count(end, "PhyTxEnd", isUp ? name + " -> core" : "core -> " + name);
        (isUp ? node : core)->AddDevice(end);
        end->SetChannel(channel);
        ends.Add(end);
    }
    return ends;
}

} // namespace edgepipe
} // namespace ns3
