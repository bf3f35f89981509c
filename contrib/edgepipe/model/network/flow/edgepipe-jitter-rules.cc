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
    const double spacing = message.seconds / message.segments;
    const auto packets = static_cast<uint32_t>(message.segments);
    if (spacing != m_spacing || packets != m_packets)
    {
        m_spacing = spacing;
        m_packets = packets;
        m_seconds = 0;
        for (const double each : largest)
        {
            m_seconds += GetJitterSeconds(each, spacing, packets) - each / 2;
        }
    }
    return m_seconds;
}

} // namespace ns3::edgepipe
