/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-max-min-sharing.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ns3::edgepipe
{

namespace
{

/// Relative difference up to which loads, capacities and rates count as equal: above the rounding
/// of sums over tens of thousands of flows.
constexpr double TOLERANCE = 1e-11;

/// Relative difference up to which a rate is left as it was, so that rounding reschedules nothing.
constexpr double SAME_RATE = 1e-14;

/// Share of a sum below which what subtractions leave of it is mostly rounding.
constexpr double CANCELLED = 1e-3;

/// Flows from which on a link is crowded: of fewer, sums are taken anew, so that they are exact.
constexpr std::size_t CROWDED = 64;

/// By which factor more flows of a crowded link are taken in each pass.
constexpr std::size_t MORE = 8;

} // namespace

uint32_t
MaxMinSharing::AddLink(double capacity)
{
    m_links.emplace_back();
    m_links.back().capacity = capacity;
    m_fillings.emplace_back();
    return m_links.size() - 1;
}

void
MaxMinSharing::SetCapacity(uint32_t link, double capacity)
{
    if (m_links[link].capacity != capacity)
    {
        m_links[link].capacity = capacity;
        MarkDirty(link);
    }
}

uint32_t
MaxMinSharing::AddFlow(const Uses& uses, double bound)
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
    Flow& flow = m_flows[number];
    flow.rate = 0;
    flow.bound = bound;
    flow.bottleneck = NONE;
    for (const auto& [link, weight] : uses)
    {
        auto& entries = m_links[link].entries;
        const auto use = static_cast<uint32_t>(flow.hops.size());
        flow.hops.push_back({link, static_cast<uint32_t>(entries.size()), weight});
        entries.push_back({number, use, weight});
        Recount(m_links[link]);
        MarkDirty(link);
    }
    m_fresh.push_back(number);
    return number;
}

void
MaxMinSharing::RemoveFlow(uint32_t number)
{
    Flow& flow = m_flows[number];
    SetBottleneck(number, NONE);
    for (const auto& hop : flow.hops)
    {
        m_links[hop.link].load.Add(-hop.weight * flow.rate);
        auto& entries = m_links[hop.link].entries;
        const Entry moved = entries.back();
        entries[hop.entry] = moved;
        m_flows[moved.flow].hops[moved.use].entry = hop.entry;
        entries.pop_back();
        Recount(m_links[hop.link]);
        MarkDirty(hop.link);
    }
    flow.hops.clear();
    m_free.push_back(number);
}

bool
MaxMinSharing::SetBound(uint32_t number, double bound)
{
    Flow& flow = m_flows[number];
    const double before = std::exchange(flow.bound, bound);
    // A bound above the rate that a link leaves does not matter.
    const bool matters = flow.bottleneck == NONE ? bound != before : bound < flow.rate;
    if (matters)
    {
        m_fresh.push_back(number);
    }
    return matters;
}

void
MaxMinSharing::SetWeight(uint32_t flow, uint32_t link, double weight)
{
    auto& hops = m_flows[flow].hops;
    for (std::size_t i = 0; i < hops.size(); ++i)
    {
        if (hops[i].link == link && hops[i].weight != weight)
        {
            m_links[link].load.Add((weight - hops[i].weight) * m_flows[flow].rate);
            hops[i].weight = weight;
            m_links[link].entries[hops[i].entry].weight = weight;
            MarkDirty(link);
        }
    }
}

void
MaxMinSharing::MarkDirty(uint32_t link)
{
    if (!m_links[link].isDirty)
    {
        m_links[link].isDirty = true;
        m_dirty.push_back(link);
    }
}

void
MaxMinSharing::Recount(Link& link)
{
    if (!link.isCrowded && link.entries.size() >= CROWDED)
    {
        link.isCrowded = true;
        link.load = {};
        for (const auto& entry : link.entries)
        {
            link.load.Add(entry.weight * m_flows[entry.flow].rate);
        }
        ListRates(link);
    }
    // Not at once, since those who come and go would cost a sum each time.
    link.isCrowded &= link.entries.size() >= CROWDED / 2;
}

