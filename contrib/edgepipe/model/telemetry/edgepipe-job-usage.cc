/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-usage.h"

#include "ns3/simulator.h"

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
    transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t, const Message& message) {
            if (message.from != message.to && m_filter.Has(message))
            {
                NodeUsage& sender = m_nodes[message.from];
                ++sender.messages;
                sender.sentBytes += message.bytes;
                m_nodes[message.to].receivedBytes += message.bytes;
            }
        }));
}

void
JobUsage::Observe(uint32_t node, Ptr<ComputeDevice> compute)
{
    compute->TraceConnectWithoutContext(
        "TaskStart",
        Callback<void, uint64_t, uint32_t>(
            [this, node](uint64_t, uint32_t) { m_begun[node] = Simulator::Now(); }));
    compute->TraceConnectWithoutContext(
        "TaskEnd",
        Callback<void, uint64_t, uint32_t>([this, node](uint64_t, uint32_t job) {
            if (m_filter.Has(job))
            {
                ++m_nodes[node].tasks;
                m_nodes[node].busySeconds += (Simulator::Now() - m_begun[node]).GetSeconds();
            }
        }));
}

const std::map<uint32_t, NodeUsage>&
JobUsage::GetNodes() const
{
    return m_nodes;
}

} // namespace edgepipe
} // namespace ns3
