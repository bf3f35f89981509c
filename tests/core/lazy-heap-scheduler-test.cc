/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-lazy-heap-scheduler.h"
#include "ns3/map-scheduler.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/**
 * Insert, run and take back events at random, and compare with MapScheduler.
 *
 * @param inserted share of the steps that insert an event
 * @param removed share of the others that take one back
 */
void
CompareWithMap(double inserted, double removed)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<double> draw;
    const auto heap = CreateObject<LazyHeapScheduler>();
    const auto map = CreateObject<MapScheduler>();
    std::vector<Scheduler::Event> pending;
    uint64_t now = 0;
    for (uint32_t uid = 0; uid < 10000; ++uid)
    {
        if (pending.empty() || draw(random) < inserted)
        {
            const uint64_t time = now + random() % 100; // often the same
            pending.push_back({nullptr, {time, uid, 0}});
            heap->Insert(pending.back());
            map->Insert(pending.back());
        }
        else
        {
            auto event = pending.begin() + random() % pending.size();
            if (draw(random) < removed)
            {
                heap->Remove(*event);
                map->Remove(*event);
            }
            else
            {
                const auto next = map->RemoveNext();
                now = next.key.m_ts;
                ASSERT_EQ(heap->RemoveNext().key, next.key);
                event = std::find(pending.begin(), pending.end(), next);
            }
            pending.erase(event);
        }
        ASSERT_EQ(heap->IsEmpty(), pending.empty());
        ASSERT_TRUE(pending.empty() || heap->PeekNext().key == map->PeekNext().key);
    }
}

TEST(EdgepipeLazyHeapScheduler, OrdersEventsAsAMapDoes)
{
    CompareWithMap(0.6, 0.1);
    CompareWithMap(0.6, 0.9);
    CompareWithMap(0.4, 0.5);
}

} // namespace
