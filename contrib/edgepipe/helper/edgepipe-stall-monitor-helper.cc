/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-stall-monitor-helper.h"

#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-message-description.h"
#include "ns3/edgepipe-tensor-endpoint.h"

namespace ns3::edgepipe
{

Ptr<StallMonitor>
StallMonitorHelper::Install(const NodeContainer& nodes) const
{
    Require(nodes.GetN() > 0, "stall monitor: found no nodes, expected at least one");
    const auto transport = TensorEndpoint::FindTransport(nodes.Get(0));
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        GetFromDevice<ComputeDevice>(*node);
        Require(TensorEndpoint::FindTransport(*node) == transport,
                "stall monitor: node " + std::to_string((*node)->GetId()) +
                    " has another transport than the first, expected the same");
    }
    const auto monitor = m_factory.Create<StallMonitor>();
    monitor->WatchTransport(transport, EdgeDevice::NameNode, DescribeMessage);
    monitor->Disregard(KeepsComing);
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const uint32_t id = (*node)->GetId();
        monitor->WatchCompute(id, GetFromDevice<ComputeDevice>(*node));
        for (uint32_t i = 0; i < (*node)->GetNApplications(); ++i)
        {
            if (const auto party = DynamicCast<EdgeApplication>((*node)->GetApplication(i)))
            {
                monitor->WatchParty(id, [party] { return party->DescribeWait(); });
            }
        }
    }
    monitor->Start();
    return monitor;
}

} // namespace ns3::edgepipe
