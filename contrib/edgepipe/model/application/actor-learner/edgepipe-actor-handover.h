/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_HANDOVER_H
#define EDGEPIPE_ACTOR_HANDOVER_H

#include "ns3/abort.h"
#include "ns3/edgepipe-multi-actor-problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
        : m_uses(model.outputBytes.size()),
          m_keepsBudgets(keepsBudgets)
    {
        // With all layers on the actor, no budget is used.
        for (std::size_t cut = model.layerFlop.size(); cut-- > 0;)
        {
            m_uses[cut] = {m_uses[cut + 1].flop + model.layerFlop[cut], model.outputBytes[cut]};
        }
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
        m_entries.erase(actor);
    }

    /**
     * @param cuts planned cuts of all added actors, by actor
     * @param limits budgets of the plan
     */
    void SetTargets(const std::map<uint32_t, std::size_t>& cuts, const MultiActorLimits& limits)
    {
        m_limits = limits;
        for (auto& [actor, entry] : m_entries)
        {
            entry.target = cuts.at(actor);
        }
    }

    /**
     * An actor has answered: its next step follows the latest order.
     *
     * @param actor that has answered
     */
    void Take(uint32_t actor)
    {
        Entry& entry = m_entries.at(actor);
        NS_ABORT_MSG_UNLESS(entry.isTold, "actor " << actor << " was told nothing");
        entry.isTold = false;
        entry.current = entry.told;
    }

    /** @return orders to send now; answers to them are pending from now on */
    std::vector<Order> Tell()
    {
        std::vector<Order> orders;
        const auto tell = [&orders](uint32_t actor, Entry& entry, std::optional<std::size_t> cut) {
            entry.isTold = true;
            entry.told = cut;
            orders.push_back({actor, cut});
        };
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
                tell(actor, entry, entry.target);
            }
            else if (!blocking && now.flop + now.bytes > 0)
            {
                blocking = &entry;
                blockingActor = actor;
            }
        }
        if (orders.empty() && !isExpecting && blocking)
        {
            tell(blockingActor, *blocking, std::nullopt);
        }
        return orders;
    }

    /** @return most that the actors may be using of each budget */
    MultiActorLimits GetHeld() const
    {
        MultiActorLimits held{0, 0};
        for (const auto& [actor, entry] : m_entries)
        {
            const MultiActorLimits current = GetUse(entry.current);
            const auto its = entry.isTold ? Max(current, GetUse(entry.told)) : current;
            held.flop += its.flop;
            held.bytes += its.bytes;
        }
        return held;
    }

    /** @return the plan's budgets, each raised to the held amount if that is larger */
    MultiActorLimits GetLimits() const
    {
        return Max(m_limits, GetHeld());
    }

    /** @return whether every actor uses the plan's cut */
    bool IsSettled() const
    {
        return std::all_of(m_entries.begin(), m_entries.end(), [](const auto& each) {
            return !each.second.isTold && each.second.current == each.second.target;
        });
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

    std::vector<MultiActorLimits> m_uses; //!< use of the budgets, by cut
    bool m_keepsBudgets;                  //!< whether plans keep budgets
    MultiActorLimits m_limits{};          //!< budgets of the plan
    std::map<uint32_t, Entry> m_entries;  //!< by actor
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_HANDOVER_H */
