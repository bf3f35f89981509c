// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_REPLAN_FIXTURE_H
#define EDGEPIPE_REPLAN_FIXTURE_H

#include "pipeline-fixture.h"
#include "test.h"

#include <cstddef>

/** @return 12 equal layers on 5 devices of which 4 have a stage of 3 layers by the best plan */
Pipeline MakePipeline(const std::string& planner = "exact");

/** @return a device whose share falls at a time */
DeviceLoad MakeStep(const std::string& device, double seconds, double share);

/** @return payload of messages of a kind between devices that arrived */
uint64_t SumBytes(const PipelineTrainingResult& result, PipelineTag::Kind kind);

/** @return mean duration of the last iterations, s */
double GetLastIterations(const PipelineTrainingResult& result, std::size_t count);

/// Checks that in every iteration every device of the plan in force ran every micro-batch once, and
/// updated its weights: with parameter servers, the first one of each group.
void ExpectConserved(const Pipeline& pipeline,
                     const PipelineTrainingResult& result,
                     bool hasServer = false);

#endif /* EDGEPIPE_REPLAN_FIXTURE_H */
