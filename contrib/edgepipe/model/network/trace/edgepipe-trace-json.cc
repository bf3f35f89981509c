/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-trace-recording.h"

#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"

#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Least share of iperf3's bytes that the receiver has got where they tell of the path.
constexpr double LEAST_RECEIVED = 2.0 / 3;
/// Datagrams that a receiver misses where the path is full, in per cent, and how often it must be.
constexpr double LEAST_LOST_PERCENT = 1;
constexpr double MOSTLY = 0.9; //!< share of the intervals

/**
 * @param field a number, 0 or more
 * @param factor multiplies it
 * @param most largest product
 * @return the product
 */
double
GetScaled(const JsonField& field, double factor, double most)
{
    const double value = field.GetNumber(0) * factor;
    field.Expect(value <= most, JoinParts("at most ", most / factor));
    return value;
}

} // namespace

void
ReadSabre(const std::string& path, TraceRows& rows)
{
    for (const auto& entry : ReadJsonFile(path).GetElements())
    {
        TraceSample sample{0, 0};
        sample.length =
            std::llround(GetScaled(entry.GetField("duration_ms"), 1e6, MOST_TRACE_SECONDS * 1e9));
        sample.value = GetScaled(entry.GetField("bandwidth_kbps"), 1e3, MOST_TRACE_BITS_PER_SECOND);
        if (const auto latency = entry.FindField("latency_ms"))
        {
            sample.delaySeconds = GetScaled(*latency, 1e-3 / 2, MOST_TRACE_DELAY_SECONDS);
        }
        rows.AddSample(sample);
    }
}

void
ReadIperf3(const std::string& path, TraceDirection direction, TraceRows& rows, TraceRecording& into)
{
    const JsonField root = ReadJsonFile(path);
    const auto error = root.FindField("error");
    const auto intervals = root.FindField("intervals");
    root.Expect(error || intervals, "the output of iperf3 -J, or a list as Sabre's");
    if (error && (!intervals || intervals->GetElements().empty()))
    {
        error->FailWith("iperf3 failed: " + QuoteForMessage(error->GetString()));
    }
    const JsonField start = root.GetField("start");
    const auto test = start.FindField("test_start");
    const auto getFlag = [&test](const char* key) {
        const auto field = test ? test->FindField(key) : std::nullopt;
        return field && field->GetNumber() != 0;
    };
    const bool isReverse = getFlag("reverse");
    const bool isServer = start.FindField("accepted_connection").has_value();
    const auto elements = root.GetField("intervals").GetElements();
    into.hasBoth =
        getFlag("bidir") || (!elements.empty() && elements.front().FindField("sum_bidir_reverse"));
    if (!into.hasBoth)
    {
        into.direction = isReverse ? TraceDirection::DOWN : TraceDirection::UP;
    }
    uint64_t omitted = 0;
    double written = 0; // bytes that the sender gave to its socket
    uint64_t lossy = 0; // intervals whose receiver missed datagrams
    uint64_t whole = 0; // others
    for (const auto& interval : elements)
    {
        JsonField sum = interval.GetField("sum");
        const auto second = interval.FindField("sum_bidir_reverse");
        if (into.hasBoth && second)
        {
            // The side that sends is told by each sum; on a server, what it sends is the downlink.
            const auto sender = sum.FindField("sender");
            const bool isUp = !sender || sender->GetBoolean() != isServer;
            sum = isUp == (direction == TraceDirection::UP) ? sum : *second;
        }
        const auto isOmitted = sum.FindField("omitted");
        if (isOmitted && isOmitted->GetBoolean())
        {
            ++omitted;
            continue;
        }
        const double length = GetScaled(sum.GetField("seconds"), 1e9, MOST_TRACE_SECONDS * 1e9);
        const double rate =
            GetScaled(sum.GetField("bits_per_second"), 1, MOST_TRACE_BITS_PER_SECOND);
        rows.AddSample({0, rate, std::llround(length)});
        const auto lost = sum.FindField("lost_percent");
        (lost && lost->GetNumber() >= LEAST_LOST_PERCENT ? lossy : whole) += 1;
        const auto isSender = sum.FindField("sender");
        written += isSender && isSender->GetBoolean() ? rate * length / 8e9 : 0;
    }
    const auto end = root.FindField("end");
    const auto sums = end && !into.hasBoth ? end->FindField("sum_received") : std::nullopt;
    const auto bytes = sums ? sums->FindField("bytes") : std::nullopt;
    const auto rate = sums ? sums->FindField("bits_per_second") : std::nullopt;
    const double received = bytes  ? bytes->GetNumber(0)
                            : rate ? rate->GetNumber(0) * sums->GetField("seconds").GetNumber(0) / 8
                                   : written;
    if (omitted > 0)
    {
        into.notes.push_back(JoinParts(omitted,
                                       omitted == 1 ? " omitted interval" : " omitted intervals",
                                       " left out"));
    }
    const auto protocol = test ? test->FindField("protocol") : std::nullopt;
    auto target = test ? test->FindField("target_bitrate") : std::nullopt;
    target = target ? target : start.FindField("target_bitrate"); // some versions' place
    const bool isDatagrams = protocol && protocol->GetString() != "TCP";
    if (!isDatagrams)
    {
        into.notes.push_back("rates are TCP's payload, some 3.5 % less than a link's IP bytes");
    }
    if (isDatagrams && (into.hasBoth || lossy < MOSTLY * (lossy + whole)))
    {
        into.doubt = "found a test by " + protocol->GetString() +
                     ", whose sender sets the rate, expected TCP, or its receiver's file with 1% "
                     "lost or more nearly all the time";
    }
    else if (!isDatagrams && target && target->GetNumber() > 0)
    {
        into.doubt = JoinParts("found a test limited to ",
                               target->GetNumber() / 1e6,
                               " Mbit/s (iperf3 -b), expected one without a limit");
    }
    else if (received < LEAST_RECEIVED * written)
    {
        into.doubt = JoinParts("found ",
                               written / 1e6,
                               " MB written and ",
                               received / 1e6,
                               " MB received, expected a test that outlasts the sender's buffer");
    }
    else
    {
        into.saturated = {TraceDirection::UP, TraceDirection::DOWN};
        if (into.direction)
        {
            into.saturated = {*into.direction};
        }
    }
}

} // namespace ns3::edgepipe
