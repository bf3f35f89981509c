/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FINISH_QUEUE_H
#define EDGEPIPE_FINISH_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Which flow finishes first: a heap that can be changed in the middle and allocates nothing once
 * it has grown. Set and Remove take O(log n), GetFirst takes O(1).
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
    void Set(const Item& item);

    /**
     * Take a flow out, if it is in.
     * @param flow the flow
     */
    void Remove(uint32_t flow);

    /** @return whether there is none */
    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /** @return the flow that finishes first; there is one */
    const Item& GetFirst() const
    {
        return m_heap.front();
    }

  private:
    /// Stands for not in the heap.
    static constexpr uint32_t ABSENT = UINT32_MAX;
    /// Children of an item.
    static constexpr std::size_t ARITY = 4;

    /**
     * Move an item up or down to where it belongs.
     * @param place where it is
     */
    void Settle(std::size_t place);

    /**
     * @param place where to
     * @param item what
     */
    void Put(std::size_t place, const Item& item)
    {
        m_heap[place] = item;
        m_places[item.flow] = place;
    }

    std::vector<Item> m_heap;       //!< the items, each before its children
    std::vector<uint32_t> m_places; //!< where a flow is in the heap
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FINISH_QUEUE_H */
