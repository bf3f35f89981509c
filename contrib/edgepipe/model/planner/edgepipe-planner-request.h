/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLANNER_REQUEST_H
#define EDGEPIPE_PLANNER_REQUEST_H

#include "edgepipe-planner-state.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Say what is known during a run (doc/formats.rst, "Programs that plan").
 *
 * @param seconds simulated time
 * @param plan in force, as `plan` prints it
 * @param devices what is known of them; what is not is left out
 * @return the member "state" of a request
 */
nlohmann::ordered_json MakeStateJson(double seconds,
                                     const nlohmann::ordered_json& plan,
                                     const std::vector<DeviceState>& devices);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PLANNER_REQUEST_H */
