/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-network.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeFlowNetwork");

namespace
{

/// No flow finishes later, ns; ns-3's clock ends at 9.2e18.
constexpr double LAST_NANOSECOND = 9e18;

/// A start that touches fewer flows updates the rates without waiting for other starts.
constexpr std::size_t FEW_FLOWS = 8;

/// By how much a flow's highest rate must exceed that of its bundle, as a share.
constexpr double BOUND_MARGIN = 1e-9;

} // namespace

void
FlowNetwork::DoDispose()
{
    m_due.Remove();
    m_finished = FinishedCallback();
    m_reached = MarkCallback();
    m_changed = CapacityCallback();
    m_efficiencies.clear();
    // Events that hold this object, such as a bandwidth schedule, may still run.
    m_links.clear();
    m_stale.clear();
    m_sharing = MaxMinSharing();
    m_queue = FinishQueue();
    m_bundleQueue = FinishQueue();
    m_bundles.clear();
    Object::DoDispose();
}

uint32_t
FlowNetwork::AddLink(double capacity)
{
    m_links.emplace_back();
    m_links.back().offered = capacity;
    m_links.back().capacity = capacity;
    m_isVariable.push_back(false);
    return m_sharing.AddLink(capacity);
}

void
FlowNetwork::SetDuplex(uint32_t a, uint32_t b, double share)
{
    if (share == 0)
    {
        return;
    }
    m_links[a].reverse = b;
    m_links[b].reverse = a;
    m_links[a].share = share;
    m_links[b].share = share;
    m_isVariable[a] = true;
    m_isVariable[b] = true;
}

void
FlowNetwork::SetEfficiency(uint32_t link, Efficiency efficiency, uint32_t also)
{
    m_efficiencies[link] = std::move(efficiency);
    m_isVariable[link] = true;
    if (also != MaxMinSharing::NONE)
    {
        m_links[also].follower = link;
        m_isVariable[also] = true;
    }
    NoticeUse(link);
}

void
FlowNetwork::SetCapacity(uint32_t link, double capacity)
{
    NS_LOG_FUNCTION(this << link << capacity);
    if (link < m_links.size()) // else disposed of
    {
        const double before = m_links[link].capacity;
        m_links[link].offered = capacity;
        m_links[link].capacity = std::max(0.0, capacity - m_links[link].reserved);
        Part(m_links[link].bundled);
        m_sharing.SetCapacity(link, m_links[link].capacity);
        NoticeUse(link);
        // The acknowledgement load on its flows' other links changes too.
        for (const Entry& entry : m_links[link].entries)
        {
            for (const auto& hop : m_flows[entry.flow].hops)
            {
                NoticeUse(hop.link);
            }
        }
        RequestUpdate();
        if (!m_changed.IsNull() && m_links[link].capacity != before)
        {
            m_changed(link, before);
        }
    }
}

void
FlowNetwork::Reserve(uint32_t link, double amount)
{
    if (link < m_links.size()) // else disposed of
    {
        m_links[link].reserved += amount;
        SetCapacity(link, m_links[link].offered);
    }
}

uint32_t
FlowNetwork::StartFlow(const Uses& uses, double bytes, double bound, uint32_t owner)
{
    uint32_t number = m_flows.size();
    if (m_free.empty())
    {
        m_flows.emplace_back();
    }
    else
    {
        number = m_free.back();
        m_free.pop_back();
    }
    for (const auto& use : uses)
    {
        Part(m_links[use.link].bundled);
    }
    Flow& flow = m_flows[number];
    flow = {bytes, 0, Simulator::Now().GetNanoSeconds(), m_started++, owner, bound};
    flow.member = AddMember(uses, bound, number);
    std::size_t neighbours = 0;
    for (const auto& use : uses)
    {
        auto& entries = m_links[use.link].entries;
        const auto hop = static_cast<uint32_t>(flow.hops.size());
        flow.hops.push_back({use.link, static_cast<uint32_t>(entries.size()), use.weight});
        entries.push_back({number, hop});
        neighbours += entries.size();
        if (m_isVariable[use.link])
        {
            NoticeUse(use.link);
            const uint32_t reverse = m_links[use.link].reverse;
            neighbours += reverse == MaxMinSharing::NONE ? 0 : GetFlowCount(reverse);
        }
    }
    // Batching the starts of one instant pays where each start touches many flows.
    if (neighbours < FEW_FLOWS && !m_isUpdateRequested)
    {
        Update();
    }
    else
    {
        RequestUpdate();
    }
    return number;
}

