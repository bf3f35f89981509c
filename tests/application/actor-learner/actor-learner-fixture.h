// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_ACTOR_LEARNER_FIXTURE_H
#define EDGEPIPE_ACTOR_LEARNER_FIXTURE_H

#include "application/diagnosis.h"
#include "application/run-attributes.h"
#include "test.h"
#include "workloads/actor-learner-summary.h"

/** How to run: what is no attribute, and attributes. */
struct ActorOptions : ns3::edgepipe::ActorLearnerSetting, RunAttributes
{
};

/** @copydoc ns3::edgepipe::RunActorLearner */
inline ns3::edgepipe::ActorLearnerResult
RunActorLearner(const ActorOptions& options, const std::function<void(double)>& progress)
{
    ns3::edgepipe::AttributeDefaults defaults;
    options.Apply(defaults);
    const ns3::edgepipe::ActorLearnerSetting& setting = options;
    return RunActorLearner(setting, progress);
}

#endif /* EDGEPIPE_ACTOR_LEARNER_FIXTURE_H */
