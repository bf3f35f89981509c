/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-timeline.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-json-table.h"
#include "ns3/simulator.h"

#include <iomanip>

namespace ns3::edgepipe
{

template <typename T>
void
Timeline::Keep(std::vector<T>& entries, const T& entry)
{
    const std::size_t kept = m_tasks.size() + m_transfers.size() + m_memory.size() + m_marks.size();
    if (kept == MOST_ENTRIES && !m_end)
    {
        m_end = Simulator::Now();
    }
    if (!m_end)
    {
        entries.push_back(entry);
    }
}

void
Timeline::Observe(Ptr<TensorTransport> transport)
{
    m_filter.WatchTransfers(transport,
                            [this](const TransferSpan& transfer) { Keep(m_transfers, transfer); });
}

void
Timeline::Observe(uint32_t device, Ptr<ComputeDevice> compute)
{
    m_filter.WatchTasks(device, compute, [this](const TaskSpan& task) { Keep(m_tasks, task); });
}

void
Timeline::Observe(uint32_t device, Ptr<ComputeDevice> compute, Ptr<MemoryLedger> memory)
{
    Observe(device, compute);
    Connect(memory, "InUse", [this, device](uint64_t, uint64_t bytes) {
        Keep(m_memory, {device, Simulator::Now(), bytes});
    });
}

void
Timeline::AddMark(uint32_t device, uint64_t tag)
{
    Keep(m_marks, {device, tag, Simulator::Now()});
}

namespace
{

/// Process numbers of a case start at a multiple of this.
constexpr uint32_t PROCESSES_PER_CASE = 100000;

/** A time in microseconds, exactly. */
struct Microseconds
{
    Time time; //!< the time
};

std::ostream&
operator<<(std::ostream& os, const Microseconds& value)
{
    const int64_t ns = value.time.GetNanoSeconds();
    const char fill = os.fill('0');
    os << ns / 1000 << '.' << std::setw(3) << ns % 1000;
    os.fill(fill);
    return os;
}

/**
 * Write the common fields of a complete event.
 *
 * @param os where to
 * @param category "task" or "transfer"
 * @param label the tag's label
 * @param pid process
 * @param tid thread
 * @param start when it began
 * @param end when it ended
 */
void
WriteSpan(std::ostream& os,
          const char* category,
          const TagLabel& label,
          uint32_t pid,
          uint32_t tid,
          const Time& start,
          const Time& end)
{
    os << "{\"ph\":\"X\",\"cat\":\"" << category << "\",\"name\":" << DumpInLine(label.kind)
       << ",\"pid\":" << pid << ",\"tid\":" << tid << ",\"ts\":" << Microseconds{start}
       << ",\"dur\":" << Microseconds{end - start}
       << ",\"args\":{\"iteration\":" << label.iteration;
    if (label.hasMicroBatch)
    {
        os << ",\"microBatch\":" << label.microBatch;
    }
}

} // namespace

std::ostream&
ChromeTraceWriter::Next()
{
    m_os << (m_first ? "\n" : ",\n");
    m_first = false;
    return m_os;
}

void
ChromeTraceWriter::AddCase(const std::string& name,
                           const std::vector<std::string>& deviceNames,
                           const Timeline& timeline,
                           const LabelTag& label)
{
    const uint32_t base = ++m_cases * PROCESSES_PER_CASE;
    std::set<uint32_t> devices;
    std::set<std::pair<uint32_t, uint32_t>> senders;
    for (const auto& task : timeline.GetTasks())
    {
        devices.insert(task.device);
    }
    for (const auto& transfer : timeline.GetTransfers())
    {
        devices.insert(transfer.from);
        senders.insert({transfer.from, transfer.to});
    }
    const auto nameThread = [this, base](uint32_t device, uint32_t tid, const std::string& text) {
        Next() << "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" << base + device
               << ",\"tid\":" << tid << ",\"args\":{\"name\":" << DumpInLine(text) << "}}";
    };
    for (const uint32_t device : devices)
    {
        Next() << "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" << base + device
               << ",\"args\":{\"name\":" << DumpInLine(name + " / " + deviceNames[device]) << "}}";
        Next() << "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":" << base + device
               << ",\"args\":{\"sort_index\":" << base + device << "}}";
        nameThread(device, 0, "compute");
        if (timeline.GetEnd())
        {
            Next() << "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":" << base + device
                   << ",\"args\":{\"labels\":\"full: nothing is recorded from "
                   << timeline.GetEnd()->GetSeconds() << " s on\"}}";
        }
    }
    for (const auto& [from, to] : senders)
    {
        nameThread(from, 1 + to, "to " + deviceNames[to]);
    }
    for (const auto& task : timeline.GetTasks())
    {
        WriteSpan(Next(), "task", label(task.tag, 0), base + task.device, 0, task.start, task.end);
        m_os << "}}";
    }
    for (const auto& transfer : timeline.GetTransfers())
    {
        WriteSpan(Next(),
                  "transfer",
                  label(transfer.tag, transfer.port),
                  base + transfer.from,
                  1 + transfer.to,
                  transfer.start,
                  transfer.end);
        m_os << ",\"bytes\":" << transfer.bytes << "}}";
    }
    for (const auto& mark : timeline.GetMarks())
    {
        const TagLabel text = label(mark.tag, 0);
        Next() << "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"mark\",\"name\":" << DumpInLine(text.kind)
               << ",\"pid\":" << base + mark.device
               << ",\"tid\":0,\"ts\":" << Microseconds{mark.time}
               << ",\"args\":{\"iteration\":" << text.iteration << "}}";
    }
    for (const auto& sample : timeline.GetMemory())
    {
        if (devices.count(sample.device))
        {
            Next() << "{\"ph\":\"C\",\"name\":\"memory\",\"pid\":" << base + sample.device
                   << ",\"ts\":" << Microseconds{sample.time}
                   << ",\"args\":{\"bytes\":" << sample.bytes << "}}";
        }
    }
}

} // namespace ns3::edgepipe