void
FlowNetwork::StopFlow(uint32_t number)
{
    m_queue.Remove(number);
    m_marks.erase(number);
    Flow& flow = m_flows[number];
    if (flow.bundle != MaxMinSharing::NONE)
    {
        Withdraw(number);
    }
    else
    {
        m_sharing.RemoveFlow(flow.member);
    }
    for (const auto& hop : flow.hops)
    {
        NoticeUse(hop.link);
        auto& entries = m_links[hop.link].entries;
        const Entry moved = entries.back();
        entries[hop.entry] = moved;
        m_flows[moved.flow].hops[moved.hop].entry = hop.entry;
        entries.pop_back();
    }
    flow.hops.clear();
    m_free.push_back(number);
    RequestUpdate();
}

uint32_t
FlowNetwork::AddMember(const Uses& uses, double bound, uint32_t owner)
{
    const uint32_t member = m_sharing.AddFlow(uses, bound);
    m_owners.resize(std::max<std::size_t>(m_owners.size(), member + 1));
    m_owners[member] = owner;
    return member;
}

uint32_t
FlowNetwork::FindBundle(uint32_t number) const
{
    const Flow& flow = m_flows[number];
    const uint32_t link = m_sharing.GetBottleneck(flow.member);
    if (link == MaxMinSharing::NONE || GetFlowCount(link) < m_leastBundle ||
        !std::isfinite(flow.remaining))
    {
        return MaxMinSharing::NONE;
    }
    double limit = flow.bound;
    for (const auto& hop : flow.hops)
    {
        if (hop.link != link)
        {
            limit = std::min(limit, m_sharing.GetCapacity(hop.link) / hop.weight);
        }
        else if (const auto bundle = m_bundles.find(link);
                 bundle != m_bundles.end() && bundle->second.GetWeight() != hop.weight)
        {
            return MaxMinSharing::NONE;
        }
        if (hop.link != link && GetFlowCount(hop.link) > 1)
        {
            return MaxMinSharing::NONE;
        }
    }
    return limit > flow.rate * (1 + BOUND_MARGIN) ? link : MaxMinSharing::NONE;
}

void
FlowNetwork::Join(uint32_t number, uint32_t link)
{
    Flow& flow = m_flows[number];
    const int64_t now = Simulator::Now().GetNanoSeconds();
    m_queue.Remove(number);
    m_sharing.RemoveFlow(flow.member);
    flow.bundle = link;
    flow.limit = flow.bound;
    double weight = 0;
    for (const auto& hop : flow.hops)
    {
        if (hop.link == link)
        {
            weight = hop.weight;
        }
        else
        {
            m_links[hop.link].bundled = number;
            flow.limit = std::min(flow.limit, m_sharing.GetCapacity(hop.link) / hop.weight);
        }
    }
    auto bundle = m_bundles.find(link);
    if (bundle == m_bundles.end())
    {
        const uint32_t member = AddMember({{link, weight}}, flow.limit, IS_BUNDLE | link);
        bundle = m_bundles.emplace(link, FlowBundle(member, weight)).first;
        bundle->second.SetRate(flow.rate, now);
    }
    flow.shared = &bundle->second;
    flow.remaining += bundle->second.GetClock(now);
    const auto mark = m_marks.find(number);
    flow.alarm = flow.remaining - (mark == m_marks.end() ? 0 : mark->second);
    bundle->second.Add({flow.limit, number}, {flow.alarm, flow.rank, number});
    UpdateBundle(link);
}

