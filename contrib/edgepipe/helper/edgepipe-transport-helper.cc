/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-transport-helper.h"

#include "network/edgepipe-packet-defaults.h"

#include "ns3/edgepipe-flow-transport.h"
#include "ns3/edgepipe-packet-transport.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

TransportHelper::TransportHelper(const std::string& type)
{
    TypeId tid;
    Require(TypeId::LookupByNameFailSafe(type, &tid) &&
                tid.IsChildOf(TensorTransport::GetTypeId()) && tid.HasConstructor(),
            "transport: found \"" + type +
                "\", expected a subclass of ns3::edgepipe::TensorTransport, such as "
                "ns3::edgepipe::PacketTransport or ns3::edgepipe::FlowTransport");
    m_factory.SetTypeId(tid);
}

void
TransportHelper::Set(const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    Require(m_factory.GetTypeId().LookupAttributeByName(name, &info) &&
                info.checker->CreateValidValue(value),
            "transport: found no attribute \"" + name + "\" of " + m_factory.GetTypeId().GetName() +
                " that takes such a value");
    m_factory.Set(name, value);
    if (m_transport)
    {
        m_transport->SetAttribute(name, value);
    }
}

Ptr<TensorTransport>
TransportHelper::MakeTransport()
{
    if (!m_transport)
    {
        m_transport = m_factory.Create<TensorTransport>();
    }
    return m_transport;
}

void
TransportHelper::DeclareCapacity(const NetDeviceContainer& devices,
                                 const DeclaredCapacity& capacity)
{
    if (auto flows = DynamicCast<FlowTransport>(MakeTransport()))
    {
        flows->DeclareCapacity(devices, capacity);
    }
}

void
TransportHelper::AddBackground(Ptr<Node> from,
                               Ptr<Node> to,
                               const DataRate& rate,
                               const Time& start,
                               const Time& stop)
{
    if (auto flows = DynamicCast<FlowTransport>(MakeTransport()))
    {
        flows->AddBackground(from, to, rate, start, stop);
    }
}

Ptr<TensorTransport>
TransportHelper::Install(const NodeContainer& nodes)
{
    MakeTransport();
    std::set<uint32_t> ids;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_transport->CheckNode(*node);
        Require(!(*node)->GetObject<TensorEndpoint>() && ids.insert((*node)->GetId()).second,
                "node " + std::to_string((*node)->GetId()) +
                    ": found a transport installed already, expected none");
    }
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_transport->AddNode(*node);
        (*node)->AggregateObject(
            CreateObjectWithAttributes<TensorEndpoint>("Transport", PointerValue(m_transport)));
    }
    if (DynamicCast<PacketTransport>(m_transport))
    {
        SetPacketDefaults();
        // Once more for devices installed after this.
        Simulator::ScheduleNow(&SetPacketDefaults);
    }
    return m_transport;
}

} // namespace ns3::edgepipe
