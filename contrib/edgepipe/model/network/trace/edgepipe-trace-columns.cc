/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-trace-columns.h"

#include "edgepipe-trace-recording.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace ns3::edgepipe
{

namespace
{

using Units = std::map<std::string, double>;

/// To ns; dates have no factor.
const Units TIMES{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
/// To bit/s; text has its own.
const Units RATES{{"bps", 1},
                  {"kbps", 1e3},
                  {"Mbps", 1e6},
                  {"Gbps", 1e9},
                  {"Bps", 8},
                  {"kBps", 8e3},
                  {"MBps", 8e6}};
/// To bits of an interval.
const Units AMOUNTS{{"bits", 1},
                    {"bytes", 8},
                    {"kB", 8e3},
                    {"MB", 8e6},
                    {"packets", 8.0 * OpportunitySource::BYTES},
                    {"counter", 8}};
const Units SHARES{{"percent", 0.01}, {"share", 1}};

/// Most bits of a counter, which doubles still hold to the byte.
constexpr double MOST_COUNTED_BITS = 6e16;

/// Roles that say when a row is.
const std::set<std::string> CLOCKS{"time", "start"};
/// Roles of a value.
const std::set<std::string> VALUES{"up", "down", "rate", "busy", "free"};

/**
 * @param role of a column
 * @return its units with their factors; empty: anything
 */
Units
GetUnits(const std::string& role)
{
    if (role == "idle" || role == "device")
    {
        return {};
    }
    Units units = role == "busy" || role == "free" ? SHARES : VALUES.count(role) ? RATES : TIMES;
    if (VALUES.count(role) && units != SHARES)
    {
        units.insert(AMOUNTS.begin(), AMOUNTS.end());
        units["text"] = 0;
    }
    if (CLOCKS.count(role))
    {
        units["date"] = 0;
    }
    return units;
}

/**
 * @param unit of a rate as programs print it, such as Mbits/sec
 * @return its factor to bit/s; 0: it is none
 */
double
GetTextFactor(std::string_view unit)
{
    double factor = 1;
    if (!unit.empty() && std::string_view("KMGkmg").find(unit[0]) != std::string_view::npos)
    {
        const char prefix = unit[0] | 0x20;
        factor = prefix == 'k' ? 1e3 : prefix == 'm' ? 1e6 : 1e9;
        unit.remove_prefix(1);
    }
    const std::set<std::string_view> bits{"bit/s", "bits/s", "bits/sec", "bps", "b/s"};
    const std::set<std::string_view> bytes{"Byte/s", "Bytes/s", "Bytes/sec", "Bps", "B/s"};
    return bits.count(unit) ? factor : bytes.count(unit) ? 8 * factor : 0;
}

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
 * @param what the field
 * @param text a time, such as 2019.12.14_10.16.30 or 2019-12-14T10:16:30.5Z; zones are ignored
 * @return ns since 1970-01-01
 */
int64_t
ParseDate(const TextLines& lines, std::string_view what, std::string_view text)
{
    constexpr std::string_view form = "0000.00.00_00.00.00";
    int64_t parts[6] = {};
    bool isGood = text.size() >= form.size();
    for (std::size_t i = 0, part = 0; isGood && i < form.size(); ++i)
    {
        const bool isDigit = text[i] >= '0' && text[i] <= '9';
        isGood = isDigit == (form[i] == '0');
        if (isDigit && isGood)
        {
            parts[part] = 10 * parts[part] + text[i] - '0';
        }
        part += !isDigit;
    }
    const auto [year, month, day, hour, minute, second] = parts;
    isGood = isGood && year >= 1970 && year < 2096 && month >= 1 && month <= 12 && day >= 1 &&
             hour < 24 && minute < 60 && second < 60;
    // The day after the month's last is the first of the next one.
    isGood = isGood && CountDays(year, month, day) <
                           CountDays(month < 12 ? year : year + 1, month % 12 + 1, 1);
    int64_t fraction = 0;
    std::string_view rest = isGood ? text.substr(form.size()) : "";
    if (rest.size() > 1 && (rest[0] == '.' || rest[0] == ','))
    {
        int64_t unit = 100'000'000;
        std::size_t i = 1;
        for (; i < rest.size() && rest[i] >= '0' && rest[i] <= '9'; ++i, unit /= 10)
        {
            fraction += unit * (rest[i] - '0');
        }
        rest.remove_prefix(i);
    }
    isGood = isGood && (rest.empty() || std::string_view(" Z+-").find(rest[0]) != rest.npos);
    lines.CheckField(isGood, what, text, "a time from 1970 to 2095 as YYYY.MM.DD_hh.mm.ss");
    const int64_t days = CountDays(year, month, day) - CountDays(1970, 1, 1);
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1'000'000'000 + fraction;
}

/**
 * @param line of a table
 * @param separator of its fields; a blank: any number of blanks
 * @return its fields, without blanks and quotes at their ends
 */
std::vector<std::string_view>
Split(std::string_view line, char separator)
{
    std::vector<std::string_view> fields;
    const auto isEnd = [separator](char c) {
        return c == separator || (separator == ' ' && c == '\t');
    };
    std::size_t begin = 0;
    bool isQuoted = false;
    for (std::size_t i = 0; i <= line.size(); ++i)
    {
        if (i < line.size() && line[i] == '"')
        {
            isQuoted = !isQuoted;
        }
        if (i < line.size() && (isQuoted || !isEnd(line[i])))
        {
            continue;
        }
        std::string_view field = TrimBlanks(line.substr(begin, i - begin));
        begin = i + 1;
        if (separator == ' ' && field.empty())
        {
            continue;
        }
        if (field.size() > 1 && field.front() == '"' && field.back() == '"')
        {
            field = TrimBlanks(field.substr(1, field.size() - 2));
        }
        fields.push_back(field);
    }
    return fields;
}

/**
 * @param line of a table
 * @return what separates its fields
 */
char
FindSeparator(std::string_view line)
{
    for (const char separator : {'\t', ';', ','})
    {
        if (line.find(separator) != std::string_view::npos)
        {
            return separator;
        }
    }
    return ' ';
}

/**
 * @param field of a table
 * @return whether it says that there is no value
 */
bool
IsMissing(std::string_view field)
{
    static const std::set<std::string_view>
        words{"", "-", "nan", "NaN", "NAN", "NA", "N/A", "null", "NULL", "None"};
    return words.count(field) > 0;
}

/**
 * @param field of a table
 * @return whether it is a number or a word that stands for none
 */
bool
IsNumber(std::string_view field)
{
    double number = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, number);
    return IsMissing(field) || (error == std::errc() && stop == end);
}

/**
 * @param field of a table
 * @param unit of its column
 * @return the field without the sign of per cent, as nvidia-smi writes "10 %"
 */
std::string_view
StripPercent(std::string_view field, const std::string& unit)
{
    const bool hasSign = unit == "percent" && !field.empty() && field.back() == '%';
    return hasSign ? TrimBlanks(field.substr(0, field.size() - 1)) : field;
}

/**
 * Take a rate apart.
 *
 * @param text such as 8Mbits/sec
 * @param number set to the text of its number
 * @return the rest
 */
std::string_view
TakeNumber(std::string_view text, std::string_view& number)
{
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::size_t length = error == std::errc() ? stop - text.data() : 0;
    number = text.substr(0, length);
    return TrimBlanks(text.substr(length));
}

} // namespace

TraceColumns::TraceColumns(const std::string& text, bool isLoad)
    : m_option(isLoad ? "load-columns" : "trace-columns")
{
    const auto roles =
        isLoad
            ? std::set<std::string>{"time", "start", "interval", "busy", "free", "device", "idle"}
            : std::set<std::string>{"time",
                                    "start",
                                    "interval",
                                    "up",
                                    "down",
                                    "rate",
                                    "latency",
                                    "rtt",
                                    "device",
                                    "idle"};
    std::string_view rest = text;
    for (std::size_t place = 0; !rest.empty(); ++place)
    {
        const std::string entry(TakeField(rest, ','));
        if (entry == "-")
        {
            continue;
        }
        const auto fail = [&](const std::string& expected) {
            Require(false, m_option, QuoteBriefly(entry), expected);
        };
        const std::size_t colon = entry.rfind(':');
        const std::size_t equals = std::min(entry.find('='), colon);
        const std::string role = entry.substr(0, equals);
        Column column;
        column.place = place;
        column.unit = colon == std::string::npos ? "" : entry.substr(colon + 1);
        if (role == "every")
        {
            std::string_view number;
            const std::string unit(TakeNumber(column.unit, number));
            const double length = number.empty() || !TIMES.count(unit)
                                      ? 0
                                      : std::stod(std::string(number)) * TIMES.at(unit);
            if (!(length >= 1 && length <= 3600e9))
            {
                fail("every: and a time up to an hour, such as every:500ms");
            }
            m_every = std::llround(length);
            continue;
        }
        if (equals != std::string::npos && entry[equals] == '=')
        {
            column.name =
                entry.substr(equals + 1, colon == std::string::npos ? colon : colon - equals - 1);
            int number = 0;
            const char* end = column.name.data() + column.name.size();
            const auto [stop, error] = std::from_chars(column.name.data(), end, number);
            if (error == std::errc() && stop == end && number >= 1)
            {
                column.place = number - 1;
                column.name.clear();
            }
            else if (column.name.empty())
            {
                fail("the name or number of a column after =");
            }
        }
        if (roles.count(role) == 0)
        {
            fail("ROLE=COLUMN:UNIT or ROLE:UNIT with a role of " + JoinWords(roles, ", ", " or ") +
                 ", or every:TIME, or -");
        }
        const Units units = GetUnits(role);
        if (!units.empty() && units.count(column.unit) == 0)
        {
            const auto names = Map(units, &Units::value_type::first);
            fail(role + (isLoad || column.unit.empty() ? " with its unit, " : " with a unit of ") +
                 JoinWords(names, ", ", " or "));
        }
        if (role == "idle" && column.unit.empty())
        {
            fail("the value of idle rows, such as idle=State:I");
        }
        column.factor = units.empty() ? 1 : units.at(column.unit);
        if (!m_columns.emplace(role, column).second)
        {
            fail("each role once");
        }
    }
    const auto count = [this](const std::set<std::string>& names) {
        return std::count_if(names.begin(), names.end(), [this](const auto& name) {
            return Has(name);
        });
    };
    const bool isOne = isLoad || Has("rate") ? count(VALUES) == 1 : count(VALUES) >= 1;
    Require(isOne,
            m_option,
            QuoteBriefly(text),
            isLoad ? "one column of busy or free" : "a column of down, up or both, or of rate");
    Require(!Has("latency") || !Has("rtt"), m_option, QuoteBriefly(text), "latency or rtt");
    const bool hasTimes = count(CLOCKS) > 0 || Has("interval");
    const bool isCounted = std::any_of(m_columns.begin(), m_columns.end(), [](const auto& column) {
        return column.second.unit == "counter";
    });
    Require(!isCounted || Has("time"), m_option, QuoteBriefly(text), "time beside a counter");
    Require(count(CLOCKS) <= 1 && hasTimes != (m_every > 0),
            m_option,
            QuoteBriefly(text),
            "time, start or interval, or every:TIME if rows have none");
}

/** One reading of a table. */
class TraceColumns::Reader
{
  public:
    /**
     * @param columns what they hold
     * @param lines of the table
     * @param first its first line that is no comment, already read
     */
    Reader(const TraceColumns& columns, TextLines& lines, std::string_view first)
        : m_columns(columns.m_columns),
          m_lines(lines),
          m_separator(FindSeparator(first)),
          m_first(first),
          m_header(Split(first, m_separator))
    {
    }

    /**
     * @param role of a column
     * @return its place in every line, from 0 on; none if there is no such column
     */
    std::size_t Find(const std::string& role) const
    {
        const auto column = m_columns.find(role);
        if (column == m_columns.end())
        {
            return NONE;
        }
        const std::string& name = column->second.name;
        const auto found = std::find(m_header.begin(), m_header.end(), name);
        m_lines.CheckField(name.empty() || found != m_header.end(),
                           "header",
                           m_first,
                           "a column " + name);
        return name.empty() ? column->second.place : found - m_header.begin();
    }

    /** @return whether the first line is a header: a name is asked for, or a number missing */
    bool HasHeader() const
    {
        return std::any_of(m_columns.begin(), m_columns.end(), [this](const auto& column) {
            const auto& [role, what] = column;
            const std::string_view field = what.place < m_header.size() ? m_header[what.place] : "";
            std::string_view number;
            TakeNumber(field, number);
            return !what.name.empty() ||
                   (role != "device" && role != "idle" && what.unit != "date" &&
                    (what.unit == "text" ? number.empty()
                                         : !IsNumber(StripPercent(field, what.unit))));
        });
    }

    /**
     * @param line the present line
     * @param isExact whether it must have as many fields as the header
     */
    void Load(std::string_view line, bool isExact)
    {
        m_fields = Split(line, m_separator);
        m_lines.Check(!isExact || m_separator == ' ' || m_fields.size() == m_header.size(),
                      JoinParts("found ",
                                m_fields.size(),
                                " columns, expected ",
                                m_header.size(),
                                " as in the header"));
    }

    /**
     * @param place of a column
     * @return the present line's field
     */
    std::string_view Get(std::size_t place) const
    {
        m_lines.Check(place < m_fields.size(),
                      JoinParts("found ",
                                m_fields.size(),
                                m_fields.size() == 1 ? " column" : " columns",
                                ", expected at least ",
                                place + 1));
        return m_fields[place];
    }

    /**
     * @param role of a column with numbers
     * @param place of it
     * @param most largest value, in units of the model
     * @return the present line's value, in these units
     */
    double Parse(const std::string& role, std::size_t place, double most) const
    {
        const Column& column = m_columns.at(role);
        const std::string& name = column.name.empty() ? role : column.name;
        std::string_view text = StripPercent(Get(place), column.unit);
        double factor = column.factor;
        if (column.unit == "text")
        {
            std::string_view number;
            std::string_view unit = TakeNumber(text, number);
            if (unit.empty() && place + 1 < m_fields.size())
            {
                unit = m_fields[place + 1];
            }
            factor = GetTextFactor(unit);
            m_lines.CheckField(factor > 0, name, unit, "a unit such as Mbits/sec");
            text = number;
        }
        return factor * m_lines.ParseNumber(name, text, 0, most / factor);
    }

    /**
     * @param role of a column with times
     * @param place of it
     * @return the present line's time, ns
     */
    int64_t ParseTime(const std::string& role, std::size_t place) const
    {
        const Column& column = m_columns.at(role);
        if (column.unit == "date")
        {
            return ParseDate(m_lines, column.name.empty() ? role : column.name, Get(place));
        }
        return std::llround(Parse(role, place, MOST_TRACE_SECONDS * 1e9));
    }

    static constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max(); //!< no column

  private:
    const std::map<std::string, Column>& m_columns; //!< by role
    const TextLines& m_lines;                       //!< for messages
    char m_separator;                               //!< of fields
    std::string m_first;                            //!< line
    std::vector<std::string_view> m_header;         //!< its fields
    std::vector<std::string_view> m_fields;         //!< of the present line
};

void
TraceColumns::Read(TextLines& lines,
                   TraceDirection direction,
                   const std::string& device,
                   TraceRows& rows) const
{
    std::string_view line;
    const auto next = [&] {
        while (lines.Next(line) && line[0] == '#')
        {
        }
        return !line.empty();
    };
    next();
    Reader reader(*this, lines, line);
    const bool hasHeader = reader.HasHeader();
    const std::string own = direction == TraceDirection::UP ? "up" : "down";
    const std::string other = direction == TraceDirection::UP ? "down" : "up";
    std::string what;
    for (const std::string& role :
         {std::string("rate"), other, own, std::string("busy"), std::string("free")})
    {
        what = Has(role) ? role : what;
    }
    const std::string clock = Has("time") ? "time" : Has("start") ? "start" : "";
    const std::size_t time = reader.Find(clock);
    const std::size_t value = reader.Find(what);
    const std::size_t length = reader.Find("interval");
    const std::size_t ofDevice = reader.Find("device");
    const std::size_t idle = reader.Find("idle");
    const std::string delay = Has("rtt") ? "rtt" : "latency";
    const std::size_t ofDelay = reader.Find(delay);
    const double ways = Has("rtt") ? 2 : 1;
    rows.SetTiming(m_every > 0 || Has("interval") ? TraceTiming::LENGTHS
                   : clock == "time"              ? TraceTiming::ENDS
                                                  : TraceTiming::BEGINS);
    const bool isAmount = AMOUNTS.count(m_columns.at(what).unit) > 0;
    const bool isCounter = m_columns.at(what).unit == "counter";
    if (isAmount)
    {
        rows.SetAmounts(isCounter);
    }
    const double largest = what == "busy" || what == "free" ? 1
                           : isCounter                      ? MOST_COUNTED_BITS
                           : isAmount                       ? 3600 * MOST_TRACE_BITS_PER_SECOND
                                                            : MOST_TRACE_BITS_PER_SECOND;
    std::string known = device;
    for (bool isMore = hasHeader ? next() : !line.empty(); isMore; isMore = next())
    {
        reader.Load(line, hasHeader);
        if (ofDevice != Reader::NONE)
        {
            const std::string found(reader.Get(ofDevice));
            known = known.empty() ? found : known;
            lines.Check(found == known || !device.empty(),
                        JoinParts("found rows of ",
                                  QuoteBriefly(known),
                                  " and ",
                                  QuoteBriefly(found),
                                  ", expected one, as by FILE#",
                                  known));
            if (found != known)
            {
                continue;
            }
        }
        TraceSample sample{0, 0, m_every, false};
        sample.isIdle = idle != Reader::NONE && reader.Get(idle) == m_columns.at("idle").unit;
        sample.nanoseconds = time == Reader::NONE ? 0 : reader.ParseTime(clock, time);
        if (length != Reader::NONE)
        {
            sample.length = reader.ParseTime("interval", length);
        }
        if (ofDelay != Reader::NONE && !IsMissing(reader.Get(ofDelay)))
        {
            const double most = MOST_TRACE_DELAY_SECONDS * ways * 1e9;
            sample.delaySeconds = reader.Parse(delay, ofDelay, most) / ways / 1e9;
        }
        if (IsMissing(reader.Get(value)))
        {
            rows.Miss();
            continue;
        }
        sample.value = reader.Parse(what, value, largest);
        sample.value = what == "busy" ? 1 - sample.value : sample.value;
        rows.AddSample(sample);
    }
    lines.CheckFile(device.empty() || ofDevice != Reader::NONE,
                    "found no column of devices, expected device=COLUMN in --" + m_option);
}

bool
IsRateText(std::string_view line)
{
    std::string_view number;
    std::string_view unit = TakeNumber(line, number);
    if (!unit.empty() && unit[0] == ',')
    {
        unit.remove_prefix(1);
    }
    unit = TrimBlanks(unit.substr(0, unit.find(',')));
    return !number.empty() && GetTextFactor(unit) > 0;
}

} // namespace ns3::edgepipe
