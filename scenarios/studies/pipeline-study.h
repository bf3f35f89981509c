/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_STUDY_H
#define EDGEPIPE_PIPELINE_STUDY_H

#include "lib/pipeline-training-helper.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-pipeline-problem.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One planner's plan and what came of it. */
struct PipelineCase
{
    std::string planner;           //!< name of the planner
    bool helped{false};            //!< whether idle devices help their neighbours
    std::string problemWithPlan;   //!< why there is no plan; empty if there is one
    PipelinePlan plan;             //!< who runs what
    double predictedSeconds{0};    //!< iteration time by the cost model, seconds
    double decisionSeconds{0};     //!< wall-clock time of planning
    PipelineTrainingResult result; //!< what came of it
    double simulationSeconds{0};   //!< wall-clock time of the simulation
    std::string GetStatus() const; //!< finished, stalled or no-plan
};

/**
 * @ingroup edgepipe
 *
 * Pipeline training of one model on one cluster by one or several planners: what the scenarios
 * quickstart and pipeline-training have in common.
 */
class PipelineStudy
{
  public:
    /**
     * Read the model, the cluster and the layer costs, and check every option.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit PipelineStudy(const ScenarioOptions& options);

    /**
     * Plan and simulate, planner by planner.
     *
     * @throws InputError if no planner finds a plan
     */
    void Run();

    /**
     * Print the table and what to know about it on standard output.
     */
    void Print() const;

    /**
     * Write the result files and say where they are.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if a case did not finish */
    int GetStatus() const;

  private:
    /**
     * @param one a case that finished
     * @return the index that the DGPAS paper calls its bubble rate, equation (14)
     */
    double GetIndex(const PipelineCase& one) const;
    /**
     * @param one a case
     * @return what tells it from the others
     */
    std::string GetName(const PipelineCase& one) const;
    /** Say how often idle devices helped, if they may. */
    void PrintHelp() const;
    /** Say for which pairs of planners prediction and simulation disagree. */
    void PrintOrder() const;
    /**
     * @return run.json
     */
    std::string FormatRun() const;

    TrainingInputs m_inputs;           //!< what to do
    std::vector<std::string> m_names;  //!< of the devices
    PipelineProblem m_problem;         //!< what planners are asked
    std::vector<PipelineCase> m_cases; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_STUDY_H */
