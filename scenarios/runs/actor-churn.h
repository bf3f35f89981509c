/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_CHURN_H
#define EDGEPIPE_ACTOR_CHURN_H

#include "runs/actor-learner-run.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Draw who comes and goes when: the first actors join at time 0, and then joins and leaves follow
 * each other at exponential intervals. Either is as likely, and anybody it could befall; the last
 * actor does not leave.
 *
 * @param actors there are
 * @param first of them that join at time 0, 1 to actors
 * @param perMinute joins and leaves afterwards, mean; 0: none
 * @param duration of the run
 * @param stream of ns-3's random numbers; three are used
 * @return what happens, in the order of time
 */
std::vector<ActorChange> DrawActorChanges(uint32_t actors,
                                          uint32_t first,
                                          double perMinute,
                                          const Time& duration,
                                          int64_t stream);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_CHURN_H */
