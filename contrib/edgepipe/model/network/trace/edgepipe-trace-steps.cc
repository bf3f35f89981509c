/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-steps.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

constexpr int64_t MILLISECOND = 1'000'000;
constexpr int64_t NANOSECONDS_PER_SECOND = 1'000'000'000;

/**
 * @param lines of the recording
 * @param nanoseconds how long it lasts
 */
void
CheckDuration(const TraceLines& lines, int64_t nanoseconds)
{
    if (nanoseconds < MILLISECOND || nanoseconds > NANOSECONDS_PER_SECOND * NANOSECONDS_PER_SECOND)
    {
        std::ostringstream found;
        found << "found a recording of " << nanoseconds / 1e9 << " s, expected 0.001 to 1e9 s";
        lines.FailFile(found.str());
    }
}

} // namespace

TraceSteps::TraceSteps(std::unique_ptr<TraceRows> rows)
    : m_rows(std::move(rows))
{
}

bool
TraceSteps::Next(TraceRow& step)
{
    if (m_isFresh)
    {
        m_isFresh = false;
        m_isAhead = m_rows->Next(m_ahead);
        m_start = m_ahead.nanoseconds;
    }
    if (!m_isAhead)
    {
        return false;
    }
    step = m_ahead;
    double sum = step.value;
    uint64_t count = 1;
    while ((m_isAhead = m_rows->Next(m_ahead)) && m_ahead.nanoseconds == step.nanoseconds)
    {
        sum += m_ahead.value;
        ++count;
        step.value = m_rows->IsMeanOfEqualTimes() ? sum / count : m_ahead.value;
    }
    step.nanoseconds -= m_start;
    return true;
}

void
TraceSteps::Rewind()
{
    m_rows->Rewind();
    m_isFresh = true;
}

const TraceLines&
TraceSteps::GetLines() const
{
    return m_rows->GetLines();
}

TraceExtent
MeasureSteps(TraceSteps& steps)
{
    TraceRow last;
    if (!steps.Next(last))
    {
        steps.GetLines().FailFile("found no values, expected at least one");
    }
    TraceExtent extent{0, 0, last.value, last.value, last.value};
    int64_t length = NANOSECONDS_PER_SECOND;
    double sum = 0; // of value times ns
    for (TraceRow step; steps.Next(step); last = step)
    {
        length = step.nanoseconds - last.nanoseconds;
        sum += last.value * length;
        extent.largest = std::max(extent.largest, step.value);
        extent.lowest = std::min(extent.lowest, step.value);
    }
    extent.highest = extent.largest;
    extent.nanoseconds = last.nanoseconds + length;
    CheckDuration(steps.GetLines(), extent.nanoseconds);
    extent.mean = (sum + last.value * length) / extent.nanoseconds;
    return extent;
}

TraceExtent
MeasureOpportunities(TraceRows& rows)
{
    constexpr double bits = 8 * OpportunitySource::BYTES;
    const uint64_t most = TraceRows::MOST_BITS_PER_SECOND / bits * MILLISECOND /
                          NANOSECONDS_PER_SECOND; // per millisecond
    uint64_t count = 0;
    uint64_t together = 0; // in the present millisecond
    uint64_t fullest = 0;
    uint64_t before = 0; // the present second
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0;
    int64_t end = NANOSECONDS_PER_SECOND; // of the present second
    int64_t last = -1;
    for (TraceRow row; rows.Next(row); last = row.nanoseconds)
    {
        if (row.nanoseconds >= end)
        {
            // Seconds that were skipped held nothing.
            const bool isGap = row.nanoseconds - end >= NANOSECONDS_PER_SECOND;
            lowest = isGap ? 0 : std::min(lowest, (count - before) * bits);
            highest = std::max(highest, (count - before) * bits);
            before = count;
            end = (row.nanoseconds / NANOSECONDS_PER_SECOND + 1) * NANOSECONDS_PER_SECOND;
        }
        ++count;
        together = row.nanoseconds == last ? together + 1 : 1;
        fullest = std::max(fullest, together);
        if (together > most)
        {
            rows.GetLines().Fail("found more than " + std::to_string(most) +
                                 " opportunities in one millisecond, expected at most 1 Tbit/s");
        }
    }
    if (count == 0)
    {
        rows.GetLines().FailFile("found no opportunities, expected at least one");
    }
    CheckDuration(rows.GetLines(), last);
    const double mean = count * bits / last * NANOSECONDS_PER_SECOND;
    const bool isShort = end == NANOSECONDS_PER_SECOND;
    return {last,
            mean,
            fullest * bits / MILLISECOND * NANOSECONDS_PER_SECOND,
            isShort ? mean : lowest,
            isShort ? mean : highest};
}

} // namespace edgepipe
} // namespace ns3
