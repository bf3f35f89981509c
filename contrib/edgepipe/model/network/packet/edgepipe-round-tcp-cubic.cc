/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-round-tcp-cubic.h"

#include "ns3/simulator.h"

#include <algorithm>

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
    const uint32_t segment = tcb->m_segmentSize;
    // Once a gap is filled, ns-3 counts again what was acknowledged selectively beyond it.
    uint32_t left = std::min(segmentsAcked, (tcb->m_lastAckedSackedBytes + segment - 1) / segment);
    if (left == 0 || (!m_isLimited.IsNull() && !m_isLimited()))
    {
        return;
    }
    if (tcb->m_cWnd < tcb->m_ssThresh)
    {
        const uint32_t below = (tcb->m_ssThresh - tcb->m_cWnd - 1) / segment + 1;
        const uint32_t doubled = std::min(left, below);
        TcpCubic::IncreaseWindow(tcb, doubled);
        left -= doubled;
    }
    if (left == 0)
    {
        return;
    }
    TcpCubic::IncreaseWindow(tcb, left);
    const double window = tcb->GetCwndInSegments();
    m_renoSegments = m_renoSegments == 0 ? window : m_renoSegments;
    m_renoSegments += RENO_GROWTH * left / window;
    if (window == m_lookedAt && Simulator::Now() - m_lastLook <= LOOK_INTERVAL)
    {
        return;
    }
    m_lookedAt = window;
    m_lastLook = Simulator::Now();
    if (m_renoSegments >= window + 1)
    {
        tcb->m_cWnd = static_cast<uint32_t>(m_renoSegments) * segment;
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
        TcpCubic::IncreaseWindow(tcb, 0); // grows nothing, but starts the round that is due
    }
    TcpCubic::PktsAcked(tcb, segmentsAcked, rtt);
}

} // namespace ns3::edgepipe
