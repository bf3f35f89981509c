/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLANNER_STATE_H
#define EDGEPIPE_PLANNER_STATE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What whoever decides knows of a device during a run; what nobody has told it is empty. */
struct DeviceState
{
    std::string name;                            //!< as in the problem
    std::optional<double> uplinkBitsPerSecond;   //!< from it, payload bit/s, > 0
    std::optional<double> downlinkBitsPerSecond; //!< to it, payload bit/s, > 0
    std::optional<double> share;                 //!< of it that is left for us, 0 to 1
    std::optional<uint64_t> backlog;             //!< tasks that wait for its processor or run on it
};

/**
 * What is known during a run when a planner is asked anew.
 *
 * @tparam Plan of the kind of problem
 */
template <typename Plan>
struct PlannerState
{
    double seconds{0};                //!< simulated time
    Plan plan;                        //!< in force
    std::vector<DeviceState> devices; //!< that something is known of, as in the problem
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PLANNER_STATE_H */
