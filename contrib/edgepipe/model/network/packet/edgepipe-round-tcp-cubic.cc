/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-round-tcp-cubic.h"

#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(RoundTcpCubic);

namespace
{

/// Growth per round trip of a Reno whose windows shrink to 0.7, segments: RFC 9438, section 4.3.
constexpr double RENO_GROWTH = 3 * (1 - 0.7) / (1 + 0.7);
/// How often Linux compares a window that stays with that Reno's: HZ / 32.
const Time LOOK_INTERVAL = Seconds(1.0 / 32);

} // namespace

void
RoundTcpCubic::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    const bool isLimited =
        tcb->m_bytesInFlight.Get() + (segmentsAcked + 1) * tcb->m_segmentSize >= tcb->m_cWnd.Get();
    const bool avoids = tcb->m_cWnd >= tcb->m_ssThresh;
    TcpCubic::IncreaseWindow(tcb, segmentsAcked);
    if (!avoids || segmentsAcked == 0 || !isLimited)
    {
        return;
    }
    const double window = tcb->GetCwndInSegments();
    m_renoSegments = m_renoSegments == 0 ? window : m_renoSegments;
    m_renoSegments += RENO_GROWTH * segmentsAcked / window;
    if (window == m_lookedAt && Simulator::Now() - m_lastLook <= LOOK_INTERVAL)
    {
        return;
    }
    m_lookedAt = window;
    m_lastLook = Simulator::Now();
    if (m_renoSegments >= window + 1)
    {
        tcb->m_cWnd = static_cast<uint32_t>(m_renoSegments) * tcb->m_segmentSize;
    }
}

uint32_t
RoundTcpCubic::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    m_renoSegments = 0;
    return TcpCubic::GetSsThresh(tcb, bytesInFlight);
}

void
RoundTcpCubic::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt)
{
    if (tcb->m_cWnd < tcb->m_ssThresh)
    {
        IncreaseWindow(tcb, 0); // grows nothing, but starts the round that is due
    }
    TcpCubic::PktsAcked(tcb, segmentsAcked, rtt);
}

} // namespace ns3::edgepipe
