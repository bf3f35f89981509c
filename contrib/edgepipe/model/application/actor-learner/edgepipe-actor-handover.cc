/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-handover.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param a some use
 * @param b another
 * @return the more of each
 */
MultiActorLimits
Max(const MultiActorLimits& a, const MultiActorLimits& b)
{
    return {std::max(a.flop, b.flop), std::max(a.bytes, b.bytes)};
}

/**
 * @param a some use
 * @param b another
 * @return whether a takes no more of either than b
 */
bool
IsWithin(const MultiActorLimits& a, const MultiActorLimits& b)
{
    return a.flop <= b.flop && a.bytes <= b.bytes;
}

} // namespace

ActorHandover::ActorHandover(const MultiActorModel& model, bool keepsBudgets)
    : m_uses(model.outputBytes.size()),
      m_keepsBudgets(keepsBudgets)
{
    // All layers on the actor take nothing.
    for (std::size_t cut = model.layerFlop.size(); cut-- > 0;)
    {
        m_uses[cut] = {m_uses[cut + 1].flop + model.layerFlop[cut], model.outputBytes[cut]};
    }
}

void
ActorHandover::Add(uint32_t actor)
{
    NS_ABORT_MSG_UNLESS(m_entries.emplace(actor, Entry()).second, "actor " << actor << " is here");
}

void
ActorHandover::Remove(uint32_t actor)
{
    m_entries.erase(actor);
}

void
ActorHandover::SetTargets(const std::map<uint32_t, std::size_t>& cuts,
                          const MultiActorLimits& limits)
{
    m_limits = limits;
    for (auto& [actor, entry] : m_entries)
    {
        entry.target = cuts.at(actor);
    }
}

void
ActorHandover::Take(uint32_t actor)
{
    Entry& entry = m_entries.at(actor);
    NS_ABORT_MSG_UNLESS(entry.isTold, "actor " << actor << " was told nothing");
    entry.isTold = false;
    entry.current = entry.told;
}

MultiActorLimits
ActorHandover::GetUse(const std::optional<std::size_t>& cut) const
{
    return cut ? m_uses.at(*cut) : MultiActorLimits{0, 0};
}

MultiActorLimits
ActorHandover::GetHeld(const Entry& entry) const
{
    const MultiActorLimits current = GetUse(entry.current);
    return entry.isTold ? Max(current, GetUse(entry.told)) : current;
}

MultiActorLimits
ActorHandover::GetHeld() const
{
    MultiActorLimits held{0, 0};
    for (const auto& [actor, entry] : m_entries)
    {
        const MultiActorLimits its = GetHeld(entry);
        held.flop += its.flop;
        held.bytes += its.bytes;
    }
    return held;
}

MultiActorLimits
ActorHandover::GetLimits() const
{
    return Max(m_limits, GetHeld());
}

void
ActorHandover::Tell(Entry& entry,
                    std::vector<Order>& orders,
                    uint32_t actor,
                    std::optional<std::size_t> cut)
{
    entry.isTold = true;
    entry.told = cut;
    orders.push_back({actor, cut});
}

std::vector<ActorHandover::Order>
ActorHandover::Tell()
{
    std::vector<Order> orders;
    MultiActorLimits held = GetHeld();
    bool isExpecting = false;
    Entry* blocking = nullptr;
    uint32_t blockingActor = 0;
    for (auto& [actor, entry] : m_entries)
    {
        isExpecting |= entry.isTold;
        if (entry.isTold || !entry.target || entry.current == entry.target)
        {
            continue;
        }
        const MultiActorLimits now = GetUse(entry.current);
        const MultiActorLimits next = Max(now, GetUse(entry.target));
        const MultiActorLimits all{held.flop - now.flop + next.flop,
                                   held.bytes - now.bytes + next.bytes};
        if (!m_keepsBudgets || IsWithin(next, now) || IsWithin(all, m_limits))
        {
            held = all;
            Tell(entry, orders, actor, entry.target);
        }
        else if (!blocking && now.flop + now.bytes > 0)
        {
            blocking = &entry;
            blockingActor = actor;
        }
    }
    if (orders.empty() && !isExpecting && blocking)
    {
        Tell(*blocking, orders, blockingActor, std::nullopt);
    }
    return orders;
}

bool
ActorHandover::IsSettled() const
{
    return std::all_of(m_entries.begin(), m_entries.end(), [](const auto& each) {
        return !each.second.isTold && each.second.current == each.second.target;
    });
}

} // namespace edgepipe
} // namespace ns3
