/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_WINDOW_H
#define EDGEPIPE_FLOW_WINDOW_H

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * TCP's window as a flow sees it: how many bytes may be in flight.
 *
 * It grows like that of ns-3's TcpCubic without losses. In slow start it grows by the bytes
 * acknowledged, until HyStart (Ha and Rhee, 2011) considers the path full. After that it grows with
 * the cube of time, eq. 1 of RFC 9438, by at most half of the bytes acknowledged and at least a
 * twentieth. The latter is TcpCubic's CntClamp, which holds until the first loss. A loss leaves
 * seven tenths in whole segments; from then on the window grows as in RFC 9438, sections 4.2 to 4.4
 * and 4.7, with Linux's figures.
 */
class FlowWindow
{
  public:
    /**
     * @param segmentBytes a full segment, headers included, bytes
     * @param largestBytes what buffers allow, headers included, bytes
     * @param initialSegments the window at first
     */
    FlowWindow(double segmentBytes, double largestBytes, double initialSegments = 10);

    /** @return the window, headers included, bytes; whole segments after a loss */
    double GetBytes() const
    {
        const double whole = std::floor(m_bytes / m_segmentBytes) * m_segmentBytes;
        // A buffer may hold less than a segment.
        return m_largestSeen > 0 && whole > 0 ? whole : m_bytes;
    }

    /** @return most bytes in flight since it last shrank after a pause, headers included */
    double GetUsedBytes() const
    {
        return m_usedBytes;
    }

    /** @return whether buffers keep it from growing */
    bool IsLargest() const
    {
        return m_bytes >= m_largestBytes;
    }

    /** @return whether it grows by all bytes acknowledged */
    bool IsSlowStart() const
    {
        return m_isSlowStart;
    }

    /** @return whether it is large enough for HyStart to watch its round trips */
    bool IsWatched() const;

    /**
     * @param factor > 1
     * @return most bytes that must be acknowledged until it has grown by that factor; infinite if
     *         buffers keep it from growing so far
     */
    double GetBytesToGrow(double factor) const;

    /** When HyStart considers a path full. */
    struct Full
    {
        double bytes; //!< slow start ends in the round that HyStart begins while the first doubled
                      //!< window of at least this, or of an earlier call's value if that was more,
                      //!< is acknowledged; 0: at once
        double more;  //!< growth in that round by then, bytes
    };

    /**
     * Let it grow.
     *
     * @param bytes acknowledged since the last call, >= 0
     * @param inFlight most bytes in flight if it sets no limit: it grows only while it does, in
     * slow start to twice as much (Linux's tcp_is_cwnd_limited)
     * @param full when slow start ends, ignored after that; HyStart ignores windows below 16
     *        segments
     * @param now simulated time, s
     */
    void Acknowledge(double bytes, double inFlight, const Full& full, double now);

    /**
     * Shrink it because segments of the last round trip were lost. It does not grow in the round
     * trip in which they are sent again.
     *
     * @param isTimeout whether a retransmission time-out told: it starts over with one segment
     */
    void Lose(bool isTimeout);

    /**
     * Shrink it after a pause: halve it for every retransmission time-out, down to 10 segments. Of
     * the old window no more counts than was used, or twice that in slow start, as in packets. Slow
     * start then continues to where it ended, or to three quarters of the old window if that is
     * more.
     *
     * @param timeouts that have passed, >= 0
     */
    void Restart(double timeouts);

    /**
     * @param seconds in which nothing was in flight: the cubic goes on where it stopped
     * @param now simulated time, s
     */
    void Skip(double seconds, double now)
    {
        m_epoch = std::min(m_epoch + seconds, now);
    }

  private:
    /**
     * Grow after a loss.
     * @param bytes acknowledged
     * @param now simulated time, s
     */
    void Grow(double bytes, double now);

    double m_segmentBytes;      //!< a full segment
    double m_largestBytes;      //!< limit set by buffers
    double m_initialBytes;      //!< the window at first
    double m_bytes;             //!< the window
    double m_usedBytes{0};      //!< most bytes in flight since the last restart
    double m_roundBytes{0};     //!< acknowledged in the last round trip
    double m_firstBytes;        //!< window from which slow start doubles
    double m_lateBytes{0};      //!< of a new connection, acknowledged late
    double m_threshold;         //!< where slow start ends, infinite before HyStart has ended it
    double m_fullBytes{0};      //!< largest Full::bytes so far
    bool m_isSlowStart{true};   //!< whether it grows by all bytes acknowledged
    double m_epoch{0};          //!< when slow start ended, s
    double m_originBytes{0};    //!< the window then; after a loss where the cubic is flat
    double m_largestSeen{0};    //!< window before the last loss, less if it had shrunk; 0: no loss
    double m_flatSeconds{0};    //!< from the end of recovery until the cubic is flat
    double m_growth{0};         //!< bytes per byte acknowledged, as decided last after a loss
    double m_updated{0};        //!< when that was, s
    double m_updatedBytes{0};   //!< the window then
    double m_renoBytes{0};      //!< what Reno's window would be since the last loss
    bool m_isRecovering{false}; //!< whether lost segments are being sent again
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_WINDOW_H */
