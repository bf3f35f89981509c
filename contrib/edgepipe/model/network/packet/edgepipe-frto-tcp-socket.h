/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FRTO_TCP_SOCKET_H
#define EDGEPIPE_FRTO_TCP_SOCKET_H

#include "edgepipe-host-queue.h"
#include "edgepipe-round-tcp-cubic.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <deque>
#include <map>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * ns-3's TCP with Linux's behaviour after retransmission time-outs and pauses, and before the
 * host's own wire, which ns-3 lacks.
 *
 * A timer that runs out while acknowledgements wait behind other data in a full uplink is spurious:
 * nothing is lost. So only the oldest segment is sent again whenever the timer runs out, as in
 * F-RTO (RFC 5682). The time stamp echoed by the next advancing acknowledgement shows which
 * transmission it acknowledges (Eifel detection, RFC 3522). If the original, the window is restored
 * and the round trip is measured; if a retransmission, everything under way counts as lost, as ns-3
 * assumes at once.
 *
 * Where two round trips bring no acknowledgement, the last segment is sent again, whose
 * acknowledgement shows what was lost before it (tail loss probe, RFC 8985).
 *
 * Data that are missing a quarter of the shortest round trip after later data have arrived count as
 * lost, without a third acknowledgement; so do data sent again once data sent after them have
 * arrived (RACK, RFC 8985). ns-3 waits for its timer in both cases.
 *
 * A sender that has sent nothing for longer than a retransmission time-out, and awaits no
 * acknowledgement, halves its window for each time-out that has passed, down to the initial window
 * (RFC 2861, Linux's tcp_slow_start_after_idle). Slow start then continues to at least three
 * quarters of the old window.
 *
 * No more than a SmallQueue waits before the host's own wire; the rest stays in the socket
 * (Linux's TCP small queues). Acknowledgements and other connections need not wait behind a window
 * then.
 */
class FrtoTcpSocket : public TcpSocketBase
{
  public:
    ~FrtoTcpSocket() override
    {
        m_probe.Cancel();
        m_gap.Cancel();
    }

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

    /** @param queue before the host's wire; null: as much as the window permits may wait there */
    void SetHostQueue(Ptr<HostQueue> queue)
    {
        m_hostQueue = queue;
    }

    /** @param cubic its congestion control, which it tells whether the window is a limit */
    void SetCubic(Ptr<RoundTcpCubic> cubic)
    {
        m_cubic = cubic;
    }

    /** Shrinks the window first when sending after a pause. */
    int Send(Ptr<Packet> packet, uint32_t flags) override;

  protected:
    void ReTxTimeout() override;
    /** Also records the time of sending. */
    uint32_t SendDataPacket(SequenceNumber32 first, uint32_t most, bool withAck) override;
    /** Also finds the shortest round trip, and whether the window is a limit. */
    void EstimateRtt(const TcpHeader& header) override;
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader& header) override;
    /** @return as in ns-3, and 0 while the host's queue holds enough, bytes */
    uint32_t AvailableWindow() const override;

  private:
    /** Note how much of the window is used, as Linux's tcp_cwnd_validate. */
    void NoteUse();

    /** @return whether the window limits the sender, as Linux's tcp_is_cwnd_limited */
    bool IsLimited() const
    {
        return m_isFull || (m_tcb->m_cWnd < m_tcb->m_ssThresh && m_tcb->m_cWnd < 2 * m_mostUsed);
    }

    /** @return whether data are under way of which nothing is known */
    bool MayProbe() const;
    /** Let a probe follow unless data are acknowledged before. */
    void ArmProbe();
    /** Send the last segment again: its acknowledgement shows what was lost before it. */
    void Probe();
    /** @return how long data may be missing once later data have arrived, until they are lost */
    Time GetReorderTime() const;
    /**
     * Find what is lost by what was sent later and has arrived.
     * @param header of an acknowledgement
     */
    void DetectLoss(const TcpHeader& header);
    /** Begin to recover if data are still missing. */
    void Recover();
    /** Restore the window from before a suspected spurious time-out. */
    void EndSuspicion();

    /// Data that were sent again, and the end of all that had been sent by then.
    std::map<SequenceNumber32, SequenceNumber32> m_repeated;
    EventId m_gap;                         //!< calls Recover
    EventId m_probe;                       //!< calls Probe, then or earlier
    Time m_probeTime;                      //!< when to probe; zero: not now
    SequenceNumber32 m_probed;             //!< end of the data when it last did
    Ptr<RoundTcpCubic> m_cubic;            //!< congestion control; null: another one
    Ptr<HostQueue> m_hostQueue;            //!< may be null
    mutable std::deque<uint64_t> m_queued; //!< its packets there, by number
    mutable uint32_t m_bunchBytes{};       //!< may still be sent as one bunch
    Time m_leastRoundTrip{Time::Max()};    //!< shortest round trip so far
    bool m_restarts{false};                //!< whether the window shrinks after a pause
    Time m_lastSent;                       //!< when data were last sent
    uint32_t m_usedBytes{};                //!< most bytes in flight since the last such pause
    bool m_isFull{false};                  //!< whether the window was full in the last round trip
    uint32_t m_mostUsed{};                 //!< if not, most bytes that were outstanding in it
    SequenceNumber32 m_useEnd;             //!< what ends that round trip when acknowledged
    bool m_isSuspecting{false};            //!< whether a time-out may have been spurious
    uint32_t m_repeatedStamp{};            //!< time stamp of its first retransmission
    uint32_t m_windowBytes{};              //!< window before it
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FRTO_TCP_SOCKET_H */
