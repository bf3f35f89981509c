/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PROBLEM_JSON_H
#define EDGEPIPE_PROBLEM_JSON_H

#include "edgepipe-planner.h"

#include "ns3/edgepipe-json-table.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::edgepipe
{

/*
 * Problems and plans as JSON (doc/reference/problems.rst). The header of each kind of problem
 * declares ListFields(JsonTable&, Problem&), which lists and checks a problem's fields, and
 * MakePlanJson(const Problem&, const Plan&), which makes the part common to all forms of its plan.
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
 * @param entries layers or devices
 * @return index by name
 */
template <typename Entry>
std::unordered_map<std::string, std::size_t>
IndexNames(const std::vector<Entry>& entries)
{
    std::unordered_map<std::string, std::size_t> indices;
    for (const Entry& entry : entries)
    {
        indices.emplace(entry.name, indices.size());
    }
    return indices;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PROBLEM_JSON_H */
