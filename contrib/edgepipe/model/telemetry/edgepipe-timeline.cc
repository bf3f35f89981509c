/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-timeline.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3
{
namespace edgepipe
{

Timeline::Timeline(JobFilter filter)
    : m_filter(std::move(filter))
{
}

void
Timeline::Observe(Ptr<TensorTransport> transport)
{
    transport->TraceConnectWithoutContext(
        "TransferStart",
        Callback<void, uint64_t, const Message&>([this](uint64_t id, const Message& message) {
            if (m_filter.Has(message))
            {
                m_transferStarts[id] = Simulator::Now();
            }
        }));
    transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t id, const Message& m) {
            const auto start = m_transferStarts.find(id);
            if (start == m_transferStarts.end())
            {
                return; // it is another's, or had started before it was observed
            }
            if (HasRoom())
            {
                m_transfers.push_back(
                    {m.from, m.to, m.port, m.tag, m.bytes, start->second, Simulator::Now()});
            }
            m_transferStarts.erase(start);
        }));
}

void
Timeline::Observe(uint32_t device, Ptr<ComputeDevice> compute)
{
    compute->TraceConnectWithoutContext(
        "TaskStart",
        Callback<void, uint64_t, uint32_t>(
            [this, device](uint64_t, uint32_t) { m_taskStarts[device] = Simulator::Now(); }));
    compute->TraceConnectWithoutContext(
        "TaskEnd",
        Callback<void, uint64_t, uint32_t>([this, device](uint64_t tag, uint32_t job) {
            if (m_filter.Has(job) && HasRoom())
            {
                m_tasks.push_back({device, tag, m_taskStarts[device], Simulator::Now()});
            }
        }));
}

void
Timeline::Observe(uint32_t device, Ptr<ComputeDevice> compute, Ptr<MemoryLedger> memory)
{
    Observe(device, compute);
    memory->TraceConnectWithoutContext(
        "InUse",
        Callback<void, uint64_t, uint64_t>([this, device](uint64_t, uint64_t bytes) {
            if (HasRoom())
            {
                m_memory.push_back({device, Simulator::Now(), bytes});
            }
        }));
}

void
Timeline::AddMark(uint32_t device, uint64_t tag)
{
    if (HasRoom())
    {
        m_marks.push_back({device, tag, Simulator::Now()});
    }
}

bool
Timeline::HasRoom()
{
    const std::size_t entries =
        m_tasks.size() + m_transfers.size() + m_memory.size() + m_marks.size();
    if (entries == MOST_ENTRIES && !m_end)
    {
        m_end = Simulator::Now();
    }
    return !m_end;
}

std::optional<Time>
Timeline::GetEnd() const
{
    return m_end;
}

const std::vector<TimelineMark>&
Timeline::GetMarks() const
{
    return m_marks;
}

const std::vector<TaskSpan>&
Timeline::GetTasks() const
{
    return m_tasks;
}

const std::vector<TransferSpan>&
Timeline::GetTransfers() const
{
    return m_transfers;
}

const std::vector<MemorySample>&
Timeline::GetMemory() const
{
    return m_memory;
}

} // namespace edgepipe
} // namespace ns3
