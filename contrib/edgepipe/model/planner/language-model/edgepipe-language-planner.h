/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_PLANNER_H
#define EDGEPIPE_LANGUAGE_PLANNER_H

#include "edgepipe-language-problem.h"

#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-random-streams.h"

namespace ns3::edgepipe
{

/**
 * An algorithm that spreads a language model over devices.
 *
 * A planner is a function from a problem to a plan. To add one, derive from this class in any
 * module, register its TypeId with this class as parent and a constructor, and implement GetName
 * and DoPlan; FindByName<LanguagePlanner> then finds it.
 */
class LanguagePlanner : public StatePlanner<LanguagePlanner, LanguagePlan>
{
  public:
    /// Random streams reserved for these planners.
    static constexpr StreamRange STREAMS = random_streams::LANGUAGE_PLANNER;

    /**
     * Decides.
     *
     * @param problem the problem
     * @return a plan that ValidateLanguagePlan accepts
     * @throws InputError when the problem is malformed, or there is no plan
     */
    LanguagePlan Plan(const LanguageProblem& problem);

  private:
    /**
     * Decides.
     *
     * @param problem a valid problem
     * @return the plan, which Plan checks
     * @throws InputError when the planner finds no plan; the message need not name the planner
     */
    virtual LanguagePlan DoPlan(const LanguageProblem& problem) = 0;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_PLANNER_H */
