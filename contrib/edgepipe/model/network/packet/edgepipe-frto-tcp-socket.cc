/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-frto-tcp-socket.h"

#include "ns3/edgepipe-small-queue.h"
#include "ns3/log.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeFrtoTcpSocket");

namespace
{

/// Longest retransmission time-out, ns-3's.
const Time LONGEST_TIMEOUT = Seconds(60);
/// Linux's pacing rate over the window per round trip, in slow start and later.
constexpr double SLOW_START_PACE = 2;
constexpr double PACE = 1.2;
/// Linux's TCP_TIMEOUT_MIN: added to two round trips before a probe, least time for reordering.
const Time LEAST_TIMEOUT = MilliSeconds(2);

} // namespace

int
FrtoTcpSocket::Send(Ptr<Packet> packet, uint32_t flags)
{
    if (m_restarts && m_state == ESTABLISHED && m_txBuffer->Size() == 0 &&
        Simulator::Now() - m_lastSent > m_rto)
    {
        // What HyStart, later than Linux's, has let it grow beyond the bytes in flight is left out.
        const bool isSlowStart = m_tcb->m_cWnd < m_tcb->m_ssThresh;
        uint32_t window = std::min(m_tcb->m_cWnd.Get(), m_usedBytes * (isSlowStart ? 2 : 1));
        const uint32_t least = std::min(m_tcb->m_cWnd.Get(), GetInitialCwnd() * GetSegSize());
        m_tcb->m_ssThresh = std::max(m_tcb->m_ssThresh.Get(), window / 4 * 3);
        for (Time idle = Simulator::Now() - m_lastSent; idle > m_rto && window > least;
             idle -= m_rto)
        {
            window /= 2;
        }
        m_tcb->m_cWnd = m_tcb->m_cWndInfl = std::max(window, least);
        m_usedBytes = 0;
    }
    return TcpSocketBase::Send(packet, flags);
}

uint32_t
FrtoTcpSocket::SendDataPacket(SequenceNumber32 first, uint32_t most, bool withAck)
{
    if (m_cubic && UnAckDataCount() == 0)
    {
        m_cubic->Skip(Simulator::Now() - m_lastSent); // Linux's CA_EVENT_TX_START
    }
    m_lastSent = Simulator::Now();
    if (first < m_tcb->m_highTxMark)
    {
        m_repeated[first] = m_tcb->m_highTxMark;
    }
    const uint32_t sent = TcpSocketBase::SendDataPacket(first, most, withAck);
    m_usedBytes = std::max(m_usedBytes, UnAckDataCount());
    m_bunchBytes -= std::min(m_bunchBytes, sent);
    NoteUse();
    ArmProbe();
    if (m_hostQueue)
    {
        m_queued.push_back(m_hostQueue->GetEntered());
    }
    return sent;
}

uint32_t
FrtoTcpSocket::AvailableWindow() const
{
    const uint32_t window = TcpSocketBase::AvailableWindow();
    if (!m_hostQueue || window == 0)
    {
        return window;
    }
    while (!m_queued.empty() && m_queued.front() <= m_hostQueue->GetLeft())
    {
        m_queued.pop_front();
    }
    const double growth = m_tcb->m_cWnd < m_tcb->m_ssThresh / 2 ? SLOW_START_PACE : PACE;
    const double pace =
        growth * m_tcb->m_cWnd.Get() / std::max(1e-6, m_rtt->GetEstimate().GetSeconds());
    const SmallQueue queue(pace, m_leastRoundTrip.GetSeconds(), window, m_tcb->m_segmentSize);
    const double queued = static_cast<double>(m_queued.size()) * m_tcb->m_segmentSize;
    if (m_bunchBytes == 0 && queued <= queue.bytes)
    {
        m_bunchBytes = static_cast<uint32_t>(queue.bunchBytes);
    }
    if (m_bunchBytes > 0)
    {
        return window;
    }
    const Ptr<FrtoTcpSocket> self(const_cast<FrtoTcpSocket*>(this));
    m_hostQueue->Await(this, Callback<void>([self] { self->SendPendingData(self->m_connected); }));
    return 0;
}

bool
FrtoTcpSocket::MayProbe() const
{
    // ns-3 may be in CA_OPEN with selectively acknowledged data. It merges them with what is sent
    // again and counts wrong from then on.
    return m_state == ESTABLISHED && m_tcb->m_congState == TcpSocketState::CA_OPEN &&
           !m_isSuspecting && UnAckDataCount() > 0 && m_txBuffer->GetSacked() == 0 &&
           m_txBuffer->GetLost() == 0;
}

void
FrtoTcpSocket::EstimateRtt(const TcpHeader& header)
{
    // ns-3's own figures are in milliseconds.
    for (const auto& sent : m_history)
    {
        if (sent.seq + SequenceNumber32(sent.count) > header.GetAckNumber())
        {
            break;
        }
        m_leastRoundTrip = std::min(m_leastRoundTrip, Simulator::Now() - sent.time);
    }
    TcpSocketBase::EstimateRtt(header);
    if (m_cubic)
    {
        m_cubic->SetLimit(IsLimited());
    }
}

void
FrtoTcpSocket::NoteUse()
{
    const bool isFull = BytesInFlight() + m_tcb->m_segmentSize > m_tcb->m_cWnd;
    if (isFull || m_txBuffer->HeadSequence() >= m_useEnd ||
        (!m_isFull && UnAckDataCount() > m_mostUsed))
    {
        m_isFull = isFull;
        m_mostUsed = UnAckDataCount();
        m_useEnd = m_tcb->m_highTxMark;
    }
}