void
MaxMinSharing::ListRates(Link& link) const
{
    link.rates.clear();
    for (const auto& entry : link.entries)
    {
        link.rates.emplace_back(m_flows[entry.flow].rate, entry.flow);
    }
    std::make_heap(link.rates.begin(), link.rates.end());
}

void
MaxMinSharing::NoteRate(uint32_t number, double change)
{
    const Flow& flow = m_flows[number];
    for (const auto& hop : flow.hops)
    {
        Link& link = m_links[hop.link];
        if (!link.isCrowded)
        {
            continue;
        }
        link.load.Add(hop.weight * change);
        link.rates.emplace_back(flow.rate, number);
        std::push_heap(link.rates.begin(), link.rates.end());
        if (link.rates.size() > 4 * link.entries.size())
        {
            ListRates(link);
        }
    }
}

void
MaxMinSharing::SetBottleneck(uint32_t number, uint32_t bottleneck)
{
    Flow& flow = m_flows[number];
    if (flow.bottleneck == bottleneck)
    {
        return;
    }
    if (flow.bottleneck != NONE)
    {
        auto& limited = m_links[flow.bottleneck].limited;
        limited[flow.place] = limited.back();
        m_flows[limited.back()].place = flow.place;
        limited.pop_back();
    }
    flow.bottleneck = bottleneck;
    if (bottleneck != NONE)
    {
        flow.place = m_links[bottleneck].limited.size();
        m_links[bottleneck].limited.push_back(number);
    }
}

bool
MaxMinSharing::FindFastest(uint32_t number)
{
    auto& rates = m_links[number].rates;
    const auto isOutdated = [&](const auto& top) {
        // A flow that is taken is noted again with its new rate.
        const Flow& flow = m_flows[top.second];
        return flow.mark == m_epoch || flow.rate != top.first ||
               std::none_of(flow.hops.begin(), flow.hops.end(), [&](const auto& hop) {
                   return hop.link == number;
               });
    };
    while (!rates.empty() && isOutdated(rates.front()))
    {
        std::pop_heap(rates.begin(), rates.end());
        rates.pop_back();
    }
    return !rates.empty();
}

void
MaxMinSharing::AddToUpdate(uint32_t number)
{
    Flow& flow = m_flows[number];
    if (flow.mark == m_epoch)
    {
        return;
    }
    flow.mark = m_epoch;
    flow.next = flow.rate;
    flow.nextBottleneck = flow.bottleneck;
    m_taken.push_back(number);
    for (const auto& hop : flow.hops)
    {
        Link& link = m_links[hop.link];
        if (link.mark != m_epoch)
        {
            link.mark = m_epoch;
            m_touched.push_back(hop.link);
        }
    }
}

