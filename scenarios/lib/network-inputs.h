/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NETWORK_INPUTS_H
#define EDGEPIPE_NETWORK_INPUTS_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-network-options.h"

#include <initializer_list>
#include <optional>

namespace ns3::edgepipe
{

/**
 * Declare the options of the network, the same for all scenarios.
 *
 * @param options of the scenario
 * @param network set to their values, except those that depend on the link, see ReadNetworkOptions
 */
void AddNetworkOptions(ScenarioOptions& options, NetworkOptions& network);

/**
 * Set the link of devices for which neither --link nor the cluster, for single devices, names one;
 * without this call they have the cluster's link.
 *
 * @param options of the scenario, with those of AddNetworkOptions
 * @param network that AddNetworkOptions was given
 * @param link name of a LinkType
 */
void SetUsualLink(ScenarioOptions& options, NetworkOptions& network, const std::string& link);

/**
 * Replay a recording in a scenario whose usual link is trace, unless the options give a bandwidth,
 * a recording or another link, or the cluster has links for single devices.
 *
 * @param options of the scenario, parsed
 * @param trace the recording
 * @return whether links replay it
 * @throws InputError if the cluster cannot be read
 */
bool SetUsualRecording(ScenarioOptions& options, const std::string& trace);

/**
 * Complete a network by the options of AddNetworkOptions.
 *
 * @param options of the scenario, parsed
 * @param cluster used where no option is given
 * @param network set to the network, which CheckNetwork has yet to accept
 * @throws InputError if an option or a file cannot be read
 */
void ReadNetworkOptions(const ScenarioOptions& options,
                        const Cluster& cluster,
                        NetworkOptions& network);

/**
 * @param options of the scenario, parsed
 * @param others options that --cluster replaces, refused beside it
 * @param device role of the other devices, such as "an actor", for the message
 * @return the cluster that --cluster names, whose last device is the server; none if the
 *         option is empty
 * @throws InputError if it cannot be read or has one device
 */
std::optional<Cluster> ReadServedCluster(const ScenarioOptions& options,
                                         std::initializer_list<const char*> others,
                                         const std::string& device);

/**
 * @param types of the devices, assigned in turn, which are named by them
 * @param server its type
 * @param count number of devices
 * @param link of all, unless options say another
 * @return a cluster of the devices and, last, the server
 */
Cluster MakeServedCluster(const std::vector<DeviceSpec>& types,
                          const DeviceSpec& server,
                          std::size_t count,
                          const std::string& link);

/**
 * Describe the recordings that a network replays, on standard output: mean, range and duration as
 * replayed, and, if the mean is implausible, the unit that the format expects.
 *
 * @param options of the scenario, parsed; nothing is printed in a dry run
 * @param who prefix of the lines, such as "control: "; may be empty
 * @param network that CheckNetwork has accepted; nothing is printed if it replays none
 */
void PrintRecordings(const ScenarioOptions& options,
                     const std::string& who,
                     const NetworkOptions& network);

/**
 * Refuse an invalid network.
 *
 * @param options of the scenario, parsed
 * @param network how to join the devices
 * @param names of the devices
 * @param otherwise source of values that no option gave, for the message
 * @throws InputError naming the option
 */
void CheckNetwork(const ScenarioOptions& options,
                  const NetworkOptions& network,
                  const std::vector<std::string>& names,
                  const std::string& otherwise);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NETWORK_INPUTS_H */
