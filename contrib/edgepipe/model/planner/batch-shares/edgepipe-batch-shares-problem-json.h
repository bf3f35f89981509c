/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H
#define EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Batch shares problem and plan")
 * @throws InputError when reading a malformed problem or one ValidateBatchSharesProblem refuses
 */
void ListFields(JsonTable& table, BatchSharesProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Batch shares problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, BatchSharesPlan& plan, const BatchSharesProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H */
