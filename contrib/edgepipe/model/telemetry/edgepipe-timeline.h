/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TIMELINE_H
#define EDGEPIPE_TIMELINE_H

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace edgepipe
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
 * Collects what a run did, from the trace sources of devices and transport, in the order of
 * events. What has started and not ended is not part of it, and nothing is after MOST_ENTRIES.
 */
class Timeline
{
  public:
    /// Tasks, messages, changes of memory and marks together: some 50 MB, or 150 MB as JSON.
    static constexpr std::size_t MOST_ENTRIES = 1000000;

    /** @param filter says whose tasks and messages are recorded; memory is always a device's */
    explicit Timeline(JobFilter filter = JobFilter());
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
     * Something happens now.
     *
     * @param device where
     * @param tag what, the application's label
     */
    void AddMark(uint32_t device, uint64_t tag);

    /** @return the marks, by time */
    const std::vector<TimelineMark>& GetMarks() const;

    /** @return finished tasks, by end */
    const std::vector<TaskSpan>& GetTasks() const;

    /** @return delivered messages, by end */
    const std::vector<TransferSpan>& GetTransfers() const;

    /** @return changes of memory in use, by time */
    const std::vector<MemorySample>& GetMemory() const;

    /** @return when the first entry found no room; nothing while all have */
    std::optional<Time> GetEnd() const;

  private:
    /** @return whether there is room for another entry */
    bool HasRoom();

    JobFilter m_filter;                    //!< says what is recorded
    std::vector<TaskSpan> m_tasks;         //!< finished
    std::vector<TransferSpan> m_transfers; //!< delivered
    std::vector<MemorySample> m_memory;    //!< changes
    std::vector<TimelineMark> m_marks;     //!< added
    std::optional<Time> m_end;             //!< see GetEnd
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TIMELINE_H */
