/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADAPTIVE_INPUTS_H
#define EDGEPIPE_ADAPTIVE_INPUTS_H

#include "lib/scenario-options.h"
#include "runs/deployment.h"

namespace ns3::edgepipe
{

/**
 * Declare --load and --load-end.
 *
 * @param options of a scenario
 * @param load set to how load traces are replayed
 * @param devices for the help: what DEVICE may be, and which devices a load without it is for
 */
void AddLoadOptions(ScenarioOptions& options, TraceOptions& load, const std::string& devices);

/**
 * Declare --replay and how recorded passes follow each other.
 *
 * @param options of a scenario
 * @param devices for the help: what DEVICE may be
 */
void AddReplayOptions(ScenarioOptions& options, const std::string& devices);

/**
 * @param options of a scenario, parsed
 * @param names of the devices
 * @param aliases other names of devices
 * @return files of recorded passes, by device
 * @throws InputError if --replay cannot be used
 */
std::map<std::string, std::string> ReadReplays(
    const ScenarioOptions& options,
    const std::vector<std::string>& names,
    const std::map<std::string, std::string>& aliases = {});

/**
 * Declare --planning-time, which sets attributes of Replanner.
 *
 * @param options of a scenario
 */
void AddPlanningTimeOption(ScenarioOptions& options);

/**
 * @param options of a scenario, parsed
 * @param load how to replay load traces
 * @param names of the devices
 * @param all how many devices, from the first on, a load without a device is for
 * @param aliases other names of devices
 * @return the devices of --load
 * @throws InputError if --load cannot be used
 */
std::vector<DeviceLoad> ReadLoads(const ScenarioOptions& options,
                                  const TraceOptions& load,
                                  const std::vector<std::string>& names,
                                  std::size_t all,
                                  const std::map<std::string, std::string>& aliases = {});

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ADAPTIVE_INPUTS_H */
