/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-tensor-endpoint.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/ipv4.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(TensorEndpoint);

TypeId
TensorEndpoint::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Transport",
             "Transport by which the node sends and receives.",
             &TensorEndpoint::m_transport)
        .Add("Address",
             "Address at which others reach the node; 0.0.0.0: its first IPv4 address that is not "
             "a loopback, looked up when needed.",
             {Ipv4AddressValue(Ipv4Address::GetAny()),
              MakeIpv4AddressAccessor(&TensorEndpoint::m_address),
              MakeIpv4AddressChecker()});
}

void
TensorEndpoint::DoDispose()
{
    if (m_transport)
    {
        m_transport->Dispose();
        m_transport = nullptr;
    }
    Object::DoDispose();
}

Ptr<TensorTransport>
TensorEndpoint::FindTransport(Ptr<Node> node)
{
    auto endpoint = node->GetObject<TensorEndpoint>();
    Require(endpoint && endpoint->m_transport,
            "node " + std::to_string(node->GetId()) +
                ": found no transport, expected one installed by TransportHelper");
    return endpoint->m_transport;
}

Ipv4Address
TensorEndpoint::FindAddress(Ptr<Node> node)
{
    auto endpoint = node->GetObject<TensorEndpoint>();
    if (endpoint && endpoint->m_address != Ipv4Address::GetAny())
    {
        return endpoint->m_address;
    }
    auto ip = node->GetObject<Ipv4>();
    for (uint32_t i = 0; ip && i < ip->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ip->GetNAddresses(i); ++j)
        {
            const Ipv4Address address = ip->GetAddress(i, j).GetLocal();
            if (!address.IsLocalhost() && address != Ipv4Address::GetAny())
            {
                return address;
            }
        }
    }
    throw InputError("node " + std::to_string(node->GetId()) +
                     ": found no IPv4 address, expected one besides the loopback");
}

uint32_t
TensorEndpoint::TakeJob(const NodeContainer& nodes)
{
    uint32_t number = 0;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        FindTransport(*node);
        number = std::max(number, (*node)->GetObject<TensorEndpoint>()->m_jobs);
    }
    Require(number < TensorSocket::MOST_JOBS,
            "job: found " + std::to_string(number) + " others on a node, expected below " +
                std::to_string(TensorSocket::MOST_JOBS));
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        (*node)->GetObject<TensorEndpoint>()->m_jobs = number + 1;
    }
    return number;
}

} // namespace ns3::edgepipe
