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
    const auto& rates = usage.bubbleRates;
    return rates.empty() ? 0 : std::accumulate(rates.begin(), rates.end(), 0.0) / rates.size();
}

double
PipelineOutcome::GetMeanIdleRate() const
{
    double busy = 0;
    std::size_t devices = 0;
    for (const auto& [device, seconds] : usage.busySeconds)
    {
        busy += seconds;
        devices += seconds > 0;
    }
    const double total = devices * iterations.size() * GetMeanIterationSeconds();
    return total > 0 ? 1 - busy / total : 0;
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
