/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_RADIO_CELL_H
#define EDGEPIPE_WIFI_RADIO_CELL_H

#include "ns3/edgepipe-radio-cell.h"
#include "ns3/edgepipe-wifi-airtime.h"

#include <memory>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @param cell an 802.11 infrastructure network
 * @param tablePath file of measured capacities, see ReadWifiCapacityTable
 * @return the same as one medium, on which every byte counts alike, by WifiCapacity
 * @throws InputError if the table is broken or has no row for such a cell
 */
std::shared_ptr<const RadioCell> MakeWifiRadioCell(const WifiCell& cell,
                                                   const std::string& tablePath);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WIFI_RADIO_CELL_H */
