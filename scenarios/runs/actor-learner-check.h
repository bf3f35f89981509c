/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_CHECK_H
#define EDGEPIPE_ACTOR_LEARNER_CHECK_H

#include "runs/actor-learner-run.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Refuse a run that makes no sense.
 *
 * @param o how to run
 * @throws InputError naming what makes no sense
 */
void CheckActorLearner(const ActorLearnerOptions& o);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LEARNER_CHECK_H */
