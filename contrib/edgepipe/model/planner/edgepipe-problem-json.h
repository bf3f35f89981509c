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
 * Problems and plans of every kind as JSON (doc/reference/problems.rst). The header of a kind declares how its
 * problem's fields are listed and checked, ListFields(JsonTable&, Problem&), and what is in every
 * form of its plan, MakePlanJson(const Problem&, const Plan&).
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
 * @return what ReadProblem reads, an entry of a list a line
 */
template <typename Problem>
std::string
FormatProblem(Problem problem)
{
    return JsonTable::Write([&problem](JsonTable& table) { ListFields(table, problem); });
}

/**
 * Say what is known during a run (doc/reference/problems.rst, "Programs that plan").
 *
 * @param seconds simulated time
 * @param plan in force, as `plan` prints it
 * @param devices what is known of them; what is not is left out
 * @return the member "state" of a request
 */
nlohmann::ordered_json MakeStateJson(double seconds,
                                     const nlohmann::ordered_json& plan,
                                     const std::vector<DeviceState>& devices);

/**
 * @param problem a valid problem
 * @param state what is known during a run; null: it has not begun
 * @return what a program that plans is asked, one line (doc/reference/problems.rst, "Programs that plan")
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
 * @return their indices
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
