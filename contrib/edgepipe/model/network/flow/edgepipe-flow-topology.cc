/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-topology.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-list-routing.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/loopback-net-device.h"
#include "ns3/node-list.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <set>

namespace ns3::edgepipe
{

namespace
{

/// Largest number of hops of a route: ns-3's default time to live.
constexpr uint32_t MOST_HOPS = 64;
/// Routing protocols that find a route only when a packet comes.
constexpr std::array<const char*, 2> REACTIVE{"ns3::aodv::RoutingProtocol", "ns3::dsr::DsrRouting"};

/// Media on which flows have been compared with packets, on routes with any number of the first and
/// one of the others.
constexpr std::array<const char*, 4> COMPARED{"ns3::edgepipe::PointToPointMedium",
                                              "ns3::edgepipe::CsmaMedium",
                                              "ns3::edgepipe::WifiMedium",
                                              "ns3::edgepipe::LteMedium"};

/**
 * Refuse reactive routing.
 *
 * @param node the node to check
 */
void
CheckRouting(Ptr<Node> node)
{
    const auto check = [&node](const Ptr<const Object>& object) {
        const std::string name = object->GetInstanceTypeId().GetName();
        if (std::find(REACTIVE.begin(), REACTIVE.end(), name) != REACTIVE.end())
        {
            throw InputError("node " + std::to_string(node->GetId()) + ": found routing by " +
                             name +
                             ", expected static, global or OLSR: at flow level no packet asks for "
                             "a route");
        }
    };
    for (auto objects = node->GetAggregateIterator(); objects.HasNext();)
    {
        check(objects.Next());
    }
    const auto routing = node->GetObject<Ipv4>()->GetRoutingProtocol();
    check(routing);
    const auto list = DynamicCast<Ipv4ListRouting>(routing);
    for (uint32_t i = 0; list && i < list->GetNRoutingProtocols(); ++i)
    {
        int16_t priority;
        check(list->GetRoutingProtocol(i, priority));
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
    CheckRouting(node);
    Ipv4Header header;
    header.SetSource(source);
    header.SetDestination(destination);
    Socket::SocketErrno error = Socket::ERROR_NOTERROR;
    auto routing = node->GetObject<Ipv4>()->GetRoutingProtocol();
    auto route = routing->RouteOutput(Create<Packet>(), header, nullptr, error);
    if (!route || !route->GetOutputDevice() ||
        DynamicCast<LoopbackNetDevice>(route->GetOutputDevice()))
    {
        throw InputError(
            JoinParts("node ",
                      node->GetId(),
                      ": found no route to ",
                      destination,
                      " at ",
                      Simulator::Now().GetSeconds(),
                      " s, expected static, global or OLSR routing to have one by the time of the "
                      "first message"));
    }
    return route;
}

/**
 * @param device that receives packets
 * @return share of them that its error model loses, 0 to 1
 * @throws InputError if the model is not a RateErrorModel of packets
 */
double
GetLossRate(Ptr<NetDevice> device)
{
    PointerValue found;
    const auto model = device->GetAttributeFailSafe("ReceiveErrorModel", found)
                           ? found.Get<ErrorModel>()
                           : nullptr;
    if (!model || !model->IsEnabled())
    {
        return 0;
    }
    const auto rate = DynamicCast<RateErrorModel>(model);
    Require(rate && rate->GetUnit() == RateErrorModel::ERROR_UNIT_PACKET,
            JoinParts("node ",
                      device->GetNode()->GetId(),
                      ": found ",
                      model->GetInstanceTypeId().GetName(),
                      rate ? " of bits or bytes" : "",
                      " on its device, expected a RateErrorModel with ERROR_UNIT_PACKET at flow "
                      "level"));
    Require(rate->GetRate() < 1,
            JoinParts("node ",
                      device->GetNode()->GetId(),
                      ": found a device that loses all packets, expected less at flow level"));
    return rate->GetRate();
}

/** Devices whose capacity the user has declared, such as those of a mesh. */
class DeclaredMedium : public FlowMedium
{
  public:
    /**
     * @param devices that reach each other
     * @param capacity between them
     */
    DeclaredMedium(const NetDeviceContainer& devices, const DeclaredCapacity& capacity)
        : m_devices(devices),
          m_capacity(capacity)
    {
    }

    Ptr<Object> FindKey(const FlowHop& hop) const override
    {
        const auto isOurs = [this](const Ptr<NetDevice>& device) {
            return std::find(m_devices.Begin(), m_devices.End(), device) != m_devices.End();
        };
        return isOurs(hop.from) && isOurs(hop.to) ? hop.from : nullptr;
    }

    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override
    {
        const Ptr<NetDevice> sender = m_capacity.isShared ? m_devices.Get(0) : hop.from;
        auto& link = m_links[sender];
        link = link ? link : settings.network->AddLink(m_capacity.rate.GetBitRate() / 8.0);
        // On a shared medium, acknowledgements take capacity from the data.
        Cross(*link,
              m_capacity.isShared ? 1 + settings.acknowledgementShare : 1,
              m_capacity.delay.GetSeconds(),
              route);
    }

  private:
    NetDeviceContainer m_devices;                              //!< that reach each other
    DeclaredCapacity m_capacity;                               //!< of the devices
    std::map<Ptr<NetDevice>, std::optional<uint32_t>> m_links; //!< by device, once crossed
};

} // namespace

FlowTopology::FlowTopology(const FlowMediumSettings& settings)
    : m_settings(settings)
{
    ForEachNamed<FlowMedium>([this](Ptr<FlowMedium> kind) {
        m_kinds.push_back(kind);
        return true;
    });
}

void
FlowTopology::Declare(const NetDeviceContainer& devices, const DeclaredCapacity& capacity)
{
    m_declared.push_back(CreateObject<DeclaredMedium>(devices, capacity));
}

std::vector<FlowHop>
HopFinder::Find(uint32_t from, uint32_t to)
{
    const Ipv4Address source = TensorEndpoint::FindAddress(NodeList::GetNode(from));
    const Ipv4Address destination = TensorEndpoint::FindAddress(NodeList::GetNode(to));
    std::vector<FlowHop> hops;
    for (uint32_t at = from; at != to; at = hops.back().to->GetNode()->GetId())
    {
        const auto step = AskRoute(NodeList::GetNode(at), source, destination);
        const Ipv4Address gateway = step->GetGateway();
        const Ipv4Address next = gateway == Ipv4Address::GetAny() ? destination : gateway;
        hops.push_back({step->GetOutputDevice(), FindOwner(next)});
        if (!hops.back().to || hops.size() > MOST_HOPS)
        {
            const auto found = JoinParts("node ", at, ": found a route to ", destination);
            Require(bool(hops.back().to),
                    JoinParts(found, " by way of ", next, ", which no node has"));
            throw InputError(found + " that goes in a circle");
        }
    }
    return hops;
}

FlowRoute
FlowTopology::GetRoute(uint32_t from, uint32_t to)
{
    FlowRoute route;
    std::set<Ptr<FlowMedium>> shared;
    bool isCompared = true;
    for (const auto& hop : m_hops.Find(from, to))
    {
        auto medium = FindMedium(hop);
        medium->AddHop(m_settings, hop, route);
        Lose(GetLossRate(hop.to), route);
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
HopFinder::FindOwner(Ipv4Address address)
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
                medium = ObjectFactory(kind->GetInstanceTypeId().GetName()).Create<FlowMedium>();
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
    m_hops.Update();
    for (const auto& medium : m_media)
    {
        medium->Update(m_settings);
    }
}

} // namespace ns3::edgepipe
