/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-capacity-table.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** Takes the fields of a line one by one. */
class LineReader
{
  public:
    /**
     * @param where file and line, for messages
     * @param line the line
     */
    LineReader(std::string where, const std::string& line)
        : m_where(std::move(where)),
          m_fields(line)
    {
    }

    /** @param message what is wrong */
    [[noreturn]] void Fail(const std::string& message) const
    {
        throw InputError(m_where + ": " + message);
    }

    /**
     * @param column name of the next field
     * @return its text
     */
    std::string Take(const std::string& column)
    {
        std::string field;
        if (!std::getline(m_fields, field, ','))
        {
            Fail(column + ": the field is missing");
        }
        return field;
    }

    /**
     * @param column name of the next field
     * @return its text
     * @param choices what it may be
     */
    std::string TakeOneOf(const std::string& column, const std::vector<std::string>& choices)
    {
        const std::string field = Take(column);
        if (!std::count(choices.begin(), choices.end(), field))
        {
            Fail(column + ": found " + QuoteForMessage(field) + ", expected one of " +
                 JoinWords(choices));
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
        const std::string field = Take(column);
        // A stream instead of strtod: the user's locale must not decide what a point is.
        std::istringstream stream(field);
        stream.imbue(std::locale::classic());
        double value = 0;
        if (!(stream >> value) || !stream.eof() || !(value >= least && value <= most))
        {
            std::ostringstream range;
            range << least << " to " << most;
            Fail(column + ": found " + QuoteForMessage(field) + ", expected a number from " +
                 range.str());
        }
        return value;
    }

    /** Refuse anything more. */
    void Finish()
    {
        std::string field;
        if (std::getline(m_fields, field, ','))
        {
            Fail("found " + QuoteForMessage(field) + " after the last column, expected nothing");
        }
    }

  private:
    std::string m_where;         //!< file and line
    std::istringstream m_fields; //!< what is left of the line
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
    std::istringstream text(ReadTextFile(path));
    bool isHeaderRead = false;
    std::size_t number = 0;
    for (std::string line; std::getline(text, line);)
    {
        ++number;
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        LineReader fields(path + ": line " + std::to_string(number), line);
        if (!isHeaderRead)
        {
            if (line != FormatWifiCapacityHeader())
            {
                fields.Fail("found " + QuoteForMessage(line) + ", expected \"" +
                            FormatWifiCapacityHeader() + "\"");
            }
            isHeaderRead = true;
            continue;
        }
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

} // namespace edgepipe
} // namespace ns3
