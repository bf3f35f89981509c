/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-host-queue.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(HostQueue);

Ptr<HostQueue>
HostQueue::Find(Ptr<Node> node, Ipv4Address to)
{
    Ipv4Header header;
    header.SetDestination(to);
    Socket::SocketErrno error;
    const auto route =
        node->GetObject<Ipv4>()->GetRoutingProtocol()->RouteOutput(nullptr, header, nullptr, error);
    const auto wire =
        route ? DynamicCast<PointToPointNetDevice>(route->GetOutputDevice()) : nullptr;
    if (!wire)
    {
        return nullptr;
    }
    if (auto known = wire->GetObject<HostQueue>())
    {
        return known;
    }
    const auto queue = CreateObject<HostQueue>();
    // It lives as long as the wire.
    auto* const counter = PeekPointer(queue);
    queue->m_entered = wire->GetQueue()->GetNPackets();
    const auto control = node->GetObject<TrafficControlLayer>();
    if (const auto disc = control ? control->GetRootQueueDiscOnDevice(wire) : nullptr)
    {
        queue->m_entered += disc->GetNPackets();
        disc->TraceConnectWithoutContext("Enqueue",
                                         Callback<void, Ptr<const QueueDiscItem>>(
                                             [counter](const auto&) { ++counter->m_entered; }));
    }
    else
    {
        wire->GetQueue()->TraceConnectWithoutContext(
            "Enqueue",
            Callback<void, Ptr<const Packet>>([counter](const auto&) { ++counter->m_entered; }));
    }
    wire->TraceConnectWithoutContext(
        "PhyTxBegin",
        Callback<void, Ptr<const Packet>>([counter](const auto&) { counter->Leave(); }));
    wire->AggregateObject(queue);
    return queue;
}

void
HostQueue::Await(const void* who, const Callback<void>& resume)
{
    if (std::none_of(m_waiting.begin(), m_waiting.end(), [who](const auto& one) {
            return one.first == who;
        }))
    {
        m_waiting.emplace_back(who, resume);
    }
}

void
HostQueue::DoDispose()
{
    m_waiting.clear();
    Object::DoDispose();
}

void
HostQueue::Leave()
{
    ++m_left;
    for (const auto& [who, resume] : std::exchange(m_waiting, {}))
    {
        resume();
    }
}

} // namespace ns3::edgepipe
