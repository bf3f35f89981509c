/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-trace-recording.h"

#include "edgepipe-trace-columns.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

constexpr int64_t NANOSECONDS_PER_MILLISECOND = 1'000'000;
constexpr std::string_view RATE_CSV_HEADER = "seconds,bitsPerSecond";
constexpr std::string_view LOAD_CSV_HEADER = "seconds,share";

const std::map<std::string, TraceFormat> FORMATS{
    {"mahimahi", TraceFormat::MAHIMAHI},
    {"pensieve", TraceFormat::PENSIEVE},
    {"gnettrack", TraceFormat::GNETTRACK},
    {"csv", TraceFormat::CSV},
    {"log", TraceFormat::LOG},
    {"mets", TraceFormat::METS},
    {"sabre", TraceFormat::SABRE},
    {"iperf3", TraceFormat::IPERF3},
    {"columns", TraceFormat::COLUMNS},
};
const std::string FORMAT_NAMES =
    "auto, mahimahi, pensieve, gnettrack, csv, log, mets, sabre, iperf3 or columns";

/// The logs of H. Riiser et al., "Commute Path Bandwidth Traces from 3G Networks", MMSys 2013, and
/// J. van der Hooft et al., "HTTP/2-Based Adaptive Streaming of HEVC Video over 4G/LTE Networks",
/// IEEE Communications Letters 2016: time, ms so far, latitude, longitude, bytes, ms.
const std::string LOG_COLUMNS = "-,-,-,-,rate:bytes,interval:ms";
/// NYU-METS, L. Mei et al., "Realtime Mobile Bandwidth Prediction Using LSTM Neural Network and
/// Bayesian Fusion", Computer Networks 2020.
const std::string METS_COLUMNS = "rate:text,every:1s";

/** What to read, and how. */
struct TraceRequest
{
    std::string file;         //!< its path
    std::string device;       //!< whose rows; empty: there is one
    TraceDirection direction; //!< if the file has both
    bool isLoad;              //!< whether it holds a device's load, not bandwidth
    const TraceOptions& options;
    bool mayBeEmpty{false}; //!< whether a recording without values is none, not an error
};

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
 * @param line of a table
 * @param name of a column
 * @return whether the line, a header, has it
 */
bool
HasColumn(std::string_view line, std::string_view name)
{
    const auto names = SplitFields(line);
    return std::find(names.begin(), names.end(), name) != names.end();
}

/**
 * @param line of a recording
 * @return its columns if they are numbers separated by blanks, else 0
 */
std::size_t
CountNumbers(std::string_view line)
{
    std::size_t count = 0;
    while (!line.empty())
    {
        const auto field = line.substr(0, line.find_first_of(" \t"));
        double number = 0;
        const auto [stop, error] =
            std::from_chars(field.data(), field.data() + field.size(), number);
        if (error != std::errc() || stop != field.data() + field.size())
        {
            return 0;
        }
        ++count;
        line = TrimBlanks(line.substr(field.size()));
    }
    return count;
}

/**
 * @param path a recording
 * @param lines of it
 * @param hasColumns whether its columns are named
 * @return its format, by its first line that is not a comment
 */
