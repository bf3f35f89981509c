// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_SUPPORT_H
#define TRACE_SUPPORT_H

#include "test.h"

/// @param count at most so many are taken
/// @return their times, ms
inline std::vector<double>
TakeMilliseconds(OpportunitySource& source, std::size_t count)
{
    std::vector<double> times;
    for (Time time; times.size() < count && source.Next(time);)
    {
        times.push_back(time.GetNanoSeconds() / 1e6);
    }
    return times;
}

/// @param count at most so many are taken
/// @return seconds and values
inline std::vector<std::pair<double, double>>
TakeSteps(StepSource& source, std::size_t count)
{
    std::vector<std::pair<double, double>> steps;
    for (TraceStep step; steps.size() < count && source.Next(step);)
    {
        steps.emplace_back(step.time.GetNanoSeconds() / 1e9, step.value);
    }
    return steps;
}

/// @return bytes that cross in each second
inline std::vector<double>
CountBytes(StepSource& source, std::size_t seconds)
{
    std::vector<double> bytes(seconds, 0.0);
    double now = 0;
    double rate = 0;
    while (now < seconds)
    {
        TraceStep step;
        const bool isMore = source.Next(step);
        const double next = isMore ? step.time.GetNanoSeconds() / 1e9 : seconds;
        for (std::size_t s = now; s < seconds && s < next; ++s)
        {
            const double from = std::max<double>(now, s);
            bytes[s] += rate / 8 * (std::min<double>(next, s + 1) - from);
        }
        now = next;
        rate = isMore ? step.value : rate;
    }
    return bytes;
}

#endif /* TRACE_SUPPORT_H */
