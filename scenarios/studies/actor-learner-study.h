/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_STUDY_H
#define EDGEPIPE_ACTOR_LEARNER_STUDY_H

#include "lib/actor-learner-inputs.h"
#include "lib/experiment.h"
#include "runs/actor-learner-run.h"
#include "runs/actor-learner-summary.h"

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
};

/**
 * @ingroup edgepipe
 *
 * The scenario actor-learner: actors and learner under one or several planners, over the same
 * network, with the same joins and leaves.
 */
class ActorLearnerStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit ActorLearnerStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /** @return the figures of every case */
    Sheet<ActorLearnerCase> MakeResults() const;
    /** Print what is run. */
    void PrintHeading() const;
    /** Print what plans are worth and take. */
    void PrintPlans() const;
    /** @return what predictions leave out */
    std::vector<std::string> ListUnknown() const;
    /** Say where no request ended, and why. */
    void PrintUnmeasured() const;

    ActorLearnerInputs m_inputs;           //!< what to do
    std::vector<ActorLearnerCase> m_cases; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LEARNER_STUDY_H */
