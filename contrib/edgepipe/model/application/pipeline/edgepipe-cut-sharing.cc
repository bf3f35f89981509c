/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-sharing.h"

#include "ns3/edgepipe-find-by-name.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most layers that another cut may be away from the plan's.
constexpr std::size_t MOST_LAYERS = 40;
/// Shares that the descent tries, of a part of a micro-batch.
constexpr std::array<double, 9> SHARES{0, 1. / 16, 1. / 8, .25, .375, .5, .625, .75, .875};
/// Least part of the time that a round of the descent has to gain for another one.
constexpr double LEAST_ROUND = 1e-4;

} // namespace

CutSharing::CutSharing(const PipelineJob& job, const PipelinePlan& plan)
    : m_job(job),
      m_problem(*job.problem),
      m_plan(plan),
      m_costs(m_problem)
{
    const auto schedule = FindByName<PipelineSchedule>("schedule", job.schedule);
    m_parts = schedule->GetParts();
    m_samples = (job.microBatchSamples + m_parts - 1) / m_parts;
    m_parameterBytes.push_back(0);
    m_activationBytes.push_back(0);
    for (const auto& layer : m_problem.layers)
    {
        m_parameterBytes.push_back(m_parameterBytes.back() + layer.parameterBytes);
        m_activationBytes.push_back(m_activationBytes.back() +
                                    double(layer.activationBytes) / m_parts);
    }
    const std::size_t stages = plan.stages.size();
    for (std::size_t i = 0; i < stages; ++i)
    {
        const auto& costs = m_problem.costs.at(m_problem.devices[plan.stages[i].device].type);
        Sums sums{{0}, {0}, {0}};
        for (std::size_t layer = 0; layer < m_problem.layers.size(); ++layer)
        {
            const double forward = costs.forwardSeconds[layer] / m_parts;
            const double backward = costs.backwardSeconds[layer] / m_parts;
            const double fixed = costs.fixedSeconds.empty() ? 0 : costs.fixedSeconds[layer];
            sums.forward.push_back(sums.forward.back() + forward);
            sums.backward.push_back(sums.backward.back() + backward);
            sums.fixed.push_back(sums.fixed.back() + std::min({fixed, forward, backward}));
        }
        m_sums.push_back(std::move(sums));
        m_steps.push_back(schedule->GetSteps(i, stages, m_problem.microBatches * m_parts));
        uint32_t held = 0;
        m_mostHeld.push_back(0);
        for (const auto& step : m_steps.back())
        {
            held += step.backward ? -1 : 1;
            m_mostHeld.back() = std::max(m_mostHeld.back(), held);
        }
    }
}

void
CutSharing::Add(std::size_t stage, std::size_t first, std::size_t end, double samples, Load& load)
    const
{
    if (end <= first || samples <= 0)
    {
        return;
    }
    const auto sum = [first, end](const auto& sums) { return sums[end] - sums[first]; };
    const double part = samples / m_samples;
    const double fixed = (1 - part) * sum(m_sums[stage].fixed);
    load.forwardSeconds += part * sum(m_sums[stage].forward) + fixed;
    load.backwardSeconds += part * sum(m_sums[stage].backward) + fixed;
    load.activationBytes += part * sum(m_activationBytes);
    load.parameterBytes += sum(m_parameterBytes);
}

CutSharing::Load
CutSharing::GetLoad(std::size_t stage, const std::vector<SharedCut>& cuts) const
{
    std::size_t first = m_plan.stages[stage].firstLayer;
    std::size_t end = m_plan.stages[stage].lastLayer + 1;
    Load load;
    if (stage > 0 && cuts[stage - 1].samples > 0)
    {
        const auto& [layer, samples] = cuts[stage - 1];
        Add(stage, layer, first, samples, load);
        Add(stage, first, layer, m_samples - samples, load);
        first = std::max(first, layer);
    }
    if (stage < cuts.size() && cuts[stage].samples > 0)
    {
        const auto& [layer, samples] = cuts[stage];
        Add(stage, end, layer, samples, load);
        Add(stage, layer, end, m_samples - samples, load);
        end = std::min(end, layer);
    }
    if (first >= end)
    {
        load.activationBytes = std::numeric_limits<double>::infinity();
    }
    Add(stage, first, end, m_samples, load);
    return load;
}

double
CutSharing::GetCutBytes(std::size_t cut, const SharedCut& shared) const
{
    const double all = m_costs.CutBytes(m_plan.stages[cut].lastLayer);
    const double part = double(shared.samples) / m_samples;
    const double other = shared.samples > 0 ? m_costs.CutBytes(shared.firstLayer - 1) : 0;
    return std::ceil(((1 - part) * all + part * other) / m_parts);
}

uint64_t
CutSharing::GetSharedBytes(std::size_t cut, const SharedCut& shared) const
{
    if (shared.samples == 0)
    {
        return 0;
    }
    const auto [first, end] = std::minmax(m_plan.stages[cut + 1].firstLayer, shared.firstLayer);
    return m_parameterBytes[end] - m_parameterBytes[first];
}

