/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADAPTIVE_STUDY_H
#define EDGEPIPE_ADAPTIVE_STUDY_H

#include "lib/pipeline-training-helper.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-pipeline-problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One way to adapt, and what came of it. */
struct AdaptiveCase
{
    std::string name;              //!< neither, replanning, adjacent or both
    bool isReplanned{false};       //!< whether plans change
    bool isAssisted{false};        //!< whether idle devices help their neighbours
    PipelineTrainingResult result; //!< what came of it
    double simulationSeconds{0};   //!< wall-clock time of the simulation

    /** @return duration of every finished iteration, seconds */
    std::vector<double> GetIterationSeconds() const;

    /** @return from the first iteration's start to the last one's end, s; 0 without iterations */
    double GetTotalSeconds() const;

    /** @return what all changes of plan took, from decision to the weights in place, s */
    double GetMigrationSeconds() const;

    /** @return weights that all changes of plan moved, bytes */
    uint64_t GetMigratedBytes() const;
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
class AdaptiveStudy
{
  public:
    /**
     * Declare the options.
     *
     * @param options of the scenario
     */
    static void AddOptions(ScenarioOptions& options);

    /**
     * Read and check every option, and make the first plan.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used, or there is no plan
     */
    explicit AdaptiveStudy(const ScenarioOptions& options);

    /** Simulate, case by case. */
    void Run();

    /** Print the table and the changes of plan on standard output. */
    void Print() const;

    /**
     * Write the result files and say where they are.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if a case stalled */
    int GetStatus() const;

  private:
    /**
     * @param plan any plan
     * @return its stages for people, such as "a: 0-3, b: 4-7"
     */
    std::string FormatPlan(const PipelinePlan& plan) const;

    /** Print what each case decided. */
    void PrintChanges() const;

    /** @return the case that took longest, whose samples of the conditions reach furthest */
    const AdaptiveCase& FindLongest() const;

    /** @return run.json */
    std::string FormatRun() const;

    TrainingInputs m_inputs;           //!< what to do
    std::vector<std::string> m_names;  //!< of the devices
    PipelineProblem m_problem;         //!< what the first plan is for
    PipelinePlan m_plan;               //!< the first one
    double m_predictedSeconds{0};      //!< an iteration by the first plan
    ReplanOptions m_replan;            //!< how plans change
    std::vector<AdaptiveCase> m_cases; //!< neither first
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ADAPTIVE_STUDY_H */
