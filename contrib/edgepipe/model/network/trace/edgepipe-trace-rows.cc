/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-trace-rows.h"

#include "edgepipe-trace-recording.h"

#include "ns3/edgepipe-join-words.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param count a number of rows
 * @param what became of them
 * @return both in words
 */
std::string
CountRows(uint64_t count, const std::string& what)
{
    return JoinParts(count, count == 1 ? " row " : " rows ", what);
}

} // namespace

TraceRows::TraceRows(const TextLines& lines,
                     TraceTiming timing,
                     std::string order,
                     std::string option)
    : m_lines(lines),
      m_timing(timing),
      m_order(std::move(order)),
      m_option(std::move(option))
{
}

void
TraceRows::AddSample(const TraceSample& sample)
{
    if (!m_samples.empty() && sample.nanoseconds < m_latest)
    {
        m_lines.Check(m_order != "strict",
                      JoinParts("found a time ",
                                (m_latest - sample.nanoseconds) / 1e9,
                                " s before that of the line above, expected times that never go "
                                "back, or --",
                                m_option,
                                "=sort, or =drop to leave out such lines"));
        ++m_back;
        if (m_order == "drop")
        {
            return;
        }
    }
    m_latest = m_samples.empty() ? sample.nanoseconds : std::max(m_latest, sample.nanoseconds);
    m_idle += sample.isIdle;
    m_samples.push_back(sample);
}

void
TraceRows::Merge()
{
    std::vector<TraceSample> merged;
    uint64_t together = 0;
    for (const auto& sample : m_samples)
    {
        if (merged.empty() || sample.nanoseconds != merged.back().nanoseconds ||
            (merged.back().isIdle && !sample.isIdle))
        {
            if (!merged.empty() && sample.nanoseconds == merged.back().nanoseconds)
            {
                merged.pop_back();
            }
            merged.push_back(sample);
            together = 1;
        }
        else if (!sample.isIdle)
        {
            auto& value = merged.back().value;
            auto& delay = merged.back().delaySeconds;
            ++together;
            const auto mean = [&](double before, double next) {
                return before + (next - before) / together;
            };
            // An interval without length carries nothing, so that the first of them counts.
            value = m_timing == TraceTiming::BEGINS    ? sample.value
                    : m_timing == TraceTiming::BETWEEN ? value
                    : m_isAmount                       ? value + sample.value
                                                       : mean(value, sample.value);
            if (sample.delaySeconds >= 0)
            {
                const bool isLast = m_timing == TraceTiming::BEGINS || delay < 0;
                delay = isLast ? sample.delaySeconds : mean(delay, sample.delaySeconds);
            }
        }
    }
    m_samples = std::move(merged);
}

void
TraceRows::CountAmounts()
{
    constexpr std::size_t fewest = 10;
    const std::size_t count = m_samples.size();
    std::size_t rises = 0;
    for (std::size_t i = 1; i < count; ++i)
    {
        const double change = m_samples[i].value - m_samples[i - 1].value;
        m_lines.CheckFile(!m_isCounter || change >= 0,
                          "found a counter that falls, expected one that never begins again");
        if (change < 0)
        {
            return;
        }
        rises += change > 0;
    }
    m_lines.CheckFile(m_isCounter || count < fewest || 2 * rises < count,
                      "found amounts that never fall, as those of a counter, expected amounts of "
                      "single intervals, or the unit counter (bytes so far)");
    for (std::size_t i = count - 1; m_isCounter && i > 0; --i)
    {
        m_samples[i].value -= m_samples[i - 1].value;
    }
}

void
TraceRows::FindGaps(std::vector<int64_t> lengths)
{
    constexpr std::size_t fewest = 10;
    constexpr int64_t usualIntervals = 10;
    lengths.erase(std::remove(lengths.begin(), lengths.end(), 0), lengths.end());
    if (lengths.size() < fewest)
    {
        return;
    }
    std::sort(lengths.begin(), lengths.end());
    const int64_t most = usualIntervals * lengths[lengths.size() / 2];
    const auto first = std::upper_bound(lengths.begin(), lengths.end(), most);
    if (const auto count = lengths.end() - first; count > 0)
    {
        m_gaps = JoinParts(count,
                           count == 1 ? " gap of " : " gaps of up to ",
                           std::round(lengths.back() / 1e8) / 10,
                           " s between rows, filled with the row ",
                           m_timing == TraceTiming::BEGINS ? "before" : "after",
                           count == 1 ? " it" : " them",
                           " (every:TIME in place of times leaves gaps out)");
    }
}

