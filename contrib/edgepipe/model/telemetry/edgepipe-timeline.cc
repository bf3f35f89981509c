/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-timeline.h"

#include "ns3/edgepipe-connect.h"
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
    m_filter.WatchTransfers(transport, [this](const TransferSpan& transfer) {
        if (HasRoom())
        {
            m_transfers.push_back(transfer);
        }
    });
}

void
Timeline::Observe(uint32_t device, Ptr<ComputeDevice> compute)
{
    m_filter.WatchTasks(device, compute, [this](const TaskSpan& task) {
        if (HasRoom())
        {
            m_tasks.push_back(task);
        }
    });
}

void
Timeline::Observe(uint32_t device, Ptr<ComputeDevice> compute, Ptr<MemoryLedger> memory)
{
    Observe(device, compute);
    Connect(memory, "InUse", [this, device](uint64_t, uint64_t bytes) {
        if (HasRoom())
        {
            m_memory.push_back({device, Simulator::Now(), bytes});
        }
    });
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
