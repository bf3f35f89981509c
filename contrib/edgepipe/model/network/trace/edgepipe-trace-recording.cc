/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-trace-recording.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

constexpr int64_t NANOSECONDS_PER_MILLISECOND = 1'000'000;
constexpr int64_t NANOSECONDS_PER_SECOND = 1'000'000'000;
constexpr std::string_view RATE_CSV_HEADER = "seconds,bitsPerSecond";
constexpr std::string_view LOAD_CSV_HEADER = "seconds,share";

const std::map<std::string, TraceFormat> FORMATS{
    {"mahimahi", TraceFormat::MAHIMAHI},
    {"pensieve", TraceFormat::PENSIEVE},
    {"gnettrack", TraceFormat::GNETTRACK},
    {"csv", TraceFormat::CSV},
};

using Take = std::function<void(TraceRow)>;

/**
 * @param lines of the file
 * @param line set to the next line that is not a comment
 * @return false at the end of the file
 */
bool
NextRow(TextLines& lines, std::string_view& line)
{
    while (lines.Next(line))
    {
        if (line[0] != '#')
        {
            return true;
        }
    }
    return false;
}

/**
 * @param lines of a recording
 * @return its format, by its first line that is not a comment
 */
TraceFormat
DetectFormat(TextLines lines)
{
    std::string_view line;
    lines.CheckFile(NextRow(lines, line), "found no recording, only blanks or comments");
    bool hasTimestamp = false;
    for (std::string_view rest = line; !rest.empty();)
    {
        hasTimestamp |= TakeField(rest, ',') == "Timestamp";
    }
    const auto isIn = [line](const char* characters) {
        return line.find_first_not_of(characters) == std::string_view::npos;
    };
    const bool isPensieve = isIn("0123456789.+-eE \t") && !isIn("0123456789.+-eE");
    lines.CheckField(line == RATE_CSV_HEADER || hasTimestamp || isIn("0123456789") || isPensieve,
                     "format",
                     line,
                     "an integer (mahimahi), two numbers separated by blanks (pensieve), a header "
                     "with the column Timestamp (gnettrack) or the header " +
                         std::string(RATE_CSV_HEADER) + " (csv)");
    return line == RATE_CSV_HEADER ? TraceFormat::CSV
           : hasTimestamp          ? TraceFormat::GNETTRACK
           : isPensieve            ? TraceFormat::PENSIEVE
                                   : TraceFormat::MAHIMAHI;
}

/**
 * The format of mm-link, R. Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP",
 * USENIX ATC 2015, https://github.com/ravinet/mahimahi, src/frontend/link_queue.cc.
 *
 * @param lines of the file
 * @param take gets the opportunities
 */
void
ParseMahimahi(TextLines& lines, const Take& take)
{
    constexpr int64_t most = 1'000'000'000'000;
    const std::string expected = "an integer from 0 to " + std::to_string(most);
    for (std::string_view line; lines.Next(line);)
    {
        int64_t milliseconds = 0;
        const char* end = line.data() + line.size();
        const auto [stop, error] = std::from_chars(line.data(), end, milliseconds);
        lines.CheckField(error == std::errc() && stop == end && line[0] != '-' &&
                             milliseconds <= most,
                         "milliseconds",
                         line,
                         expected);
        take({milliseconds * NANOSECONDS_PER_MILLISECOND, 0});
    }
}

/**
 * The format of H. Mao et al., "Neural Adaptive Video Streaming with Pensieve", SIGCOMM 2017.
 *
 * @param lines of the file
 * @param take gets the rows, bit/s
 */
void
ParsePensieve(TextLines& lines, const Take& take)
{
    constexpr double megabit = 1e6;
    for (std::string_view line; lines.Next(line);)
    {
        const std::size_t blank = line.find_first_of(" \t");
        lines.CheckField(blank != std::string_view::npos,
                         "columns",
                         line,
                         "seconds and Mbit/s, separated by blanks");
        const double seconds =
            lines.ParseNumber("seconds", line.substr(0, blank), 0, MOST_TRACE_SECONDS);
        const double rate = lines.ParseNumber("Mbit/s",
                                              TrimBlanks(line.substr(blank)),
                                              0,
                                              MOST_TRACE_BITS_PER_SECOND / megabit);
        take({std::llround(1e9 * seconds), rate * megabit});
    }
}

