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
    m_groups.clear();
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

double
FlowNetwork::GetLimit(const Flow& flow, uint32_t link) const
{
    double limit = flow.bound;
    for (const auto& hop : flow.hops)
    {
        if (hop.link != link)
        {
            limit = std::min(limit, m_sharing.GetCapacity(hop.link) / hop.weight);
        }
    }
    return limit;
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
    for (const auto& hop : flow.hops)
    {
        if (hop.link != link && GetFlowCount(hop.link) > 1)
        {
            return MaxMinSharing::NONE;
        }
        if (hop.link == link)
        {
            const auto bundle = m_bundles.find(link);
            if (bundle != m_bundles.end() && bundle->second.GetWeight() != hop.weight)
            {
                return MaxMinSharing::NONE;
            }
        }
    }
    return GetLimit(flow, link) > flow.rate * (1 + BOUND_MARGIN) ? link : MaxMinSharing::NONE;
}

void
FlowNetwork::Join(uint32_t number, uint32_t link)
{
    Flow& flow = m_flows[number];
    double weight = 0;
    for (const auto& hop : flow.hops)
    {
        weight = hop.link == link ? hop.weight : weight;
    }
    FlowBundle& bundle = m_bundles.try_emplace(link, weight).first->second;
    if (bundle.GetSize() == 0)
    {
        bundle.GetClock().SetRate(flow.rate, Simulator::Now().GetNanoSeconds());
    }
    FlowBundle::Group& group = bundle.Find(GetLimit(flow, link));
    if (!group.isWithin)
    {
        return; // its bound holds it at the flow's rate, but for rounding
    }
    m_queue.Remove(number);
    m_sharing.RemoveFlow(flow.member);
    for (const auto& hop : flow.hops)
    {
        if (hop.link != link)
        {
            m_links[hop.link].bundled = number;
        }
    }
    flow.bundle = link;
    Enlist(number, bundle, group);
    UpdateBundle(link);
}

void
FlowNetwork::Enlist(uint32_t number, FlowBundle& bundle, FlowBundle::Group& group)
{
    Flow& flow = m_flows[number];
    flow.group = &group;
    flow.remaining += group.GetClock(Simulator::Now().GetNanoSeconds());
    const auto mark = m_marks.find(number);
    flow.alarm = flow.remaining - (mark == m_marks.end() ? 0 : mark->second);
    bundle.Add(group, {flow.alarm, flow.rank, number});
}

void
FlowNetwork::Delist(uint32_t number)
{
    Flow& flow = m_flows[number];
    const int64_t now = Simulator::Now().GetNanoSeconds();
    flow.remaining = GetRemaining(number, now);
    flow.since = now;
    FlowBundle::Group& group = *std::exchange(flow.group, nullptr);
    const uint32_t member = group.isWithin ? MaxMinSharing::NONE : group.member;
    const std::size_t left = group.alarms.size() - 1;
    FlowBundle& bundle = m_bundles.at(flow.bundle);
    bundle.Remove(group, {flow.alarm, flow.rank, number});
    if (member != MaxMinSharing::NONE && left == 0)
    {
        m_groups.erase(member);
        m_bundleQueue.Remove(member);
        m_sharing.RemoveFlow(member);
    }
    else if (member != MaxMinSharing::NONE)
    {
        m_sharing.SetWeight(member, flow.bundle, left * bundle.GetWeight());
        EnqueueBundle(member);
    }
}

