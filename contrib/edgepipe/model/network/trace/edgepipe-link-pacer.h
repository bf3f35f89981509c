/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_PACER_H
#define EDGEPIPE_LINK_PACER_H

#include "ns3/edgepipe-step-cursor.h"
#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Determines how many bytes a transmitter may send, and when.
 *
 * Time must not go back from call to call.
 */
class LinkPacer
{
  public:
    /// Bytes that count as none, far above rounding errors.
    static constexpr double NO_BYTES = 1e-6;

    virtual ~LinkPacer() = default;

    /**
     * @param now the present
     * @return bytes that could be sent since the last call, up to and including this instant;
     *         unused ones are lost
     */
    virtual double TakeBytes(const Time& now) = 0;

    /**
     * @param bytes to be sent, from the time of the last call on
     * @return when they can have been sent, or an earlier time at which to call again; Time::Max()
     *         if never
     */
    virtual Time FindNext(double bytes) const = 0;
};

/**
 * @ingroup edgepipe
 *
 * A changing rate: its integral over time, to the nanosecond, can be sent.
 */
class RatePacer : public LinkPacer
{
  public:
    /**
     * @param bitsPerSecond the rate
     */
    explicit RatePacer(std::unique_ptr<StepSource> bitsPerSecond)
        : m_rate(std::move(bitsPerSecond))
    {
    }

    double TakeBytes(const Time& now) override
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

    Time FindNext(double bytes) const override
    {
        const Time step = m_rate.GetNextTime();
        const double span = std::ceil(8e9 * bytes / m_rate.GetValue());
        // Also false if the rate is 0.
        const bool isBefore = span < static_cast<double>((step - m_since).GetNanoSeconds());
        return isBefore ? m_since + NanoSeconds(static_cast<int64_t>(span)) : step;
    }

  private:
    StepCursor m_rate; //!< bit/s
    Time m_since;      //!< of the last call
};

/**
 * @ingroup edgepipe
 *
 * Delivery opportunities, as Mahimahi's mm-link has them (Netravali et al., USENIX ATC 2015): each
 * sends up to OpportunitySource::BYTES of what was queued before it.
 */
class OpportunityPacer : public LinkPacer
{
  public:
    /**
     * @param opportunities when to send
     */
    explicit OpportunityPacer(std::unique_ptr<OpportunitySource> opportunities)
        : m_opportunities(std::move(opportunities))
    {
        TakeBytes(Time()); // nothing can have been queued before time 0
    }

    double TakeBytes(const Time& now) override
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

    Time FindNext(double /* bytes */) const override
    {
        return m_next;
    }

  private:
    std::unique_ptr<OpportunitySource> m_opportunities; //!< when to send
    Time m_next;                                        //!< the next one, Time::Max() if none
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_PACER_H */
