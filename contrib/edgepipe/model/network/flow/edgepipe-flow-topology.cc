/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-topology.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-list-routing.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/loopback-net-device.h"
#include "ns3/node-list.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <set>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

/// Most hops of a route: the time to live that ns-3 gives a packet.
constexpr uint32_t MOST_HOPS = 64;
/// Routing protocols that find a route only when a packet comes.
constexpr std::array<const char*, 2> REACTIVE{"ns3::aodv::RoutingProtocol", "ns3::dsr::DsrRouting"};

/// Media on which flows have been compared with packets: a route crosses any number of the first,
/// and of the others one.
constexpr std::array<const char*, 4> COMPARED{"ns3::edgepipe::PointToPointMedium",
                                              "ns3::edgepipe::CsmaMedium",
                                              "ns3::edgepipe::WifiMedium",
                                              "ns3::edgepipe::LteMedium"};

/**
 * @param object anything
 * @return whether it is a reactive routing protocol
 */
bool
IsReactive(Ptr<Object> object)
{
    const std::string name = object->GetInstanceTypeId().GetName();
    return std::find(REACTIVE.begin(), REACTIVE.end(), name) != REACTIVE.end();
}

/**
 * Refuse reactive routing.
 *
 * @param node whose routing to look at
 */
void
CheckRouting(Ptr<Node> node)
{
    const auto refuse = [&node](const std::string& what) {
        throw InputError("node " + std::to_string(node->GetId()) + ": found routing by " + what +
                         ", expected static, global or OLSR: at flow level no packet asks for a "
                         "route");
    };
    for (auto objects = node->GetAggregateIterator(); objects.HasNext();)
    {
        const Ptr<const Object> object = objects.Next();
        if (IsReactive(ConstCast<Object>(object)))
        {
            refuse(object->GetInstanceTypeId().GetName());
        }
    }
    auto routing = node->GetObject<Ipv4>()->GetRoutingProtocol();
    if (IsReactive(routing))
    {
        refuse(routing->GetInstanceTypeId().GetName());
    }
    if (auto list = DynamicCast<Ipv4ListRouting>(routing))
    {
        for (uint32_t i = 0; i < list->GetNRoutingProtocols(); ++i)
        {
            int16_t priority;
            auto protocol = list->GetRoutingProtocol(i, priority);
            if (IsReactive(protocol))
            {
                refuse(protocol->GetInstanceTypeId().GetName());
            }
        }
    }
}

/**
 * @param node a node
 * @param source where the packet comes from
 * @param destination where it goes
 * @return the node's route
 * @throws InputError if it has none
 */
Ptr<Ipv4Route>
AskRoute(Ptr<Node> node, Ipv4Address source, Ipv4Address destination)
{
    auto ip = node->GetObject<Ipv4>();
    CheckRouting(node);
    Ipv4Header header;
    header.SetSource(source);
    header.SetDestination(destination);
    Socket::SocketErrno error = Socket::ERROR_NOTERROR;
    auto route = ip->GetRoutingProtocol()->RouteOutput(Create<Packet>(), header, nullptr, error);
    if (!route || !route->GetOutputDevice() ||
        DynamicCast<LoopbackNetDevice>(route->GetOutputDevice()))
    {
        std::ostringstream message;
        message << "node " << node->GetId() << ": found no route to " << destination << " at "
                << Simulator::Now().GetSeconds()
                << " s, expected static, global or OLSR routing to have one by the time of the "
                   "first message";
        throw InputError(message.str());
    }
    return route;
}

} // namespace

FlowTopology::FlowTopology(const FlowMediumSettings& settings)
    : m_settings(settings)
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(FlowMedium::GetTypeId()) && type.HasConstructor())
        {
            ObjectFactory factory;
            factory.SetTypeId(type);
            m_kinds.push_back(factory.Create<FlowMedium>());
        }
    }
}

void
FlowTopology::Declare(const NetDeviceContainer& devices, const DeclaredCapacity& capacity)
{
    m_declared.push_back(CreateObject<DeclaredMedium>());
    m_declared.back()->Declare(devices, capacity);
}