const std::vector<uint32_t>&
MaxMinSharing::Update()
{
    m_changed.clear();
    ++m_epoch;
    m_taken.clear();
    m_touched.clear();
    for (const uint32_t flow : m_fresh)
    {
        // A flow may have been removed since, or its number reused.
        if (!m_flows[flow].hops.empty())
        {
            AddToUpdate(flow);
        }
    }
    m_fresh.clear();
    for (const uint32_t number : m_dirty)
    {
        Link& link = m_links[number];
        link.isDirty = false;
        if (link.entries.empty())
        {
            continue;
        }
        if (link.mark != m_epoch)
        {
            link.mark = m_epoch;
            m_touched.push_back(number);
        }
        if (link.isCrowded)
        {
            std::for_each(link.limited.begin(), link.limited.end(), [this](auto one) {
                AddToUpdate(one);
            });
            continue;
        }
        for (const auto& entry : link.entries)
        {
            if (m_flows[entry.flow].bottleneck == number)
            {
                AddToUpdate(entry.flow);
            }
        }
    }
    m_dirty.clear();
    if (m_touched.empty())
    {
        return m_changed;
    }

    std::size_t taken;
    std::size_t most = CROWDED;
    int passes = 0;
    do
    {
        ++passes;
        for (std::size_t i = 0; passes > MAX_PASSES && i < m_touched.size(); ++i)
        {
            for (const auto& entry : m_links[m_touched[i]].entries)
            {
                AddToUpdate(entry.flow);
            }
        }
        taken = m_taken.size();
        m_visits += taken;
        Fill();
        const std::size_t touched = m_touched.size();
        for (std::size_t i = 0; i < touched; ++i)
        {
            Check(m_touched[i], most);
        }
        most *= MORE;
    } while (m_taken.size() > taken);

    for (const uint32_t number : m_taken)
    {
        Flow& flow = m_flows[number];
        SetBottleneck(number, flow.nextBottleneck);
        const double change = flow.next - flow.rate;
        const bool isChanged = std::abs(change) > SAME_RATE * flow.rate;
        flow.rate = isChanged ? flow.next : flow.rate;
        NoteRate(number, isChanged ? change : 0);
        if (isChanged)
        {
            m_changed.push_back(number);
        }
    }
    return m_changed;
}

void
MaxMinSharing::NoteWalk(const Link& link) const
{
    m_visits += link.entries.size() < CROWDED ? 0 : link.entries.size();
}

template <typename Visit>
void
MaxMinSharing::ForTaken(uint32_t link, Visit visit) const
{
    const auto& entries = m_links[link].entries;
    if (!m_links[link].isCrowded || entries.size() <= m_taken.size())
    {
        NoteWalk(m_links[link]);
        for (const auto& entry : entries)
        {
            if (m_flows[entry.flow].mark == m_epoch)
            {
                visit(entry.flow, entry.weight);
            }
        }
        return;
    }
    for (const uint32_t number : m_taken)
    {
        for (const auto& hop : m_flows[number].hops)
        {
            if (hop.link == link)
            {
                visit(number, hop.weight);
            }
        }
    }
}

void
MaxMinSharing::Fill()
{
    m_bounds.clear();
    for (const uint32_t number : m_taken)
    {
        Flow& flow = m_flows[number];
        flow.isWaiting = true;
        if (flow.bound < UNBOUNDED)
        {
            m_bounds.emplace_back(flow.bound, number);
        }
    }
    std::sort(m_bounds.begin(), m_bounds.end());

    // A heap whose top is the link that fills up first. Levels only rise while flows get their
    // rates, so an outdated entry is too low, and is noticed when it comes to the top.
    const auto level = [](const Filling& link) {
        return std::max(0.0, link.residual) / link.weight;
    };
    m_levels.clear();
    for (const uint32_t number : m_touched)
    {
        const Link& link = m_links[number];
        Filling& filling = m_fillings[number];
        filling = {link.capacity, 0, 0, 0, 0};
        Sum kept = link.load;
        ForTaken(number, [&](uint32_t one, double weight) {
            filling.weight += weight;
            ++filling.waiting;
            kept.Add(-weight * m_flows[one].rate);
        });
        if (filling.waiting < link.entries.size())
        {
            if (link.isCrowded)
            {
                filling.residual -= kept.Get();
            }
            for (std::size_t i = 0; !link.isCrowded && i < link.entries.size(); ++i)
            {
                const Flow& flow = m_flows[link.entries[i].flow];
                filling.residual -= flow.mark == m_epoch ? 0 : link.entries[i].weight * flow.rate;
            }
        }
        filling.summed = filling.weight;
        filling.taken = filling.waiting;
        if (filling.waiting > 0)
        {
            m_levels.emplace_back(level(filling), number);
        }
    }
    std::make_heap(m_levels.begin(), m_levels.end(), std::greater<>());

    std::size_t nextBound = 0;
    m_waiting = m_taken.size();
    while (m_waiting > 0)
    {
        const auto [top, number] = m_levels.front();
        while (nextBound < m_bounds.size() && !m_flows[m_bounds[nextBound].second].isWaiting)
        {
            ++nextBound;
        }
        if (nextBound < m_bounds.size() && m_bounds[nextBound].first <= top)
        {
            Fix(m_bounds[nextBound].second, m_bounds[nextBound].first, NONE);
            continue;
        }
        std::pop_heap(m_levels.begin(), m_levels.end(), std::greater<>());
        const Filling& filling = m_fillings[number];
        if (filling.waiting == 0)
        {
            m_levels.pop_back();
            continue;
        }
        const double now = level(filling);
        if (now > top)
        {
            m_levels.back().first = now;
            std::push_heap(m_levels.begin(), m_levels.end(), std::greater<>());
            continue;
        }
        m_levels.pop_back();
        ForTaken(number, [&, rate = top](uint32_t one, double) {
            if (m_flows[one].isWaiting)
            {
                Fix(one, rate, number);
            }
        });
    }
}