TraceFormat
DetectFormat(const std::string& path, TextLines lines, bool hasColumns)
{
    // A line of JSON may be long.
    std::ifstream file(path);
    file >> std::ws;
    if (file.peek() == '[' || file.peek() == '{')
    {
        return file.peek() == '[' ? TraceFormat::SABRE : TraceFormat::IPERF3;
    }
    std::string_view line;
    lines.CheckFile(NextRow(lines, line), "found no recording, only blanks or comments");
    if (line == RATE_CSV_HEADER)
    {
        return TraceFormat::CSV;
    }
    if (hasColumns)
    {
        return TraceFormat::COLUMNS;
    }
    if (HasColumn(line, "Timestamp") &&
        (HasColumn(line, "DL_bitrate") || HasColumn(line, "UL_bitrate")))
    {
        return TraceFormat::GNETTRACK;
    }
    const std::size_t numbers = CountNumbers(line);
    constexpr double calendar = 1e9; // s or ms since 1970, from 2001 on
    double first = 0;
    std::from_chars(line.data(), line.data() + line.size(), first);
    if (numbers == 2 || (numbers == 6 && first >= calendar))
    {
        return numbers == 2 ? TraceFormat::PENSIEVE : TraceFormat::LOG;
    }
    if (IsRateText(line))
    {
        return TraceFormat::METS;
    }
    lines.CheckField(line.find_first_not_of("0123456789") == std::string_view::npos,
                     "format",
                     line,
                     "a recording that edgepipe knows (see File formats), or --trace-columns, such "
                     "as --trace-columns=time=NAME:s,down=NAME:Mbps");
    return TraceFormat::MAHIMAHI;
}

/**
 * The format of mm-link, R. Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP",
 * USENIX ATC 2015, https://github.com/ravinet/mahimahi, src/frontend/link_queue.cc.
 *
 * @param lines of the file
 * @param rows gets the opportunities
 */
void
ParseMahimahi(TextLines& lines, TraceRows& rows)
{
    constexpr int64_t most = 1'000'000'000'000;
    constexpr uint64_t mostTogether = MOST_TRACE_BITS_PER_SECOND / (8 * OpportunitySource::BYTES) *
                                      NANOSECONDS_PER_MILLISECOND / NANOSECONDS_PER_SECOND;
    const std::string expected = "an integer from 0 to " + std::to_string(most);
    int64_t last = -1;
    uint64_t together = 0;
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
        together = milliseconds == last ? together + 1 : 1;
        last = milliseconds;
        lines.Check(together <= mostTogether,
                    "found more than " + std::to_string(mostTogether) +
                        " opportunities in one millisecond, expected at most 1 Tbit/s");
        rows.AddSample({milliseconds * NANOSECONDS_PER_MILLISECOND, 0});
    }
}

/**
 * The format of H. Mao et al., "Neural Adaptive Video Streaming with Pensieve", SIGCOMM 2017. Its
 * simulator, sim/env.py, has a line's rate from the time of the line above to the line's own.
 *
 * @param lines of the file
 * @param rows gets the rows, bit/s
 */
void
ParsePensieve(TextLines& lines, TraceRows& rows)
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
        rows.AddSample({std::llround(1e9 * seconds), rate * megabit});
    }
}

/**
 * Read what a comment says of the directions, such as `# saturated: down`.
 *
 * @param lines of the file
 * @param line a comment
 * @param recording set to it
 */
void
ReadHeaderKey(const TextLines& lines, std::string_view line, TraceRecording& recording)
{
    line.remove_prefix(1);
    const std::string_view key = TakeField(line, ':');
    const std::string_view value = TrimBlanks(line);
    const bool isUp = value == "up" || value == "both";
    const bool isDown = value == "down" || value == "both";
    if (key == "direction")
    {
        lines.CheckField(isUp != isDown, key, value, "up or down");
        recording.direction = isUp ? TraceDirection::UP : TraceDirection::DOWN;
    }
    else if (key == "saturated")
    {
        lines.CheckField(isUp || isDown || value == "none", key, value, "up, down, both or none");
        recording.saturated.emplace();
        if (isUp)
        {
            recording.saturated->insert(TraceDirection::UP);
        }
        if (isDown)
        {
            recording.saturated->insert(TraceDirection::DOWN);
        }
    }
}

/**
 * Two columns, the first in seconds; lines that begin with # are comments.
 *
 * @param lines of the file
 * @param isLoad whether of a device's load
 * @param rows gets the rows
 * @param recording its directions are set if comments say them
 */
