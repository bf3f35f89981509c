/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-envelope.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param a a line
 * @param b one with more bytes and fewer fixed seconds
 * @return the x at which they meet, > 0
 */
double
FindCrossing(const CutLine& a, const CutLine& b)
{
    return (a.fixedSeconds - b.fixedSeconds) / static_cast<double>(b.bytes - a.bytes);
}

} // namespace

void
KeepLowerEnvelope(std::vector<CutLine>& lines)
{
    std::sort(lines.begin(), lines.end(), [](const CutLine& a, const CutLine& b) {
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.fixedSeconds < b.fixedSeconds;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        const CutLine line = lines[i];
        if (kept > 0 && line.fixedSeconds >= lines[kept - 1].fixedSeconds)
        {
            continue;
        }
        // More bytes win at smaller x: the last kept line is lowest between its crossings with this
        // line and with the one before it.
        while (kept > 1 && FindCrossing(lines[kept - 2], lines[kept - 1]) <=
                               FindCrossing(lines[kept - 1], line))
        {
            --kept;
        }
        lines[kept++] = line;
    }
    lines.resize(kept);
}

CutChoices::CutChoices()
    : m_choices{{0, 0, 0, 0}}
{
}

uint32_t
CutChoices::Add(uint32_t begin, uint32_t end, uint32_t left, uint32_t right)
{
    m_choices.push_back({begin, end, left, right});
    return static_cast<uint32_t>(m_choices.size() - 1);
}

std::vector<bool>
CutChoices::Expand(uint32_t choice, std::size_t layers) const
{
    std::vector<bool> isChosen(layers, false);
    std::vector<uint32_t> toVisit{choice};
    while (!toVisit.empty())
    {
        const Choice& next = m_choices[toVisit.back()];
        toVisit.pop_back();
        for (uint32_t place = next.begin; place < next.end; ++place)
        {
            isChosen[order[place]] = true;
        }
        for (const uint32_t part : {next.left, next.right})
        {
            if (part != 0)
            {
                toVisit.push_back(part);
            }
        }
    }
    return isChosen;
}

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

} // namespace ns3::edgepipe
