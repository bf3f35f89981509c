/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PROBLEM_JSON_H
#define EDGEPIPE_PIPELINE_PROBLEM_JSON_H

#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Pipeline problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidatePipelineProblem
 */
void ListFields(JsonTable& table, PipelineProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Pipeline problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, PipelinePlan& plan, const PipelineProblem& problem);

/**
 * @param root of a plan
 * @return whether it has a stage on a group of devices
 */
bool HasGroups(const JsonField& root);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PROBLEM_JSON_H */
