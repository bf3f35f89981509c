/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H
#define EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-problem-json.h"

#include <string>

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Batch shares problem and plan")
 * @throws InputError when reading a malformed problem or one ValidateBatchSharesProblem refuses
 */
void ListFields(JsonTable& table, BatchSharesProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @return the part common to all forms of the plan
 */
nlohmann::ordered_json MakePlanJson(const BatchSharesProblem& problem, const BatchSharesPlan& plan);

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
 * @param root a plan (doc/reference/problems.rst, "Batch shares problem and plan")
 * @param problem the problem it solves
 * @return the plan; not fully validated
 * @throws InputError when it is malformed or does not match the problem
 */
BatchSharesPlan ReadPlan(const JsonField& root, const BatchSharesProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H */
