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
 * @param table reads or writes
 * @param problem what (doc/reference/problems.rst, "Pipeline problem and plan")
 * @throws InputError from a table that reads what is malformed or ValidatePipelineProblem refuses
 */
void ListFields(JsonTable& table, PipelineProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @return what is in every form of the plan
 */
nlohmann::ordered_json MakePlanJson(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param planner short name of the planner
 * @param iterationSeconds what the cost model says the plan takes, seconds
 * @param decisionSeconds wall-clock seconds the planner took
 * @param lowerBoundSeconds what no plan takes less than; 0: left out
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
 * @param problem what it is for
 * @return the plan; whether it keeps all rules is not looked at
 * @throws InputError when it is malformed or names what the problem does not have
 */
PipelinePlan ReadPlan(const JsonField& root, const PipelineProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PROBLEM_JSON_H */
