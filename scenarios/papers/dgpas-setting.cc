/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-setting.h"

#include "lib/traces-option.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

DgpasOutcome&
DgpasOutcomes::Get(DgpasHelp help)
{
    return m_outcomes[static_cast<std::size_t>(help)];
}

const DgpasOutcome&
DgpasOutcomes::Get(DgpasHelp help) const
{
    return m_outcomes[static_cast<std::size_t>(help)];
}

bool
DgpasOutcomes::IsFinished() const
{
    return std::all_of(m_outcomes.begin(), m_outcomes.end(), [](const DgpasOutcome& outcome) {
        return outcome.isFinished;
    });
}

void
DgpasSetting::AddOptions(ScenarioOptions& options)
{
    const AdjacentOptions adjacent;
    options.Add("cluster", "devices: a name in traces/clusters or a file", "dgpas-testbed");
    options.Add("fidelity",
                "flow (transfers share links' rates) or packet (every packet of ns-3's TCP)",
                "flow");
    options.Add("checkpoints",
                "inside every micro-batch, at which busy devices look for requests",
                std::to_string(adjacent.checkpoints));
    options.Add("lambda",
                "device heterogeneity of equation 11, 0 or more; empty: coefficient of variation "
                "of the speeds of the stages' devices",
                "");
    options.Add("out", "folder of the results", "results/" + options.GetName());
    AddTracesOption(options);
}

DgpasSetting::DgpasSetting(const ScenarioOptions& options, const DgpasSite& site)
    : m_options(options.GetName(), "")
{
    m_inputs.emplace(m_options);
    for (const char* shared : {"traces", "cluster", "fidelity", "out"})
    {
        m_options.SetDefault(shared, options.GetString(shared));
    }
    m_options.SetDefault("model", site.model);
    m_options.SetDefault("link", site.link);
    m_options.SetDefault("bandwidth", site.bandwidth);
    m_options.SetDefault("micro-batches", std::to_string(site.microBatches));
    m_options.SetDefault("micro-batch-size", std::to_string(site.microBatchSize));
    // Slow networks take minutes over the tensors of slow plans, and that is no stall.
    m_options.SetDefault("stall-timeout", "24h");
    m_options.Apply();
    m_inputs->Read();
    m_inputs->training.adjacent.checkpoints = options.GetUint("checkpoints", 1, 1000000);
    if (!options.GetString("lambda").empty())
    {
        m_lambda = options.GetDouble("lambda", 0, 1e9);
    }
    const std::vector<std::string> names = GetDeviceNames(m_inputs->cluster.devices);
    m_inputs->CheckNetwork(names);
    m_problem = m_inputs->BuildProblem(m_inputs->cluster, m_inputs->FindPlannerBandwidth(names));
}

const PipelineProblem&
DgpasSetting::GetProblem() const
{
    return m_problem;
}

const TrainingInputs&
DgpasSetting::GetInputs() const
{
    return *m_inputs;
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
        PipelineTrainingOptions training = m_inputs->training;
        training.details = false;
        training.schedule = schedule;
        training.iterations = iterations;
        for (const auto& [help, name] : DGPAS_HELPS)
        {
            training.adjacent.enabled = help != DgpasHelp::NONE;
            training.adjacent.costs =
                help == DgpasHelp::IDEAL ? AdjacentCosts::IDEAL : AdjacentCosts::FULL;
            DgpasOutcome& outcome = entry->second.Get(help) = DoSimulate(plan, training);
            outcome.theta =
                GetTheta(outcome.assistance, entry->second.Get(DgpasHelp::NONE).bubbleSeconds);
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
    outcome.isFinished = result.finished;
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
