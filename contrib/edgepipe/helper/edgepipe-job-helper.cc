/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-helper.h"

#include "ns3/channel.h"
#include "ns3/net-device.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3::edgepipe
{

void
AttributeList::Add(const std::string& name, const AttributeValue& value)
{
    m_attributes.emplace_back(name, value.Copy());
}

void
AttributeList::Apply(ObjectBase& object) const
{
    for (const auto& [name, value] : m_attributes)
    {
        Require(object.SetAttributeFailSafe(name, *value),
                "attribute: found no \"" + name + "\" of " + object.GetInstanceTypeId().GetName() +
                    " that takes such a value, expected one that it has");
    }
}

double
FindLeastDataRate(const NodeContainer& nodes)
{
    double least = std::numeric_limits<double>::infinity();
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        for (uint32_t j = 0; j < nodes.Get(i)->GetNDevices(); ++j)
        {
            const auto device = nodes.Get(i)->GetDevice(j);
            const Ptr<Channel> channel = device->GetChannel();
            DataRateValue rate;
            if (device->GetAttributeFailSafe("DataRate", rate) ||
                (channel && channel->GetAttributeFailSafe("DataRate", rate)))
            {
                least = std::min(least, static_cast<double>(rate.Get().GetBitRate()));
            }
        }
    }
    Require(least != std::numeric_limits<double>::infinity(),
            "none of the nodes has a net device with a DataRate, expected one, or the "
            "helper to be told a bandwidth, which planners ask for");
    return least;
}

ApplicationContainer
AddJob(const std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>>& parts)
{
    NodeContainer nodes;
    for (const auto& [node, application] : parts)
    {
        nodes.Add(node);
    }
    const auto number = UintegerValue(TensorEndpoint::TakeJob(nodes));
    ApplicationContainer applications;
    for (const auto& [node, application] : parts)
    {
        application->SetAttribute("JobNumber", number);
        node->AddApplication(application);
        applications.Add(application);
    }
    return applications;
}

} // namespace ns3::edgepipe
