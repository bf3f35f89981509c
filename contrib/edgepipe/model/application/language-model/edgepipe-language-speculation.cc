/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-speculation.h"

#include "ns3/edgepipe-ranges.h"

#include <algorithm>

namespace ns3::edgepipe
{

LanguageSpeculation::LanguageSpeculation(uint32_t drafts,
                                         uint32_t depth,
                                         std::vector<bool> record,
                                         std::function<bool()> draw)
    : m_drafts(drafts),
      m_depth(depth),
      m_isDrawn(record.empty()),
      m_right(std::move(record)),
      m_draw(std::move(draw))
{
}

void
LanguageSpeculation::Begin(uint64_t tokens)
{
    m_before += m_tokens - 1;
    m_tokens = tokens;
    Turn(0, false);
}

void
LanguageSpeculation::Turn(uint64_t first, bool isGuess)
{
    m_next = {};
    m_next.first = first;
    // No window goes beyond the answer, whose last token comes without a draft.
    const uint64_t useful = m_tokens - std::min(m_tokens, first + 2);
    m_next.drafts = std::min<uint64_t>(m_drafts, useful);
    m_isGuess = isGuess;
    m_steps = 0;
}

bool
LanguageSpeculation::IsRight(uint64_t token)
{
    const uint64_t draft = m_before + token - 1;
    while (m_isDrawn && m_right.size() <= draft)
    {
        m_right.push_back(m_draw());
    }
    return m_right[draft % m_right.size()];
}

bool
LanguageSpeculation::IsComplete() const
{
    return IsOpen() && m_steps == CountSteps();
}

std::optional<uint32_t>
LanguageSpeculation::FindVoid() const
{
    const auto wrong = FindIf(m_sent, [](const Window& window) { return !window.isRight; });
    return wrong ? std::optional(wrong->pass) : std::nullopt;
}

void
LanguageSpeculation::Send(uint32_t pass)
{
    m_next.pass = pass;
    while (m_next.right < m_next.drafts && IsRight(m_next.first + m_next.right + 1))
    {
        ++m_next.right;
    }
    const uint64_t after = m_next.first + m_next.drafts + 1;
    m_next.isRight = m_next.right == m_next.drafts && IsRight(after);
    m_sent.push_back(m_next);
    Turn(after, true);
}

std::optional<uint64_t>
LanguageSpeculation::BeginStep()
{
    if (m_isStepping || !IsOpen() || m_steps == CountSteps())
    {
        return std::nullopt;
    }
    m_isStepping = true;
    return m_next.first + m_steps - m_isGuess;
}

void
LanguageSpeculation::EndStep()
{
    m_steps += !m_isWasted;
    m_isStepping = false;
    m_isWasted = false;
}

uint32_t
LanguageSpeculation::End(uint32_t pass)
{
    if (const auto window = FindIf(m_sent, [pass](auto& one) { return one.pass == pass; }))
    {
        window->isBack = true;
    }
    uint32_t known = 0;
    while (!m_sent.empty() && m_sent.front().isBack)
    {
        const Window window = m_sent.front();
        m_sent.pop_front();
        known += window.right + 1;
        const uint64_t last = window.first + window.right + 1;
        if (!window.isRight)
        {
            m_sent.clear();
            m_isWasted = m_isStepping;
            Turn(last, false);
        }
        else if (m_sent.empty() && m_steps == 0 && !m_isStepping)
        {
            Turn(last, false); // no draft of it has begun
        }
    }
    return known;
}

} // namespace ns3::edgepipe