/**
 * Two columns, the first in seconds; lines that begin with # are comments.
 *
 * @param lines of the file
 * @param header names of both columns
 * @param most largest value of the second one
 * @param take gets the rows
 */
void
ParseCsv(TextLines& lines, std::string_view header, double most, const Take& take)
{
    std::string_view line;
    const bool isRead = NextRow(lines, line);
    lines.CheckField(isRead && line == header, "header", line, QuoteBriefly(header));
    const std::string_view what = header.substr(header.find(',') + 1);
    const std::string columns = "seconds and " + std::string(what);
    while (NextRow(lines, line))
    {
        lines.CheckField(line.find(',') != std::string_view::npos, "columns", line, columns);
        const double seconds =
            lines.ParseNumber("seconds", TakeField(line, ','), 0, MOST_TRACE_SECONDS);
        take({std::llround(1e9 * seconds), lines.ParseNumber(what, TrimBlanks(line), 0, most)});
    }
}

/**
 * @param lines of the recording
 * @param nanoseconds how long it lasts
 */
void
CheckDuration(const TextLines& lines, int64_t nanoseconds)
{
    lines.CheckFile(
        nanoseconds >= NANOSECONDS_PER_MILLISECOND &&
            nanoseconds <= NANOSECONDS_PER_SECOND * NANOSECONDS_PER_SECOND,
        JoinParts("found a recording of ", nanoseconds / 1e9, " s, expected 0.001 to 1e9 s"));
}

/**
 * Compute the statistics of steps.
 *
 * @param lines of the recording
 * @param recording whose rows are complete
 */
void
MeasureSteps(const TextLines& lines, TraceRecording& recording)
{
    const auto& rows = recording.rows;
    lines.CheckFile(!rows.empty(), "found no values, expected at least one");
    recording.largest = recording.lowest = rows.front().value;
    int64_t length = NANOSECONDS_PER_SECOND;
    double sum = 0; // of value times ns
    for (std::size_t i = 1; i < rows.size(); ++i)
    {
        length = rows[i].nanoseconds - rows[i - 1].nanoseconds;
        sum += rows[i - 1].value * length;
        recording.largest = std::max(recording.largest, rows[i].value);
        recording.lowest = std::min(recording.lowest, rows[i].value);
    }
    recording.highest = recording.largest;
    recording.nanoseconds = rows.back().nanoseconds + length;
    CheckDuration(lines, recording.nanoseconds);
    recording.mean = (sum + rows.back().value * length) / recording.nanoseconds;
}

/**
 * Compute the statistics of opportunities.
 *
 * @param lines of the recording
 * @param recording whose rows are complete
 */
void
MeasureOpportunities(const TextLines& lines, TraceRecording& recording)
{
    constexpr double bits = 8 * OpportunitySource::BYTES;
    uint64_t together = 0; // in the present millisecond
    uint64_t fullest = 0;
    uint64_t count = 0; // in the present second
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0;
    int64_t end = NANOSECONDS_PER_SECOND; // of the present second
    int64_t last = -1;
    for (const auto& row : recording.rows)
    {
        if (row.nanoseconds >= end)
        {
            // Seconds that were skipped held nothing.
            lowest = row.nanoseconds - end >= NANOSECONDS_PER_SECOND
                         ? 0
                         : std::min(lowest, count * bits);
            highest = std::max(highest, count * bits);
            count = 0;
            end = (row.nanoseconds / NANOSECONDS_PER_SECOND + 1) * NANOSECONDS_PER_SECOND;
        }
        ++count;
        together = row.nanoseconds == last ? together + 1 : 1;
        fullest = std::max(fullest, together);
        last = row.nanoseconds;
    }
    lines.CheckFile(!recording.rows.empty(), "found no opportunities, expected at least one");
    CheckDuration(lines, last);
    recording.nanoseconds = last;
    recording.mean = recording.rows.size() * bits / last * NANOSECONDS_PER_SECOND;
    recording.largest = fullest * bits / NANOSECONDS_PER_MILLISECOND * NANOSECONDS_PER_SECOND;
    const bool isShort = end == NANOSECONDS_PER_SECOND;
    recording.lowest = isShort ? recording.mean : lowest;
    recording.highest = isShort ? recording.mean : highest;
}