void
FlowNetwork::Withdraw(uint32_t number)
{
    Flow& flow = m_flows[number];
    const uint32_t link = std::exchange(flow.bundle, MaxMinSharing::NONE);
    m_bundles.at(link).Remove({flow.limit, number}, {flow.alarm, flow.rank, number});
    for (const auto& hop : flow.hops)
    {
        if (hop.link != link)
        {
            m_links[hop.link].bundled = MaxMinSharing::NONE;
        }
    }
    UpdateBundle(link);
}

void
FlowNetwork::Part(uint32_t number)
{
    if (number == MaxMinSharing::NONE || m_flows[number].bundle == MaxMinSharing::NONE)
    {
        return;
    }
    Flow& flow = m_flows[number];
    const int64_t now = Simulator::Now().GetNanoSeconds();
    flow.remaining = GetRemaining(number, now);
    flow.since = now;
    flow.rate = 0; // until the next update
    Withdraw(number);
    Uses uses;
    for (const auto& hop : flow.hops)
    {
        uses.push_back({hop.link, hop.weight});
    }
    flow.member = AddMember(uses, flow.bound, number);
    Enqueue(number);
    RequestUpdate();
}

void
FlowNetwork::UpdateBundle(uint32_t link)
{
    const FlowBundle& bundle = m_bundles.at(link);
    if (bundle.GetSize() == 0)
    {
        m_bundleQueue.Remove(link);
        m_sharing.RemoveFlow(bundle.GetMember());
        m_bundles.erase(link);
        return;
    }
    m_sharing.SetWeight(bundle.GetMember(), link, bundle.GetSize() * bundle.GetWeight());
    m_sharing.SetBound(bundle.GetMember(), bundle.GetFirstBound().first);
    EnqueueBundle(link);
}

void
FlowNetwork::EnqueueBundle(uint32_t link)
{
    const FlowBundle& bundle = m_bundles.at(link);
    const double due = bundle.GetDue();
    if (std::isfinite(due))
    {
        const auto& [alarm, rank, flow] = bundle.GetFirstAlarm();
        m_bundleQueue.Set({static_cast<int64_t>(std::min(due, LAST_NANOSECOND)), rank, link});
    }
    else
    {
        m_bundleQueue.Remove(link);
    }
}

void
FlowNetwork::SetWeight(uint32_t number, uint32_t link, double weight)
{
    for (auto& hop : m_flows[number].hops)
    {
        if (hop.link == link && hop.weight != weight)
        {
            Part(number);
            hop.weight = weight;
            m_sharing.SetWeight(m_flows[number].member, link, weight);
        }
    }
    RequestUpdate();
}

void
FlowNetwork::SetBound(uint32_t number, double bound)
{
    Flow& flow = m_flows[number];
    flow.bound = bound;
    if (flow.bundle != MaxMinSharing::NONE)
    {
        double limit = bound;
        for (const auto& hop : flow.hops)
        {
            limit = hop.link == flow.bundle
                        ? limit
                        : std::min(limit, m_sharing.GetCapacity(hop.link) / hop.weight);
        }
        FlowBundle& bundle = m_bundles.at(flow.bundle);
        if (limit <= bundle.GetRate() * (1 + BOUND_MARGIN))
        {
            Part(number);
        }
        else if (limit != flow.limit)
        {
            const FlowBundle::Alarm alarm{flow.alarm, flow.rank, number};
            bundle.Remove({flow.limit, number}, alarm);
            flow.limit = limit;
            bundle.Add({flow.limit, number}, alarm);
            m_sharing.SetBound(bundle.GetMember(), bundle.GetFirstBound().first);
        }
    }
    else if (m_sharing.SetBound(flow.member, bound))
    {
        RequestUpdate();
    }
}

void
FlowNetwork::Extend(uint32_t number, double bytes)
{
    Part(number);
    Flow& flow = m_flows[number];
    flow.remaining = GetRemaining(number) + bytes;
    flow.since = Simulator::Now().GetNanoSeconds();
    Enqueue(number);
    Arm(Simulator::Now());
}

