/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRANSFER_FORECAST_H
#define EDGEPIPE_TRANSFER_FORECAST_H

#include "ns3/nstime.h"

#include <cstdint>
#include <deque>

namespace ns3
{
namespace edgepipe
{

/**
 * When what was sent to a neighbour will have arrived.
 *
 * Tensors go one after another: one begins when it was sent or when the one before it has arrived,
 * whichever is later, and takes its bytes over the rate that the last one got.
 */
class TransferForecast
{
  public:
    /** @param bytesPerSecond what the first one is taken to get, > 0; infinite: no time */
    explicit TransferForecast(double bytesPerSecond);

    /**
     * A tensor has been sent.
     *
     * @param now when
     * @param bytes of it
     */
    void NoticeSent(const Time& now, uint64_t bytes);

    /**
     * The oldest tensor under way has arrived.
     * @param now when
     */
    void NoticeArrived(const Time& now);

    /**
     * @param now when that is asked
     * @return until the oldest tensor under way arrives, seconds; 0 if it should have or if none is
     *         under way
     */
    double GetRemainingSeconds(const Time& now) const;

    /**
     * @param bytes of a tensor
     * @return what it takes on a free way, seconds
     */
    double GetSeconds(uint64_t bytes) const;

    /** @return whether a tensor is under way */
    bool IsBusy() const;

  private:
    /** A tensor under way. */
    struct Transfer
    {
        Time sent;      //!< when
        uint64_t bytes; //!< of it
    };

    /** @return when the oldest tensor began to move */
    Time GetBegin() const;

    std::deque<Transfer> m_underWay; //!< in the order of sending
    Time m_lastArrival;              //!< when a tensor last arrived
    double m_bytesPerSecond;         //!< what the last one got
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRANSFER_FORECAST_H */
