/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <map>
#include <memory>

namespace ns3::edgepipe
{

JobFilter::JobFilter(const ApplicationContainer& applications)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const auto application = DynamicCast<EdgeApplication>(*i);
        Require(bool(application),
                "job: found a " + (*i)->GetInstanceTypeId().GetName() + " on node " +
                    std::to_string((*i)->GetNode()->GetId()) + ", expected an EdgeApplication");
        const uint32_t number = application->GetJobNumber();
        Require(!m_number || *m_number == number,
                "job: found applications of jobs " + std::to_string(m_number.value_or(number)) +
                    " and " + std::to_string(number) + ", expected what one Install returned");
        m_number = number;
        m_nodes.insert(application->GetNode()->GetId());
    }
    Require(!m_nodes.empty(), "job: found no applications, expected at least one");
}

bool
JobFilter::Has(const Message& message) const
{
    return !m_number || (TensorSocket::GetJob(message.port) == *m_number &&
                         m_nodes.count(message.from) && m_nodes.count(message.to));
}

void
JobFilter::WatchTasks(uint32_t device,
                      Ptr<ComputeDevice> compute,
                      std::function<void(const TaskSpan&)> note) const
{
    // Not a Ptr: the device holds the callback.
    const auto* source = PeekPointer(compute);
    Connect(
        compute,
        "TaskEnd",
        [number = m_number, device, note = std::move(note), source](uint64_t tag, uint32_t job) {
            if (!number || job == *number)
            {
                note({device, tag, source->GetTaskStart(), Simulator::Now()});
            }
        });
}

void
JobFilter::WatchTransfers(Ptr<TensorTransport> transport,
                          std::function<void(const TransferSpan&)> note) const
{
    const auto starts = std::make_shared<std::map<uint64_t, Time>>();
    Connect(transport,
            "TransferStart",
            [filter = *this, starts](uint64_t id, const Message& message) {
                if (filter.Has(message))
                {
                    (*starts)[id] = Simulator::Now();
                }
            });
    Connect(transport,
            "TransferEnd",
            [note = std::move(note), starts](uint64_t id, const Message& m) {
                if (const auto start = starts->extract(id))
                {
                    note({m.from, m.to, m.port, m.tag, m.bytes, start.mapped(), Simulator::Now()});
                }
            });
}

} // namespace ns3::edgepipe
