/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_OUTSIDE_PLANNER_H
#define EDGEPIPE_OUTSIDE_PLANNER_H

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-line-process.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/nstime.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Asks a program: named exec:COMMAND, where COMMAND is a program and its arguments, split on
 * spaces.
 *
 * The program is started at the first decision and runs until this object goes (LineProcess). It
 * gets a problem a line on standard input, with what is known during the run beside it, and answers
 * a plan a line on standard output (doc/formats.rst, "Programs that plan"). One that does not
 * answer in time, ends, or answers what is not JSON is not asked again; an answer that is no plan
 * for the problem is refused, and the next is awaited.
 *
 * @tparam Base the interface of the kind of problem
 * @tparam Problem the problem
 * @tparam PlanType the plan
 * @tparam Aids what else Base hands to DoPlan
 */
template <typename Base, typename Problem, typename PlanType, typename... Aids>
class ExecPlanner : public Base
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @copydoc Planner::GetName */
    std::string GetName() const override;
    /** @copydoc Planner::IsFromOutside */
    bool IsFromOutside() const override;

  private:
    PlanType DoPlan(const Problem& problem, const Aids&... aids) override;

    std::string m_command; //!< program and arguments
    Time m_timeout;        //!< longest wait for an answer, wall-clock
    LineProcess m_process; //!< the program
};

/**
 * Reads plans that were made before: named plan:FILE, or plan:FILE#NAME where a file holds several.
 *
 * The file holds a plan as `plan` prints it, or several: a list, or one a line, told apart by their
 * member "planner". Whatever is asked, the answer is that plan.
 *
 * @tparam Base the interface of the kind of problem
 * @tparam Problem the problem
 * @tparam PlanType the plan
 * @tparam Aids what else Base hands to DoPlan
 */
template <typename Base, typename Problem, typename PlanType, typename... Aids>
class FilePlanner : public Base
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @copydoc Planner::GetName */
    std::string GetName() const override;
    /** @copydoc Planner::IsFromOutside */
    bool IsFromOutside() const override;

  private:
    PlanType DoPlan(const Problem& problem, const Aids&... aids) override;

    std::string m_file;              //!< path, and name of the plan after a #
    std::optional<JsonField> m_plan; //!< read from there
};

/**
 * @param path a file with plans, as FilePlanner reads it
 * @return the plans, and after what they are named: plan:FILE of a file that holds one, otherwise
 *         plan:FILE#NAME
 * @throws InputError if it cannot be read, is not JSON, or holds several of which two have one name
 */
std::vector<std::pair<std::string, JsonField>> ReadPlans(const std::string& path);

/// @copydoc ExecPlanner
using ExecPipelinePlanner =
    ExecPlanner<PipelinePlanner, PipelineProblem, PipelinePlan, PipelineCostModel>;
/// @copydoc ExecPlanner
using ExecTwoWayCutPlanner = ExecPlanner<TwoWayCutPlanner, TwoWayCutProblem, TwoWayCutPlan>;
/// @copydoc ExecPlanner
using ExecMultiActorPlanner = ExecPlanner<MultiActorPlanner, MultiActorProblem, MultiActorPlan>;
/// @copydoc ExecPlanner
using ExecBatchSharesPlanner = ExecPlanner<BatchSharesPlanner, BatchSharesProblem, BatchSharesPlan>;

/// @copydoc FilePlanner
using FilePipelinePlanner =
    FilePlanner<PipelinePlanner, PipelineProblem, PipelinePlan, PipelineCostModel>;
/// @copydoc FilePlanner
using FileTwoWayCutPlanner = FilePlanner<TwoWayCutPlanner, TwoWayCutProblem, TwoWayCutPlan>;
/// @copydoc FilePlanner
using FileMultiActorPlanner = FilePlanner<MultiActorPlanner, MultiActorProblem, MultiActorPlan>;
/// @copydoc FilePlanner
using FileBatchSharesPlanner = FilePlanner<BatchSharesPlanner, BatchSharesProblem, BatchSharesPlan>;

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_OUTSIDE_PLANNER_H */
