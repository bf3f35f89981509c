/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-laps.h"

#include "edgepipe-language-model-node.h"

#include "ns3/edgepipe-peek-scheduler.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <set>

namespace ns3::edgepipe
{

void
LanguageLaps::Begin(uint32_t position, uint32_t nodes, Begun begun, uint32_t pass, uint32_t laps)
{
    if (pass != m_lap.pass || laps != m_lap.laps || m_lap.begun.size() != nodes)
    {
        m_last = std::move(m_lap);
        m_lap = {pass, laps, nodes, std::vector<Begun>(nodes), {}, {}};
    }
    m_lap.begun[position] = std::move(begun);
    if (--m_lap.missing > 0)
    {
        return;
    }
    m_lap.end = Simulator::Now();
    // The last one counts if all of it is known.
    const bool follows = m_last.pass == pass && m_last.laps == laps + 1 && !m_last.state.empty();
    const Time last = follows ? m_lap.end - m_last.end : Time();
    m_lap.state = FindState(last);
    if (follows && m_lap.state == m_last.state)
    {
        Skip(last);
    }
}

std::vector<double>
LanguageLaps::FindState(const Time& last)
{
    m_traffic.clear();
    std::vector<double> state;
    for (const auto& [node, time, usage] : m_lap.begun)
    {
        // A node may have begun two repeats with as many laps.
        if (!node || !node->IsAtLap(m_lap.pass))
        {
            return {};
        }
        node->ListTraffic(m_lap.pass, m_traffic);
        state.push_back((m_lap.end - time).GetNanoSeconds());
    }
    const auto& transport = m_lap.begun.front().node->GetTransport();
    const auto network = transport->BeginLap(m_traffic, last);
    state.insert(state.end(), network.begin(), network.end());
    return network.empty() ? network : state;
}

void
LanguageLaps::Skip(const Time& last)
{
    auto begun = m_lap.begun;
    std::set<uint32_t> own;
    for (const auto& each : begun)
    {
        own.insert(each.node->GetTask().GetUid());
    }
    const Time room = PeekScheduler::FindNext(own) - m_lap.end - NanoSeconds(1);
    const int64_t most = last.IsZero() ? 0 : room.GetNanoSeconds() / last.GetNanoSeconds();
    if (most <= 0)
    {
        return;
    }
    const auto laps = static_cast<uint32_t>(std::min<int64_t>(most, m_lap.laps - 1));
    begun.front().node->GetTransport()->RepeatLap(m_traffic, last, laps);
    // Tasks that end together keep their order.
    std::stable_sort(begun.begin(), begun.end(), [](const auto& a, const auto& b) {
        return a.node->GetTask().GetUid() < b.node->GetTask().GetUid();
    });
    for (const auto& each : begun)
    {
        const auto before = FindIf(m_last.begun, [&](auto& one) { return one.node == each.node; });
        LanguageNodeUsage usage = each.usage;
        usage.Add(before->usage, -1);
        each.node->SkipLaps(m_lap.pass, laps, last * laps, usage, m_traffic);
    }
    m_lap = {};
}

} // namespace ns3::edgepipe
