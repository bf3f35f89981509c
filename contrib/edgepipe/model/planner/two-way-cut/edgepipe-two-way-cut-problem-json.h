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
 * @param table reads or writes
 * @param problem what (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @throws InputError from a table that reads what is malformed or ValidateTwoWayCutProblem refuses
 */
void ListFields(JsonTable& table, TwoWayCutProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @return what is in every form of the plan
 */
nlohmann::ordered_json MakePlanJson(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

/**
 * @param problem the problem
 * @param plan a closed plan for it
 * @param planner short name of the planner
 * @param decisionSeconds wall-clock seconds the planner took
 * @param envelope if given, its segments follow the plan
 * @return the plan as one line of JSON (doc/reference/problems.rst, "Two-way cut problem and plan")
 */
std::string FormatTwoWayCutPlan(const TwoWayCutProblem& problem,
                                const TwoWayCutPlan& plan,
                                const std::string& planner,
                                double decisionSeconds,
                                TwoWayCutEnvelope* envelope = nullptr);

/**
 * @param root a plan (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @param problem what it is for
 * @return the plan; whether it keeps all rules is not looked at
 * @throws InputError when it is malformed or names what the problem does not have
 */
TwoWayCutPlan ReadPlan(const JsonField& root, const TwoWayCutProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H */
