/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H
#define EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-json-reader.h"

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
 * @param plan a plan
 * @param planner name of the planner that made it
 * @return the plan as one line of JSON
 */
std::string FormatBatchSharesPlan(const BatchSharesPlan& plan, const std::string& planner);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BATCH_SHARES_PROBLEM_JSON_H */
