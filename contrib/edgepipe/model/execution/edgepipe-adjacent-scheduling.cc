/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-adjacent-scheduling.h"

#include "ns3/abort.h"

namespace ns3::edgepipe
{

namespace
{

/// The clock's resolution, seconds; gains up to this count as none.
constexpr double TICK = 1e-9;
/// Most iterations for which a delay counts; any larger number would do.
constexpr uint32_t MOST_PATIENCE = 1 << 20;

} // namespace

AssistanceAnswer
SplitSamples(const AssistanceQuestion& question)
{
    const AssistanceQuestion& q = question;
    const auto getSeconds = [&q](double samples) {
        return std::max(q.ownerSeconds - samples * q.ownerSecondsPerSample,
                        q.helperSeconds + samples * q.helperSecondsPerSample);
    };
    const AssistanceAnswer none{0, q.ownerSeconds};
    const double slopes = q.ownerSecondsPerSample + q.helperSecondsPerSample;
    if (!(slopes > 0) || q.mostSamples == 0)
    {
        return none;
    }
    const double balanced = (q.ownerSeconds - q.helperSeconds) / slopes;
    const double most = q.mostSamples;
    const double fewer = std::clamp(std::floor(balanced), 0.0, most);
    const double more = std::clamp(std::ceil(balanced), 0.0, most);
    const double samples = getSeconds(more) < getSeconds(fewer) ? more : fewer;
    const double seconds = getSeconds(samples);
    if (samples == 0 || q.ownerSeconds - seconds <= std::max(TICK, q.minimumGainSeconds))
    {
        return none;
    }
    return {static_cast<uint32_t>(samples), seconds};
}

void
HelpDelay::Notice(uint32_t iteration, double seconds)
{
    if (seconds < m_seconds / 2)
    {
        m_patience = 1;
    }
    else if (m_seconds > 0 && iteration >= m_end)
    {
        m_patience = std::min(2 * m_patience, MOST_PATIENCE);
    }
    m_seconds = seconds;
    m_end = iteration + 1 + m_patience;
}

TransferForecast::TransferForecast(double bytesPerSecond)
    : m_bytesPerSecond(bytesPerSecond)
{
}

void
TransferForecast::NoticeSent(const Time& now, uint64_t bytes)
{
    m_underWay.push_back({now, bytes});
}

void
TransferForecast::NoticeArrived(const Time& now)
{
    NS_ABORT_MSG_IF(m_underWay.empty(), "what has arrived was never sent");
    const double seconds = (now - GetBegin()).GetSeconds();
    if (seconds > 0 && m_underWay.front().bytes > 0)
    {
        m_bytesPerSecond = m_underWay.front().bytes / seconds;
    }
    m_underWay.pop_front();
    m_lastArrival = now;
}

double
TransferForecast::GetRemainingSeconds(const Time& now) const
{
    if (m_underWay.empty())
    {
        return 0;
    }
    const double elapsed = (now - GetBegin()).GetSeconds();
    return std::max(0.0, GetSeconds(m_underWay.front().bytes) - elapsed);
}

double
TransferForecast::GetSeconds(uint64_t bytes) const
{
    return bytes / m_bytesPerSecond;
}

Time
TransferForecast::GetBegin() const
{
    return std::max(m_underWay.front().sent, m_lastArrival);
}

} // namespace ns3::edgepipe
