/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FINISH_QUEUE_H
#define EDGEPIPE_FINISH_QUEUE_H

#include <algorithm>
#include <boost/heap/d_ary_heap.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Which flow finishes first. Set and Remove take O(log n), GetFirst takes O(1).
 */
class FinishQueue
{
  public:
    /** A flow and when it finishes. */
    struct Item
    {
        int64_t time;  //!< when, ns
        uint64_t rank; //!< which of two at the same time is first
        uint32_t flow; //!< the flow
    };

    /**
     * Put a flow in, or move it to another time.
     * @param item the flow and its time
     */
    void Set(const Item& item)
    {
        m_handles.resize(std::max<std::size_t>(m_handles.size(), item.flow + 1));
        auto& handle = m_handles[item.flow];
        if (handle)
        {
            m_heap.update(*handle, item);
        }
        else
        {
            handle = m_heap.push(item);
        }
    }

    /**
     * Take a flow out, if it is in.
     * @param flow the flow
     */
    void Remove(uint32_t flow)
    {
        if (flow < m_handles.size() && m_handles[flow])
        {
            m_heap.erase(*m_handles[flow]);
            m_handles[flow].reset();
        }
    }

    /** @return whether there is none */
    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /** @return the flow that finishes first; there is one */
    const Item& GetFirst() const
    {
        return m_heap.top();
    }

  private:
    /** Orders the heap: the first is on top. */
    struct ComesLater
    {
        /// @return whether a comes after b
        bool operator()(const Item& a, const Item& b) const
        {
            return std::tie(a.time, a.rank) > std::tie(b.time, b.rank);
        }
    };

    using Heap = boost::heap::d_ary_heap<Item,
                                         boost::heap::arity<4>,
                                         boost::heap::mutable_<true>,
                                         boost::heap::compare<ComesLater>>;

    Heap m_heap;                                             //!< the items
    std::vector<std::optional<Heap::handle_type>> m_handles; //!< by flow, if it is in the heap
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FINISH_QUEUE_H */
