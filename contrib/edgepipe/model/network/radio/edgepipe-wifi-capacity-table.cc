/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-capacity-table.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-text-lines.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

/** Takes the fields of a line one by one. */
class RowReader
{
  public:
    /**
     * @param lines of the file, for messages
     * @param line the line that was read last
     */
    RowReader(const TextLines& lines, std::string_view line)
        : m_lines(lines),
          m_rest(line)
    {
    }

    /**
     * @param column name of the next field
     * @param choices what it may be
     * @return its text
     */
    std::string TakeOneOf(const std::string& column, const std::vector<std::string>& choices)
    {
        const std::string field(TakeField(m_rest, ','));
        if (!std::count(choices.begin(), choices.end(), field))
        {
            m_lines.FailField(column, field, "one of " + JoinWords(choices));
        }
        return field;
    }

    /**
     * @param column name of the next field
     * @param least smallest value
     * @param most largest value
     * @return its value
     */
    double TakeNumber(const std::string& column, double least, double most)
    {
        return m_lines.ParseNumber(column, TakeField(m_rest, ','), least, most);
    }

    /** Refuse anything more. */
    void Finish() const
    {
        if (!m_rest.empty())
        {
            m_lines.Fail("found " + QuoteBriefly(m_rest) +
                         " after the last column, expected nothing");
        }
    }

  private:
    const TextLines& m_lines; //!< of the file
    std::string_view m_rest;  //!< what is left of the line
};

} // namespace

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
    bool isHeaderRead = false;
    for (std::string_view line; lines.Next(line);)
    {
        if (line[0] == '#')
        {
            continue;
        }
        if (!isHeaderRead)
        {
            if (line != FormatWifiCapacityHeader())
            {
                lines.Fail("found " + QuoteForMessage(std::string(line)) + ", expected \"" +
                           FormatWifiCapacityHeader() + "\"");
            }
            isHeaderRead = true;
            continue;
        }
        RowReader fields(lines, line);
        WifiCapacityRow row;
        row.cell.standard = fields.TakeOneOf("standard", {"n", "ac", "ax"});
        row.cell.bandGhz = std::stod(fields.TakeOneOf("bandGhz", {"2.4", "5", "6"}));
        row.cell.lossAtOneMeterDb = fields.TakeNumber("lossAtOneMeterDb", 0, 200);
        row.cell.channelMhz = std::stoul(fields.TakeOneOf("channelMhz", {"20", "40", "80", "160"}));
        row.cell.guardIntervalNs =
            std::stoul(fields.TakeOneOf("guardIntervalNs", {"400", "800", "1600", "3200"}));
        row.cell.rateControl = fields.TakeOneOf("rateControl", {"ideal", "minstrel"});
        row.distanceMeters = fields.TakeNumber("distanceMeters", 0.1, 10000);
        row.latencySeconds = fields.TakeNumber("latencySeconds", 0, 60);
        for (const auto& pattern : GetWifiPatterns())
        {
            row.goodput.push_back(fields.TakeNumber(pattern.name, 0, 1e10));
        }
        fields.Finish();
        rows.push_back(row);
    }
    if (rows.empty())
    {
        throw InputError(path + ": found no rows, expected a table of Wi-Fi capacities");
    }
    return rows;
}

} // namespace ns3::edgepipe
