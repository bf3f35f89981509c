/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-frto-tcp-socket.h"

#include "ns3/log.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeFrtoTcpSocket");

NS_OBJECT_ENSURE_REGISTERED(FrtoTcpSocket);

namespace
{

/// Longest retransmission time-out, ns-3's.
const Time LONGEST_TIMEOUT = Seconds(60);

} // namespace

TypeId
FrtoTcpSocket::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::FrtoTcpSocket")
                            .SetParent<TcpSocketBase>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<FrtoTcpSocket>();
    return tid;
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
        // Nothing new leaves before the answer.
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

bool
FrtoTcpSocket::AnswersOriginal(const TcpHeader& header) const
{
    if (!header.HasOption(TcpOption::TS))
    {
        return false;
    }
    const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS));
    // The stamps go round.
    return static_cast<int32_t>(option->GetEcho() - m_repeatedStamp) < 0;
}

void
FrtoTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    if (!m_isSuspecting || header.GetAckNumber() <= m_txBuffer->HeadSequence())
    {
        TcpSocketBase::ReceivedAck(packet, header);
        return;
    }
    if (AnswersOriginal(header))
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
