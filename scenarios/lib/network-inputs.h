/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NETWORK_INPUTS_H
#define EDGEPIPE_NETWORK_INPUTS_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-cluster.h"

#include <initializer_list>

namespace ns3::edgepipe
{

/**
 * @param devices some devices
 * @return their names
 */
std::vector<std::string> GetDeviceNames(const std::vector<ClusterDevice>& devices);

/**
 * Declare the options that say how devices are joined, the same for all scenarios.
 *
 * @param options of the scenario
 * @param network set to what they say, but for what depends on the link; see ReadNetworkOptions
 */
void AddNetworkOptions(ScenarioOptions& options, NetworkOptions& network);

/**
 * Give devices a link where neither --link nor, for single devices, the cluster names one; without
 * it that is the cluster's.
 *
 * @param options of the scenario, which AddNetworkOptions has added to
 * @param network it was given
 * @param link name of a LinkType
 */
void SetUsualLink(ScenarioOptions& options, NetworkOptions& network, const std::string& link);

/**
 * Have links replay a recording in a scenario whose usual link is trace, unless the options or the
 * cluster say what they carry.
 *
 * @param options of the scenario, parsed
 * @param trace the recording
 * @return whether they do
 * @throws InputError if the cluster cannot be read
 */
bool SetUsualRecording(ScenarioOptions& options, const std::string& trace);

/**
 * Complete what AddNetworkOptions' options say.
 *
 * @param options of the scenario, parsed
 * @param cluster says what no option says
 * @param network how to join the devices; CheckNetwork has yet to accept it
 * @throws InputError if something cannot be read
 */
void ReadNetworkOptions(const ScenarioOptions& options,
                        const Cluster& cluster,
                        NetworkOptions& network);

/**
 * @param options of the scenario, parsed
 * @param others options that say what --cluster says, refused beside it
 * @param device what the other devices are, such as "an actor"
 * @return the cluster that --cluster names, of devices and, last, the server; none if it is empty
 * @throws InputError if it cannot be read or has one device
 */
std::optional<Cluster> ReadServedCluster(const ScenarioOptions& options,
                                         std::initializer_list<const char*> others,
                                         const std::string& device);

/**
 * Say what the recordings hold that a network replays, on standard output: mean, range and duration
 * as replayed, and, where no link carries so little or so much, which unit the format expects.
 *
 * @param options of the scenario, parsed; nothing is said where they ask for a dry run
 * @param who replays them, such as "control: "; may be empty
 * @param network that CheckNetwork has accepted; nothing is said if it replays none
 */
void PrintRecordings(const ScenarioOptions& options,
                     const std::string& who,
                     const NetworkOptions& network);

/**
 * Refuse a network that makes no sense.
 *
 * @param options of the scenario, parsed
 * @param network how to join the devices
 * @param names of the devices
 * @param otherwise where that comes from which no option gave, for the message
 * @throws InputError naming the option
 */
void CheckNetwork(const ScenarioOptions& options,
                  const NetworkOptions& network,
                  const std::vector<std::string>& names,
                  const std::string& otherwise);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NETWORK_INPUTS_H */
