/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FRTO_TCP_SOCKET_H
#define EDGEPIPE_FRTO_TCP_SOCKET_H

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * ns-3's TCP with what Linux does when its retransmission timer runs out, and after a pause, which
 * ns-3 lacks.
 *
 * A timer that runs out while acknowledgements wait behind other data in a full uplink is spurious:
 * nothing is lost. So only the oldest segment is sent again and nothing else, as in F-RTO (RFC
 * 5682), whenever the timer runs out. The next acknowledgement that advances says what it answers,
 * by the time stamp that it echoes (the Eifel detection, RFC 3522). If the original, the window is
 * as before and the round trip counts; if a repetition, all that is under way is lost, as ns-3
 * takes it to be at once.
 *
 * A sender that has sent nothing for longer than a retransmission time-out, and awaits no
 * acknowledgement, halves its window for each time-out that has passed, down to the initial window
 * (RFC 2861, Linux's tcp_slow_start_after_idle). Slow start then goes on to three quarters of the
 * window that there was, at least.
 */
class FrtoTcpSocket : public TcpSocketBase
{
  public:
    /** @return the congestion window, bytes */
    uint32_t GetWindowBytes() const
    {
        return m_isSuspecting ? m_windowBytes : m_tcb->m_cWnd.Get();
    }

    /** @param restarts whether the window shrinks after a pause */
    void SetSlowStartAfterIdle(bool restarts)
    {
        m_restarts = restarts;
    }

    /** Shrinks the window first if it sends after a pause. */
    int Send(Ptr<Packet> packet, uint32_t flags) override;

  protected:
    void ReTxTimeout() override;
    /** Notes when it sends. */
    uint32_t SendDataPacket(SequenceNumber32 first, uint32_t most, bool withAck) override;
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader& header) override;

  private:
    /** Have the window that there was before, if time-outs may have been spurious. */
    void EndSuspicion();

    bool m_restarts{false};     //!< whether the window shrinks after a pause
    Time m_lastSent;            //!< when data were last sent
    uint32_t m_usedBytes{};     //!< most that was under way since the last such pause
    bool m_isSuspecting{false}; //!< whether the oldest segment was sent again on suspicion
    uint32_t m_repeatedStamp{}; //!< when, as its time stamp says
    uint32_t m_windowBytes{};   //!< before
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FRTO_TCP_SOCKET_H */
