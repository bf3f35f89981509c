/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PROBLEM_JSON_H
#define EDGEPIPE_PROBLEM_JSON_H

#include "edgepipe-planner.h"

#include "ns3/edgepipe-json-table.h"

#include <string>
#include <vector>

namespace ns3::edgepipe
{

/*
 * Problems and plans as JSON (doc/reference/problems.rst). The header of each kind of problem
 * declares ListFields(JsonTable&, Problem&), which lists and checks a problem's fields, and
 * ListFields(JsonTable&, Plan&, const Problem&), which does so for a plan.
 */

/**
 * @param root the outermost value of a problem file
 * @return a valid problem
 * @throws InputError naming the file, the field, what was found and what was expected
 */
template <typename Problem>
Problem
ReadProblem(const JsonField& root)
{
    Problem problem;
    JsonTable::Read(root, [&problem](JsonTable& table) { ListFields(table, problem); });
    return problem;
}

/**
 * @param problem a valid problem
 * @return JSON for ReadProblem, one line per list entry
 */
template <typename Problem>
std::string
FormatProblem(Problem problem)
{
    return JsonTable::Write([&problem](JsonTable& table) { ListFields(table, problem); });
}

/**
 * @param root a plan
 * @param problem its problem
 * @return the plan; its rules are not checked
 * @throws InputError when it is malformed or made for another model
 */
template <typename Plan, typename Problem>
Plan
ReadPlan(const JsonField& root, const Problem& problem)
{
    Plan plan;
    JsonTable::Read(root, [&](JsonTable& table) { ListFields(table, plan, problem); });
    return plan;
}

/**
 * @param problem a valid problem
 * @param plan a plan for it
 * @return the fields common to all forms of the plan
 */
template <typename Problem, typename Plan>
nlohmann::ordered_json
MakePlanJson(const Problem& problem, Plan plan)
{
    return JsonTable::ToJson([&](JsonTable& table) { ListFields(table, plan, problem); });
}

/**
 * Describe the state of a run (doc/reference/problems.rst, "Programs that plan").
 *
 * @param seconds simulated time
 * @param plan in force, as `plan` prints it
 * @param devices their states; empty figures are omitted
 * @return the member "state" of a request
 */
nlohmann::ordered_json MakeStateJson(double seconds,
                                     const nlohmann::ordered_json& plan,
                                     const std::vector<DeviceState>& devices);

/**
 * @param problem a valid problem
 * @param state the state of the run; null before it
 * @return the request to a planning program, one line (doc/reference/problems.rst, "Programs that
 *         plan")
 */
template <typename Problem, typename Plan>
std::string
FormatRequest(Problem problem, const PlannerState<Plan>* state)
{
    auto request = JsonTable::ToJson([&](JsonTable& table) { ListFields(table, problem); });
    if (state)
    {
        request["state"] =
            MakeStateJson(state->seconds, MakePlanJson(problem, state->plan), state->devices);
    }
    return DumpInLine(request);
}

/**
 * @param problem a valid problem
 * @param plan a plan for it
 * @param planner short name of the planner
 * @return the plan as JSON, to which figures may be added
 */
template <typename Problem, typename Plan>
nlohmann::ordered_json
MakeAnswer(const Problem& problem, const Plan& plan, const std::string& planner)
{
    nlohmann::ordered_json answer{{"planner", planner}};
    answer.update(MakePlanJson(problem, plan));
    return answer;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PROBLEM_JSON_H */
