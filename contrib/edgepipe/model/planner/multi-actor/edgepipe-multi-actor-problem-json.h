/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H
#define EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H

#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Multi-actor problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidateMultiActorProblem
 */
void ListFields(JsonTable& table, MultiActorProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Multi-actor problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, MultiActorPlan& plan, const MultiActorProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H */