void
FlowNetwork::SetMark(uint32_t number, double remaining)
{
    Part(number);
    Flow& flow = m_flows[number];
    flow.remaining = GetRemaining(number);
    flow.since = Simulator::Now().GetNanoSeconds();
    m_marks[number] = remaining;
    Enqueue(number);
    Arm(Simulator::Now());
}

double
FlowNetwork::GetRate(uint32_t flow)
{
    Update();
    return GetLastRate(flow);
}

void
FlowNetwork::NoticeUse(uint32_t number)
{
    // m_isVariable comes first: reading the link itself would cost a cache miss for every flow.
    if (m_isVariable[number] && !m_links[number].isStale)
    {
        m_links[number].isStale = true;
        m_stale.push_back(number);
    }
}

void
FlowNetwork::RequestUpdate()
{
    if (!m_isUpdateRequested)
    {
        m_isUpdateRequested = true;
        Simulator::ScheduleNow([self = Ptr<FlowNetwork>(this)] {
            if (self->m_isUpdateRequested)
            {
                self->Update();
            }
        });
    }
}

double
FlowNetwork::GetUsableCapacity(uint32_t number) const
{
    const double capacity = m_links[number].capacity;
    const auto& entries = m_links[number].entries;
    double usable = 0;
    for (std::size_t place = 0; place < entries.size() && usable < capacity; ++place)
    {
        double most = capacity;
        for (const auto& hop : m_flows[entries[place].flow].hops)
        {
            most = std::min(most, m_links[hop.link].capacity / hop.weight);
        }
        usable += most;
    }
    return std::min(usable, capacity);
}

void
FlowNetwork::UpdateCapacities()
{
    const auto update = [this](uint32_t number) {
        const Link& link = m_links[number];
        const std::size_t flows = GetFlowCount(number);
        double capacity = link.capacity;
        const auto efficiency = m_efficiencies.find(number);
        if (flows > 0 && efficiency != m_efficiencies.end())
        {
            capacity *= efficiency->second(flows);
        }
        if (flows > 0 && link.reverse != MaxMinSharing::NONE)
        {
            const double acknowledged = m_links[link.reverse].capacity / link.share;
            if (GetFlowCount(link.reverse) > 0)
            {
                capacity =
                    std::max(capacity / 2, capacity - link.share * GetUsableCapacity(link.reverse));
            }
            // Windows outlast an outage of the way back.
            capacity = acknowledged > 0 ? std::min(capacity, acknowledged) : capacity;
        }
        if (capacity != m_sharing.GetCapacity(number))
        {
            Part(link.bundled);
            m_sharing.SetCapacity(number, capacity);
        }
    };
    for (const uint32_t number : m_stale)
    {
        m_links[number].isStale = false;
        update(number);
        for (const uint32_t other : {m_links[number].reverse, m_links[number].follower})
        {
            if (other != MaxMinSharing::NONE)
            {
                update(other);
            }
        }
    }
    m_stale.clear();
}

