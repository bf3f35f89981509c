/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PEEK_SCHEDULER_H
#define EDGEPIPE_PEEK_SCHEDULER_H

#include "edgepipe-find-by-name.h"

#include "ns3/map-scheduler.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <set>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * ns-3's default scheduler, which also tells when something will happen.
 */
class PeekScheduler : public Typed<PeekScheduler, MapScheduler>
{
  public:
    PeekScheduler();
    ~PeekScheduler() override;

    /**
     * Let the simulation use one, where it runs in one process and as fast as it can, unless
     * SchedulerType names another.
     */
    static void Install();

    /**
     * @param but unique ids of events that do not count
     * @return when the next event is due; the present time if the simulation uses another
     *         scheduler
     */
    static Time FindNext(const std::set<uint32_t>& but);
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PEEK_SCHEDULER_H */
