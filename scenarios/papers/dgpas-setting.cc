/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-setting.h"

#include <algorithm>
#include <functional>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Memory that nothing fills, bytes.
constexpr uint64_t UNLIMITED_BYTES = uint64_t{1} << 62;

} // namespace

bool
DgpasOutcome::IsFinished() const
{
    return status == "finished";
}

bool
IsFinished(const DgpasOutcomes& outcomes)
{
    return std::all_of(outcomes.begin(), outcomes.end(), std::mem_fn(&DgpasOutcome::IsFinished));
}

DgpasSetting::DgpasSetting(const ScenarioOptions& options,
                           const DgpasSite& site,
                           std::optional<double> lambda)
    : m_options(options.GetName(), ""),
      m_inputs(m_options),
      m_lambda(lambda)
{
    m_options.TakeOver(options);
    m_options.SetDefault("model", site.model);
    m_options.SetDefault("link", site.link);
    m_options.SetDefault("bandwidth", site.bandwidth);
    m_options.SetDefault("micro-batches", std::to_string(site.microBatches));
    m_options.SetDefault("micro-batch-size", std::to_string(site.microBatchSize));
    // Slow networks take minutes over the tensors of slow plans, and that is no stall.
    m_options.SetDefault("stall-timeout", "24h");
    m_options.Apply();
    m_inputs.Read();
    const std::vector<std::string> names = GetDeviceNames(m_inputs.cluster.devices);
    m_inputs.CheckNetwork(names);
    m_problem = m_inputs.BuildProblem(m_inputs.cluster, m_inputs.FindPlannerBandwidth(names));
    for (auto& device : m_problem.devices)
    {
        device.memoryBytes = site.hasMemory ? device.memoryBytes : UNLIMITED_BYTES;
    }
}

const PipelineProblem&
DgpasSetting::GetProblem() const
{
    return m_problem;
}

const TrainingInputs&
DgpasSetting::GetInputs() const
{
    return m_inputs;
}

const DgpasOutcomes&
DgpasSetting::Simulate(const PipelinePlan& plan, const std::string& schedule, uint32_t iterations)
{
    std::ostringstream key;
    key << schedule << " " << iterations;
    for (const PipelineStage& stage : plan.stages)
    {
        key << " " << stage.device << ":" << stage.lastLayer;
    }
    const auto [entry, isNew] = m_outcomes.try_emplace(key.str());
    if (isNew)
    {
        PipelineTrainingOptions training = m_inputs.training;
        training.details = false;
        training.schedule = schedule;
        training.iterations = iterations;
        DgpasOutcomes& outcomes = entry->second;
        for (const std::string help : DGPAS_HELPS)
        {
            training.adjacent.enabled = help != "none";
            training.adjacent.costs = help == "ideal" ? AdjacentCosts::IDEAL : AdjacentCosts::FULL;
            DgpasOutcome outcome = DoSimulate(plan, training);
            outcome.help = help;
            outcomes.push_back(std::move(outcome));
            const double bubbles = outcomes.front().bubbleSeconds;
            outcomes.back().theta = GetTheta(outcomes.back().assistance, bubbles);
            outcomes.back().theorem = GetTheoremBubbleSeconds(outcomes.back().assistance, bubbles);
        }
    }
    return entry->second;
}

std::size_t
DgpasSetting::GetSimulations() const
{
    return m_outcomes.size() * DGPAS_HELPS.size();
}

DgpasOutcome
DgpasSetting::DoSimulate(const PipelinePlan& plan, const PipelineTrainingOptions& training) const
{
    const PipelineTrainingResult result = RunPipelineTraining(m_problem, plan, training);
    DgpasOutcome outcome;
    outcome.status = result.finished ? "finished" : "stalled";
    outcome.reason = result.diagnosis.empty() ? "" : result.diagnosis.front();
    outcome.iterationSeconds = result.GetMeanIterationSeconds();
    outcome.bubbleRate = result.GetMeanBubbleRate();
    outcome.bubbleSeconds = outcome.bubbleRate * plan.stages.size() * outcome.iterationSeconds;
    outcome.index =
        GetBubbleIndex(m_problem, plan, outcome.bubbleRate, outcome.iterationSeconds, m_lambda);
    outcome.assistance = result.assistance;
    outcome.movedBytes = result.bytesMoved;
    return outcome;
}

} // namespace edgepipe
} // namespace ns3
