/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PROBLEM_JSON_H
#define EDGEPIPE_PIPELINE_PROBLEM_JSON_H

#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-problem-json.h"

#include <string>

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Pipeline problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidatePipelineProblem
 */
void ListFields(JsonTable& table, PipelineProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @return the fields common to all forms of the plan
 */
nlohmann::ordered_json MakePlanJson(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param planner short name of the planner
 * @param iterationSeconds of the plan by the cost model
 * @param decisionSeconds wall-clock seconds the planner took
 * @param lowerBoundSeconds lower bound of any plan; 0: left out
 * @return the plan as one line of JSON (doc/reference/problems.rst, "Pipeline problem and plan")
 */
std::string FormatPipelinePlan(const PipelineProblem& problem,
                               const PipelinePlan& plan,
                               const std::string& planner,
                               double iterationSeconds,
                               double decisionSeconds,
                               double lowerBoundSeconds = 0);

/**
 * @param root a plan (doc/reference/problems.rst, "Pipeline problem and plan")
 * @param problem its problem
 * @return the plan; its rules are not checked
 * @throws InputError when it is malformed or names a layer or device that the problem lacks
 */
PipelinePlan ReadPlan(const JsonField& root, const PipelineProblem& problem);

/**
 * @param root of a plan
 * @return whether it has a stage on a group of devices
 */
bool HasGroups(const JsonField& root);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PROBLEM_JSON_H */
