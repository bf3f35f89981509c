/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-link-pacer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::edgepipe
{

RatePacer::RatePacer(std::unique_ptr<StepSource> bitsPerSecond)
    : m_rate(std::move(bitsPerSecond))
{
}

void
RatePacer::Skip(const Time& now)
{
    m_rate.Advance(now);
    m_since = now;
}

double
RatePacer::Take(const Time& now)
{
    double bits = 0;
    while (m_since < now)
    {
        const Time until = std::min(now, m_rate.GetNextTime());
        bits += m_rate.GetValue() * 1e-9 * (until - m_since).GetNanoSeconds();
        m_since = until;
        m_rate.Advance(until);
    }
    return bits / 8;
}

Time
RatePacer::FindNext(double bytes) const
{
    const Time step = m_rate.GetNextTime();
    const double span = std::ceil(8e9 * bytes / m_rate.GetValue());
    // Not so either if the rate is 0.
    const bool isBefore = span < static_cast<double>((step - m_since).GetNanoSeconds());
    return isBefore ? m_since + NanoSeconds(static_cast<int64_t>(span)) : step;
}

OpportunityPacer::OpportunityPacer(std::unique_ptr<OpportunitySource> opportunities)
    : m_opportunities(std::move(opportunities))
{
    Take(Time()); // nothing can have been queued before time 0
}

void
OpportunityPacer::Skip(const Time& now)
{
    Take(now);
}

double
OpportunityPacer::Take(const Time& now)
{
    double bytes = 0;
    while (m_next <= now)
    {
        bytes += OpportunitySource::BYTES;
        if (!m_opportunities->Next(m_next))
        {
            m_next = Time::Max();
        }
    }
    return bytes;
}

Time
OpportunityPacer::FindNext(double /* bytes */) const
{
    return m_next;
}

} // namespace ns3::edgepipe