void
ParseCsv(TextLines& lines, bool isLoad, TraceRows& rows, TraceRecording& recording)
{
    const std::string_view header = isLoad ? LOAD_CSV_HEADER : RATE_CSV_HEADER;
    const double most = isLoad ? 1 : MOST_TRACE_BITS_PER_SECOND;
    std::string_view line;
    while (lines.Next(line) && line[0] == '#')
    {
        ReadHeaderKey(lines, line, recording);
    }
    lines.CheckField(line == header,
                     "header",
                     line,
                     QuoteBriefly(header) + (isLoad ? ", or --load-columns" : ""));
    const std::string_view what = header.substr(header.find(',') + 1);
    const std::string columns = "seconds and " + std::string(what);
    while (NextRow(lines, line))
    {
        lines.CheckField(line.find(',') != std::string_view::npos, "columns", line, columns);
        const double seconds =
            lines.ParseNumber("seconds", TakeField(line, ','), 0, MOST_TRACE_SECONDS);
        rows.AddSample(
            {std::llround(1e9 * seconds), lines.ParseNumber(what, TrimBlanks(line), 0, most)});
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
 * @param recording whose rows and duration are complete
 */
void
MeasureSteps(const TextLines& lines, TraceRecording& recording)
{
    const auto& rows = recording.rows;
    CheckDuration(lines, recording.nanoseconds);
    recording.largest = recording.lowest = rows.front().value;
    double sum = 0;    // of value times ns
    double delays = 0; // of delay times ns
    double least = rows.front().delaySeconds;
    double most = least;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        const bool isLast = i + 1 == rows.size();
        const int64_t end = isLast ? recording.nanoseconds : rows[i + 1].nanoseconds;
        sum += rows[i].value * (end - rows[i].nanoseconds);
        delays += rows[i].delaySeconds * (end - rows[i].nanoseconds);
        least = std::min(least, rows[i].delaySeconds);
        most = std::max(most, rows[i].delaySeconds);
        recording.largest = std::max(recording.largest, rows[i].value);
        recording.lowest = std::min(recording.lowest, rows[i].value);
    }
    recording.highest = recording.largest;
    recording.mean = sum / recording.nanoseconds;
    if (least >= 0)
    {
        recording.delay = delays / recording.nanoseconds;
        recording.notes.push_back(JoinParts("delay one way ",
                                            1e3 * least,
                                            least < most ? JoinParts(" to ", 1e3 * most) : "",
                                            " ms"));
    }
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
    recording.mean = recording.rows.size() * bits / last * NANOSECONDS_PER_SECOND;
    recording.largest = fullest * bits / NANOSECONDS_PER_MILLISECOND * NANOSECONDS_PER_SECOND;
    const bool isShort = end == NANOSECONDS_PER_SECOND;
    recording.lowest = isShort ? recording.mean : lowest;
    recording.highest = isShort ? recording.mean : highest;
}

/**
 * @param direction that must be there
 * @param header of a CSV of the app G-NetTrack
 * @return what its columns hold, kbit/s
 */
std::string
GetGnettrackColumns(TraceDirection direction, std::string_view header)
{
    std::string columns = "time=Timestamp:date";
    if (direction == TraceDirection::DOWN || HasColumn(header, "DL_bitrate"))
    {
        columns += ",down=DL_bitrate:kbps";
    }
    if (direction == TraceDirection::UP || HasColumn(header, "UL_bitrate"))
    {
        columns += ",up=UL_bitrate:kbps";
    }
    return columns + (HasColumn(header, "State") ? ",idle=State:I" : "");
}

/**
 * @param request what to read
 * @param format its format
 * @param header its first line
 * @return what its columns hold
 */
TraceColumns
GetColumns(const TraceRequest& request, TraceFormat format, std::string_view header)
{
    return {format == TraceFormat::GNETTRACK ? GetGnettrackColumns(request.direction, header)
            : format == TraceFormat::LOG     ? LOG_COLUMNS
            : format == TraceFormat::METS    ? METS_COLUMNS
                                             : request.options.columns,
            request.isLoad};
}

/**
 * @param request what to read
 * @return the whole recording
 */
TraceRecording
Parse(const TraceRequest& request)
{
    TextLines lines(request.file);
    const TraceOptions& options = request.options;
    const bool hasColumns = !options.columns.empty();
    const TraceFormat format = request.isLoad ? hasColumns ? TraceFormat::COLUMNS : TraceFormat::CSV
                               : options.format == "auto"
                                   ? DetectFormat(request.file, lines, hasColumns)
                                   : FORMATS.at(options.format);
    TraceRecording recording{format, {}, 0, 0, 0, 0, 0};
    TraceRows rows(lines,
                   format == TraceFormat::MAHIMAHI   ? TraceTiming::INSTANTS
                   : format == TraceFormat::PENSIEVE ? TraceTiming::BETWEEN
                   : format == TraceFormat::CSV      ? TraceTiming::BEGINS
                                                     : TraceTiming::LENGTHS,
                   options.order,
                   request.isLoad ? "load-order" : "trace-order");
    switch (format)
    {
    case TraceFormat::MAHIMAHI:
        ParseMahimahi(lines, rows);
        break;
    case TraceFormat::PENSIEVE:
        ParsePensieve(lines, rows);
        break;
    case TraceFormat::CSV:
        ParseCsv(lines, request.isLoad, rows, recording);
        break;
    case TraceFormat::SABRE:
        ReadSabre(request.file, rows);
        break;
    case TraceFormat::IPERF3:
        ReadIperf3(request.file, request.direction, rows, recording);
        break;
    case TraceFormat::GNETTRACK:
    case TraceFormat::LOG:
    case TraceFormat::METS:
    case TraceFormat::COLUMNS: {
        std::string_view header;
        TextLines ahead = lines;
        NextRow(ahead, header);
        const auto columns = GetColumns(request, format, header);
        columns.Read(lines, request.direction, request.device, rows);
        if (format == TraceFormat::GNETTRACK)
        {
            recording.notes.push_back("a log of what was sent, capacity only if nothing paused");
        }
        recording.hasBoth = columns.Has("up") && columns.Has("down");
        if (columns.Has("up") != columns.Has("down"))
        {
            recording.direction = columns.Has("up") ? TraceDirection::UP : TraceDirection::DOWN;
        }
        break;
    }
    }
    recording.rows = rows.MakeSteps(recording.nanoseconds);
    for (const auto& note : rows.GetNotes())
    {
        recording.notes.push_back(note);
    }
    if (recording.hasBoth)
    {
        recording.direction = request.direction;
    }
    if (recording.rows.empty() && request.mayBeEmpty)
    {
        return recording;
    }
    if (format == TraceFormat::MAHIMAHI)
    {
        MeasureOpportunities(lines, recording);
        return recording;
    }
    lines.CheckFile(!recording.rows.empty(), rows.DescribeLack());
    MeasureSteps(lines, recording);
    return recording;
}

/**
 * @param recording of bandwidth
 * @param request what was read
 * @return why it is no capacity; empty: nothing says so
 */
std::string
FindDoubt(const TraceRecording& recording, const TraceRequest& request)
{
    const auto& saturated = recording.saturated;
    if (saturated)
    {
        const bool isKnown = recording.direction && saturated->count(*recording.direction) == 0;
        return isKnown || saturated->empty()
                   ? "found a recording of what was not saturated (# saturated: " +
                         std::string(saturated->empty()                     ? "none"
                                     : saturated->count(TraceDirection::UP) ? "up"
                                                                            : "down") +
                         "), no capacity"
                   : "";
    }
    if (!recording.doubt.empty() || recording.format == TraceFormat::IPERF3)
    {
        return recording.doubt;
    }
    if (recording.format == TraceFormat::GNETTRACK)
    {
        const std::string pauses = DoubtAsPauses(recording);
        if (!pauses.empty())
        {
            return pauses;
        }
    }
    TraceRequest other = request;
    other.direction =
        request.direction == TraceDirection::UP ? TraceDirection::DOWN : TraceDirection::UP;
    other.mayBeEmpty = true;
    if (recording.hasBoth)
    {
        return DoubtAsAcknowledgements(recording, Parse(other));
    }
    other.file = FindOtherDirection(request.file, request.direction);
    try
    {
        return other.file.empty() ? "" : DoubtAsAcknowledgements(recording, Parse(other));
    }
    catch (const InputError&)
    {
        return ""; // another file, which is refused where it is used
    }
}

/**
 * @param path a file, or FILE#DEVICE
 * @param direction the direction to read if the file has both
 * @param isLoad whether it holds a device's load, not bandwidth
 * @param options how to read it
 * @return the recording, shared by all its present users
 */
std::shared_ptr<const TraceRecording>
Share(const std::string& path, TraceDirection direction, bool isLoad, const TraceOptions& options)
{
    using Key = std::tuple<std::string,
                           std::string,
                           std::string,
                           std::string,
                           TraceDirection,
                           bool,
                           std::filesystem::file_time_type,
                           uintmax_t>;
    static std::map<Key, std::weak_ptr<const TraceRecording>> inUse;
    const std::string prefix = isLoad ? "load" : "trace";
    Require(options.order == "strict" || options.order == "sort" || options.order == "drop",
            prefix + "-order",
            QuoteBriefly(options.order),
            "strict, sort or drop");
    Require(!options.columns.empty() || options.format != "columns",
            "trace-format",
            "\"columns\"",
            "--trace-columns beside it");
    Require(options.columns.empty() || isLoad || options.format == "auto" ||
                options.format == "columns",
            "trace-columns",
            QuoteBriefly(options.columns),
            "none beside --trace-format=" + options.format);
    if (!options.columns.empty())
    {
        // A recording of a known format does not need them, which is no reason to ignore mistakes.
        TraceColumns(options.columns, isLoad);
    }
    TraceRequest request{path, "", direction, isLoad, options};
    std::error_code ignored;
    const std::size_t hash = path.rfind('#');
    if (hash != std::string::npos && !options.columns.empty() &&
        !std::filesystem::exists(path, ignored))
    {
        request.file = path.substr(0, hash);
        request.device = path.substr(hash + 1);
    }
    // A rewritten file is another recording.
    auto& shared = inUse[{path,
                          options.format,
                          options.columns,
                          options.order,
                          direction,
                          isLoad,
                          std::filesystem::last_write_time(request.file, ignored),
                          std::filesystem::file_size(request.file, ignored)}];
    auto recording = shared.lock();
    if (!recording)
    {
        auto read = std::make_shared<TraceRecording>(Parse(request));
        if (!isLoad)
        {
            read->doubt = FindDoubt(*read, request);
        }
        recording = read;
        shared = recording;
    }
    return recording;
}

} // namespace

