/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-edge-device.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/node-list.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(EdgeDevice);

TypeId
EdgeDevice::AddAttributes(TypeId tid)
{
    return Attributes(tid).Add("Name",
                               "Its name, unique among devices that work together.",
                               {&EdgeDevice::m_name, ""});
}

void
EdgeDevice::SetSpec(DeviceSpec spec)
{
    m_spec = std::move(spec);
}

std::string
EdgeDevice::NameNode(uint32_t node)
{
    const auto device = NodeList::GetNode(node)->GetObject<EdgeDevice>();
    return device ? device->GetName() : "node " + std::to_string(node);
}

} // namespace ns3::edgepipe
