/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-study.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-progress.h"

#include <chrono>

namespace ns3
{
namespace edgepipe
{

std::string
PipelineCase::GetStatus() const
{
    return !problemWithPlan.empty() ? "no-plan" : result.finished ? "finished" : "stalled";
}

PipelineStudy::PipelineStudy(const ScenarioOptions& options)
    : m_inputs(options),
      m_names(GetDeviceNames(m_inputs.cluster.devices))
{
    m_inputs.CheckNetwork(m_names);
    m_problem = m_inputs.BuildProblem(m_inputs.cluster, m_inputs.FindPlannerBandwidth(m_names));
}

void
PipelineStudy::Run()
{
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const PipelineCostModel costs(m_problem);
    std::string firstProblem;
    Progress progress;
    for (const auto& name : m_inputs.planners)
    {
        PipelineCase one;
        one.planner = name;
        auto planner = FindByName<PipelinePlanner>("--planner", name);
        progress.Update(double(m_cases.size()) / m_inputs.planners.size(), name + ": planning");
        try
        {
            one.plan = planner->Plan(m_problem);
            one.decisionSeconds = planner->GetDecisionSeconds();
            one.predictedSeconds = costs.IterationSeconds(one.plan);
            const auto start = Clock::now();
            one.result =
                RunPipelineTraining(m_problem, one.plan, m_inputs.training, [&](double done) {
                    progress.Update((m_cases.size() + done) / m_inputs.planners.size(),
                                    name + ": simulating");
                });
            one.simulationSeconds = since(start);
        }
        catch (const InputError& error)
        {
            one.problemWithPlan = error.what();
            firstProblem = firstProblem.empty() ? error.what() : firstProblem;
        }
        m_cases.push_back(std::move(one));
    }
    for (const auto& one : m_cases)
    {
        if (one.problemWithPlan.empty())
        {
            return;
        }
    }
    if (m_inputs.training.schedule != "gpipe")
    {
        firstProblem += " (planners count the memory of the schedule gpipe, which keeps more)";
    }
    throw InputError(firstProblem);
}

int
PipelineStudy::GetStatus() const
{
    for (const auto& one : m_cases)
    {
        if (one.GetStatus() == "stalled")
        {
            return 3;
        }
    }
    return 0;
}

} // namespace edgepipe
} // namespace ns3
