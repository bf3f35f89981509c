/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-jitter-rules.h"

#include <algorithm>

namespace ns3::edgepipe
{

double
GetJitterSeconds(double largest, double spacing, uint32_t packets)
{
    // The mean is the integral of 1 - P(max <= x), by the midpoint rule.
    constexpr int STEPS = 64;
    double mean = 0;
    for (int step = 0; step < STEPS; ++step)
    {
        const double x = (step + 0.5) / STEPS;
        double below = 1;
        double share = x;
        for (uint32_t i = 0; i < packets && share < 1 && below > 1e-6; ++i)
        {
            below *= share;
            share += spacing / largest;
        }
        mean += (1 - below) / STEPS;
    }
    return mean * largest;
}

double
JitterRules::End(const FlowMessage& message, const FlowMemory& /* memory */) const
{
    double seconds = 0;
    for (const double each : largest)
    {
        const double spacing = message.seconds / message.segments;
        seconds +=
            GetJitterSeconds(each, spacing, static_cast<uint32_t>(message.segments)) - each / 2;
    }
    return seconds;
}

} // namespace ns3::edgepipe
