/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TIMELINE_H
#define EDGEPIPE_TIMELINE_H

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** A change of a device's memory in use. */
struct MemorySample
{
    uint32_t device; //!< index of the device
    Time time;       //!< when
    uint64_t bytes;  //!< in use from then on
};

/** Something that happened at one moment. */
struct TimelineMark
{
    uint32_t device; //!< index of the device
    uint64_t tag;    //!< the application's label
    Time time;       //!< when
};

/**
 * @ingroup edgepipe
 *
 * Records a run from the trace sources of devices and transport, in the order of events. Tasks and
 * messages that have not ended are missing, as is everything after MOST_ENTRIES.
 */
class Timeline
{
  public:
    /// Tasks, messages, changes of memory and marks together: some 50 MB, or 150 MB as JSON.
    static constexpr std::size_t MOST_ENTRIES = 1000000;

    /** @param filter selects the tasks and messages to record; memory is that of all jobs */
    explicit Timeline(JobFilter filter = JobFilter())
        : m_filter(std::move(filter))
    {
    }

    // The trace sources hold this object's address.
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    /**
     * @param transport whose messages to record
     */
    void Observe(Ptr<TensorTransport> transport);

    /**
     * @param device index of the device
     * @param compute its processor
     */
    void Observe(uint32_t device, Ptr<ComputeDevice> compute);

    /**
     * @param device index of the device
     * @param compute its processor
     * @param memory its memory
     */
    void Observe(uint32_t device, Ptr<ComputeDevice> compute, Ptr<MemoryLedger> memory);

    /**
     * Add a mark at the current time.
     *
     * @param device index of the device
     * @param tag the application's label
     */
    void AddMark(uint32_t device, uint64_t tag);

    /** @return the marks, by time */
    const std::vector<TimelineMark>& GetMarks() const
    {
        return m_marks;
    }

    /** @return finished tasks, by end */
    const std::vector<TaskSpan>& GetTasks() const
    {
        return m_tasks;
    }

    /** @return delivered messages, by end */
    const std::vector<TransferSpan>& GetTransfers() const
    {
        return m_transfers;
    }

    /** @return changes of memory in use, by time */
    const std::vector<MemorySample>& GetMemory() const
    {
        return m_memory;
    }

    /** @return when the first entry was dropped for lack of room; nothing if none was */
    std::optional<Time> GetEnd() const
    {
        return m_end;
    }

  private:
    /**
     * @tparam T kind of entry
     * @param entries where to add it, while there is room
     * @param entry the entry
     */
    template <typename T>
    void Keep(std::vector<T>& entries, const T& entry);

    JobFilter m_filter;                    //!< selects what is recorded
    std::vector<TaskSpan> m_tasks;         //!< finished tasks
    std::vector<TransferSpan> m_transfers; //!< delivered messages
    std::vector<MemorySample> m_memory;    //!< changes of memory in use
    std::vector<TimelineMark> m_marks;     //!< marks
    std::optional<Time> m_end;             //!< see GetEnd
};

/** How a tag is shown. */
struct TagLabel
{
    std::string kind;          //!< such as "forward"; each has its own colour
    uint32_t iteration{0};     //!< which iteration
    bool hasMicroBatch{false}; //!< whether it belongs to one micro-batch
    uint32_t microBatch{0};    //!< which micro-batch, if so
};

/// Turns an application's tag into a label; the port of a message, 0 of a task or mark.
using LabelTag = std::function<TagLabel(uint64_t tag, uint16_t port)>;

/**
 * @ingroup edgepipe
 *
 * Writes timelines in Chrome's trace event format, one event a line, for Perfetto and
 * analysis/timeline.py.
 *
 * Each device of a case (one simulation) is a process, `CASE / DEVICE`; its threads are
 * `compute` and one per receiver, `to DEVICE`; memory in use is a counter. Tasks and transfers are
 * complete events whose category is `task` or `transfer`, named by their kind, with the
 * micro-batch, iteration and bytes as arguments. Marks are instant events on `compute`. Times are
 * microseconds of simulated time, to the nanosecond; every case begins at its own 0.
 */
class ChromeTraceWriter
{
  public:
    /**
     * @param os where to write; the opening is written immediately
     */
    explicit ChromeTraceWriter(std::ostream& os)
        : m_os(os)
    {
        m_os << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    }

    /**
     * Add one simulation.
     *
     * @param name name of the case
     * @param deviceNames name of each device
     * @param timeline its timeline
     * @param label turns tags into labels
     */
    void AddCase(const std::string& name,
                 const std::vector<std::string>& deviceNames,
                 const Timeline& timeline,
                 const LabelTag& label);

    /** Write the end; nothing may be added afterwards. */
    void Finish()
    {
        m_os << "\n]}\n";
    }

  private:
    /**
     * Begin the next event.
     * @return where to write it
     */
    std::ostream& Next();

    std::ostream& m_os;  //!< where to write
    bool m_first{true};  //!< whether no event has been written
    uint32_t m_cases{0}; //!< number of cases added
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TIMELINE_H */
