/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_CASE_H
#define EDGEPIPE_PIPELINE_CASE_H

#include "runs/pipeline-training-helper.h"

#include "ns3/edgepipe-pipeline-problem.h"
#include "ns3/edgepipe-planner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One planner's plan, how it is adapted, and what came of it. */
struct PipelineCase
{
    /** @return neither, replanning, adjacent or both */
    const char* GetAdaptation() const;
    /** @return finished, stalled or no-plan */
    const char* GetStatus() const;
    /** @return whether there is a plan */
    bool HasPlan() const;
    /** @return duration of every finished iteration, seconds */
    std::vector<double> GetIterationSeconds() const;
    /** @return from the first iteration's start to the last one's end, s; 0 without iterations */
    double GetTotalSeconds() const;
    /** @return what all changes of plan took, from decision to the weights in place, s */
    double GetMigrationSeconds() const;
    /** @return how long the training waited for decisions between iterations, moves left out, s */
    double GetDecidingSeconds() const;
    /** @return weights that all changes of plan moved, bytes */
    uint64_t GetMigratedBytes() const;
    /** @return decisions that came to nothing */
    PlannerFailures GetFailures() const;

    std::string planner;           //!< of the plan, and whether there is help
    std::string firstPlanner{};    //!< name of the planner of the first plan
    bool isReplanned{false};       //!< whether the plan may change
    bool helped{false};            //!< whether idle devices help their neighbours
    std::string problemWithPlan;   //!< why there is no plan; empty if there is one
    PipelinePlan plan;             //!< who runs what
    double predictedSeconds{0};    //!< iteration time by the cost model, seconds
    double lowerBoundSeconds{0};   //!< no plan takes less by the cost model; 0: unknown
    double decisionSeconds{0};     //!< wall-clock time of planning
    PipelineTrainingResult result; //!< what came of it
    double simulationSeconds{0};   //!< wall-clock time of the simulation
    std::string name{};            //!< what tells it from the others
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_CASE_H */
