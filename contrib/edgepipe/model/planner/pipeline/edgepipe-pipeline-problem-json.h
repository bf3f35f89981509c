/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PROBLEM_JSON_H
#define EDGEPIPE_PIPELINE_PROBLEM_JSON_H

#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-planner-state.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * Reads a self-contained problem (doc/formats.rst, "Pipeline problem and plan").
 *
 * @param path the problem file
 * @return a valid problem
 * @throws InputError for an unreadable or malformed file, a layer that reads a later or unknown
 *         layer, or anything ValidatePipelineProblem refuses
 */
PipelineProblem ReadPipelineProblem(const std::string& path);

/**
 * Reads a problem from a file that is open already.
 *
 * @param root outermost value of the file
 * @param path the problem file, for messages
 * @return a valid problem
 * @throws InputError as above
 */
PipelineProblem ReadPipelineProblem(const JsonField& root, const std::string& path);

/**
 * @param problem a valid problem
 * @return what ReadPipelineProblem reads, a layer and a device a line
 */
std::string FormatPipelineProblem(const PipelineProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param planner short name of the planner
 * @param iterationSeconds what the cost model says the plan takes, seconds
 * @param decisionSeconds wall-clock seconds the planner took
 * @param lowerBoundSeconds what no plan takes less than; 0: left out
 * @return the plan as one line of JSON (doc/formats.rst, "Pipeline problem and plan")
 */
std::string FormatPipelinePlan(const PipelineProblem& problem,
                               const PipelinePlan& plan,
                               const std::string& planner,
                               double iterationSeconds,
                               double decisionSeconds,
                               double lowerBoundSeconds = 0);

/**
 * @param root a plan (doc/formats.rst, "Pipeline problem and plan")
 * @param problem what it is for
 * @return the plan; whether it keeps all rules is not looked at
 * @throws InputError when it is malformed or names what the problem does not have
 */
PipelinePlan ReadPlan(const JsonField& root, const PipelineProblem& problem);

/**
 * @param problem a valid problem
 * @param state what is known during a run; null: it has not begun
 * @return what a program that plans is asked, one line (doc/formats.rst, "Programs that plan")
 */
std::string FormatRequest(const PipelineProblem& problem, const PlannerState<PipelinePlan>* state);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_PROBLEM_JSON_H */
