/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-server-use.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace edgepipe
{

const Time ServerUse::NEVER = Time::Min();

void
ServerUse::Add(uint32_t device, uint32_t cell)
{
    m_taken[device].cell = cell;
}

void
ServerUse::CountWork(uint32_t device, double seconds, const Time& now)
{
    Taken& taken = m_taken[device];
    taken.seconds += seconds;
    taken.lastWork = now;
    m_seconds += seconds;
}

void
ServerUse::CountBytes(uint32_t device, uint64_t bytes, const Time& now)
{
    Taken& taken = m_taken[device];
    taken.bytes += static_cast<double>(bytes);
    taken.lastBytes = now;
    m_cellBytes[taken.cell] += static_cast<double>(bytes);
}

void
ServerUse::CountBacklog(double seconds, const Time& now)
{
    TurnPeriod(now);
    m_leastBacklog[1] = std::min(m_leastBacklog[1], seconds);
}

void
ServerUse::SetPeriod(const Time& period)
{
    m_period = period;
}

void
ServerUse::TurnPeriod(const Time& now)
{
    if (now - m_periodStart < m_period)
    {
        return;
    }
    m_leastBacklog = {now - m_periodStart < m_period + m_period ? m_leastBacklog[1] : NONE, NONE};
    m_periodStart = now;
}

Time
ServerUse::GetTold(uint32_t device) const
{
    return m_taken.at(device).told;
}

ServerSharing
ServerUse::Tell(uint32_t device, const Time& now)
{
    Taken& own = m_taken[device];
    const Time since = std::exchange(own.told, now);
    const double seconds = m_seconds - own.seconds;
    const double bytes = own.cell == 0 ? 0 : m_cellBytes[own.cell] - own.bytes;
    ServerSharing sharing;
    if (since != NEVER && now > since)
    {
        const double window = (now - since).GetSeconds();
        sharing.busyShare = (seconds - own.toldSeconds) / window;
        sharing.cellBitsPerSecond = 8 * (bytes - own.toldBytes) / window;
        for (const auto& [other, taken] : m_taken)
        {
            const bool isOther = other != device;
            sharing.devices += isOther && taken.lastWork > since;
            sharing.cellDevices +=
                isOther && own.cell != 0 && taken.cell == own.cell && taken.lastBytes > since;
        }
    }
    TurnPeriod(now);
    const double least = std::min(m_leastBacklog[0], m_leastBacklog[1]);
    sharing.backlogSeconds = least == NONE ? 0 : least;
    own.toldSeconds = seconds;
    own.toldBytes = bytes;
    return sharing;
}

} // namespace edgepipe
} // namespace ns3
