/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LAZY_HEAP_SCHEDULER_H
#define EDGEPIPE_LAZY_HEAP_SCHEDULER_H

#include "ns3/scheduler.h"

#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Orders ns-3's events in a heap, and notes an event that is taken back until it would come next.
 *
 * ns-3's own heaps look at every event to take one back, and its MapScheduler allocates a node for
 * each. The order is that of every scheduler. Insert, RemoveNext and, in the mean, Remove take
 * O(log n), PeekNext takes O(1).
 */
class LazyHeapScheduler : public Scheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /// @cond ns-3 documents what these override
    void Insert(const Event& event) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& event) override;
    /// @endcond

  private:
    /// Events, a heap with the earliest first.
    using Heap = std::vector<Event>;

    /**
     * @param heap not empty
     * @return its first event, taken out
     */
    static Event Pop(Heap& heap);

    /** Take out events that have been taken back as long as they are first. */
    void DropRemoved();

    Heap m_events;  //!< what is scheduled, and some that has been taken back; the first has not
    Heap m_removed; //!< those of m_events that have been taken back
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_LAZY_HEAP_SCHEDULER_H */
