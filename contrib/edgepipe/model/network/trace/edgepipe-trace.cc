/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-trace-player.h"
#include "ns3/edgepipe-trace-rows.h"
#include "ns3/edgepipe-trace-steps.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Rates below count as 0, bit/s: nothing could be planned with them.
constexpr double LEAST_BITS_PER_SECOND = 1;
/// Shares of a device below count as 0.
constexpr double LEAST_SHARE = 1e-6;

const std::map<std::string, TraceFormat> FORMATS{
    {"mahimahi", TraceFormat::MAHIMAHI},
    {"pensieve", TraceFormat::PENSIEVE},
    {"gnettrack", TraceFormat::GNETTRACK},
    {"csv", TraceFormat::CSV},
};

/**
 * @param path a file
 * @return its format, by its first line that is no comment
 */
TraceFormat
DetectFormat(const std::string& path)
{
    TraceLines lines(path);
    std::string_view line;
    do
    {
        if (!lines.Next(line))
        {
            lines.FailFile("found no recording, only blanks or comments");
        }
    } while (line[0] == '#');

    if (line == RATE_CSV_HEADER)
    {
        return TraceFormat::CSV;
    }
    for (std::string_view rest = line; !rest.empty();)
    {
        if (TakeField(rest, ',') == "Timestamp")
        {
            return TraceFormat::GNETTRACK;
        }
    }
    const auto isIn = [line](const char* characters) {
        return line.find_first_not_of(characters) == std::string_view::npos;
    };
    if (isIn("0123456789"))
    {
        return TraceFormat::MAHIMAHI;
    }
    if (isIn("0123456789.+-eE \t") && !isIn("0123456789.+-eE"))
    {
        return TraceFormat::PENSIEVE;
    }
    lines.FailField("format",
                    line,
                    "an integer (mahimahi), two numbers separated by blanks (pensieve), a header "
                    "with the column Timestamp (gnettrack) or the header " +
                        std::string(RATE_CSV_HEADER) + " (csv)");
}

/**
 * @param path a file
 * @param name of a format, or auto
 * @return the format
 */
TraceFormat
ResolveFormat(const std::string& path, const std::string& name)
{
    CheckTraceFormat("trace-format", name);
    return name == "auto" ? DetectFormat(path) : FORMATS.at(name);
}

/**
 * @param path a file
 * @param format of rates
 * @param direction which one
 * @return its rows
 */
TraceSteps
MakeRateSteps(const std::string& path, TraceFormat format, TraceDirection direction)
{
    switch (format)
    {
    case TraceFormat::PENSIEVE:
        return TraceSteps(MakePensieveRows(path));
    case TraceFormat::GNETTRACK:
        return TraceSteps(MakeGnettrackRows(path, direction));
    case TraceFormat::CSV:
        return TraceSteps(MakeCsvRows(path, RATE_CSV_HEADER, TraceRows::MOST_BITS_PER_SECOND));
    case TraceFormat::MAHIMAHI:
        break;
    }
    throw InputError(path + ": found delivery opportunities (mahimahi), expected rates");
}

/**
 * Refuse a recording that is fine in itself, but not with the options.
 *
 * @param path the file
 * @param extent what is in it
 * @param playback how it would be replayed
 * @param least smallest value
 */
void
CheckExtent(const std::string& path,
            const TraceExtent& extent,
            const TracePlayback& playback,
            double least)
{
    std::ostringstream found;
    std::ostringstream expected;
    if (extent.largest * playback.scale < least)
    {
        found << path << ": found no value of at least " << least / playback.scale
              << ", expected one: nothing would ever move";
        throw InputError(found.str());
    }
    if (extent.largest * playback.scale > TraceRows::MOST_BITS_PER_SECOND)
    {
        found << playback.scale;
        expected << "at most " << TraceRows::MOST_BITS_PER_SECOND / extent.largest << " with "
                 << path;
        throw InputError("trace-scale", found.str(), expected.str());
    }
    if (!playback.isLoop && !playback.isHold && playback.nanoseconds >= extent.nanoseconds)
    {
        found << playback.nanoseconds / 1e9 << " s";
        expected << "less than the " << extent.nanoseconds / 1e9 << " s of " << path;
        throw InputError("trace-offset", found.str(), expected.str());
    }
}

/**
 * @param path the file
 * @param rows opportunities, at their start; read to their end
 * @param playback how they will be replayed
 * @return what was found
 */
TraceExtent
CheckOpportunities(const std::string& path, TraceRows& rows, const TracePlayback& playback)
{
    const TraceExtent extent = MeasureOpportunities(rows);
    CheckExtent(path, extent, playback, 0);
    return extent;
}

/**
 * @param path the file
 * @param steps a recording, at its start; read to its end
 * @param playback how it will be replayed
 * @param least smallest value
 * @return what was found
 */
TraceExtent
CheckSteps(const std::string& path, TraceSteps& steps, const TracePlayback& playback, double least)
{
    const TraceExtent extent = MeasureSteps(steps);
    CheckExtent(path, extent, playback, least);
    return extent;
}

} // namespace

void
CheckTraceFormat(const std::string& option, const std::string& name)
{
    if (name != "auto" && FORMATS.count(name) == 0)
    {
        throw InputError(option, QuoteBriefly(name), "auto, mahimahi, pensieve, gnettrack or csv");
    }
}

TraceSummary
CheckTrace(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    const TracePlayback playback = ReadTracePlayback(options);
    const TraceFormat format = ResolveFormat(path, options.format);
    TraceExtent extent;
    if (format == TraceFormat::MAHIMAHI)
    {
        extent = CheckOpportunities(path, *MakeMahimahiRows(path), playback);
    }
    else
    {
        TraceSteps steps = MakeRateSteps(path, format, direction);
        extent = CheckSteps(path, steps, playback, LEAST_BITS_PER_SECOND);
    }
    return {format,
            extent.nanoseconds / 1e9,
            extent.mean * options.scale,
            extent.lowest * options.scale,
            extent.highest * options.scale};
}

std::unique_ptr<StepSource>
OpenRateTrace(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    const TracePlayback playback = ReadTracePlayback(options);
    TraceSteps steps = MakeRateSteps(path, ResolveFormat(path, options.format), direction);
    const TraceExtent extent = CheckSteps(path, steps, playback, LEAST_BITS_PER_SECOND);
    return PlaySteps(std::move(steps), extent, playback, LEAST_BITS_PER_SECOND);
}

std::unique_ptr<OpportunitySource>
OpenOpportunityTrace(const std::string& path, const TraceOptions& options)
{
    const TracePlayback playback = ReadTracePlayback(options);
    if (ResolveFormat(path, options.format) != TraceFormat::MAHIMAHI)
    {
        throw InputError(path + ": found rates, expected delivery opportunities (mahimahi)");
    }
    std::unique_ptr<TraceRows> rows = MakeMahimahiRows(path);
    const TraceExtent extent = CheckOpportunities(path, *rows, playback);
    return PlayOpportunities(std::move(rows), extent, playback);
}

std::unique_ptr<StepSource>
OpenLoadTrace(const std::string& path, const TraceOptions& options)
{
    TracePlayback playback = ReadTracePlayback(options);
    playback.scale = 1;
    TraceSteps steps(MakeCsvRows(path, LOAD_CSV_HEADER, 1));
    const TraceExtent extent = CheckSteps(path, steps, playback, LEAST_SHARE);
    return PlaySteps(std::move(steps), extent, playback, LEAST_SHARE);
}

} // namespace edgepipe
} // namespace ns3
