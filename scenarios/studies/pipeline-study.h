/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_STUDY_H
#define EDGEPIPE_PIPELINE_STUDY_H

#include "lib/experiment.h"
#include "lib/training-inputs.h"
#include "runs/pipeline-training-helper.h"

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
    double lowerBoundSeconds{0};   //!< no plan takes less by the cost model; 0: unknown
    double decisionSeconds{0};     //!< wall-clock time of planning
    PipelineTrainingResult result; //!< what came of it
    double simulationSeconds{0};   //!< wall-clock time of the simulation
    std::string name;              //!< what tells it from the others
};

/**
 * @ingroup edgepipe
 *
 * Pipeline training of one model on one cluster by one or several planners: what the scenarios
 * quickstart and pipeline-training have in common.
 */
class PipelineStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit PipelineStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /** @return the figures of every case */
    Sheet<PipelineCase> MakeResults() const;
    /** Say how often idle devices helped, if they may. */
    void PrintHelp() const;

    TrainingInputs m_inputs;           //!< what to do
    std::vector<std::string> m_names;  //!< of the devices
    PipelineProblem m_problem;         //!< what planners are asked
    std::vector<PipelineCase> m_cases; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_STUDY_H */
