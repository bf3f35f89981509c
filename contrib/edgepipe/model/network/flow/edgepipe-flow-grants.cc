/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-grants.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

bool
FlowGrants::IsUsed() const
{
    return m_requestSeconds > 0;
}

void
FlowGrants::Expect(const FlowRoute& route)
{
    if (route.requestSeconds > 0)
    {
        m_requestSeconds = route.requestSeconds;
        m_slotSeconds = route.slots.seconds;
    }
}

void
FlowGrants::Answer(uint32_t node, double seconds, double lasted)
{
    const double granted = seconds + m_requestSeconds;
    Grants& grants = m_grants[node];
    if (grants.until <= seconds)
    {
        grants.first = grants.free = granted - lasted;
    }
    grants.until = std::max(grants.until, granted + m_slotSeconds);
}

double
FlowGrants::Send(uint32_t node, const FlowRoute& route, double bytes, double seconds)
{
    if (route.requestSeconds == 0)
    {
        return 0;
    }
    const double blocks = bytes / route.grantBytes;
    const double granted = seconds + m_requestSeconds;
    Grants& grants = m_grants[node];
    double queue = blocks;
    double early = 0;
    if (seconds < grants.until)
    {
        const double ready = std::max(seconds, grants.first);
        const double begin = std::max(ready, grants.free);
        const double room = std::max(0.0, grants.until - begin);
        queue += (begin - ready) / m_slotSeconds;
        // What does not fit waits for the grants that it asks for itself.
        early = blocks * m_slotSeconds <= room ? granted - begin : room;
        early = std::clamp(early, 0.0, m_requestSeconds);
    }
    else
    {
        grants.first = grants.free = granted;
    }
    grants.free = std::max(grants.free, granted - early + blocks * m_slotSeconds);
    grants.until = std::max(grants.until, granted + std::ceil(queue) * m_slotSeconds);
    return early;
}

} // namespace edgepipe
} // namespace ns3
