/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_STUDY_H
#define EDGEPIPE_COOPERATIVE_STUDY_H

#include "lib/cooperative-inference-run.h"
#include "lib/cooperative-inputs.h"
#include "studies/cooperative-summary.h"

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

    /** @return finished or stalled */
    std::string GetStatus() const;
};

/**
 * @ingroup edgepipe
 *
 * Cooperative inference of one model over one network by one or several planners: what the
 * scenarios cooperative-inference and trace-replay have in common.
 */
class CooperativeStudy
{
  public:
    /**
     * Read the model, the devices and the layer costs, and check every option.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit CooperativeStudy(const ScenarioOptions& options);

    /**
     * Simulate, planner by planner, every one over the same network and the same frames.
     *
     * @throws InputError if a planner or a trace cannot be used
     */
    void Run();

    /** Print the table and what to know about it on standard output. */
    void Print() const;

    /** Print when which plan came into force. */
    void PrintChanges() const;

    /**
     * Write the result files and say where they are.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if a case stalled */
    int GetStatus() const;

  private:
    /** Print what is run and what to know about its figures. */
    void PrintHeading() const;
    /** Print each planner's partitions and how long they were in force. */
    void PrintPartitions() const;
    /** Say for which pairs of planners prediction and simulation disagree. */
    void PrintOrder() const;
    /** Say on standard error who waits for what in cases that stalled. */
    void PrintStalls() const;
    /** @return run.json */
    std::string FormatRun() const;

    CooperativeInputs m_inputs;           //!< what to do
    std::vector<CooperativeCase> m_cases; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COOPERATIVE_STUDY_H */
