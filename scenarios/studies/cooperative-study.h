/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_STUDY_H
#define EDGEPIPE_COOPERATIVE_STUDY_H

#include "lib/cooperative-inputs.h"
#include "lib/experiment.h"
#include "runs/cooperative-inference-run.h"
#include "runs/cooperative-summary.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A run under one planner. */
struct CooperativeCase
{
    std::string planner;               //!< its name
    CooperativeInferenceResult result; //!< what came of it
    CooperativeSummary summary;        //!< in a few figures
    double simulationSeconds{0};       //!< wall-clock time of the simulation
};

/**
 * @ingroup edgepipe
 *
 * Cooperative inference of one model over one network by one or several planners, every one over
 * the same network and the same frames: the scenarios cooperative-inference and trace-replay.
 */
class CooperativeStudy : public Experiment
{
  public:
    /**
     * @param options of the scenario, to declare
     * @param isReplay whether to print when which plan came into force, and to replay a recording
     *        of ours unless told otherwise
     */
    explicit CooperativeStudy(ScenarioOptions& options, bool isReplay = false);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /** Print what is run and what to know about its figures. */
    void PrintHeading() const;
    /** @return the figures of every case */
    Sheet<CooperativeCase> MakeResults() const;
    /** @return what predictions leave out */
    std::vector<std::string> ListUnknown() const;
    /** @return where a device's plan cuts, in words */
    std::string Describe(const PlanRecord& plan) const;
    /** Print each planner's partitions and how long they were in force. */
    void PrintPartitions() const;
    /** Print when which plan came into force. */
    void PrintChanges() const;

    CooperativeInputs m_inputs;           //!< what to do
    bool m_isReplay;                      //!< whether this is trace-replay
    std::vector<CooperativeCase> m_cases; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COOPERATIVE_STUDY_H */
