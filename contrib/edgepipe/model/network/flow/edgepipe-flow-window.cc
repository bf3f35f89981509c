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

/// Segments in TCP's first window. It is 10 (RFC 6928), but a message's header has a segment of its
/// own and the odd segment of a window is acknowledged late, so that it grows as if it were less;
/// by packet level, 19, 37, 72, 158, 298 and 601 segments after 1 to 6 round trips.
constexpr double INITIAL_WINDOW = 9.4;
/// Segments below which HyStart does not look, TcpCubic's HyStartLowWindow.
constexpr double HYSTART_LOW_WINDOW = 16;
/// Segments acknowledged per segment of growth after slow start, TcpCubic's CntClamp.
constexpr double GROWTH_COUNT = 20;
/// Segments acknowledged per segment of growth at least, TcpCubic's.
constexpr double FASTEST_COUNT = 2;
/// CUBIC's scaling factor, segments/s^3, TcpCubic's C.
constexpr double CUBIC_SCALE = 0.4;

} // namespace

FlowWindow::FlowWindow(double segmentBytes, double largestBytes)
    : m_segmentBytes(segmentBytes),
      m_largestBytes(largestBytes),
      m_bytes(std::min(INITIAL_WINDOW * segmentBytes, largestBytes)),
      m_firstBytes(m_bytes)
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
    if (m_isSlowStart)
    {
        const double low = HYSTART_LOW_WINDOW * m_segmentBytes;
        const auto doubled = [this](double least) {
            return m_firstBytes *
                   std::exp2(std::max(0.0, std::ceil(std::log2(least / m_firstBytes))));
        };
        m_fullBytes = std::max({m_fullBytes, full.bytes, low});
        const double end = doubled(full.bytes > 0 ? m_fullBytes : low) + full.more;
        const double growth = std::max(0.0, std::min(bytes, end - m_bytes));
        m_bytes += growth;
        bytes -= growth;
        m_isSlowStart = m_bytes < end;
        m_epoch = now;
        m_originBytes = m_bytes;
    }
    const double since = now - m_epoch;
    const double target = m_originBytes + m_segmentBytes * CUBIC_SCALE * since * since * since;
    const double least = m_bytes + bytes / GROWTH_COUNT;
    const double most = m_bytes + bytes / FASTEST_COUNT;
    m_bytes = std::min(std::clamp(target, least, most), m_largestBytes);
}

} // namespace ns3::edgepipe