void
FlowNetwork::Update()
{
    m_isUpdateRequested = true; // what follows requests no other
    UpdateCapacities();
    const Time present = Simulator::Now();
    const int64_t now = present.GetNanoSeconds();
    std::vector<uint32_t> parting;
    std::vector<std::pair<uint32_t, uint32_t>> joining;
    do
    {
        parting.clear();
        joining.clear();
        for (const uint32_t member : m_sharing.Update())
        {
            const uint32_t number = m_owners[member];
            if (number & IS_BUNDLE)
            {
                const uint32_t link = number & ~IS_BUNDLE;
                FlowBundle& bundle = m_bundles.at(link);
                bundle.SetRate(m_sharing.GetRate(member), now);
                EnqueueBundle(link);
                if (m_sharing.GetBottleneck(member) == MaxMinSharing::NONE)
                {
                    parting.push_back(link);
                }
                continue;
            }
            Flow& flow = m_flows[number];
            flow.remaining = std::max(0.0, flow.remaining - flow.rate * 1e-9 * (now - flow.since));
            flow.rate = m_sharing.GetRate(member);
            flow.since = now;
            Enqueue(number);
            if (const uint32_t link = FindBundle(number); link != MaxMinSharing::NONE)
            {
                joining.emplace_back(number, link);
            }
        }
        // Who reaches its bound lets the others of the bundle go on faster.
        for (const uint32_t link : parting)
        {
            const double rate = m_bundles.at(link).GetRate() * (1 + BOUND_MARGIN);
            for (auto bundle = m_bundles.find(link);
                 bundle != m_bundles.end() && bundle->second.GetFirstBound().first <= rate;
                 bundle = m_bundles.find(link))
            {
                Part(bundle->second.GetFirstBound().second);
            }
        }
        for (const auto& [number, link] : joining)
        {
            // One that joined before may have begun a bundle of another weight.
            if (parting.empty() && FindBundle(number) == link)
            {
                Join(number, link);
            }
        }
    } while (!parting.empty() || !joining.empty());
    m_isUpdateRequested = false;
    Arm(present);
}

void
FlowNetwork::Enqueue(uint32_t number)
{
    const Flow& flow = m_flows[number];
    const auto mark = m_marks.find(number);
    const double left =
        mark == m_marks.end() ? flow.remaining : std::max(0.0, flow.remaining - mark->second);
    if ((flow.rate > 0 && std::isfinite(left)) || left == 0)
    {
        const double seconds = left == 0 ? 0 : left / flow.rate;
        const double last = flow.since + std::ceil(1e9 * seconds);
        m_queue.Set({static_cast<int64_t>(std::min(last, LAST_NANOSECOND)), flow.rank, number});
    }
    else
    {
        m_queue.Remove(number);
    }
}

void
FlowNetwork::Arm(const Time& now)
{
    const int64_t first = GetFirst().first;
    // An event that comes too early does no harm and costs less than removing it.
    if (m_dueTime <= first)
    {
        return;
    }
    if (m_dueTime != NEVER)
    {
        // A cancelled event would stay in ns-3's queue until its time.
        m_due.Remove();
    }
    m_dueTime = first;
    m_due =
        Simulator::Schedule(std::max(Time(), NanoSeconds(first) - now), &FlowNetwork::Finish, this);
}

std::pair<int64_t, uint32_t>
FlowNetwork::GetFirst() const
{
    std::pair<int64_t, uint32_t> first{NEVER, 0};
    if (!m_queue.IsEmpty())
    {
        first = {m_queue.GetFirst().time, m_queue.GetFirst().flow};
    }
    if (!m_bundleQueue.IsEmpty())
    {
        const auto& bundle = m_bundleQueue.GetFirst();
        const auto isFirst =
            m_queue.IsEmpty() ||
            std::pair(bundle.time, bundle.rank) < std::pair(first.first, m_queue.GetFirst().rank);
        const uint32_t flow = std::get<2>(m_bundles.at(bundle.flow).GetFirstAlarm());
        first = isFirst ? std::pair(bundle.time, flow) : first;
    }
    return first;
}

void
FlowNetwork::Finish()
{
    m_dueTime = NEVER;
    const int64_t now = Simulator::Now().GetNanoSeconds();
    // Flows that callbacks start get their rates from the Update below.
    m_isUpdateRequested = true;
    while (GetFirst().first <= now)
    {
        const uint32_t number = GetFirst().second;
        const uint32_t owner = m_flows[number].owner;
        if (m_marks.count(number) > 0)
        {
            Part(number);
            m_marks.erase(number);
            m_flows[number].remaining = GetRemaining(number);
            m_flows[number].since = now;
            Enqueue(number);
            m_reached(owner);
            continue;
        }
        StopFlow(number);
        if (owner != UNTOLD)
        {
            m_finished(owner);
        }
    }
    Update();
}

} // namespace ns3::edgepipe
