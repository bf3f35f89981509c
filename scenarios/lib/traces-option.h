/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACES_OPTION_H
#define EDGEPIPE_TRACES_OPTION_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-trace.h"

namespace ns3::edgepipe
{

/**
 * Declare the option "traces".
 *
 * @param options of the scenario
 */
void AddTracesOption(ScenarioOptions& options);

/**
 * @param options of the scenario
 * @return the folder that holds models, profiles, devices, clusters and links
 * @throws InputError if there is none
 */
std::string FindTracesFolder(const ScenarioOptions& options);

/**
 * @param options of the scenario
 * @param option that names a file, such as "model"
 * @param folder of such files in the traces folder
 * @return the path of the file, given by path or by name
 * @throws InputError listing the known names, if there is no such file
 */
std::string FindTracesFile(const ScenarioOptions& options,
                           const std::string& option,
                           const std::string& folder);

/**
 * @param options of the scenario
 * @param option that names a device type: a name or path, with @STACK for another stack
 * @return the type
 * @throws InputError if there is none, or the file is malformed
 */
DeviceSpec FindDeviceSpec(const ScenarioOptions& options, const std::string& option);

/**
 * @param options of the scenario
 * @param option that names a recording of bandwidth, such as "trace"
 * @param direction to take if the name has one recording for each
 * @return the path of the file, given by path or by its name in the traces folder, such as lte-up,
 * or lte-driving for lte-driving.up.csv; empty if the option is
 * @throws InputError listing the known names, if there is no such file
 */
std::string FindRecording(const ScenarioOptions& options,
                          const std::string& option,
                          TraceDirection direction);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRACES_OPTION_H */
