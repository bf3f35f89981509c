/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H
#define EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H

#include "edgepipe-multi-actor-cost.h"
#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-problem-json.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Multi-actor problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidateMultiActorProblem
 */
void ListFields(JsonTable& table, MultiActorProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for its actors, or for the first of them
 * @return the fields common to all forms of the plan
 */
nlohmann::ordered_json MakePlanJson(const MultiActorProblem& problem, const MultiActorPlan& plan);

/** How a plan fares under pairwise decisions. */
struct MultiActorPairs
{
    MultiActorRest rest;  //!< how far it is from one that no pair would change
    uint64_t messages{0}; //!< messages that making it took
};

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param planner short name of the planner
 * @param decisionSeconds wall-clock seconds the planner took
 * @param pairs appended to the plan, if given
 * @return the plan as one line of JSON (doc/reference/problems.rst, "Multi-actor problem and plan")
 */
std::string FormatMultiActorPlan(const MultiActorProblem& problem,
                                 const MultiActorPlan& plan,
                                 const std::string& planner,
                                 double decisionSeconds,
                                 const MultiActorPairs* pairs = nullptr);

/**
 * @param root a plan (doc/reference/problems.rst, "Multi-actor problem and plan"), possibly with
 *        further actors
 * @param problem the problem
 * @return the plan for the problem's actors; its rules are not checked
 * @throws InputError when it is malformed for another model, or lacks an actor of the problem
 */
MultiActorPlan ReadPlan(const JsonField& root, const MultiActorProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H */
