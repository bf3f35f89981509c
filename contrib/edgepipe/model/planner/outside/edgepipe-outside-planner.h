/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_OUTSIDE_PLANNER_H
#define EDGEPIPE_OUTSIDE_PLANNER_H

#include "ns3/edgepipe-json-reader.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @param path file of planner plan:FILE: one plan as `plan` prints it, or several, as a list or one
 *        per line, with different members "planner"
 * @return planner names and plans: plan:FILE for a file with one plan, otherwise plan:FILE#NAME
 * @throws InputError if it cannot be read, is not JSON, or holds no plan or two of the same name
 */
std::vector<std::pair<std::string, JsonField>> ReadPlans(const std::string& path);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_OUTSIDE_PLANNER_H */