void
FlowNetwork::Withdraw(uint32_t number)
{
    Delist(number);
    Flow& flow = m_flows[number];
    const uint32_t link = std::exchange(flow.bundle, MaxMinSharing::NONE);
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
    Withdraw(number);
    Flow& flow = m_flows[number];
    flow.rate = 0; // until the next update
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
FlowNetwork::Release(uint32_t link, FlowBundle::Group& group)
{
    FlowBundle& bundle = m_bundles.at(link);
    bundle.Release(group, Simulator::Now().GetNanoSeconds());
    group.member = AddMember({{link, group.alarms.size() * bundle.GetWeight()}},
                             group.bound,
                             IS_BUNDLE | link);
    m_groups[group.member] = &group;
    UpdateBundle(link);
}

void
FlowNetwork::Admit(uint32_t member)
{
    const uint32_t link = m_owners[member] & ~IS_BUNDLE;
    FlowBundle& bundle = m_bundles.at(link);
    const auto place = m_groups.find(member);
    FlowBundle::Group& group = *place->second;
    m_groups.erase(place);
    m_bundleQueue.Remove(member);
    m_sharing.RemoveFlow(member);
    const int64_t now = Simulator::Now().GetNanoSeconds();
    if (bundle.GetSize() == 0)
    {
        bundle.GetClock().SetRate(group.own.rate, now);
    }
    bundle.Admit(group, now);
    UpdateBundle(link);
}

void
FlowNetwork::UpdateBundle(uint32_t link)
{
    FlowBundle& bundle = m_bundles.at(link);
    uint32_t& member = bundle.GetMember();
    if (bundle.GetSize() > 0)
    {
        const double weight = bundle.GetSize() * bundle.GetWeight();
        const double bound = bundle.GetLowest().bound;
        if (member == MaxMinSharing::NONE)
        {
            member = AddMember({{link, weight}}, bound, IS_BUNDLE | link);
        }
        m_sharing.SetWeight(member, link, weight);
        m_sharing.SetBound(member, bound);
        EnqueueBundle(member);
        return;
    }
    if (member != MaxMinSharing::NONE)
    {
        m_bundleQueue.Remove(member);
        m_sharing.RemoveFlow(std::exchange(member, MaxMinSharing::NONE));
    }
    if (bundle.IsEmpty())
    {
        m_bundles.erase(link);
    }
}

std::pair<const FlowBundle*, const FlowBundle::Group*>
FlowNetwork::FindOwner(uint32_t member) const
{
    const auto group = m_groups.find(member);
    return {&m_bundles.at(m_owners[member] & ~IS_BUNDLE),
            group == m_groups.end() ? nullptr : group->second};
}

void
FlowNetwork::EnqueueBundle(uint32_t member)
{
    const auto [bundle, group] = FindOwner(member);
    const double due = bundle->GetDue(group);
    if (std::isfinite(due))
    {
        m_bundleQueue.Set({static_cast<int64_t>(std::min(due, LAST_NANOSECOND)), 0, member});
    }
    else
    {
        m_bundleQueue.Remove(member);
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
        const double limit = GetLimit(flow, flow.bundle);
        if (limit == flow.group->bound)
        {
            return;
        }
        FlowBundle& bundle = m_bundles.at(flow.bundle);
        const bool isFree =
            flow.group->isWithin && limit > bundle.GetClock().rate * (1 + BOUND_MARGIN);
        FlowBundle::Group* group = isFree ? &bundle.Find(limit) : nullptr;
        if (group && group->isWithin)
        {
            Delist(number);
            Enlist(number, bundle, *group);
            m_sharing.SetBound(bundle.GetMember(), bundle.GetLowest().bound);
            EnqueueBundle(bundle.GetMember());
        }
        else
        {
            Part(number);
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
    std::vector<uint32_t> entering;
    std::vector<std::pair<uint32_t, uint32_t>> joining;
    do
    {
        parting.clear();
        entering.clear();
        joining.clear();
        for (const uint32_t member : m_sharing.Update())
        {
            const uint32_t number = m_owners[member];
            if (number & IS_BUNDLE)
            {
                const uint32_t link = number & ~IS_BUNDLE;
                const double rate = m_sharing.GetRate(member);
                const bool isBound = m_sharing.GetBottleneck(member) == MaxMinSharing::NONE;
                const auto group = m_groups.find(member);
                if (group == m_groups.end())
                {
                    m_bundles.at(link).GetClock().SetRate(rate, now);
                    if (isBound)
                    {
                        parting.push_back(link);
                    }
                }
                else
                {
                    group->second->own.SetRate(rate, now);
                    if (!isBound && group->second->bound > rate * (1 + BOUND_MARGIN))
                    {
                        entering.push_back(member);
                    }
                }
                EnqueueBundle(member);
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
            FlowBundle& bundle = m_bundles.at(link);
            const double rate = bundle.GetClock().rate * (1 + BOUND_MARGIN);
            while (bundle.GetSize() > 0 && bundle.GetLowest().bound <= rate)
            {
                Release(link, bundle.GetLowest());
            }
        }
        std::for_each(entering.begin(), entering.end(), [this](auto one) { Admit(one); });
        for (const auto& [number, link] : joining)
        {
            // One that joined before may have begun a bundle of another weight.
            if (parting.empty() && FindBundle(number) == link)
            {
                Join(number, link);
            }
        }
    } while (!parting.empty() || !entering.empty() || !joining.empty());
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
    const int64_t first = GetFirst();
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

int64_t
FlowNetwork::GetFirst() const
{
    return std::min(m_queue.IsEmpty() ? NEVER : m_queue.GetFirst().time,
                    m_bundleQueue.IsEmpty() ? NEVER : m_bundleQueue.GetFirst().time);
}

std::vector<FinishQueue::Item>
FlowNetwork::TakeDue(int64_t now)
{
    std::vector<FinishQueue::Item> due;
    while (!m_queue.IsEmpty() && m_queue.GetFirst().time <= now)
    {
        due.push_back(m_queue.GetFirst());
        m_queue.Remove(due.back().flow);
    }
    std::vector<uint32_t> flows;
    while (!m_bundleQueue.IsEmpty() && m_bundleQueue.GetFirst().time <= now)
    {
        const auto [time, rank, member] = m_bundleQueue.GetFirst();
        m_bundleQueue.Remove(member);
        flows.clear();
        const auto [bundle, group] = FindOwner(member);
        bundle->ListDue(group, now, flows);
        for (const uint32_t flow : flows)
        {
            due.push_back({time, m_flows[flow].rank, flow});
        }
    }
    std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) {
        return std::pair(a.time, a.rank) < std::pair(b.time, b.rank);
    });
    return due;
}

void
FlowNetwork::Finish()
{
    m_dueTime = NEVER;
    const int64_t now = Simulator::Now().GetNanoSeconds();
    // Flows that callbacks start get their rates from the Update below.
    m_isUpdateRequested = true;
    while (GetFirst() <= now)
    {
        for (const auto& [time, rank, number] : TakeDue(now))
        {
            // Callbacks may have stopped it, or changed when it ends.
            if (m_flows[number].rank != rank || m_flows[number].hops.empty() ||
                m_queue.Contains(number))
            {
                continue;
            }
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
    }
    Update();
}

} // namespace ns3::edgepipe
