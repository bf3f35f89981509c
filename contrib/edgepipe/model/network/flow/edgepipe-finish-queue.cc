/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-finish-queue.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param a an item
 * @param b another
 * @return whether a is before b
 */
bool
IsBefore(const FinishQueue::Item& a, const FinishQueue::Item& b)
{
    return std::tie(a.time, a.rank) < std::tie(b.time, b.rank);
}

} // namespace

void
FinishQueue::Set(const Item& item)
{
    if (item.flow >= m_places.size())
    {
        m_places.resize(item.flow + 1, ABSENT);
    }
    if (m_places[item.flow] == ABSENT)
    {
        m_places[item.flow] = m_heap.size();
        m_heap.push_back(item);
    }
    m_heap[m_places[item.flow]] = item;
    Settle(m_places[item.flow]);
}

void
FinishQueue::Remove(uint32_t flow)
{
    if (flow >= m_places.size() || m_places[flow] == ABSENT)
    {
        return;
    }
    const std::size_t place = m_places[flow];
    m_places[flow] = ABSENT;
    const Item last = m_heap.back();
    m_heap.pop_back();
    if (place < m_heap.size())
    {
        Put(place, last);
        Settle(place);
    }
}

void
FinishQueue::Settle(std::size_t place)
{
    const Item item = m_heap[place];
    while (place > 0 && IsBefore(item, m_heap[(place - 1) / ARITY]))
    {
        Put(place, m_heap[(place - 1) / ARITY]);
        place = (place - 1) / ARITY;
    }
    while (true)
    {
        const std::size_t begin = place * ARITY + 1;
        const std::size_t end = std::min(begin + ARITY, m_heap.size());
        if (begin >= end)
        {
            break;
        }
        const auto first = std::min_element(m_heap.begin() + begin, m_heap.begin() + end, IsBefore);
        if (!IsBefore(*first, item))
        {
            break;
        }
        const std::size_t next = first - m_heap.begin();
        Put(place, *first);
        place = next;
    }
    Put(place, item);
}

} // namespace edgepipe
} // namespace ns3
