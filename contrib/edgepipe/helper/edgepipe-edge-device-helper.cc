/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-edge-device-helper.h"

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/names.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param node a node
 * @throws InputError if it is an edge device
 */
void
CheckIsNone(const Ptr<Node>& node)
{
    if (const auto before = node->GetObject<EdgeDevice>())
    {
        throw InputError("node " + std::to_string(node->GetId()) + " is the edge device " +
                         before->GetName() + " already");
    }
}

} // namespace

EdgeDeviceHelper::EdgeDeviceHelper(const std::string& type)
    : EdgeDeviceHelper(FindDeviceSpec("device", type, GetTracesFolder()))
{
}

EdgeDeviceHelper::EdgeDeviceHelper(DeviceSpec spec)
    : m_spec(std::move(spec))
{
    m_compute.SetTypeId(ComputeDevice::GetTypeId());
    m_memory.SetTypeId(MemoryLedger::GetTypeId());
    m_memory.Set("Capacity", UintegerValue(m_spec.usableMemoryBytes));
}

void
EdgeDeviceHelper::Install(const NodeContainer& nodes) const
{
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        CheckIsNone(nodes.Get(i));
    }
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        const std::string known = Names::FindName(nodes.Get(i));
        Install(nodes.Get(i),
                known.empty() ? m_spec.name + "-" + std::to_string(nodes.Get(i)->GetId()) : known);
    }
}

void
EdgeDeviceHelper::Install(const Ptr<Node>& node, const std::string& name) const
{
    CheckIsNone(node);
    const auto device = CreateObject<EdgeDevice>();
    device->SetAttribute("Name", StringValue(name));
    device->SetSpec(m_spec);
    node->AggregateObject(device);
    node->AggregateObject(m_compute.Create<ComputeDevice>());
    node->AggregateObject(m_memory.Create<MemoryLedger>());
}

} // namespace ns3::edgepipe
