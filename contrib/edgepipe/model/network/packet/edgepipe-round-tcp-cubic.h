/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ROUND_TCP_CUBIC_H
#define EDGEPIPE_ROUND_TCP_CUBIC_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/tcp-cubic.h"

#include <cstdint>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * ns-3's CUBIC with HyStart's rounds as in Linux since 5.16.
 *
 * HyStart ends slow start when the acknowledgements of one round come in for longer than the
 * shortest round trip. ns-3 checks the acknowledgement that starts a round before it starts the
 * round, as if it were the last one of the previous round. On short paths, and where
 * acknowledgements come in bunches, a connection of requests and answers then leaves slow start
 * with the first 16 segments. Linux starts the round first ("tcp_cubic: fix spurious Hystart ACK
 * train detections for not-cwnd-limited flows").
 *
 * After a loss the window grows as Reno's would where that is faster (RFC 9438, section 4.3), which
 * ns-3.37 leaves out: over short round trips it stays at a few segments then. As Linux, it looks
 * how far Reno would be only when its own window has changed, or after 1/32 s.
 */
class RoundTcpCubic : public Named<RoundTcpCubic, TcpCubic>
{
  public:
    static constexpr const char* NAME = "RoundTcpCubic";                //!< see Named
    static constexpr const char* TYPE = "ns3::edgepipe::RoundTcpCubic"; //!< see Named

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

    /** @return a copy for another socket */
    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<RoundTcpCubic>(this);
    }

  private:
    double m_renoSegments{0}; //!< window that Reno would have since the last loss; 0: none yet
    double m_lookedAt{0};     //!< window when it was last compared, segments
    Time m_lastLook;          //!< and when
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ROUND_TCP_CUBIC_H */