FlowRoute
FlowTopology::GetRoute(uint32_t from, uint32_t to)
{
    const Ipv4Address source = TensorEndpoint::FindAddress(NodeList::GetNode(from));
    const Ipv4Address destination = TensorEndpoint::FindAddress(NodeList::GetNode(to));
    FlowRoute route;
    uint32_t hops = 0;
    std::set<Ptr<FlowMedium>> shared;
    bool isCompared = true;
    for (uint32_t at = from; at != to;)
    {
        const auto step = AskRoute(NodeList::GetNode(at), source, destination);
        const Ipv4Address gateway = step->GetGateway();
        const Ipv4Address next = gateway == Ipv4Address::GetAny() ? destination : gateway;
        const FlowHop hop{step->GetOutputDevice(), FindOwner(next)};
        if (!hop.to || ++hops > MOST_HOPS)
        {
            std::ostringstream message;
            message << "node " << at << ": found a route to " << destination;
            if (hop.to)
            {
                message << " that goes in a circle";
            }
            else
            {
                message << " by way of " << next << ", which no node has";
            }
            throw InputError(message.str());
        }
        auto medium = FindMedium(hop);
        medium->AddHop(m_settings, hop, route);
        at = hop.to->GetNode()->GetId();
        const std::string kind = medium->GetInstanceTypeId().GetName();
        isCompared &= std::count(COMPARED.begin(), COMPARED.end(), kind) > 0;
        if (kind != COMPARED.front())
        {
            shared.insert(medium);
        }
    }
    if (!m_isDoubted && (!isCompared || shared.size() > 1))
    {
        m_isDoubted = true;
        std::cerr << "edgepipe: flows from node " << from << " to node " << to << " cross "
                  << (isCompared ? "several media that are no wires"
                                 : "a medium that was declared or is the user's own")
                  << ", where they have hardly been compared with packets; "
                     "ns3::edgepipe::PacketTransport checks a result\n";
    }
    return route;
}

Ptr<NetDevice>
FlowTopology::FindOwner(Ipv4Address address)
{
    const auto known = m_owners.find(address);
    if (known != m_owners.end())
    {
        return known->second;
    }
    m_owners.clear();
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        auto ip = (*node)->GetObject<Ipv4>();
        for (uint32_t i = 0; ip && i < ip->GetNInterfaces(); ++i)
        {
            for (uint32_t j = 0; j < ip->GetNAddresses(i); ++j)
            {
                m_owners[ip->GetAddress(i, j).GetLocal()] = ip->GetNetDevice(i);
            }
        }
    }
    const auto found = m_owners.find(address);
    return found == m_owners.end() ? nullptr : found->second;
}

Ptr<FlowMedium>
FlowTopology::FindMedium(const FlowHop& hop)
{
    for (const auto& medium : m_declared)
    {
        if (medium->FindKey(hop))
        {
            return medium;
        }
    }
    for (const auto& kind : m_kinds)
    {
        if (Ptr<Object> key = kind->FindKey(hop))
        {
            auto& medium = m_byKey[{kind->GetInstanceTypeId(), key}];
            if (!medium)
            {
                ObjectFactory factory;
                factory.SetTypeId(kind->GetInstanceTypeId());
                medium = factory.Create<FlowMedium>();
                m_media.push_back(medium);
            }
            return medium;
        }
    }
    throw InputError("node " + std::to_string(hop.from->GetNode()->GetId()) + ": found a " +
                     hop.from->GetInstanceTypeId().GetName() + " on the way to node " +
                     std::to_string(hop.to->GetNode()->GetId()) +
                     ", whose capacity flows cannot read: expected TransportHelper::"
                     "DeclareCapacity to tell it");
}

FlowRoute
FlowTopology::GetDeadRoute()
{
    if (m_dead == MaxMinSharing::NONE)
    {
        m_dead = m_settings.network->AddLink(0);
    }
    FlowRoute route;
    route.uses.push_back({m_dead, 1});
    return route;
}

void
FlowTopology::Reserve(const FlowRoute& route, double bytesPerSecond)
{
    for (const auto& use : route.uses)
    {
        m_settings.network->Reserve(use.link, bytesPerSecond * use.weight);
    }
}

void
FlowTopology::Update()
{
    m_owners.clear();
    for (const auto& medium : m_media)
    {
        medium->Update(m_settings);
    }
}

} // namespace ns3::edgepipe
