/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_STUDY_H
#define EDGEPIPE_PIPELINE_STUDY_H

#include "lib/experiment.h"
#include "lib/training-inputs.h"
#include "studies/pipeline-case.h"

#include "ns3/edgepipe-pipeline-problem.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Pipeline training of one model on one cluster by one or several planners, with or without help
 * between neighbours and changes of plan during the run: what the scenarios quickstart,
 * pipeline-training and adaptive-training have in common.
 *
 * All cases meet the same conditions at the same times.
 */
class PipelineStudy : public Experiment
{
  public:
    /**
     * @param options of the scenario, to declare
     * @param link see SetUsualLink; empty: the cluster's
     */
    explicit PipelineStudy(ScenarioOptions& options, const std::string& link = "");

  protected:
    void Read() override;

  private:
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * Plan, and run the plan in every way that was asked for.
     *
     * @param name of the planner that decides during runs
     * @param first name of that of the first plan
     */
    void Compare(const std::string& name, const std::string& first);
    /**
     * Find the loads, and what planners are told of them.
     * @param plan the first one; may be empty where no load depends on it
     */
    void FindLoads(const PipelinePlan& plan);
    /** @return whether a device has load at the start, which planners are told */
    bool IsLoadedAtFirst() const;
    /**
     * Run a plan.
     *
     * @param one what to run; set to what came of it
     * @param decider name of the planner that decides during the run
     * @param progress told the share that is done
     */
    void Train(PipelineCase& one,
               const std::string& decider,
               const std::function<void(double)>& progress) const;
    /**
     * @param plan any plan
     * @return its stages for people, such as "a 0-3 > b 4-7"
     */
    std::string FormatPlan(const PipelinePlan& plan) const;
    /** @return the figures of every case */
    Sheet<PipelineCase> MakeResults() const;
    /** Say how often idle devices helped, if they may. */
    void PrintHelp() const;
    /** Print where stages share the layers at their cuts. */
    void PrintSharing() const;
    /** @return what predictions leave out */
    std::vector<std::string> ListUnknown() const;
    /** Say when plans change, and what they are at first, if they may. */
    void PrintReplanning() const;
    /**
     * Say how the plan of a case changed.
     * @param one the case
     */
    void PrintChanges(const PipelineCase& one) const;
    /**
     * Write what bandwidth and load were like.
     * @param folder to write to
     */
    void WriteConditions(ResultsFolder& folder) const;
    /** @return run.json */
    std::string FormatRun() const;

    TrainingInputs m_inputs;           //!< what to do
    std::vector<std::string> m_names;  //!< of the devices
    PipelineProblem m_problem;         //!< of idle devices
    PipelineProblem m_told;            //!< what planners are asked: with the load at the start
    std::size_t m_plans{0};            //!< made before, of --plan
    std::size_t m_all{0};              //!< cases there will be
    std::vector<PipelineCase> m_cases; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_STUDY_H */
