/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_HANDOVER_H
#define EDGEPIPE_ACTOR_HANDOVER_H

#include "ns3/edgepipe-multi-actor-problem.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * In which order actors are told their new cuts, so that no budget is broken meanwhile.
 *
 * A cut takes effect at an actor's next step, which is later than the plan. An actor that has been
 * told and has not answered is reckoned with the more that either cut takes of each budget. It is
 * told when that fits; those that free something come first, since what they free is counted from
 * their answer on. Where none can be told and none is expected to answer, one is told to hold
 * nothing until its turn. Budgets that shrink are in force once the actors keep them.
 */
class ActorHandover
{
  public:
    /** What to tell an actor. */
    struct Order
    {
        uint32_t actor;                 //!< whom
        std::optional<std::size_t> cut; //!< its next cut; none: to hold nothing
    };

    /**
     * @param model a valid model
     * @param keepsBudgets whether the plans keep budgets; otherwise all are told at once
     */
    ActorHandover(const MultiActorModel& model, bool keepsBudgets);

    /** @param actor that has joined and holds nothing */
    void Add(uint32_t actor);

    /** @param actor that has left */
    void Remove(uint32_t actor);

    /**
     * @param cuts the plan, by actor, for every one that was added
     * @param limits that the plan keeps
     */
    void SetTargets(const std::map<uint32_t, std::size_t>& cuts, const MultiActorLimits& limits);

    /**
     * An actor has answered: its next step uses what it was told.
     *
     * @param actor that was told
     */
    void Take(uint32_t actor);

    /** @return whom to tell now; they are expected to answer from now on */
    std::vector<Order> Tell();

    /** @return what the actors may be using, of both budgets */
    MultiActorLimits GetHeld() const;

    /** @return the budgets of the plan, and where actors hold more of one, that */
    MultiActorLimits GetLimits() const;

    /** @return whether every actor uses the plan's cut */
    bool IsSettled() const;

  private:
    /** An actor. */
    struct Entry
    {
        std::optional<std::size_t> current; //!< cut it uses; none: it holds nothing
        std::optional<std::size_t> target;  //!< cut of the plan; none until there is a plan
        bool isTold{false};                 //!< whether it is expected to answer
        std::optional<std::size_t> told;    //!< what it was told
    };

    /**
     * @param cut a cut, or none
     * @return what it takes of the budgets
     */
    MultiActorLimits GetUse(const std::optional<std::size_t>& cut) const;
    /**
     * @param entry an actor
     * @return what it may be using
     */
    MultiActorLimits GetHeld(const Entry& entry) const;
    /**
     * @param entry an actor
     * @param orders to add to
     * @param actor id of its node
     * @param cut what it is told
     */
    void Tell(Entry& entry,
              std::vector<Order>& orders,
              uint32_t actor,
              std::optional<std::size_t> cut);

    std::vector<MultiActorLimits> m_uses; //!< by cut
    bool m_keepsBudgets;                  //!< whether plans do
    MultiActorLimits m_limits{};          //!< of the plan
    std::map<uint32_t, Entry> m_entries;  //!< by actor
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_HANDOVER_H */
