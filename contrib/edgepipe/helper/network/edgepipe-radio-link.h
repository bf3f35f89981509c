/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RADIO_LINK_H
#define EDGEPIPE_RADIO_LINK_H

#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-radio-cell.h"
#include "ns3/edgepipe-wifi-capacity-table.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param options a Wi-Fi network
 * @return the same as a cell, with what the options leave open filled in
 * @throws InputError if the options make no sense
 */
WifiCell MakeWifiCell(const NetworkOptions& options);

/**
 * @param options of a wifi or lte link
 * @return what the cell carries
 * @throws InputError if the table of Wi-Fi capacities is broken or lacks such a cell
 */
std::shared_ptr<const RadioCell> MakeRadioCell(const NetworkOptions& options);

/**
 * @param options of a wifi or lte link; the table of Wi-Fi capacities is read when it is first
 *        needed
 * @param names of the devices
 * @param devices their nodes, which know where they are if they move
 * @return Network::capacity: of the radio hops at the present distances, and of the cables
 */
std::function<double(uint32_t from, uint32_t to)> MakeRadioCapacity(
    const NetworkOptions& options,
    const std::vector<std::string>& names,
    const NodeContainer& devices);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_RADIO_LINK_H */
