/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_STUDY_H
#define EDGEPIPE_ACTOR_LEARNER_STUDY_H

#include "lib/actor-learner-helper.h"
#include "lib/actor-learner-inputs.h"
#include "studies/actor-learner-summary.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A run under one planner. */
struct ActorLearnerCase
{
    std::string planner;         //!< its name
    ActorLearnerResult result;   //!< what came of it
    ActorLearnerSummary summary; //!< in a few figures
    std::string refusal;         //!< why the planner found no plan; empty if it did

    /** @return finished, stalled or refused */
    std::string GetStatus() const;
};

/**
 * @ingroup edgepipe
 *
 * The scenario actor-learner: actors and learner under one or several planners, over the same
 * network, with the same joins and leaves.
 */
class ActorLearnerStudy
{
  public:
    /**
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit ActorLearnerStudy(const ScenarioOptions& options);

    /**
     * Simulate, planner by planner.
     *
     * @throws InputError if the only planner finds no plan or the network cannot be used
     */
    void Run();

    /** Print the tables and what to know about them on standard output. */
    void Print() const;

    /**
     * Write the result files.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if a case stalled */
    int GetStatus() const;

  private:
    /** Print what is run. */
    void PrintHeading() const;
    /** Print what plans are worth and take. */
    void PrintPlans() const;
    /** Say where no request ended, and why. */
    void PrintUnmeasured() const;
    /** Say on standard error who waits for what in cases that stalled. */
    void PrintStalls() const;
    /** @return run.json */
    std::string FormatRun() const;

    ActorLearnerInputs m_inputs;           //!< what to do
    std::vector<ActorLearnerCase> m_cases; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LEARNER_STUDY_H */
