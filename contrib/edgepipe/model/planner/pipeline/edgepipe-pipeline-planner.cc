/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-planner.h"

#include "ns3/edgepipe-input-error.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PipelinePlanner);

TypeId
PipelinePlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::PipelinePlanner")
            .SetParent<Planner>()
            .SetGroupName("Edgepipe")
            .AddTraceSource("Progress",
                            "Progress of a planner that learns or searches for a long time.",
                            MakeTraceSourceAccessor(&PipelinePlanner::m_progress),
                            "ns3::edgepipe::PipelinePlanner::ProgressCallback");
    return tid;
}

PipelinePlan
PipelinePlanner::Plan(const PipelineProblem& problem)
{
    ValidatePipelineProblem(problem);
    try
    {
        PipelineCostModel costModel(problem);
        if (!UsesGroups())
        {
            costModel.CheckLayersFit();
        }
        DoPrepare(problem, costModel);
        PipelinePlan plan = DecideTimed([&] { return DoPlan(problem, costModel); });
        costModel.CheckPlan(plan);
        return plan;
    }
    catch (const InputError& error)
    {
        Refuse(error);
    }
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
