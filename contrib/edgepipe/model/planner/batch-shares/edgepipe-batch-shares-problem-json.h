/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H
#define EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-planner-state.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * Reads a batch shares problem; contrib/edgepipe/doc/formats.rst describes the format.
 *
 * @param root the outermost value of a problem file
 * @param path the file, for messages
 * @return a valid problem
 * @throws InputError naming the file, the field, what was found and what was expected
 */
BatchSharesProblem ReadBatchSharesProblem(const JsonField& root, const std::string& path);

/**
 * @param problem a valid problem
 * @return what ReadBatchSharesProblem reads, a node a line
 */
std::string FormatBatchSharesProblem(const BatchSharesProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param planner name of the planner that made it
 * @return the plan as one line of JSON
 */
std::string FormatBatchSharesPlan(const BatchSharesProblem& problem,
                                  const BatchSharesPlan& plan,
                                  const std::string& planner);

/**
 * @param root a plan (doc/formats.rst, "Batch shares problem and plan")
 * @param problem what it is for
 * @return the plan; whether it keeps all rules is not looked at
 * @throws InputError when it is malformed or names what the problem does not have
 */
BatchSharesPlan ReadPlan(const JsonField& root, const BatchSharesProblem& problem);

/**
 * @param problem a valid problem
 * @param state what is known during a run; null: it has not begun
 * @return what a program that plans is asked, one line (doc/formats.rst, "Programs that plan")
 */
std::string FormatRequest(const BatchSharesProblem& problem,
                          const PlannerState<BatchSharesPlan>* state);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H */
