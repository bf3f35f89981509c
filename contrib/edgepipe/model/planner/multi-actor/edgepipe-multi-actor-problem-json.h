/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H
#define EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H

#include "edgepipe-multi-actor-cost.h"
#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-planner-state.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * Reads a self-contained problem (doc/formats.rst, "Multi-actor problem and plan").
 *
 * @param path the problem file
 * @return a valid problem
 * @throws InputError for an unreadable or malformed file, or anything ValidateMultiActorProblem
 *         refuses
 */
MultiActorProblem ReadMultiActorProblem(const std::string& path);

/**
 * Reads a problem from a file that is open already.
 *
 * @param root outermost value of the file
 * @param path the problem file, for messages
 * @return a valid problem
 * @throws InputError as above
 */
MultiActorProblem ReadMultiActorProblem(const JsonField& root, const std::string& path);

/**
 * @param problem a valid problem
 * @return what ReadMultiActorProblem reads, an actor a line
 */
std::string FormatMultiActorProblem(const MultiActorProblem& problem);

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
 * @return the plan as one line of JSON (doc/formats.rst, "Multi-actor problem and plan")
 */
std::string FormatMultiActorPlan(const MultiActorProblem& problem,
                                 const MultiActorPlan& plan,
                                 const std::string& planner,
                                 double decisionSeconds,
                                 const MultiActorPairs* pairs = nullptr);

/**
 * @param root a plan (doc/formats.rst, "Multi-actor problem and plan")
 * @param problem what it is for
 * @return the plan, which may cut for further actors too; whether it keeps all rules is not looked
 * at
 * @throws InputError when it is malformed or names what the problem does not have
 */
MultiActorPlan ReadPlan(const JsonField& root, const MultiActorProblem& problem);

/**
 * @param problem a valid problem
 * @param state what is known during a run; null: it has not begun
 * @return what a program that plans is asked, one line (doc/formats.rst, "Programs that plan")
 */
std::string FormatRequest(const MultiActorProblem& problem,
                          const PlannerState<MultiActorPlan>* state);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_JSON_H */