/**
 * @param lines of the recording, at its start
 * @param format its format
 * @param direction the direction to read if the file has both
 * @param isLoad whether it holds a device's load, not bandwidth
 * @return the whole recording
 */
TraceRecording
Parse(TextLines& lines, TraceFormat format, TraceDirection direction, bool isLoad)
{
    constexpr uint64_t most = MOST_TRACE_BITS_PER_SECOND / (8 * OpportunitySource::BYTES) *
                              NANOSECONDS_PER_MILLISECOND / NANOSECONDS_PER_SECOND;
    TraceRecording recording{format, {}, 0, 0, 0, 0, 0};
    auto& rows = recording.rows;
    int64_t start = 0;     // of the recording, on its clock
    double sum = 0;        // of the values of the present time
    uint64_t together = 0; // rows of the present time
    const Take take = [&](TraceRow row) {
        if (rows.empty())
        {
            start = format == TraceFormat::MAHIMAHI ? 0 : row.nanoseconds;
        }
        row.nanoseconds -= start;
        if (row.nanoseconds < (rows.empty() ? 0 : rows.back().nanoseconds))
        {
            lines.Fail("found a time before that of the line above, expected times that never go "
                       "back");
        }
        const bool isSame = !rows.empty() && row.nanoseconds == rows.back().nanoseconds;
        together = isSame ? together + 1 : 1;
        sum = isSame ? sum + row.value : row.value;
        if (format == TraceFormat::MAHIMAHI && together > most)
        {
            lines.Fail("found more than " + std::to_string(most) +
                       " opportunities in one millisecond, expected at most 1 Tbit/s");
        }
        if (!isSame || format == TraceFormat::MAHIMAHI)
        {
            rows.push_back(row);
        }
        rows.back().value = format == TraceFormat::GNETTRACK ? sum / together : row.value;
    };
    switch (format)
    {
    case TraceFormat::MAHIMAHI:
        ParseMahimahi(lines, take);
        MeasureOpportunities(lines, recording);
        return recording;
    case TraceFormat::PENSIEVE:
        ParsePensieve(lines, take);
        break;
    case TraceFormat::GNETTRACK:
        ParseGnettrack(lines, direction, take);
        break;
    case TraceFormat::CSV:
        ParseCsv(lines,
                 isLoad ? LOAD_CSV_HEADER : RATE_CSV_HEADER,
                 isLoad ? 1 : MOST_TRACE_BITS_PER_SECOND,
                 take);
        break;
    }
    MeasureSteps(lines, recording);
    return recording;
}

/**
 * @param path a file
 * @param format name of its format, or auto
 * @param direction the direction to read if the file has both
 * @param isLoad whether it holds a device's load, not bandwidth
 * @return the recording, shared by all its present users
 */
std::shared_ptr<const TraceRecording>
Share(const std::string& path, const std::string& format, TraceDirection direction, bool isLoad)
{
    using Key = std::tuple<std::string,
                           std::string,
                           TraceDirection,
                           bool,
                           std::filesystem::file_time_type,
                           uintmax_t>;
    static std::map<Key, std::weak_ptr<const TraceRecording>> inUse;
    // A rewritten file is another recording.
    std::error_code ignored;
    auto& shared = inUse[{path,
                          format,
                          direction,
                          isLoad,
                          std::filesystem::last_write_time(path, ignored),
                          std::filesystem::file_size(path, ignored)}];
    auto recording = shared.lock();
    if (!recording)
    {
        TextLines lines(path);
        const TraceFormat found = format == "auto" ? DetectFormat(lines) : FORMATS.at(format);
        recording = std::make_shared<const TraceRecording>(Parse(lines, found, direction, isLoad));
        shared = recording;
    }
    return recording;
}

} // namespace

void
CheckTraceFormat(const std::string& option, const std::string& name)
{
    Require(name == "auto" || FORMATS.count(name) > 0,
            option,
            QuoteBriefly(name),
            "auto, mahimahi, pensieve, gnettrack or csv");
}

std::shared_ptr<const TraceRecording>
ReadRecording(const std::string& path, const std::string& format, TraceDirection direction)
{
    CheckTraceFormat("trace-format", format);
    return Share(path, format, direction, false);
}

std::shared_ptr<const TraceRecording>
ReadLoadRecording(const std::string& path)
{
    return Share(path, "csv", TraceDirection::UP, true);
}

} // namespace ns3::edgepipe
