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
 * @param table reads or writes
 * @param problem what (doc/reference/problems.rst, "Multi-actor problem and plan")
 * @throws InputError from a table that reads what is malformed or ValidateMultiActorProblem refuses
 */
void ListFields(JsonTable& table, MultiActorProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for its actors, or for the first of them
 * @return what is in every form of the plan
 */
nlohmann::ordered_json MakePlanJson(const MultiActorProblem& problem, const MultiActorPlan& plan);

/** How actors that decide in pairs would look at a plan. */
struct MultiActorPairs
{
    MultiActorRest rest;  //!< how far the plan is from one that no two would change
    uint64_t messages{0}; //!< that making it took
};

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param planner short name of the planner
 * @param decisionSeconds wall-clock seconds the planner took
 * @param pairs if given, follows the plan
 * @return the plan as one line of JSON (doc/reference/problems.rst, "Multi-actor problem and plan")
 */
std::string FormatMultiActorPlan(const MultiActorProblem& problem,
                                 const MultiActorPlan& plan,
                                 const std::string& planner,
                                 double decisionSeconds,
                                 const MultiActorPairs* pairs = nullptr);

/**
 * @param root a plan (doc/reference/problems.rst, "Multi-actor problem and plan")
 * @param problem what it is for
 * @return the plan, which may cut for further actors too; whether it keeps all rules is not looked
 * at
 * @throws InputError when it is malformed or names what the problem does not have
 */
MultiActorPlan ReadPlan(const JsonField& root, const MultiActorProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H */