void
FrtoTcpSocket::ArmProbe()
{
    m_probeTime = Time();
    if (!MayProbe() || m_probed == m_tcb->m_highTxMark.Get())
    {
        return;
    }
    const bool isOne = UnAckDataCount() <= m_tcb->m_segmentSize;
    const Time round = m_rtt->GetEstimate();
    const Time after = round + round + (isOne ? m_minRto : LEAST_TIMEOUT);
    if (after < m_rto)
    {
        // An event for every segment would cost as much as sending it.
        m_probeTime = Simulator::Now() + after;
        if (!m_probe.IsRunning())
        {
            m_probe = Simulator::Schedule(after, &FrtoTcpSocket::Probe, this);
        }
    }
}

void
FrtoTcpSocket::Probe()
{
    if (m_probeTime.IsZero())
    {
        return;
    }
    const Time now = Simulator::Now();
    if (m_probeTime > now)
    {
        m_probe = Simulator::Schedule(m_probeTime - now, &FrtoTcpSocket::Probe, this);
        return;
    }
    if (!MayProbe())
    {
        return;
    }
    m_probed = m_tcb->m_highTxMark;
    const uint32_t bytes = std::min(UnAckDataCount(), m_tcb->m_segmentSize);
    SendDataPacket(m_tcb->m_highTxMark.Get() - bytes, bytes, m_connected);
    // Time stamps tell which of both is acknowledged.
    for (auto& sent : m_history)
    {
        sent.retx = false;
    }
}

Time
FrtoTcpSocket::GetReorderTime() const
{
    return std::max(LEAST_TIMEOUT, Time(std::min(m_tcb->m_minRtt / 4, m_rtt->GetEstimate() / 8)));
}

void
FrtoTcpSocket::DetectLoss(const TcpHeader& header)
{
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    m_repeated.erase(m_repeated.begin(), m_repeated.lower_bound(head));
    const auto congestion = m_tcb->m_congState.Get();
    if (m_state != ESTABLISHED || m_txBuffer->GetSacked() == 0)
    {
        return;
    }
    if (congestion == TcpSocketState::CA_DISORDER && !m_gap.IsRunning())
    {
        m_gap = Simulator::Schedule(GetReorderTime(), &FrtoTcpSocket::Recover, this);
    }
    // Has anything arrived that was sent after the head was sent again?
    const auto repeated = m_repeated.find(head);
    const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
    if (congestion != TcpSocketState::CA_RECOVERY || repeated == m_repeated.end() || !option)
    {
        return;
    }
    const auto blocks = option->GetSackList();
    if (std::any_of(blocks.begin(), blocks.end(), [&](const auto& block) {
            return block.second > repeated->second;
        }))
    {
        m_txBuffer->MarkHeadAsLost();
        DoRetransmit();
    }
}

void
FrtoTcpSocket::Recover()
{
    // What was sent before a time-out has been repeated.
    if (m_state == ESTABLISHED && m_tcb->m_congState == TcpSocketState::CA_DISORDER &&
        !m_isSuspecting && m_txBuffer->GetSacked() > 0 &&
        (!m_recoverActive || m_txBuffer->HeadSequence() >= m_recover))
    {
        EnterRecovery(0);
        SendPendingData(m_connected);
    }
}

void
FrtoTcpSocket::ReTxTimeout()
{
    NS_LOG_FUNCTION(this);
    const auto congestion = m_tcb->m_congState.Get();
    const bool isUsual =
        congestion == TcpSocketState::CA_OPEN || congestion == TcpSocketState::CA_DISORDER;
    const bool hasUnacknowledged = m_txBuffer->HeadSequence() < m_tcb->m_highTxMark;
    if (!isUsual || !hasUnacknowledged || !m_timestampEnabled || m_state != ESTABLISHED ||
        m_dataRetrCount == 0)
    {
        EndSuspicion();
        TcpSocketBase::ReTxTimeout();
        return;
    }
    if (!m_isSuspecting)
    {
        m_isSuspecting = true;
        m_repeatedStamp = TcpOptionTS::NowToTsValue();
        m_windowBytes = m_tcb->m_cWnd;
        // Send nothing new before the acknowledgement.
        m_tcb->m_cWnd = m_tcb->m_segmentSize;
    }
    --m_dataRetrCount;
    m_rto = std::min(m_rto.Get() + m_rto.Get(), LONGEST_TIMEOUT);
    SendDataPacket(m_txBuffer->HeadSequence(), m_tcb->m_segmentSize, m_connected);
}

void
FrtoTcpSocket::EndSuspicion()
{
    if (m_isSuspecting)
    {
        m_isSuspecting = false;
        m_tcb->m_cWnd = m_windowBytes;
    }
}

void
FrtoTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    if (!m_isSuspecting || header.GetAckNumber() <= m_txBuffer->HeadSequence())
    {
        TcpSocketBase::ReceivedAck(packet, header);
        DetectLoss(header);
        ArmProbe();
        return;
    }
    // The echoed time stamp shows whether it acknowledges the original; time stamps wrap around.
    const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS));
    if (option && static_cast<int32_t>(option->GetEcho() - m_repeatedStamp) < 0)
    {
        NS_LOG_LOGIC("the time-out was spurious");
        EndSuspicion();
        for (auto& sent : m_history)
        {
            sent.retx = false;
        }
        TcpSocketBase::ReceivedAck(packet, header);
        return;
    }
    TcpSocketBase::ReceivedAck(packet, header);
    EndSuspicion();
    if (m_txBuffer->HeadSequence() < m_tcb->m_highTxMark)
    {
        TcpSocketBase::ReTxTimeout();
        return;
    }
    m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, m_tcb->m_segmentSize);
    m_tcb->m_cWnd = m_tcb->m_segmentSize;
}

} // namespace ns3::edgepipe
