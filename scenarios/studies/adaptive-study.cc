/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/adaptive-study.h"

#include "lib/adaptive-inputs.h"
#include "lib/progress.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"

#include <algorithm>
#include <chrono>

namespace ns3
{
namespace edgepipe
{

std::vector<double>
AdaptiveCase::GetIterationSeconds() const
{
    std::vector<double> seconds;
    for (const auto& [start, end] : result.iterations)
    {
        seconds.push_back((end - start).GetSeconds());
    }
    return seconds;
}

double
AdaptiveCase::GetTotalSeconds() const
{
    const auto& iterations = result.iterations;
    return iterations.empty() ? 0 : (iterations.back().end - iterations.front().start).GetSeconds();
}

double
AdaptiveCase::GetMigrationSeconds() const
{
    double seconds = 0;
    for (const auto& change : result.planChanges)
    {
        seconds += (change.inForce - change.decided).GetSeconds();
    }
    return seconds;
}

uint64_t
AdaptiveCase::GetMigratedBytes() const
{
    uint64_t bytes = 0;
    for (const auto& change : result.planChanges)
    {
        bytes += change.decision.moveBytes;
    }
    return bytes;
}

void
AdaptiveStudy::AddOptions(ScenarioOptions& o)
{
    TrainingInputs::AddOptions(o);
    AddAdaptiveOptions(o);
    o.Add("sample-interval",
          "between two samples of bandwidth and load for the picture, above 0",
          "500ms");
    o.Add("timeline", "whether to write timeline.json", "true");
    o.SetDefault("model", "resnet18");
    o.SetDefault("cluster", "pi-lab");
    o.SetDefault("micro-batch-size", "8");
    o.SetDefault("iterations", "40");
    o.SetDefault("link", "trace");
    o.SetDefault("load", "slowest:0.4@200s");
    o.SetDefault("adjacent", "on");
}

AdaptiveStudy::AdaptiveStudy(const ScenarioOptions& options)
    : m_inputs(options),
      m_names(GetDeviceNames(m_inputs.cluster.devices)),
      m_replan(ReadReplanOptions(options))
{
    if (m_inputs.planners.size() != 1)
    {
        options.Refuse("planner", "one planner");
    }
    auto& training = m_inputs.training;
    training.load = ReadLoadEnd(options);
    training.details = options.GetBool("timeline");
    training.conditionInterval = options.GetTime("sample-interval");
    if (training.conditionInterval < MilliSeconds(1))
    {
        options.Refuse("sample-interval", "1ms or more");
    }
    m_inputs.CheckNetwork(m_names);
    m_problem = m_inputs.BuildProblem(m_inputs.cluster, m_inputs.FindPlannerBandwidth(m_names));
    m_plan = FindByName<PipelinePlanner>("--planner", m_inputs.planners.front())->Plan(m_problem);
    m_predictedSeconds = PipelineCostModel(m_problem).IterationSeconds(m_plan);
    training.loads = ReadLoads(options, training.load, m_problem, m_plan);
}

void
AdaptiveStudy::Run()
{
    using Clock = std::chrono::steady_clock;
    m_cases = {{"neither", false, false, {}, 0}, {"replanning", true, false, {}, 0}};
    if (m_inputs.training.adjacent.enabled)
    {
        m_cases.push_back({"adjacent", false, true, {}, 0});
        m_cases.push_back({"both", true, true, {}, 0});
    }
    Progress progress;
    for (std::size_t i = 0; i < m_cases.size(); ++i)
    {
        auto& one = m_cases[i];
        PipelineTrainingOptions training = m_inputs.training;
        training.adjacent.enabled = one.isAssisted;
        if (one.isReplanned)
        {
            training.replan = m_replan;
            // A planner of its own, so that a case does not depend on those before it.
            const auto planner =
                FindByName<PipelinePlanner>("--planner", m_inputs.planners.front());
            planner->Plan(m_problem);
            // One that learns goes on with what it has learnt for the first problem.
            planner->SetAttributeFailSafe("Retrain", BooleanValue(false));
            training.replan.planner = planner;
        }
        const auto start = Clock::now();
        one.result = RunPipelineTraining(m_problem, m_plan, training, [&](double done) {
            progress.Update((i + done) / m_cases.size(), one.name + ": simulating");
        });
        one.simulationSeconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
}

const AdaptiveCase&
AdaptiveStudy::FindLongest() const
{
    return *std::max_element(m_cases.begin(), m_cases.end(), [](const auto& a, const auto& b) {
        return a.result.end < b.result.end;
    });
}

int
AdaptiveStudy::GetStatus() const
{
    const bool isAnyStalled = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
        return !one.result.finished;
    });
    return isAnyStalled ? 3 : 0;
}

} // namespace edgepipe
} // namespace ns3
