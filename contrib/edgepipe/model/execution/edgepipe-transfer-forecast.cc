/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-transfer-forecast.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

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

bool
TransferForecast::IsBusy() const
{
    return !m_underWay.empty();
}

Time
TransferForecast::GetBegin() const
{
    return std::max(m_underWay.front().sent, m_lastArrival);
}

} // namespace edgepipe
} // namespace ns3
