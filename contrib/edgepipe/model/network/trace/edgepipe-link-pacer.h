/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_PACER_H
#define EDGEPIPE_LINK_PACER_H

#include "ns3/edgepipe-step-cursor.h"
#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"

#include <memory>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Says how many bytes a transmitter may send, and when.
 *
 * Time goes forward from call to call.
 */
class LinkPacer
{
  public:
    virtual ~LinkPacer() = default;

    /**
     * There was nothing to send: what could have been sent is lost.
     *
     * @param now up to this instant, and at it
     */
    virtual void Skip(const Time& now) = 0;

    /**
     * @param now the present
     * @return bytes that could be sent since the last call of this or Skip, up to this instant and
     *         at it
     */
    virtual double Take(const Time& now) = 0;

    /**
     * @param bytes to be sent, from the time of the last call on
     * @return when they can have been sent, or an earlier time at which to ask again; Time::Max()
     *         if never
     */
    virtual Time FindNext(double bytes) const = 0;
};

/**
 * @ingroup edgepipe
 *
 * A rate that changes: the integral of the rate over time, to the nanosecond, can be sent.
 */
class RatePacer : public LinkPacer
{
  public:
    /**
     * @param bitsPerSecond the rate
     */
    explicit RatePacer(std::unique_ptr<StepSource> bitsPerSecond);

    void Skip(const Time& now) override;
    double Take(const Time& now) override;
    Time FindNext(double bytes) const override;

  private:
    StepCursor m_rate; //!< bit/s
    Time m_since;      //!< of the last call
};

/**
 * @ingroup edgepipe
 *
 * Delivery opportunities, as Mahimahi's mm-link has them (Netravali et al., USENIX ATC 2015): each
 * lets OpportunitySource::BYTES of what was queued before it be sent.
 */
class OpportunityPacer : public LinkPacer
{
  public:
    /**
     * @param opportunities when to send
     */
    explicit OpportunityPacer(std::unique_ptr<OpportunitySource> opportunities);

    void Skip(const Time& now) override;
    double Take(const Time& now) override;
    Time FindNext(double bytes) const override;

  private:
    std::unique_ptr<OpportunitySource> m_opportunities; //!< when to send
    Time m_next;                                        //!< the next one, Time::Max() if none
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_PACER_H */
