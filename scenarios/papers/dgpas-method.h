/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_METHOD_H
#define EDGEPIPE_DGPAS_METHOD_H

#include "ns3/edgepipe-pipeline-problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A row of the tables of dgpas-testbed: who plans, and in which order stages work. */
struct DgpasMethod
{
    std::string name;     //!< unique
    std::string planner;  //!< name of a PipelinePlanner
    std::string variant;  //!< its attribute Variant; empty: left alone
    std::string schedule; //!< name of a PipelineSchedule
    std::string theirs;   //!< row of the paper's table 3 that it stands for; may be empty
    bool isRandom;        //!< whether the seed matters
};

/// The planner of the paper as the paper has it, and as ours improves on it.
const std::string DGPAS_FAITHFUL = "grdqn-faithful";
/// See DGPAS_FAITHFUL.
const std::string DGPAS_IMPROVED = "grdqn-improved";

/**
 * @return a method for every planner that is registered, by any module: those of table 3 first, in
 *         its order; then the others; then the schedule seq1f1b on the plans of grdqn. A planner
 *         of which nothing is known is taken to be random.
 */
std::vector<DgpasMethod> GetDgpasMethods();

/** A plan and what it took. */
struct DgpasPlan
{
    std::string problemWithPlan;  //!< why there is none; empty if there is one
    PipelinePlan plan;            //!< who runs what
    double predictedSeconds{0};   //!< iteration time by the cost model
    double decisionSeconds{0};    //!< wall-clock time of deciding
    double preparationSeconds{0}; //!< wall-clock time before that: training, or loading weights
    uint64_t evaluations{0};      //!< plans the cost model was asked about, training included
    bool isTrained{false};        //!< whether weights were trained now
};

/**
 * @param method who plans
 * @param problem the problem
 * @param seed ns-3's run number, from which planners draw; it is left at that
 * @return the plan, or why there is none
 */
DgpasPlan MakeDgpasPlan(const DgpasMethod& method, const PipelineProblem& problem, uint64_t seed);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_METHOD_H */
