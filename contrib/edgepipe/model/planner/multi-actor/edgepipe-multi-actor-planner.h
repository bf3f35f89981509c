/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PLANNER_H
#define EDGEPIPE_MULTI_ACTOR_PLANNER_H

#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-random-streams.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/**
 * An algorithm that decides after which layer each actor hands its inference to the server.
 *
 * A planner is a function from a problem to a plan: it never sees a node, a socket or the clock.
 * To add one, derive from this class in any module, register its TypeId with this class as
 * parent and a constructor, and implement GetName and DoPlan; FindByName<MultiActorPlanner> then
 * finds it.
 */
class MultiActorPlanner : public StatePlanner<MultiActorPlanner, MultiActorPlan>
{
  public:
    /// Random streams reserved for these planners.
    static constexpr StreamRange STREAMS = random_streams::MULTI_ACTOR_PLANNER;

    /**
     * Makes a plan.
     *
     * @param problem the problem
     * @return a plan for every actor, within both budgets if KeepsBudgets
     * @throws InputError when the problem is malformed, the planner finds no plan, or it made a
     *         plan that breaks a rule
     */
    MultiActorPlan Plan(const MultiActorProblem& problem);

    /**
     * Plans after actors have joined since the last plan. Plans anew by default.
     *
     * @param problem the problem, the newcomers last
     * @param newcomers how many have joined, at least one
     * @return as Plan
     * @throws InputError as Plan
     */
    virtual MultiActorPlan PlanJoin(const MultiActorProblem& problem, std::size_t newcomers);

    /**
     * Plans after an actor has left since the last plan. Plans anew by default.
     *
     * @param problem the problem without that actor; may have no actors
     * @param index of the actor in the last problem
     * @return as Plan; empty without actors
     * @throws InputError as Plan
     */
    virtual MultiActorPlan PlanLeave(const MultiActorProblem& problem, std::size_t index);

    /**
     * Plans after links or speeds have changed since the last plan. Plans anew by default.
     *
     * @param problem the problem as it is now, with the actors and budgets of the last one
     * @param changed indices of the actors that changed, at least one; all if the server changed
     * @return as Plan
     * @throws InputError as Plan
     */
    virtual MultiActorPlan PlanChange(const MultiActorProblem& problem,
                                      const std::vector<std::size_t>& changed);

    /** @return messages exchanged for the last plan; 0 for centralised planners */
    virtual uint64_t GetMessages() const
    {
        return 0;
    }

    /**
     * @return rounds in which actors met for the last plan, in order; none for centralised planners
     */
    virtual std::vector<MultiActorRound> GetRounds() const
    {
        return {};
    }

    /** @return whether plans keep the budgets; true unless overridden */
    virtual bool KeepsBudgets() const
    {
        return true;
    }

  protected:
    /**
     * Checks a problem whose other actors were in the last one.
     *
     * @param problem the problem, the newcomers last
     * @param newcomers how many have joined
     * @throws InputError naming what is wrong
     */
    static void ValidateJoined(const MultiActorProblem& problem, std::size_t newcomers);

  private:
    /**
     * Makes a plan.
     *
     * @param problem a valid problem
     * @return the plan; Plan checks it
     * @throws InputError when the planner finds no plan; the message need not name the planner
     */
    virtual MultiActorPlan DoPlan(const MultiActorProblem& problem) = 0;

    /**
     * @param problem a valid problem
     * @return as Plan
     * @throws InputError as Plan
     */
    MultiActorPlan PlanValid(const MultiActorProblem& problem);
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_PLANNER_H */
