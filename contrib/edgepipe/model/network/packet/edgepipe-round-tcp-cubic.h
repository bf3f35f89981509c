/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ROUND_TCP_CUBIC_H
#define EDGEPIPE_ROUND_TCP_CUBIC_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/simulator.h"
#include "ns3/tcp-cubic.h"

#include <algorithm>
#include <cstdint>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * ns-3's CUBIC with HyStart's rounds and growth as in Linux since 5.16.
 *
 * HyStart ends slow start when the acknowledgements of one round come in for longer than the
 * shortest round trip (Linux: half of it). ns-3 checks the acknowledgement that starts a round
 * before it starts the round, as if it were the last one of the previous round. On short paths, and
 * where acknowledgements come in bunches, a connection of requests and responses then leaves slow
 * start with the first 16 segments. Linux starts the round first ("tcp_cubic: fix spurious Hystart
 * ACK train detections for not-cwnd-limited flows").
 *
 * A window grows only while it limits the sender (tcp_is_cwnd_limited). Slow start ends at its
 * threshold however much one acknowledgement covers, and every segment counts once. After it a
 * window grows as Linux's: what was acknowledged while growth was slow makes one segment at most,
 * where ns-3 grows by all of it, and time in which nothing is in flight does not count. Attributes
 * C, CntClamp and FastConvergence of ns-3's TcpCubic have no effect then.
 *
 * After a loss the window grows as Reno's would where that is faster (RFC 9438, section 4.3), which
 * ns-3.37 leaves out: over short round trips it stays at a few segments then. As Linux, it looks
 * how far Reno would be only when its own window has changed, or after 1/32 s.
 */
class RoundTcpCubic : public Named<RoundTcpCubic, TcpCubic>
{
  public:
    static constexpr const char* NAME = "RoundTcpCubic"; //!< see Named
    /**
     * Segments were acknowledged.
     *
     * @param tcb state of the socket
     * @param segmentsAcked how many
     * @param rtt round trip that was measured
     */
    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override;

    /**
     * Grow the window by CUBIC, or as Reno would where that is more.
     *
     * @param tcb state of the socket
     * @param segmentsAcked how many
     */
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;

    /**
     * @param tcb state of the socket
     * @param bytesInFlight bytes in flight
     * @return window after a loss, bytes
     */
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;

    /**
     * @param tcb state of the socket
     * @param state that it enters
     */
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t state) override;

    /** @param isLimit whether the window limits the sender (default: yes) */
    void SetLimit(bool isLimit)
    {
        m_isLimit = isLimit;
    }

    /** @param seconds in which nothing was in flight: the curve goes on where it stopped */
    void Skip(const Time& seconds)
    {
        m_epoch = std::min(m_epoch + seconds, Simulator::Now());
    }

    /** @return a copy for another socket */
    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<RoundTcpCubic>(this);
    }

  private:
    /**
     * Grow the window after slow start, as Linux's bictcp_update and tcp_cong_avoid_ai.
     *
     * @param tcb state of the socket
     * @param segmentsAcked how many, > 0
     */
    void Avoid(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked);

    bool m_isLimit{true};          //!< whether the window limits the sender
    bool m_isGrowing{false};       //!< whether it has grown since the last loss
    double m_mostSegments{0};      //!< window before the last loss; 0: none, or a time-out
    double m_originSegments{0};    //!< window where the curve turns
    double m_turnSeconds{0};       //!< when, after the epoch
    Time m_epoch;                  //!< when it began to grow
    double m_renoSegments{0};      //!< window that Reno would have since then
    double m_lookedAt{0};          //!< window when its growth was last set, segments
    Time m_lastLook;               //!< and when
    double m_segmentsPerGrowth{0}; //!< acknowledged per segment of growth
    double m_credit{0};            //!< acknowledged since it last grew, segments
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ROUND_TCP_CUBIC_H */
