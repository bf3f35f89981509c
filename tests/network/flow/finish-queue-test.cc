// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-finish-queue.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace ns3::edgepipe;

namespace
{

/** A FinishQueue and the same kept in an ordered set. */
class QueueAndModel
{
  public:
    /**
     * @param item put in or moved
     */
    void Set(const FinishQueue::Item& item)
    {
        Forget(item.flow);
        m_items[item.flow] = {item.time, item.rank, item.flow};
        m_order.insert(m_items[item.flow]);
        m_queue.Set(item);
    }

    /**
     * @param flow taken out, in or not
     */
    void Remove(uint32_t flow)
    {
        Forget(flow);
        m_queue.Remove(flow);
    }

    /** Expect that both agree. */
    void Check() const
    {
        ASSERT_EQ(m_queue.IsEmpty(), m_order.empty());
        if (!m_order.empty())
        {
            const auto& first = m_queue.GetFirst();
            ASSERT_EQ(std::make_tuple(first.time, first.rank, first.flow), *m_order.begin());
        }
    }

    /** @return whether there is none */
    bool IsEmpty() const
    {
        return m_order.empty();
    }

    /** @return the flow that is first */
    uint32_t GetFirst() const
    {
        return std::get<2>(*m_order.begin());
    }

  private:
    using Row = std::tuple<int64_t, uint64_t, uint32_t>;

    /**
     * @param flow not in the model from now on
     */
    void Forget(uint32_t flow)
    {
        const auto item = m_items.find(flow);
        if (item != m_items.end())
        {
            m_order.erase(item->second);
            m_items.erase(item);
        }
    }

    FinishQueue m_queue;             //!< under test
    std::map<uint32_t, Row> m_items; //!< by flow
    std::set<Row> m_order;           //!< by time and rank
};

} // namespace

TEST(FinishQueue, DoesWhatAnOrderedSetDoes)
{
    // Few flows or many, many times alike or few.
    for (const uint32_t flows : {1, 2, 5, 6, 30, 1000})
    {
        for (const int64_t times : {1, 10, 1000000})
        {
            SCOPED_TRACE(testing::Message() << flows << " flows, " << times << " times");
            std::mt19937 random(flows + times);
            QueueAndModel both;
            uint64_t rank = 0;
            for (uint32_t step = 0; step < 10000; ++step)
            {
                // Fills and empties in turn.
                const bool isFilling = step / 2000 % 2 == 0;
                if (random() % 10 < (isFilling ? 7 : 3))
                {
                    // Ranks neither rise nor fall with the numbers of flows.
                    both.Set({static_cast<int64_t>(random() % times),
                              ++rank * 2654435761 % 1000003,
                              static_cast<uint32_t>(random() % flows)});
                }
                else if (random() % 2 && !both.IsEmpty())
                {
                    both.Remove(both.GetFirst());
                }
                else
                {
                    both.Remove(random() % flows);
                }
                both.Check();
                if (HasFatalFailure())
                {
                    return;
                }
            }
        }
    }
}

TEST(FinishQueue, GivesFlowsBackByTimeAndThenByRank)
{
    FinishQueue queue;
    queue.Set({20, 1, 0});
    queue.Set({10, 9, 1});
    queue.Set({10, 8, 2});
    queue.Set({30, 0, 3});
    queue.Set({5, 7, 3});
    queue.Set({20, 0, 4});
    for (const uint32_t flow : {3, 2, 1, 4, 0})
    {
        ASSERT_FALSE(queue.IsEmpty());
        EXPECT_EQ(queue.GetFirst().flow, flow);
        queue.Remove(flow);
        queue.Remove(flow);
        queue.Remove(77);
    }
    EXPECT_TRUE(queue.IsEmpty());
}