std::string
FindOtherDirection(const std::string& file, TraceDirection direction)
{
    const std::filesystem::path path(file);
    const bool isUp = direction == TraceDirection::UP;
    const bool isCsv = path.extension() == ".csv";
    const std::filesystem::path stem = isCsv ? path.stem() : path.filename();
    if (stem.extension() != (isUp ? ".up" : ".down"))
    {
        return "";
    }
    auto name = stem.stem();
    name += std::string(isUp ? ".down" : ".up") + (isCsv ? ".csv" : "");
    std::filesystem::path other = path;
    other.replace_filename(name);
    std::error_code ignored;
    return std::filesystem::is_regular_file(other, ignored) ? other.string() : "";
}

void
CheckTraceFormat(const std::string& option, const std::string& name)
{
    Require(name == "auto" || FORMATS.count(name) > 0, option, QuoteBriefly(name), FORMAT_NAMES);
}

std::shared_ptr<const TraceRecording>
ReadRecording(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    CheckTraceFormat("trace-format", options.format);
    return Share(path, direction, false, options);
}

std::shared_ptr<const TraceRecording>
ReadLoadRecording(const std::string& path, const TraceOptions& options)
{
    return Share(path, TraceDirection::UP, true, options);
}

} // namespace ns3::edgepipe