void
MaxMinSharing::Fix(uint32_t number, double rate, uint32_t bottleneck)
{
    Flow& flow = m_flows[number];
    flow.isWaiting = false;
    --m_waiting;
    flow.next = rate;
    flow.nextBottleneck = bottleneck;
    for (const auto& hop : flow.hops)
    {
        Filling& link = m_fillings[hop.link];
        link.residual -= hop.weight * rate;
        link.weight -= hop.weight;
        --link.waiting;
        if (link.weight < CANCELLED * link.summed)
        {
            link.weight = 0;
            ForTaken(hop.link, [&](uint32_t other, double weight) {
                link.weight += m_flows[other].isWaiting ? weight : 0;
            });
            link.summed = link.weight;
        }
    }
}

void
MaxMinSharing::Check(uint32_t number, std::size_t most)
{
    const Link& link = m_links[number];
    if (m_fillings[number].taken == link.entries.size())
    {
        return; // every flow has a new rate
    }
    Sum load = link.load;
    double fastest = 0;
    double level = UNBOUNDED;
    const auto look = [&](uint32_t one, double weight) {
        const Flow& flow = m_flows[one];
        const bool isTaken = flow.mark == m_epoch;
        const double rate = isTaken ? flow.next : flow.rate;
        load.Add(weight * (link.isCrowded ? rate - flow.rate : rate));
        fastest = std::max(fastest, rate);
        if (isTaken && flow.nextBottleneck == number)
        {
            level = rate;
        }
    };
    if (link.isCrowded)
    {
        ForTaken(number, look);
        fastest = FindFastest(number) ? std::max(fastest, link.rates.front().first) : fastest;
    }
    else
    {
        load = {};
        NoteWalk(link);
        for (const auto& entry : link.entries)
        {
            look(entry.flow, entry.weight);
        }
    }
    const bool isSaturated = load.Get() >= link.capacity * (1 - TOLERANCE);
    const bool isOverloaded = load.Get() > link.capacity * (1 + TOLERANCE);
    const double highest = isOverloaded ? 0 : level * (1 + TOLERANCE);
    const auto lostBottleneck = [&](const Flow& flow) {
        return flow.bottleneck == number && (!isSaturated || fastest > flow.rate * (1 + TOLERANCE));
    };
    if (link.isCrowded)
    {
        for (const uint32_t one : link.limited)
        {
            if (lostBottleneck(m_flows[one]))
            {
                AddToUpdate(one);
            }
        }
        for (std::size_t i = 0;
             i < most && FindFastest(number) && link.rates.front().first > highest;
             ++i)
        {
            AddToUpdate(link.rates.front().second);
        }
        return;
    }
    for (const auto& entry : link.entries)
    {
        const Flow& flow = m_flows[entry.flow];
        if (flow.mark != m_epoch && (lostBottleneck(flow) || flow.rate > highest))
        {
            AddToUpdate(entry.flow);
        }
    }
}

} // namespace ns3::edgepipe
