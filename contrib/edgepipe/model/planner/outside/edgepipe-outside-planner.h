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
 * @param path a file with plans, as a planner named plan:FILE reads it: one as `plan` prints it, or
 * several, a list or one a line, told apart by their member "planner"
 * @return the plans, and after what they are named: plan:FILE of a file that holds one, otherwise
 *         plan:FILE#NAME
 * @throws InputError if it cannot be read, is not JSON, or holds several of which two have one name
 */
std::vector<std::pair<std::string, JsonField>> ReadPlans(const std::string& path);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_OUTSIDE_PLANNER_H */
