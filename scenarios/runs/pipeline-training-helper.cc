/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/pipeline-training-helper.h"

#include "runs/pipeline-run.h"

#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param rates of iterations
 * @return their mean; 0 if there is none
 */
double
GetMean(const std::vector<double>& rates)
{
    return rates.empty() ? 0 : std::accumulate(rates.begin(), rates.end(), 0.0) / rates.size();
}

} // namespace

double
PipelineOutcome::GetMeanIterationSeconds() const
{
    Time total;
    for (const auto& iteration : iterations)
    {
        total += iteration.end - iteration.start;
    }
    return iterations.empty() ? 0 : total.GetSeconds() / iterations.size();
}

double
PipelineOutcome::GetMeanBubbleRate() const
{
    return GetMean(usage.bubbleRates);
}

double
PipelineOutcome::GetMeanIdleRate() const
{
    return GetMean(usage.idleRates);
}

PipelineTrainingResult
RunPipelineTraining(const PipelineProblem& problem,
                    const PipelinePlan& plan,
                    const PipelineTrainingOptions& options,
                    const std::function<void(double)>& progress)
{
    std::vector<std::string> names;
    for (const auto& device : problem.devices)
    {
        names.push_back(device.name);
    }
    auto all = RunSideBySide({{&problem, &plan, 0}}, names, options, progress);
    PipelineTrainingResult result;
    static_cast<PipelineOutcome&>(result) = std::move(all.pipelines.front());
    static_cast<TrainingRun&>(result) = std::move(all);
    return result;
}

SideBySideResult
RunSideBySide(const std::vector<PipelineOnNetwork>& pipelines,
              const std::vector<std::string>& names,
              const PipelineTrainingOptions& options,
              const std::function<void(double)>& progress)
{
    return PipelineRun(names, options, progress).Simulate(pipelines);
}

} // namespace edgepipe
} // namespace ns3
