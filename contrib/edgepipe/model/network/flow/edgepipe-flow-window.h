/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_WINDOW_H
#define EDGEPIPE_FLOW_WINDOW_H

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * TCP's window as a flow sees it: how much may be under way in a round trip.
 *
 * It grows as that of ns-3's TcpCubic where nothing is lost. In slow start, by what is
 * acknowledged, until HyStart (Ha and Rhee, 2011) takes the path for full. After that with the cube
 * of time, eq. 1 of RFC 9438, by no more than half of what is acknowledged and no less than a
 * twentieth of it, TcpCubic's CntClamp, which holds until the first loss.
 */
class FlowWindow
{
  public:
    /**
     * @param segmentBytes a full segment, headers included, bytes
     * @param largestBytes what buffers allow, headers included, bytes
     */
    FlowWindow(double segmentBytes, double largestBytes);

    /** @return the window, headers included, bytes */
    double GetBytes() const
    {
        return m_bytes;
    }

    /** @return most that was under way since it last shrank in a pause, headers included, bytes */
    double GetUsedBytes() const
    {
        return m_usedBytes;
    }

    /** @return whether buffers keep it from growing */
    bool IsLargest() const
    {
        return m_bytes >= m_largestBytes;
    }

    /** @return whether it grows by all that is acknowledged */
    bool IsSlowStart() const
    {
        return m_isSlowStart;
    }

    /** @return whether it is large enough for HyStart to look at its round trips */
    bool IsWatched() const;

    /**
     * @param factor > 1
     * @return what has to be acknowledged at most until it has grown by that factor, bytes;
     * infinite if buffers keep it from growing so far
     */
    double GetBytesToGrow(double factor) const;

    /** When HyStart takes a path for full. */
    struct Full
    {
        double bytes; //!< the least window of those that double in every round trip, or that of
                      //!< an earlier call if that was more; 0: at once
        double more;  //!< how much the window has grown on by then, bytes
    };

    /**
     * Let it grow.
     *
     * @param bytes acknowledged since the last call, >= 0
     * @param full when slow start ends, not looked at after that; HyStart does not look at less
     *        than 16 segments
     * @param now simulated time, s
     */
    void Acknowledge(double bytes, const Full& full, double now);

    /**
     * Let it shrink after a pause, by half for every retransmission time-out, down to 10
     * segments. What it had beyond what was used does not count, but for half of it in slow start,
     * as Linux has none. Slow start then goes on to where it ended, or to three quarters of the
     * window that there was.
     *
     * @param timeouts that have passed, >= 0
     */
    void Restart(double timeouts);

  private:
    double m_segmentBytes;    //!< a full segment
    double m_largestBytes;    //!< what buffers allow
    double m_bytes;           //!< the window
    double m_usedBytes{0};    //!< most that was under way since the last restart
    double m_firstBytes;      //!< that from which slow start doubles
    double m_threshold;       //!< where slow start ends, infinite before HyStart has ended it
    double m_fullBytes{0};    //!< largest of those that filled a path
    bool m_isSlowStart{true}; //!< whether it grows by all that is acknowledged
    double m_epoch{0};        //!< when slow start ended, s
    double m_originBytes{0};  //!< the window then
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_WINDOW_H */
