/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-capacity-table.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-text-lines.h"

#include <algorithm>
#include <iomanip>
#include <locale>
#include <sstream>

namespace ns3::edgepipe
{

const std::vector<WifiPattern>&
GetWifiPatterns()
{
    static const std::vector<WifiPattern> patterns{
        {"flow", {{0, 1}}},
        {"twoFlows", {{0, 1}, {2, 3}}},
        {"fourFlows", {{0, 1}, {2, 3}, {4, 5}, {6, 7}}},
        {"eightFlows", {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}},
        {"bothWays", {{0, 1}, {1, 0}}},
        {"chain", {{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
    };
    return patterns;
}

std::string
FormatWifiCapacityHeader()
{
    std::string line =
        "standard,bandGhz,lossAtOneMeterDb,channelMhz,guardIntervalNs,rateControl,distanceMeters,"
        "latencySeconds";
    for (const auto& pattern : GetWifiPatterns())
    {
        line += "," + pattern.name;
    }
    return line;
}

std::string
FormatWifiCapacityRow(const WifiCapacityRow& row)
{
    std::ostringstream line;
    line.imbue(std::locale::classic());
    line << row.cell.standard << ',' << row.cell.bandGhz << ',' << row.cell.lossAtOneMeterDb << ','
         << row.cell.channelMhz << ',' << row.cell.guardIntervalNs << ',' << row.cell.rateControl
         << ',' << std::setprecision(4) << row.distanceMeters << ',' << row.latencySeconds
         << std::fixed << std::setprecision(0);
    for (const double goodput : row.goodput)
    {
        line << ',' << goodput;
    }
    return line.str();
}

std::vector<WifiCapacityRow>
ReadWifiCapacityTable(const std::string& path)
{
    std::vector<WifiCapacityRow> rows;
    TextLines lines(path);
    for (std::string_view line; lines.NextRow(FormatWifiCapacityHeader(), line);)
    {
        const auto takeOneOf = [&](const std::string& column,
                                   const std::vector<std::string>& choices) {
            const std::string field(TakeField(line, ','));
            lines.CheckField(std::count(choices.begin(), choices.end(), field) > 0,
                             column,
                             field,
                             "one of " + JoinWords(choices));
            return field;
        };
        const auto takeNumber = [&](const std::string& column, double least, double most) {
            return lines.ParseNumber(column, TakeField(line, ','), least, most);
        };
        WifiCapacityRow row;
        row.cell.standard = takeOneOf("standard", {"n", "ac", "ax"});
        row.cell.bandGhz = std::stod(takeOneOf("bandGhz", {"2.4", "5", "6"}));
        row.cell.lossAtOneMeterDb = takeNumber("lossAtOneMeterDb", 0, 200);
        row.cell.channelMhz = std::stoul(takeOneOf("channelMhz", {"20", "40", "80", "160"}));
        row.cell.guardIntervalNs =
            std::stoul(takeOneOf("guardIntervalNs", {"400", "800", "1600", "3200"}));
        row.cell.rateControl = takeOneOf("rateControl", {"ideal", "minstrel"});
        row.distanceMeters = takeNumber("distanceMeters", 0.1, 10000);
        row.latencySeconds = takeNumber("latencySeconds", 0, 60);
        for (const auto& pattern : GetWifiPatterns())
        {
            row.goodput.push_back(takeNumber(pattern.name, 0, 1e10));
        }
        lines.Check(line.empty(),
                    "found " + QuoteBriefly(line) + " after the last column, expected nothing");
        rows.push_back(row);
    }
    Require(!rows.empty(), path + ": found no rows, expected a table of Wi-Fi capacities");
    return rows;
}

} // namespace ns3::edgepipe
