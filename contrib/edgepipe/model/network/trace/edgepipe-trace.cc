/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-trace-player.h"

#include <algorithm>
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
            const TraceRecording& extent,
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
    if (extent.largest * playback.scale > MOST_TRACE_BITS_PER_SECOND)
    {
        found << playback.scale;
        expected << "at most " << MOST_TRACE_BITS_PER_SECOND / extent.largest << " with " << path;
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
 * @param path a file
 * @param direction which one, where the file has both
 * @param options how to replay it
 * @param playback the same
 * @return the recording, which can be replayed so
 */
std::shared_ptr<const TraceRecording>
ReadChecked(const std::string& path,
            TraceDirection direction,
            const TraceOptions& options,
            const TracePlayback& playback)
{
    auto recording = ReadRecording(path, options.format, direction);
    const bool isRate = recording->format != TraceFormat::MAHIMAHI;
    CheckExtent(path, *recording, playback, isRate ? LEAST_BITS_PER_SECOND : 0);
    return recording;
}

} // namespace

TraceSummary
CheckTrace(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    const auto recording = ReadChecked(path, direction, options, ReadTracePlayback(options));
    return {recording->format,
            recording->nanoseconds / 1e9,
            recording->mean * options.scale,
            recording->lowest * options.scale,
            recording->highest * options.scale};
}

std::unique_ptr<StepSource>
OpenRateTrace(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    const TracePlayback playback = ReadTracePlayback(options);
    auto recording = ReadChecked(path, direction, options, playback);
    if (recording->format == TraceFormat::MAHIMAHI)
    {
        throw InputError(path + ": found delivery opportunities (mahimahi), expected rates");
    }
    return PlaySteps(std::move(recording), playback, LEAST_BITS_PER_SECOND);
}

std::unique_ptr<OpportunitySource>
OpenOpportunityTrace(const std::string& path, const TraceOptions& options)
{
    const TracePlayback playback = ReadTracePlayback(options);
    auto recording = ReadChecked(path, TraceDirection::UP, options, playback);
    if (recording->format != TraceFormat::MAHIMAHI)
    {
        throw InputError(path + ": found rates, expected delivery opportunities (mahimahi)");
    }
    return PlayOpportunities(std::move(recording), playback);
}

std::unique_ptr<StepSource>
OpenLoadTrace(const std::string& path, const TraceOptions& options)
{
    TracePlayback playback = ReadTracePlayback(options);
    playback.scale = 1;
    auto recording = ReadLoadRecording(path);
    CheckExtent(path, *recording, playback, LEAST_SHARE);
    return PlaySteps(std::move(recording), playback, LEAST_SHARE);
}

} // namespace edgepipe
} // namespace ns3
