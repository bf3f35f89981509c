/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_CAPACITY_TABLE_H
#define EDGEPIPE_WIFI_CAPACITY_TABLE_H

#include "ns3/edgepipe-wifi-airtime.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** Transfers that run at the same time: pairs of sender and receiver. */
using Transfers = std::vector<std::pair<uint32_t, uint32_t>>;

/** Transfers whose total goodput was measured: a column of the table. */
struct WifiPattern
{
    std::string name;    //!< of the column, goodput in bytes/s
    Transfers transfers; //!< devices are numbered from 0 without gaps
};

/** @return the patterns, in the order of the table's columns */
const std::vector<WifiPattern>& GetWifiPatterns();

/** Packet-level measurements in one cell: a row of the table. */
struct WifiCapacityRow
{
    WifiCell cell;               //!< the cell, with the default MTU
    double distanceMeters{0};    //!< of every station from the access point, m
    std::vector<double> goodput; //!< by pattern, IP bytes/s with data, all transfers together;
                                 //!< 0: some transfer never began
    double latencySeconds{0};    //!< of a lone message of 16 bytes from station to station; 0: it
                                 //!< never arrived
};

/** @return the line with the names of the columns */
std::string FormatWifiCapacityHeader();

/**
 * @param row a row
 * @return its line
 */
std::string FormatWifiCapacityRow(const WifiCapacityRow& row);

/**
 * Read a table: CSV, lines that begin with # are comments, the first other line names the columns.
 *
 * @param path the file
 * @return its rows
 * @throws InputError naming the line, if it is not such a table
 */
std::vector<WifiCapacityRow> ReadWifiCapacityTable(const std::string& path);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_WIFI_CAPACITY_TABLE_H */
