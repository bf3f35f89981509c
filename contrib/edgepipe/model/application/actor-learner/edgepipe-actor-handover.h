/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_HANDOVER_H
#define EDGEPIPE_ACTOR_HANDOVER_H

#include "ns3/abort.h"
#include "ns3/edgepipe-multi-actor-cost.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Orders the cut changes of actors so that no budget is exceeded during the transition.
 *
 * A cut takes effect at an actor's next step, later than the plan. Until an actor answers, each
 * budget is charged the larger use of its old and new cuts. An actor is told its cut when that
 * fits; actors that free resources come first, since these count as free only from the answer on.
 * If none can be told and no answer is pending, one actor is told to hold nothing until its turn.
 * Reduced budgets are in force once the actors keep them.
 */
class ActorHandover
{
  public:
    /** An order to an actor. */
    struct Order
    {
        uint32_t actor;                 //!< id of its node
        std::optional<std::size_t> cut; //!< its next cut; none: hold nothing
    };

    /**
     * @param model a valid model
     * @param keepsBudgets whether plans keep budgets; otherwise all are told at once
     */
    ActorHandover(const MultiActorModel& model, bool keepsBudgets)
        : m_uses(ListMultiActorUses(model)),
          m_keepsBudgets(keepsBudgets)
    {
    }

    /** @param actor that has joined and holds nothing */
    void Add(uint32_t actor)
    {
        NS_ABORT_MSG_UNLESS(m_entries.emplace(actor, Entry()).second,
                            "actor " << actor << " is here");
    }

    /** @param actor that has left */
    void Remove(uint32_t actor)
    {
        Change(actor, m_entries[actor], [](Entry& entry) { entry = Entry(); });
        m_entries.erase(actor);
    }

    /**
     * @param cuts new cuts of the plan, by actor; actors that were not added are ignored
     * @param limits budgets of the plan
     */
    void SetTargets(const std::vector<std::pair<uint32_t, std::size_t>>& cuts,
                    const MultiActorLimits& limits)
    {
        m_limits = limits;
        for (const auto& [actor, cut] : cuts)
        {
            const auto found = m_entries.find(actor);
            if (found != m_entries.end())
            {
                Change(actor, found->second, [cut = cut](Entry& entry) { entry.target = cut; });
            }
        }
    }

    /**
     * An actor has answered: its next step follows the latest order.
     *
     * @param actor that has answered
     */
    void TakeOver(uint32_t actor)
    {
        Entry& entry = m_entries.at(actor);
        NS_ABORT_MSG_UNLESS(entry.isTold, "actor " << actor << " was told nothing");
        Change(actor, entry, [](Entry& entry) {
            entry.isTold = false;
            entry.current = entry.told;
        });
    }

    /** @return orders to send now; answers to them are pending from now on */
    std::vector<Order> TakeOrders()
    {
        std::vector<Order> orders;
        const bool isExpecting = m_told > 0;
        const auto tell = [&](uint32_t actor, std::optional<std::size_t> cut) {
            Change(actor, m_entries.at(actor), [cut](Entry& entry) {
                entry.isTold = true;
                entry.told = cut;
            });
            orders.push_back({actor, cut});
        };
        std::optional<uint32_t> blocking;
        for (const uint32_t actor : std::vector<uint32_t>(m_open.begin(), m_open.end()))
        {
            const Entry& entry = m_entries.at(actor);
            const MultiActorLimits now = GetUse(entry.current);
            const MultiActorLimits next = Max(now, GetUse(entry.target));
            const MultiActorLimits all{m_held.flop - now.flop + next.flop,
                                       m_held.bytes - now.bytes + next.bytes};
            if (!m_keepsBudgets || IsWithin(next, now) || IsWithin(all, m_limits))
            {
                tell(actor, entry.target);
            }
            else if (!blocking && now.flop + now.bytes > 0)
            {
                blocking = actor;
            }
        }
        if (orders.empty() && !isExpecting && blocking)
        {
            tell(*blocking, std::nullopt);
        }
        return orders;
    }

    /** @return most that the actors may be using of each budget */
    const MultiActorLimits& GetHeld() const
    {
        return m_held;
    }

    /** @return the plan's budgets, each raised to the held amount if that is larger */
    MultiActorLimits GetLimits() const
    {
        return Max(m_limits, m_held);
    }

    /** @return whether every actor uses the plan's cut */
    bool IsSettled() const
    {
        return m_told == 0 && m_open.empty();
    }

  private:
    /**
     * @param a some use
     * @param b another
     * @return the larger value for each budget
     */
    static MultiActorLimits Max(const MultiActorLimits& a, const MultiActorLimits& b)
    {
        return {std::max(a.flop, b.flop), std::max(a.bytes, b.bytes)};
    }

    /**
     * @param a some use
     * @param b another
     * @return whether a is at most b for each budget
     */
    static bool IsWithin(const MultiActorLimits& a, const MultiActorLimits& b)
    {
        return a.flop <= b.flop && a.bytes <= b.bytes;
    }

    /** State of an actor. */
    struct Entry
    {
        std::optional<std::size_t> current; //!< cut in use; none: it holds nothing
        std::optional<std::size_t> target;  //!< cut of the plan; none before the first plan
        bool isTold{false};                 //!< whether an answer is pending
        std::optional<std::size_t> told;    //!< cut of the latest order; none: hold nothing
    };

    /**
     * @param cut a cut, or none
     * @return its use of the budgets
     */
    MultiActorLimits GetUse(const std::optional<std::size_t>& cut) const
    {
        return cut ? m_uses.at(*cut) : MultiActorLimits{0, 0};
    }

    /**
     * Change an actor's entry, and with it the sums over all of them.
     *
     * @param actor the actor
     * @param entry its entry
     * @param change changes the entry
     */
    template <typename Action>
    void Change(uint32_t actor, Entry& entry, Action change)
    {
        const auto getHeld = [this, &entry] {
            const MultiActorLimits current = GetUse(entry.current);
            return entry.isTold ? Max(current, GetUse(entry.told)) : current;
        };
        const MultiActorLimits before = getHeld();
        m_told -= entry.isTold;
        change(entry);
        m_told += entry.isTold;
        const MultiActorLimits after = getHeld();
        m_held = {m_held.flop - before.flop + after.flop,
                  m_held.bytes - before.bytes + after.bytes};
        m_open.erase(actor);
        if (!entry.isTold && entry.target && entry.current != entry.target)
        {
            m_open.insert(actor);
        }
    }

    std::vector<MultiActorLimits> m_uses; //!< use of the budgets, by cut
    bool m_keepsBudgets;                  //!< whether plans keep budgets
    MultiActorLimits m_limits{};          //!< budgets of the plan
    std::map<uint32_t, Entry> m_entries;  //!< by actor
    MultiActorLimits m_held{0, 0};        //!< by all actors
    std::size_t m_told{0};                //!< actors expected to answer
    std::set<uint32_t> m_open;            //!< actors that have yet to be told of their targets
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_HANDOVER_H */
