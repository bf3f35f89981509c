/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/pipeline-study.h"

#include "lib/progress.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"

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
    : m_inputs(options, true),
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
    const double all = m_inputs.planners.size() * m_inputs.helps.size();
    for (const auto& name : m_inputs.planners)
    {
        PipelineCase one;
        one.planner = name;
        auto planner = FindByName<PipelinePlanner>("--planner", name);
        planner->TraceConnectWithoutContext(
            "Progress",
            Callback<void, double, const std::string&>([&](double, const std::string& what) {
                progress.Update(m_cases.size() / all, name + ": " + what);
            }));
        progress.Update(m_cases.size() / all, name + ": planning");
        try
        {
            one.plan = planner->Plan(m_problem);
            one.decisionSeconds = planner->GetDecisionSeconds();
            one.predictedSeconds = costs.IterationSeconds(one.plan);
            for (const bool helped : m_inputs.helps)
            {
                one.helped = helped;
                auto training = m_inputs.training;
                training.adjacent.enabled = helped;
                const auto start = Clock::now();
                one.result = RunPipelineTraining(m_problem, one.plan, training, [&](double done) {
                    progress.Update((m_cases.size() + done) / all, name + ": simulating");
                });
                one.simulationSeconds = since(start);
                m_cases.push_back(one);
            }
        }
        catch (const InputError& error)
        {
            one.problemWithPlan = error.what();
            firstProblem = firstProblem.empty() ? error.what() : firstProblem;
            m_cases.push_back(one);
        }
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
