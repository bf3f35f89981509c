/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-usage.h"

#include <utility>

namespace ns3
{
namespace edgepipe
{

JobUsage::JobUsage(JobFilter filter)
    : m_filter(std::move(filter))
{
}

void
JobUsage::Observe(Ptr<TensorTransport> transport)
{
    m_filter.WatchTransfers(transport, [this](const TransferSpan& transfer) {
        if (transfer.from != transfer.to)
        {
            NodeUsage& sender = m_nodes[transfer.from];
            ++sender.messages;
            sender.sentBytes += transfer.bytes;
            m_nodes[transfer.to].receivedBytes += transfer.bytes;
        }
    });
}

void
JobUsage::Observe(uint32_t node, Ptr<ComputeDevice> compute)
{
    m_filter.WatchTasks(node, compute, [this](const TaskSpan& task) {
        NodeUsage& usage = m_nodes[task.device];
        ++usage.tasks;
        usage.busySeconds += (task.end - task.start).GetSeconds();
    });
}

const std::map<uint32_t, NodeUsage>&
JobUsage::GetNodes() const
{
    return m_nodes;
}

} // namespace edgepipe
} // namespace ns3
