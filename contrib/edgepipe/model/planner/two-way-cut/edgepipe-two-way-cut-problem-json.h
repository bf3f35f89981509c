/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H
#define EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H

#include "edgepipe-two-way-cut-envelope.h"
#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-problem-json.h"

#include <string>

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidateTwoWayCutProblem
 */
void ListFields(JsonTable& table, TwoWayCutProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @return the fields common to all forms of the plan
 */
nlohmann::ordered_json MakePlanJson(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

/**
 * @param problem the problem
 * @param plan a closed plan for it
 * @param planner short name of the planner
 * @param decisionSeconds wall-clock seconds the planner took
 * @param envelope its segments are appended to the plan, if given
 * @return the plan as one line of JSON (doc/reference/problems.rst, "Two-way cut problem and plan")
 */
std::string FormatTwoWayCutPlan(const TwoWayCutProblem& problem,
                                const TwoWayCutPlan& plan,
                                const std::string& planner,
                                double decisionSeconds,
                                TwoWayCutEnvelope* envelope = nullptr);

/**
 * @param root a plan (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @param problem its problem
 * @return the plan; its rules are not checked
 * @throws InputError when it is malformed or names a layer that the problem lacks
 */
TwoWayCutPlan ReadPlan(const JsonField& root, const TwoWayCutProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H */
