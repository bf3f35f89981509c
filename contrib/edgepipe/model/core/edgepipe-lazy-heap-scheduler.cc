/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-lazy-heap-scheduler.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LazyHeapScheduler);

TypeId
LazyHeapScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::LazyHeapScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<LazyHeapScheduler>();
    return tid;
}

void
LazyHeapScheduler::Insert(const Event& event)
{
    m_events.push_back(event);
    std::push_heap(m_events.begin(), m_events.end(), std::greater<>());
}

bool
LazyHeapScheduler::IsEmpty() const
{
    return m_events.empty();
}

Scheduler::Event
LazyHeapScheduler::PeekNext() const
{
    return m_events.front();
}

Scheduler::Event
LazyHeapScheduler::RemoveNext()
{
    const Event next = Pop(m_events);
    DropRemoved();
    return next;
}

void
LazyHeapScheduler::Remove(const Event& event)
{
    m_removed.push_back(event);
    std::push_heap(m_removed.begin(), m_removed.end(), std::greater<>());
    if (2 * m_removed.size() > m_events.size())
    {
        // They would fill the memory if they were due late. What is sorted is a heap.
        Heap left;
        std::sort(m_events.begin(), m_events.end());
        std::sort(m_removed.begin(), m_removed.end());
        std::set_difference(m_events.begin(),
                            m_events.end(),
                            m_removed.begin(),
                            m_removed.end(),
                            std::back_inserter(left));
        m_events = std::move(left);
        m_removed.clear();
    }
    DropRemoved();
}

Scheduler::Event
LazyHeapScheduler::Pop(Heap& heap)
{
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const Event first = heap.back();
    heap.pop_back();
    return first;
}

void
LazyHeapScheduler::DropRemoved()
{
    while (!m_removed.empty() && m_removed.front().key == m_events.front().key)
    {
        Pop(m_removed);
        Pop(m_events);
    }
}

} // namespace edgepipe
} // namespace ns3
