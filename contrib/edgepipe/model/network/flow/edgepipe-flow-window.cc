/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::edgepipe
{

namespace
{

/// TCP's initial window after a pause (RFC 6928), segments.
constexpr double INITIAL_WINDOW = 10;
/// Initial window of a new connection, segments: the receiver acknowledges an odd last segment
/// late, so the window grows as if it were smaller. At packet level it is 19, 37, 72, 158, 298 and
/// 601 segments after 1 to 6 round trips.
constexpr double NEW_WINDOW = 9.4;
/// Smallest window that HyStart watches, segments: TcpCubic's HyStartLowWindow.
constexpr double HYSTART_LOW_WINDOW = 16;
/// Most segments acknowledged per segment of growth after slow start, TcpCubic's CntClamp.
constexpr double GROWTH_COUNT = 20;
/// Fewest segments acknowledged per segment of growth, TcpCubic's.
constexpr double FASTEST_COUNT = 2;
/// CUBIC's scaling factor, segments/s^3, TcpCubic's C.
constexpr double CUBIC_SCALE = 0.4;

} // namespace

FlowWindow::FlowWindow(double segmentBytes, double largestBytes)
    : m_segmentBytes(segmentBytes),
      m_largestBytes(largestBytes),
      m_bytes(std::min(NEW_WINDOW * segmentBytes, largestBytes)),
      m_firstBytes(m_bytes),
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
FlowWindow::Acknowledge(double bytes, const Full& full, double now)
{
    // Beyond the window, slow start sends two bytes per byte acknowledged.
    const double sent = std::min(bytes, (m_bytes + bytes) / 2);
    if (m_isSlowStart)
    {
        const bool isFirst = std::isinf(m_threshold);
        const double low = HYSTART_LOW_WINDOW * m_segmentBytes;
        const auto doubled = [this](double least) {
            return m_firstBytes *
                   std::exp2(std::max(0.0, std::ceil(std::log2(least / m_firstBytes))));
        };
        m_fullBytes = std::max({m_fullBytes, full.bytes, low});
        const double end =
            isFirst ? doubled(full.bytes > 0 ? m_fullBytes : low) + full.more : m_threshold;
        const double growth = std::max(0.0, std::min(bytes, end - m_bytes));
        m_bytes += growth;
        bytes -= growth;
        m_isSlowStart = m_bytes < end;
        if (isFirst && !m_isSlowStart)
        {
            m_threshold = m_originBytes = m_bytes;
            m_epoch = now;
        }
    }
    const double since = now - m_epoch;
    const double target = m_originBytes + m_segmentBytes * CUBIC_SCALE * since * since * since;
    const double least = m_bytes + bytes / GROWTH_COUNT;
    const double most = m_bytes + bytes / FASTEST_COUNT;
    m_bytes = std::min(std::clamp(target, least, most), m_largestBytes);
    m_usedBytes = std::max(m_usedBytes, std::min(sent, m_bytes));
}

void
FlowWindow::Restart(double timeouts)
{
    if (timeouts > 1 && m_usedBytes > 0)
    {
        const double window = std::min(m_bytes, m_usedBytes * (m_isSlowStart ? 2 : 1));
        m_threshold = std::max(m_threshold, 0.75 * window);
        const double least = std::min(INITIAL_WINDOW * m_segmentBytes, m_largestBytes);
        m_bytes = std::max(window * std::exp2(-std::floor(timeouts)), least);
        m_firstBytes = m_bytes;
        m_isSlowStart = m_bytes < m_threshold;
        m_usedBytes = 0;
    }
}

} // namespace ns3::edgepipe
