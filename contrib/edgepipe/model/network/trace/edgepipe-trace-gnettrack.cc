/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-rows.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param year of the Gregorian calendar, 1 or more
 * @param month 1 to 12
 * @param day of the month, from 1
 * @return days since a fixed one
 */
int64_t
CountDays(int64_t year, int64_t month, int64_t day)
{
    // A year that begins with March has its leap day at its end; months of 30.6 days then round
    // to 31, 30, 31, 30, 31.
    const int64_t y = month > 2 ? year : year - 1;
    const int64_t m = month > 2 ? month - 3 : month + 9;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day;
}

/** The CSV that the app G-NetTrack writes: a header, then a row about every second. */
class GnettrackRows : public TraceRows
{
  public:
    /**
     * @param path a file
     * @param direction which column
     */
    GnettrackRows(const std::string& path, TraceDirection direction)
        : TraceRows(path),
          m_what(direction == TraceDirection::UP ? "UL_bitrate" : "DL_bitrate")
    {
        std::string_view header;
        NextLine(header);
        m_columns = 1 + std::count(header.begin(), header.end(), ',');
        m_time = FindColumn(header, "Timestamp");
        m_value = FindColumn(header, m_what);
        MarkHere();
    }

    bool IsMeanOfEqualTimes() const override
    {
        return true;
    }

  private:
    /**
     * @param header the first line
     * @param name of a column
     * @return its place
     */
    std::size_t FindColumn(std::string_view header, std::string_view name) const
    {
        std::string_view rest = header;
        for (std::size_t column = 0; column < m_columns; ++column)
        {
            if (TakeField(rest, ',') == name)
            {
                return column;
            }
        }
        GetLines().FailField("header", header, "a column " + std::string(name));
    }

    bool DoNext(TraceRow& row) override
    {
        std::string_view line;
        std::string_view value;
        do
        {
            if (!NextLine(line))
            {
                return false;
            }
            row.nanoseconds = ReadFields(line, value);
        } while (value == "-");
        constexpr double kilobit = 1e3;
        row.value =
            kilobit * GetLines().ParseNumber(m_what, value, 0, MOST_BITS_PER_SECOND / kilobit);
        return true;
    }

    /**
     * @param line a row
     * @param value set to the text of the value
     * @return the row's time, ns
     */
    int64_t ReadFields(std::string_view line, std::string_view& value) const
    {
        std::string_view timestamp;
        std::string_view rest = line;
        const std::size_t columns = 1 + std::count(line.begin(), line.end(), ',');
        if (columns != m_columns)
        {
            GetLines().Fail("found " + std::to_string(columns) + " columns, expected " +
                            std::to_string(m_columns) + " as in the header");
        }
        for (std::size_t column = 0; column <= std::max(m_time, m_value); ++column)
        {
            const std::string_view field = TakeField(rest, ',');
            timestamp = column == m_time ? field : timestamp;
            value = column == m_value ? field : value;
        }
        return ParseTimestamp(timestamp);
    }

    /**
     * @param text a time, YYYY.MM.DD_hh.mm.ss
     * @return ns since a fixed day
     */
    int64_t ParseTimestamp(std::string_view text) const
    {
        constexpr std::string_view form = "0000.00.00_00.00.00";
        int64_t parts[6] = {};
        bool isGood = text.size() == form.size();
        for (std::size_t i = 0, part = 0; isGood && i < form.size(); ++i)
        {
            if (form[i] != '0')
            {
                isGood = text[i] == form[i];
                ++part;
                continue;
            }
            isGood = text[i] >= '0' && text[i] <= '9';
            parts[part] = 10 * parts[part] + text[i] - '0';
        }
        const auto [year, month, day, hour, minute, second] = parts;
        isGood = isGood && year >= 1970 && year < 2096 && month >= 1 && month <= 12 && day >= 1 &&
                 hour < 24 && minute < 60 && second < 60;
        // The day after the month's last is the first of the next one.
        isGood = isGood && CountDays(year, month, day) <
                               CountDays(month < 12 ? year : year + 1, month % 12 + 1, 1);
        if (!isGood)
        {
            GetLines().FailField("Timestamp",
                                 text,
                                 "a time from 1970 to 2095 as YYYY.MM.DD_hh.mm.ss");
        }
        const int64_t days = CountDays(year, month, day) - CountDays(1970, 1, 1);
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1'000'000'000;
    }

    std::string_view m_what; //!< name of the column of the value
    std::size_t m_columns;   //!< in every row
    std::size_t m_time;      //!< column of the time
    std::size_t m_value;     //!< column of the value
};

} // namespace

std::unique_ptr<TraceRows>
MakeGnettrackRows(const std::string& path, TraceDirection direction)
{
    return std::make_unique<GnettrackRows>(path, direction);
}

} // namespace edgepipe
} // namespace ns3
