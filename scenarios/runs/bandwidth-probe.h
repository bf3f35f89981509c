/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BANDWIDTH_PROBE_H
#define EDGEPIPE_BANDWIDTH_PROBE_H

#include "ns3/edgepipe-network-options.h"
#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Measure what one transfer between the first two devices gets out of a network, in a simulation
 * of its own: the bandwidth a planner would be told.
 *
 * @param options how the devices are joined; loss applies, cuts do not
 * @param names of the devices, at least two
 * @param stallTimeout longest simulated time without progress
 * @return payload bit/s of a message of some megabytes on a warm connection
 * @throws InputError if an option makes no sense or nothing arrives within the stall time-out
 */
double MeasureBandwidth(const NetworkOptions& options,
                        const std::vector<std::string>& names,
                        const Time& stallTimeout);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BANDWIDTH_PROBE_H */