double
CutSharing::GetIterationSeconds(const std::vector<SharedCut>& cuts) const
{
    const std::size_t stages = m_plan.stages.size();
    const std::size_t microBatches = m_steps[0].size() / 2;
    std::vector<Load> loads;
    for (std::size_t i = 0; i < stages; ++i)
    {
        loads.push_back(GetLoad(i, cuts));
        const double bytes =
            2.0 * loads[i].parameterBytes + m_mostHeld[i] * std::ceil(loads[i].activationBytes);
        if (bytes > m_problem.devices[m_plan.stages[i].device].memoryBytes)
        {
            return std::numeric_limits<double>::infinity();
        }
    }
    const auto getRate = [this](std::size_t from, std::size_t to) {
        return m_costs.GetBitsPerSecond(m_plan.stages[from].device, m_plan.stages[to].device) / 8;
    };
    std::vector<double> transfer;
    for (std::size_t i = 0; i < cuts.size(); ++i)
    {
        transfer.push_back(GetCutBytes(i, cuts[i]));
    }
    // By pass and stage: when the micro-batches are there, in the order of their coming.
    const double never = std::numeric_limits<double>::infinity();
    std::array<std::vector<std::vector<double>>, 2> here;
    here.fill(std::vector<std::vector<double>>(stages, std::vector<double>(microBatches, never)));
    here[false].front().assign(microBatches, 0);
    here[true].back().assign(microBatches, 0);
    std::array<std::vector<double>, 2> wire;
    wire.fill(std::vector<double>(stages, 0));
    std::vector<double> end(stages, 0);
    std::vector<std::size_t> next(stages, 0);
    for (std::size_t left = stages; left > 0;)
    {
        for (std::size_t i = 0; i < stages; ++i)
        {
            while (next[i] < m_steps[i].size())
            {
                const auto& [backward, microBatch] = m_steps[i][next[i]];
                const double begin = here[backward][i][microBatch];
                if (begin == never)
                {
                    break;
                }
                end[i] = std::max(end[i], begin) +
                         (backward ? loads[i].backwardSeconds : loads[i].forwardSeconds);
                left -= ++next[i] == m_steps[i].size();
                if (backward ? i == 0 : i + 1 == stages)
                {
                    continue;
                }
                const std::size_t to = backward ? i - 1 : i + 1;
                double& busy = wire[backward][i];
                busy = std::max(busy, end[i]) + transfer[std::min(i, to)] / getRate(i, to);
                here[backward][to][microBatch] = busy;
            }
        }
    }
    double all = 0;
    for (std::size_t i = 0; i < stages; ++i)
    {
        double begin = end[i];
        double merge = 0;
        for (const std::size_t other : {i - 1, i + 1})
        {
            const std::size_t cut = std::min(i, other);
            const uint64_t bytes = other < stages ? GetSharedBytes(cut, cuts[cut]) : 0;
            if (bytes > 0)
            {
                begin = std::max(begin, end[other]);
                merge += bytes / std::min(getRate(i, other), getRate(other, i));
            }
        }
        all =
            std::max(all,
                     begin + merge +
                         GetUpdateSeconds(m_job, m_plan.stages[i].device, loads[i].parameterBytes));
    }
    return all;
}

std::vector<SharedCut>
CutSharing::Solve() const
{
    const std::vector<SharedCut> none(m_plan.stages.size() - 1);
    std::vector<SharedCut> best = none;
    const double without = GetIterationSeconds(none);
    double seconds = without;
    for (double before = std::numeric_limits<double>::infinity();
         seconds < (1 - LEAST_ROUND) * before;)
    {
        before = seconds;
        for (std::size_t cut = 0; cut < best.size(); ++cut)
        {
            const std::size_t planned = m_plan.stages[cut + 1].firstLayer;
            const std::size_t first = m_plan.stages[cut].firstLayer + 1;
            const std::size_t last = m_plan.stages[cut + 1].lastLayer;
            std::vector<SharedCut> cuts = best;
            for (std::size_t layer = std::max(first, planned - std::min(planned, MOST_LAYERS));
                 layer <= std::min(last, planned + MOST_LAYERS);
                 ++layer)
            {
                for (const double share : SHARES)
                {
                    cuts[cut] = {layer, static_cast<uint32_t>(share * m_samples)};
                    const double time = GetIterationSeconds(cuts);
                    if (time < seconds)
                    {
                        seconds = time;
                        best = cuts;
                    }
                }
            }
        }
    }
    return seconds <= (1 - LEAST_GAIN) * without ? best : none;
}

void
CutSharing::Apply(const std::vector<SharedCut>& cuts,
                  std::vector<PipelinePlacement>& placements) const
{
    for (std::size_t i = 0; i < placements.size(); ++i)
    {
        StageAssignment& stage = placements[i].assignment;
        const bool isBefore = i > 0 && cuts[i - 1].samples > 0;
        const bool isBehind = i < cuts.size() && cuts[i].samples > 0;
        if (isBefore)
        {
            stage.inputBytes = GetCutBytes(i - 1, cuts[i - 1]);
            stage.sharedPreviousBytes = GetSharedBytes(i - 1, cuts[i - 1]);
        }
        if (isBehind)
        {
            stage.outputBytes = GetCutBytes(i, cuts[i]);
            stage.sharedNextBytes = GetSharedBytes(i, cuts[i]);
        }
        if (isBefore || isBehind)
        {
            const Load load = GetLoad(i, cuts);
            stage.forwardSeconds = load.forwardSeconds;
            stage.backwardSeconds = load.backwardSeconds;
            stage.parameterBytes = load.parameterBytes;
            stage.activationBytes = std::ceil(load.activationBytes);
            stage.updateSeconds =
                GetUpdateSeconds(m_job, m_plan.stages[i].device, load.parameterBytes);
        }
    }
}

} // namespace edgepipe
} // namespace ns3
