/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::edgepipe
{

namespace
{

/// Segments less than the initial window, from which that of a new connection doubles: the receiver
/// acknowledges an odd last segment late, so it grows as if it had been smaller. At packet level it
/// is 19, 37, 72, 158, 298 and 601 segments after 1 to 6 round trips from 10.
constexpr double ACKNOWLEDGED_LATE = 0.6;
/// Smallest window that HyStart watches, segments: TcpCubic's HyStartLowWindow.
constexpr double HYSTART_LOW_WINDOW = 16;
/// Most segments acknowledged per segment of growth after slow start, TcpCubic's CntClamp.
constexpr double GROWTH_COUNT = 20;
/// Fewest segments acknowledged per segment of growth, TcpCubic's.
constexpr double FASTEST_COUNT = 2;
/// CUBIC's scaling factor, segments/s^3, TcpCubic's C.
constexpr double CUBIC_SCALE = 0.4;
/// Share of the window that a loss leaves, RFC 9438's beta.
constexpr double AFTER_LOSS = 0.7;
/// Linux's CUBIC decides anew how fast to grow when its window has changed, or after this, s.
constexpr double UPDATE_SECONDS = 1. / 32;
/// Segments acknowledged per segment of the window and segment by which Reno's would grow.
constexpr double RENO_COUNT = 1.875;

} // namespace

FlowWindow::FlowWindow(double segmentBytes, double largestBytes, double initialSegments)
    : m_segmentBytes(segmentBytes),
      m_largestBytes(largestBytes),
      m_initialBytes(std::min(initialSegments * segmentBytes, largestBytes)),
      m_bytes(m_initialBytes),
      m_firstBytes(std::min((initialSegments - ACKNOWLEDGED_LATE) * segmentBytes, largestBytes)),
      m_lateBytes(2 * (m_bytes - m_firstBytes)),
      m_threshold(std::numeric_limits<double>::infinity())
{
}

bool
FlowWindow::IsWatched() const
{
    return m_bytes >= HYSTART_LOW_WINDOW * m_segmentBytes;
}

double
FlowWindow::GetBytesToGrow(double factor) const
{
    const double growth = (factor - 1) * m_bytes;
    return m_bytes + growth > m_largestBytes ? std::numeric_limits<double>::infinity()
                                             : growth * (m_isSlowStart ? 1 : GROWTH_COUNT);
}

void
FlowWindow::Acknowledge(double bytes, double inFlight, const Full& full, double now)
{
    // Beyond the window, slow start sends two bytes per byte acknowledged.
    const double both = std::exchange(m_roundBytes, bytes) + bytes / 2;
    const double sent = std::min({std::max(bytes, both), (m_bytes + bytes) / 2, inFlight});
    const bool isLimit = inFlight > m_bytes - m_segmentBytes;
    if (m_isSlowStart)
    {
        const bool isFirst = std::isinf(m_threshold);
        const double low = HYSTART_LOW_WINDOW * m_segmentBytes;
        const auto doubled = [this](double least) {
            return m_firstBytes *
                   std::exp2(std::max(0.0, std::ceil(std::log2(least / m_firstBytes))));
        };
        m_fullBytes = std::max(m_fullBytes, full.bytes);
        // HyStart's rounds begin where the window passes the lowest, and its doublings.
        const double begun = doubled(m_fullBytes) * std::max(1.0, low / m_firstBytes);
        const double found = std::max(doubled(low), full.bytes > 0 ? begun + full.more : 0);
        const double end = isFirst ? found : m_threshold;
        const double late = bytes > 0 ? std::exchange(m_lateBytes, 0) : 0;
        const double growth =
            std::max(0.0, std::min({bytes - late, end - m_bytes, 2 * inFlight - m_bytes}));
        m_bytes += growth;
        m_isSlowStart = m_bytes < end;
        bytes = m_isSlowStart ? 0 : bytes - growth;
        if (isFirst && !m_isSlowStart)
        {
            m_threshold = m_originBytes = m_bytes;
            m_epoch = now;
        }
        else if (m_largestSeen > 0 && !m_isSlowStart)
        {
            m_epoch = now;
        }
    }
    if (m_isRecovering)
    {
        m_isRecovering = false;
        m_epoch = now;
        m_updated = now;
        m_updatedBytes = GetBytes();
        m_growth = 0;
        return;
    }
    bytes = isLimit ? bytes : 0;
    if (m_largestSeen > 0 && !m_isSlowStart)
    {
        Grow(bytes, now);
        return;
    }
    const double since = now - m_epoch;
    const double target = m_originBytes + m_segmentBytes * CUBIC_SCALE * since * since * since;
    const double least = m_bytes + bytes / GROWTH_COUNT;
    const double most = m_bytes + bytes / FASTEST_COUNT;
    m_bytes = std::min(std::clamp(target, least, most), m_largestBytes);
    m_usedBytes = std::max(m_usedBytes, std::min(sent, m_bytes));
}

void
FlowWindow::Grow(double bytes, double now)
{
    const double window = GetBytes();
    m_renoBytes += m_segmentBytes * bytes / (RENO_COUNT * window);
    if (window != m_updatedBytes || now - m_updated > UPDATE_SECONDS)
    {
        const double since = now - m_epoch - m_flatSeconds;
        const double cubic = m_originBytes + m_segmentBytes * CUBIC_SCALE * since * since * since;
        const double reno = std::floor(m_renoBytes / m_segmentBytes) * m_segmentBytes;
        m_growth = std::clamp((std::max(cubic, reno) - window) / window, 0.0, 1 / FASTEST_COUNT);
        m_updated = now;
        m_updatedBytes = window;
    }
    m_bytes = std::min(m_bytes + bytes * m_growth, m_largestBytes);
    m_usedBytes = std::max(m_usedBytes, std::min(bytes, m_bytes));
}

void
FlowWindow::Lose(bool isTimeout)
{
    const double window = GetBytes();
    // A window that shrinks twice makes room (RFC 9438, section 4.7).
    m_largestSeen = window < m_largestSeen ? window * (1 + AFTER_LOSS) / 2 : window;
    const double segments = std::max(2., std::floor(AFTER_LOSS * window / m_segmentBytes));
    m_threshold = std::min(segments * m_segmentBytes, m_largestBytes);
    m_originBytes = std::max(m_largestSeen, m_threshold);
    m_flatSeconds = std::cbrt((m_originBytes - m_threshold) / (CUBIC_SCALE * m_segmentBytes));
    m_renoBytes = m_threshold;
    m_isRecovering = !isTimeout;
    m_isSlowStart = isTimeout;
    m_bytes = isTimeout ? m_segmentBytes : m_threshold;
    m_firstBytes = m_bytes;
    m_usedBytes = 0;
}

void
FlowWindow::Restart(double timeouts)
{
    if (timeouts > 1 && m_usedBytes > 0)
    {
        const double window = std::min(m_bytes, m_usedBytes * (m_isSlowStart ? 2 : 1));
        m_threshold = std::max(m_threshold, 0.75 * window);
        m_bytes = std::max(window * std::exp2(-std::floor(timeouts)), m_initialBytes);
        m_firstBytes = m_bytes;
        m_isSlowStart = m_bytes < m_threshold;
        m_usedBytes = 0;
    }
}

} // namespace ns3::edgepipe