void
TraceRows::CompleteDelays()
{
    const auto first = std::find_if(m_samples.begin(), m_samples.end(), [](const auto& sample) {
        return sample.delaySeconds >= 0;
    });
    double last = first == m_samples.end() ? NO_DELAY : first->delaySeconds;
    for (auto& sample : m_samples)
    {
        last = sample.delaySeconds >= 0 ? sample.delaySeconds : last;
        sample.delaySeconds = last;
    }
}

std::vector<TraceRow>
TraceRows::MakeSteps(int64_t& nanoseconds)
{
    std::stable_sort(m_samples.begin(), m_samples.end(), [](const auto& a, const auto& b) {
        return a.nanoseconds < b.nanoseconds;
    });
    std::vector<TraceRow> rows;
    nanoseconds = 0;
    if (m_timing == TraceTiming::INSTANTS)
    {
        for (const auto& sample : m_samples)
        {
            rows.push_back({sample.nanoseconds, 0});
            nanoseconds = sample.nanoseconds;
        }
        return rows;
    }
    if (m_timing != TraceTiming::LENGTHS)
    {
        const std::size_t all = m_samples.size();
        Merge();
        if (m_samples.size() == 1)
        {
            m_ofOneTime = all;
            return rows;
        }
    }
    if (m_isAmount && !m_samples.empty())
    {
        CountAmounts();
    }
    CompleteDelays();
    const std::size_t count = m_samples.size();
    const auto getLength = [&](std::size_t i) {
        if (m_timing == TraceTiming::LENGTHS)
        {
            return m_samples[i].length;
        }
        const bool isBegin = m_timing == TraceTiming::BEGINS;
        const std::size_t last = isBegin ? std::min(i + 1, count - 1) : std::max<std::size_t>(i, 1);
        return m_timing == TraceTiming::BETWEEN && i == 0
                   ? 0
                   : m_samples[last].nanoseconds - m_samples[last - 1].nanoseconds;
    };
    if (m_timing != TraceTiming::LENGTHS)
    {
        std::vector<int64_t> lengths;
        for (std::size_t i = 0; i < count; ++i)
        {
            lengths.push_back(getLength(i));
        }
        FindGaps(std::move(lengths));
    }
    for (std::size_t i = 0; i < count; ++i)
    {
        const int64_t length = getLength(i);
        if (m_samples[i].isIdle || length == 0)
        {
            continue;
        }
        const double value = m_samples[i].value;
        rows.push_back({nanoseconds,
                        m_isAmount ? value / length * NANOSECONDS_PER_SECOND : value,
                        m_samples[i].delaySeconds});
        m_lines.CheckFile(rows.back().value <= MOST_TRACE_BITS_PER_SECOND,
                          JoinParts("found ", rows.back().value, " bit/s, expected at most 1e+12"));
        nanoseconds += length;
        m_lines.CheckFile(
            nanoseconds <= NANOSECONDS_PER_SECOND * NANOSECONDS_PER_SECOND,
            JoinParts("found a recording of ", nanoseconds / 1e9, " s, expected 0.001 to 1e9 s"));
    }
    return rows;
}

std::string
TraceRows::DescribeLack() const
{
    return m_ofOneTime == 0 ? "found no values, expected at least one"
                            : JoinParts("found ",
                                        m_ofOneTime,
                                        m_ofOneTime == 1 ? " row" : " rows of one time",
                                        ", expected rows of two times or more: a value lasts from "
                                        "one to another");
}

std::vector<std::string>
TraceRows::GetNotes() const
{
    std::vector<std::string> notes;
    for (const auto& [rows, what] : {std::pair(m_back,
                                               m_order == "drop" ? "that went back in time left out"
                                                                 : "that went back in time sorted"),
                                     std::pair(m_missing, "without a value left out"),
                                     std::pair(m_idle, "in which nothing was sent left out")})
    {
        if (rows > 0)
        {
            notes.push_back(CountRows(rows, what));
        }
    }
    if (!m_gaps.empty())
    {
        notes.push_back(m_gaps);
    }
    return notes;
}

} // namespace ns3::edgepipe
