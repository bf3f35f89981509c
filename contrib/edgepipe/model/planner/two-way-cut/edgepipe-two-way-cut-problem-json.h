/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H
#define EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H

#include "edgepipe-two-way-cut-envelope.h"
#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-planner-state.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * Reads a self-contained problem (doc/formats.rst, "Two-way cut problem and plan").
 *
 * @param path the problem file
 * @return a valid problem
 * @throws InputError for an unreadable or malformed file, a layer that reads a later or unknown
 *         layer, or anything ValidateTwoWayCutProblem refuses
 */
TwoWayCutProblem ReadTwoWayCutProblem(const std::string& path);

/**
 * Reads a problem from a file that is open already.
 *
 * @param root outermost value of the file
 * @param path the problem file, for messages
 * @return a valid problem
 * @throws InputError as above
 */
TwoWayCutProblem ReadTwoWayCutProblem(const JsonField& root, const std::string& path);

/**
 * @param problem a valid problem
 * @return what ReadTwoWayCutProblem reads, a layer a line
 */
std::string FormatTwoWayCutProblem(const TwoWayCutProblem& problem);

/**
 * @param problem the problem
 * @param plan a closed plan for it
 * @param planner short name of the planner
 * @param decisionSeconds wall-clock seconds the planner took
 * @param envelope if given, its segments follow the plan
 * @return the plan as one line of JSON (doc/formats.rst, "Two-way cut problem and plan")
 */
std::string FormatTwoWayCutPlan(const TwoWayCutProblem& problem,
                                const TwoWayCutPlan& plan,
                                const std::string& planner,
                                double decisionSeconds,
                                TwoWayCutEnvelope* envelope = nullptr);

/**
 * @param root a plan (doc/formats.rst, "Two-way cut problem and plan")
 * @param problem what it is for
 * @return the plan; whether it keeps all rules is not looked at
 * @throws InputError when it is malformed or names what the problem does not have
 */
TwoWayCutPlan ReadPlan(const JsonField& root, const TwoWayCutProblem& problem);

/**
 * @param problem a valid problem
 * @param state what is known during a run; null: it has not begun
 * @return what a program that plans is asked, one line (doc/formats.rst, "Programs that plan")
 */
std::string FormatRequest(const TwoWayCutProblem& problem,
                          const PlannerState<TwoWayCutPlan>* state);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H */
