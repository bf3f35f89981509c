/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-trace-recording.h"

#include "ns3/edgepipe-join-words.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param recording a recording
 * @param count of equal parts of a time
 * @param nanoseconds that time, from the start
 * @return in each part, bits or a number in proportion to them
 */
std::vector<double>
CutIntoParts(const TraceRecording& recording, std::size_t count, int64_t nanoseconds)
{
    std::vector<double> parts(count, 0.0);
    const double length = static_cast<double>(nanoseconds) / count;
    const auto& rows = recording.rows;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        const double begin = rows[i].nanoseconds / length;
        if (recording.format == TraceFormat::MAHIMAHI)
        {
            parts[std::min<std::size_t>(begin, count - 1)] += begin < count;
            continue;
        }
        const bool isLast = i + 1 == rows.size();
        const double end = (isLast ? recording.nanoseconds : rows[i + 1].nanoseconds) / length;
        for (std::size_t part = begin; part < count && part < end; ++part)
        {
            parts[part] +=
                rows[i].value * (std::min<double>(end, part + 1) - std::max<double>(begin, part));
        }
    }
    return parts;
}

} // namespace

std::string
DoubtAsAcknowledgements(const TraceRecording& one, const TraceRecording& other)
{
    constexpr std::size_t mostParts = 4096;
    constexpr std::size_t fewestParts = 10;
    // A log of what applications sent saturates one direction at most, so that a small share of
    // the other one's is doubtful even where little of it follows.
    const bool isLog = one.format == TraceFormat::GNETTRACK;
    const double few = isLog ? 0.1 : 0.05;
    const double fewest = isLog ? few : 0.01;
    constexpr double correlated = 0.5;
    const double share = other.mean > 0 ? one.mean / other.mean : 1;
    if (share >= few)
    {
        return "";
    }
    const int64_t length = std::min(one.nanoseconds, other.nanoseconds);
    const std::size_t count =
        std::clamp<std::size_t>(length / NANOSECONDS_PER_SECOND, 1, mostParts);
    const auto x = CutIntoParts(one, count, length);
    const auto y = CutIntoParts(other, count, length);
    double sums[5] = {}; // x, y, x x, y y, x y
    for (std::size_t i = 0; i < count; ++i)
    {
        sums[0] += x[i];
        sums[1] += y[i];
        sums[2] += x[i] * x[i];
        sums[3] += y[i] * y[i];
        sums[4] += x[i] * y[i];
    }
    const double scale =
        std::sqrt((count * sums[2] - sums[0] * sums[0]) * (count * sums[3] - sums[1] * sums[1]));
    const double correlation = (count * sums[4] - sums[0] * sums[1]) / scale;
    const bool isInStep = count >= fewestParts && correlation >= correlated;
    if (!isInStep && share >= fewest)
    {
        return "";
    }
    const auto round = [](double value) { return std::round(value * 1e3) / 1e3; };
    return JoinParts(
        "found a mean of ",
        round(one.mean / 1e6),
        " Mbit/s, ",
        round(100 * share),
        "% of the other direction's",
        isInStep ? JoinParts(" and in step with it (correlation ", round(correlation), ")") : "",
        ": acknowledgements of its data, no capacity");
}

std::string
DoubtAsPauses(const TraceRecording& recording)
{
    constexpr double little = 0.01;
    constexpr double often = 0.5;
    double paused = 0;
    for (std::size_t i = 0; i < recording.rows.size(); ++i)
    {
        const bool isLast = i + 1 == recording.rows.size();
        const int64_t end = isLast ? recording.nanoseconds : recording.rows[i + 1].nanoseconds;
        paused += recording.rows[i].value < little * recording.mean
                      ? end - recording.rows[i].nanoseconds
                      : 0;
    }
    const double share = paused / recording.nanoseconds;
    return share < often ? ""
                         : JoinParts("found next to nothing in ",
                                     std::round(100 * share),
                                     "% of the time: applications that pause, no capacity");
}

} // namespace ns3::edgepipe
