/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PLANNER_H
#define EDGEPIPE_MULTI_ACTOR_PLANNER_H

#include "edgepipe-multi-actor-problem.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * An algorithm that decides after which layer each actor hands its inference to the server.
 *
 * A planner is a function from a problem to a plan: it never sees a node, a socket or the clock.
 * To add one, derive from this class in any module, register its TypeId with this class as
 * parent and a constructor, and implement GetName and DoPlan; FindByName<MultiActorPlanner> then
 * finds it.
 */
class MultiActorPlanner : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Decides.
     *
     * @param problem the problem
     * @return a plan for every actor, within both budgets if KeepsBudgets
     * @throws InputError when the problem is malformed, the planner finds no plan, or it made a
     *         plan that breaks a rule
     */
    MultiActorPlan Plan(const MultiActorProblem& problem);

    /** @return wall-clock seconds the last plan took; 0 before the first */
    double GetDecisionSeconds() const;

    /** @return messages that deciding together took for the last plan; 0 where one decides alone */
    virtual uint64_t GetMessages() const;

    /** @return the short name users select the planner by, unique among planners */
    virtual std::string GetName() const = 0;

    /** @return whether plans keep the budgets; true unless overridden */
    virtual bool KeepsBudgets() const;

  private:
    /**
     * Decides.
     *
     * @param problem a valid problem
     * @return the plan; what it breaks is reported by Plan
     * @throws InputError when the planner finds no plan; the message need not name the planner
     */
    virtual MultiActorPlan DoPlan(const MultiActorProblem& problem) = 0;

    double m_decisionSeconds{0}; //!< wall-clock seconds of the last plan
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MULTI_ACTOR_PLANNER_H */
