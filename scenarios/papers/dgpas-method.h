/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_METHOD_H
#define EDGEPIPE_DGPAS_METHOD_H

#include "ns3/edgepipe-pipeline-problem.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A row of the tables of dgpas-testbed: who plans, and in which order stages work. */
struct DgpasMethod
{
    std::string name;    //!< unique
    std::string planner; //!< name of a PipelinePlanner
    /// Its attributes by name, of those that are not left alone.
    std::map<std::string, std::string> attributes;
    std::string schedule;         //!< name of a PipelineSchedule
    std::string theirs;           //!< row of the paper's table 3 that it stands for; may be empty
    bool isRandom;                //!< whether the seed matters
    bool isOfFirstNetwork{false}; //!< whether it is run over the first network alone
    std::string model{};          //!< file of the only model it has a plan for; empty: any

    /** @return what its plans depend on, the problem and the seed apart */
    std::string GetKey() const;

    /** @return of what option --planner calls it */
    std::string GetOption() const;
};

/// The planner of the paper as the paper has it, and as ours improves on it.
const std::string DGPAS_FAITHFUL = "grdqn-faithful";
/// See DGPAS_FAITHFUL.
const std::string DGPAS_IMPROVED = "grdqn-improved";
/// As the paper has it, told how long a stage is.
const std::string DGPAS_STAGE_AWARE = "grdqn-stage-aware";

/**
 * @param folder of traces, with the plan that the authors have published
 * @return a method for every planner that is registered, by any module: those of table 3 first, in
 *         its order, each in the settings it is compared in; then the others; then the schedule
 *         seq1f1b on the plans of grdqn. A planner of which nothing is known is taken to be
 *         random.
 */
std::vector<DgpasMethod> GetDgpasMethods(const std::string& folder);

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

/** Plans for a problem with one seed, by DgpasMethod::GetKey. */
using DgpasPlans = std::map<std::string, DgpasPlan>;

/**
 * Plan with several seeds at once, each in a process of its own.
 *
 * @param methods who plans; those of one key share a plan
 * @param problem the problem
 * @param seeds ns-3's run numbers
 * @return the plans, by seed
 * @throws InputError if a process is killed or cannot be started
 */
std::vector<DgpasPlans> MakeDgpasPlans(const std::vector<DgpasMethod>& methods,
                                       const PipelineProblem& problem,
                                       const std::vector<uint64_t>& seeds);

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
