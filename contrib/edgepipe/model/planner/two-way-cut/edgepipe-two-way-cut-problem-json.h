/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H
#define EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-problem-json.h"

#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidateTwoWayCutProblem
 */
void ListFields(JsonTable& table, TwoWayCutProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, TwoWayCutPlan& plan, const TwoWayCutProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param isOnDevice which layers
 * @return the names of the layers that run on the device, or of those on the server
 */
std::vector<std::string> ListLayers(const TwoWayCutProblem& problem,
                                    const TwoWayCutPlan& plan,
                                    bool isOnDevice);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_JSON_H */
