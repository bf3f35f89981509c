/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-trace-recording.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param year of the Gregorian calendar, 1 or more
 * @param month 1 to 12
 * @param day of the month, from 1
 * @return days since a fixed date
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

/**
 * @param lines of the file, for messages
 * @param text a time, YYYY.MM.DD_hh.mm.ss
 * @return ns since 1970-01-01
 */
int64_t
ParseTimestamp(const TextLines& lines, std::string_view text)
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
    lines.CheckField(isGood, "Timestamp", text, "a time from 1970 to 2095 as YYYY.MM.DD_hh.mm.ss");
    const int64_t days = CountDays(year, month, day) - CountDays(1970, 1, 1);
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1'000'000'000;
}

} // namespace

void
ParseGnettrack(TextLines& lines,
               TraceDirection direction,
               const std::function<void(TraceRow)>& take)
{
    constexpr double kilobit = 1e3;
    const std::string_view what = direction == TraceDirection::UP ? "UL_bitrate" : "DL_bitrate";
    std::string_view line;
    lines.Next(line);
    const auto names = SplitFields(line);
    const auto find = [&](std::string_view name) {
        const auto found = std::find(names.begin(), names.end(), name);
        lines.CheckField(found != names.end(), "header", line, "a column " + std::string(name));
        return found - names.begin();
    };
    const std::size_t time = find("Timestamp");
    const std::size_t value = find(what);
    while (lines.Next(line))
    {
        const auto fields = SplitFields(line);
        if (fields.size() != names.size())
        {
            lines.Fail("found " + std::to_string(fields.size()) + " columns, expected " +
                       std::to_string(names.size()) + " as in the header");
        }
        const int64_t nanoseconds = ParseTimestamp(lines, fields[time]);
        if (fields[value] != "-")
        {
            take({nanoseconds,
                  kilobit * lines.ParseNumber(what,
                                              fields[value],
                                              0,
                                              MOST_TRACE_BITS_PER_SECOND / kilobit)});
        }
    }
}

} // namespace ns3::edgepipe
