/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_PLANNER_H
#define EDGEPIPE_TWO_WAY_CUT_PLANNER_H

#include "edgepipe-two-way-cut-envelope.h"
#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-random-streams.h"

#include <memory>

namespace ns3::edgepipe
{

/**
 * An algorithm that decides which layers run on an end device and which on a server.
 *
 * A planner is a function from a problem to a plan: it never sees a node, a socket or the clock.
 * To add one, derive from this class in any module, register its TypeId with this class as
 * parent and a constructor, and implement GetName and DoPlan; FindByName<TwoWayCutPlanner> then
 * finds it.
 */
class TwoWayCutPlanner : public StatePlanner<TwoWayCutPlanner, TwoWayCutPlan>
{
  public:
    /// Random streams reserved for these planners.
    static constexpr StreamRange STREAMS = random_streams::TWO_WAY_CUT_PLANNER;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Makes a plan.
     *
     * @param problem the problem
     * @return a closed plan that places every layer
     * @throws InputError when the problem is malformed, the planner does not plan for its
     *         objective, or the planner made a plan that breaks a rule
     */
    TwoWayCutPlan Plan(const TwoWayCutProblem& problem);

    /**
     * Plans for every uplink bandwidth at once, so that a change of bandwidth only takes a lookup.
     *
     * @param problem the problem; its uplink bandwidth is ignored
     * @return the plans by bandwidth, null if this planner must plan afresh
     * @throws InputError when the problem is malformed
     */
    std::unique_ptr<TwoWayCutEnvelope> PlanEveryBandwidth(const TwoWayCutProblem& problem);

    /**
     * @param objective of a problem
     * @return whether the planner supports the objective or its plan does not depend on it; by
     *         default for latency only, and for all if plans come from outside. Other problems are
     *         refused.
     */
    virtual bool CanPlanFor(TwoWayCutObjective objective) const;

    /** @return whether a plan may use the link; if none does, no belief about it matters */
    virtual bool MayUseLink() const
    {
        return true;
    }

  private:
    /**
     * Makes a plan.
     *
     * @param problem a valid problem
     * @return the plan; Plan checks it
     * @throws InputError when the planner finds no plan; the message need not name the planner
     */
    virtual TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) = 0;

    /**
     * Plans for every uplink bandwidth.
     *
     * @param problem a valid problem
     * @return the plans by bandwidth; null by default
     */
    virtual std::unique_ptr<TwoWayCutEnvelope> DoPlanEveryBandwidth(
        const TwoWayCutProblem& problem);

    /**
     * @param problem any problem
     * @param copy holds the result if the planner may not see the problem itself
     * @return the problem as the planner may see it
     * @throws InputError if the problem is malformed or the planner does not plan for its objective
     */
    const TwoWayCutProblem& FindSeen(const TwoWayCutProblem& problem, TwoWayCutProblem& copy) const;

    bool m_countResult; //!< whether returning the result influences the decision
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_PLANNER_H */
