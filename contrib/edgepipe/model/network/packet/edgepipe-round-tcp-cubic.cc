/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-round-tcp-cubic.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(RoundTcpCubic);

namespace
{

/// Growth per round trip of a Reno whose windows shrink to 0.7, segments: RFC 9438, section 4.3.
constexpr double RENO_GROWTH = 3 * (1 - 0.7) / (1 + 0.7);
/// CUBIC's scaling factor, segments/s^3, and what a loss leaves of a window.
constexpr double CUBIC_SCALE = 0.4;
constexpr double AFTER_LOSS = 0.7;
/// Segments acknowledged per segment of growth: fewest; most before a loss and after a time-out;
/// most later, per segment of the window.
constexpr double FASTEST = 2;
constexpr double SLOWEST_AT_FIRST = 20;
constexpr double SLOWEST_LATER = 100;
/// How often Linux looks how fast a window that stays should grow: HZ / 32.
const Time LOOK_INTERVAL = Seconds(1.0 / 32);

} // namespace

void
RoundTcpCubic::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    const uint32_t segment = tcb->m_segmentSize;
    // Once a gap is filled, ns-3 counts again what was acknowledged selectively beyond it.
    uint32_t left = std::min(segmentsAcked, (tcb->m_lastAckedSackedBytes + segment - 1) / segment);
    if (!m_isLimit || left == 0)
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
    if (left > 0)
    {
        Avoid(tcb, left);
    }
}

void
RoundTcpCubic::Avoid(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    const Time now = Simulator::Now();
    const double window = tcb->GetCwndInSegments();
    if (!m_isGrowing)
    {
        m_isGrowing = true;
        m_epoch = now;
        m_renoSegments = window;
        m_originSegments = std::max(window, m_mostSegments);
        m_turnSeconds = std::cbrt((m_originSegments - window) / CUBIC_SCALE);
        m_lookedAt = 0;
    }
    m_renoSegments += RENO_GROWTH * segmentsAcked / window;
    if (window != m_lookedAt || now - m_lastLook > LOOK_INTERVAL)
    {
        m_lookedAt = window;
        m_lastLook = now;
        const double since = (now + tcb->m_minRtt - m_epoch).GetSeconds() - m_turnSeconds;
        const double rise = std::floor(CUBIC_SCALE * std::pow(std::abs(since), 3));
        const double cubic = m_originSegments + std::copysign(rise, since);
        const double target = std::max(cubic, std::floor(m_renoSegments));
        const double most = m_mostSegments == 0 ? SLOWEST_AT_FIRST : SLOWEST_LATER * window;
        m_segmentsPerGrowth =
            target > window ? std::clamp(std::floor(window / (target - window)), FASTEST, most)
                            : most;
    }
    // A credit from slower growth makes one segment (Linux's tcp_cong_avoid_ai).
    uint32_t growth = 0;
    if (m_credit >= m_segmentsPerGrowth)
    {
        m_credit = 0;
        growth = 1;
    }
    m_credit += segmentsAcked;
    const double more = std::floor(m_credit / m_segmentsPerGrowth);
    m_credit -= more * m_segmentsPerGrowth;
    tcb->m_cWnd += (growth + static_cast<uint32_t>(more)) * tcb->m_segmentSize;
}

uint32_t
RoundTcpCubic::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    const double window = tcb->GetCwndInSegments();
    m_mostSegments = window < m_mostSegments ? window * (1 + AFTER_LOSS) / 2 : window;
    m_isGrowing = false;
    m_credit = 0;
    return TcpCubic::GetSsThresh(tcb, bytesInFlight);
}

void
RoundTcpCubic::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                  const TcpSocketState::TcpCongState_t state)
{
    TcpCubic::CongestionStateSet(tcb, state);
    if (state == TcpSocketState::CA_LOSS)
    {
        m_mostSegments = 0;
        m_isGrowing = false;
    }
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
