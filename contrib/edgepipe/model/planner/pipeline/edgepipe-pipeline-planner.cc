/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-planner.h"

#include "edgepipe-group-shares.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-json-reader.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PipelinePlanner);

TypeId
PipelinePlanner::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("GroupShares",
             "How devices of a stage share the samples of a micro-batch: as the planner "
             "(plan), so that the slowest of them takes least (balanced), or as a planner of "
             "batch shares (bno, equal, optimal, random); also at every change of plan.",
             {&PipelinePlanner::m_groupShares, "plan"})
        .Add("Progress",
             "Progress of a planner that learns or searches for a long time.",
             {&PipelinePlanner::m_progress, "Progress"});
}

PipelinePlan
PipelinePlanner::Plan(const PipelineProblem& problem)
{
    ValidatePipelineProblem(problem);
    return MakeOrRefuse([&] {
        if (m_sharesOf != m_groupShares)
        {
            m_sharesPlanner = FindSharesPlanner("GroupShares", m_groupShares);
            m_sharesOf = m_groupShares;
        }
        PipelineCostModel costModel(problem);
        if (!UsesGroups())
        {
            costModel.CheckLayersFit();
        }
        DoPrepare(problem, costModel);
        PipelinePlan plan = DecideTimed([&] {
            PipelinePlan made = DoPlan(problem, costModel);
            SetGroupShares(costModel, made);
            return made;
        });
        costModel.CheckPlan(plan);
        return plan;
    });
}

Ptr<BatchSharesPlanner>
PipelinePlanner::FindSharesPlanner(const std::string& what, const std::string& name)
{
    if (name == "plan" || name == "balanced")
    {
        return nullptr;
    }
    try
    {
        return FindByName<BatchSharesPlanner>(what, name);
    }
    catch (const InputError&)
    {
        throw InputError(what,
                         QuoteForMessage(name),
                         "plan, balanced, or one of: " + JoinNames<BatchSharesPlanner>());
    }
}

void
PipelinePlanner::SetGroupShares(const PipelineCostModel& costModel, PipelinePlan& plan)
{
    const auto hasGroup = [](const PipelineStage& stage) { return !stage.group.empty(); };
    if (m_groupShares == "plan" || std::none_of(plan.stages.begin(), plan.stages.end(), hasGroup))
    {
        return;
    }
    costModel.CheckPlan(plan);
    ShareGroups(costModel, m_sharesPlanner, plan);
}

void
PipelinePlanner::DoPrepare(const PipelineProblem&, const PipelineCostModel&)
{
}

void
PipelinePlanner::ReportProgress(double done, const std::string& what)
{
    m_progress(done, what);
}

} // namespace ns3::edgepipe
