/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADAPTIVE_STUDY_H
#define EDGEPIPE_ADAPTIVE_STUDY_H

#include "lib/adaptive-inputs.h"
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

/** One way to adapt, and what came of it. */
struct AdaptiveCase
{
    std::string name;                       //!< neither, replanning, adjacent or both
    bool isReplanned{false};                //!< whether plans change
    bool isAssisted{false};                 //!< whether idle devices help their neighbours
    PipelineTrainingResult result{};        //!< what came of it
    double simulationSeconds{0};            //!< wall-clock time of the simulation
    std::vector<double> iterationSeconds{}; //!< of every finished iteration
};

/**
 * @ingroup edgepipe
 *
 * Pipeline training while bandwidth and load change, with and without replanning and adjacent
 * scheduling: what the scenario adaptive-training does.
 *
 * All cases begin with the same plan, made for idle devices and the bandwidth at the start, and
 * meet the same conditions at the same times.
 */
class AdaptiveStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit AdaptiveStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * @param plan any plan
     * @return its stages for people, such as "a: 0-3, b: 4-7"
     */
    std::string FormatPlan(const PipelinePlan& plan) const;
    /** @return the figures of every case */
    Sheet<AdaptiveCase> MakeResults() const;
    /** Print what each case decided. */
    void PrintChanges() const;

    TrainingInputs m_inputs;           //!< what to do
    bool m_hasTimeline{true};          //!< whether to write timeline.json
    std::vector<std::string> m_names;  //!< of the devices
    PipelineProblem m_problem;         //!< what the first plan is for
    PipelinePlan m_plan;               //!< the first one
    double m_predictedSeconds{0};      //!< an iteration by the first plan
    ReplanOptions m_replan;            //!< how plans change
    PlanningTime m_planning;           //!< what decisions cost
    std::vector<AdaptiveCase> m_cases; //!< neither first
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ADAPTIVE_STUDY_H */
