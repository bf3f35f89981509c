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
    Object::DoDispose();
}

uint32_t
FlowNetwork::AddLink(double capacity)
{
    m_links.push_back({capacity, capacity});
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
        m_sharing.SetCapacity(link, m_links[link].capacity);
        NoticeUse(link);
        // The acknowledgement load on its flows' other links changes too.
        for (std::size_t place = 0; place < m_sharing.GetFlowCount(link); ++place)
        {
            for (const auto& hop : m_sharing.GetHops(m_sharing.GetFlow(link, place)))
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
    const uint32_t number = m_sharing.AddFlow(uses, bound);
    if (number >= m_flows.size())
    {
        m_flows.resize(number + 1);
    }
    m_flows[number] = {bytes, 0, Simulator::Now().GetNanoSeconds(), m_started++, owner};
    std::size_t neighbours = 0;
    for (const auto& use : uses)
    {
        neighbours += m_sharing.GetFlowCount(use.link);
        if (m_isVariable[use.link])
        {
            NoticeUse(use.link);
            const uint32_t reverse = m_links[use.link].reverse;
            neighbours += reverse == MaxMinSharing::NONE ? 0 : m_sharing.GetFlowCount(reverse);
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
FlowNetwork::StopFlow(uint32_t flow)
{
    m_queue.Remove(flow);
    m_marks.erase(flow);
    for (const auto& hop : m_sharing.GetHops(flow))
    {
        NoticeUse(hop.link);
    }
    m_sharing.RemoveFlow(flow);
    RequestUpdate();
}

void
FlowNetwork::Extend(uint32_t number, double bytes)
{
    Flow& flow = m_flows[number];
    flow.remaining = GetRemaining(number) + bytes;
    flow.since = Simulator::Now().GetNanoSeconds();
    Enqueue(number);
    Arm(Simulator::Now());
}

void
FlowNetwork::SetMark(uint32_t number, double remaining)
{
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
    return m_flows[flow].rate;
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
    const std::size_t flows = m_sharing.GetFlowCount(number);
    double usable = 0;
    for (std::size_t place = 0; place < flows && usable < capacity; ++place)
    {
        double most = capacity;
        for (const auto& hop : m_sharing.GetHops(m_sharing.GetFlow(number, place)))
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
        const std::size_t flows = m_sharing.GetFlowCount(number);
        double capacity = link.capacity;
        const auto efficiency = m_efficiencies.find(number);
        if (flows > 0 && efficiency != m_efficiencies.end())
        {
            capacity *= efficiency->second(flows);
        }
        if (flows > 0 && link.reverse != MaxMinSharing::NONE)
        {
            const double acknowledged = m_links[link.reverse].capacity / link.share;
            if (m_sharing.GetFlowCount(link.reverse) > 0)
            {
                capacity =
                    std::max(capacity / 2, capacity - link.share * GetUsableCapacity(link.reverse));
            }
            // Windows outlast an outage of the way back.
            capacity = acknowledged > 0 ? std::min(capacity, acknowledged) : capacity;
        }
        m_sharing.SetCapacity(number, capacity);
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
    m_isUpdateRequested = false;
    UpdateCapacities();
    const Time present = Simulator::Now();
    const int64_t now = present.GetNanoSeconds();
    for (const uint32_t number : m_sharing.Update())
    {
        Flow& flow = m_flows[number];
        flow.remaining = std::max(0.0, flow.remaining - flow.rate * 1e-9 * (now - flow.since));
        flow.rate = m_sharing.GetRate(number);
        flow.since = now;
        Enqueue(number);
    }
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
    if (m_queue.IsEmpty())
    {
        return;
    }
    const int64_t first = m_queue.GetFirst().time;
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
    m_due = Simulator::Schedule(NanoSeconds(first) - now, &FlowNetwork::Finish, this);
}

void
FlowNetwork::Finish()
{
    m_dueTime = NEVER;
    const int64_t now = Simulator::Now().GetNanoSeconds();
    // Flows that callbacks start get their rates from the Update below.
    m_isUpdateRequested = true;
    while (!m_queue.IsEmpty() && m_queue.GetFirst().time <= now)
    {
        const uint32_t number = m_queue.GetFirst().flow;
        const uint32_t owner = m_flows[number].owner;
        if (m_marks.erase(number) > 0)
        {
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
