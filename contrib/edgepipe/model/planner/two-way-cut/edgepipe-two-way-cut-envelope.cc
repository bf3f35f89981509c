/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-envelope.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace edgepipe
{

TwoWayCutEnvelope::TwoWayCutEnvelope(std::vector<CutLine> lines,
                                     CutChoices choices,
                                     std::size_t layers)
    : m_lines(std::move(lines)),
      m_choices(std::move(choices)),
      m_layers(layers),
      m_plans(m_lines.size())
{
    NS_ASSERT_MSG(!m_lines.empty(), "an envelope needs a line");
    m_starts.push_back(0);
    for (std::size_t i = 1; i < m_lines.size(); ++i)
    {
        const CutLine& below = m_lines[i - 1];
        m_starts.push_back(static_cast<double>(m_lines[i].bytes - below.bytes) * 8 /
                           (below.fixedSeconds - m_lines[i].fixedSeconds));
    }
}

std::size_t
TwoWayCutEnvelope::GetSegments() const
{
    return m_lines.size();
}

double
TwoWayCutEnvelope::GetLowestBitsPerSecond(std::size_t segment) const
{
    return m_starts[segment];
}

std::size_t
TwoWayCutEnvelope::FindSegment(double uplinkBitsPerSecond) const
{
    const auto next = std::upper_bound(m_starts.begin() + 1, m_starts.end(), uplinkBitsPerSecond);
    return next - m_starts.begin() - 1;
}

const TwoWayCutPlan&
TwoWayCutEnvelope::GetPlan(std::size_t segment)
{
    TwoWayCutPlan& plan = m_plans[segment];
    if (plan.isOnDevice.empty())
    {
        plan.isOnDevice = m_choices.Expand(m_lines[segment].choice, m_layers);
    }
    return plan;
}

const TwoWayCutPlan&
TwoWayCutEnvelope::FindPlan(double uplinkBitsPerSecond)
{
    return GetPlan(FindSegment(uplinkBitsPerSecond));
}

} // namespace edgepipe
} // namespace ns3
