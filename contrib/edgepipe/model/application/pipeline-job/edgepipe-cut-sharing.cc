/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-sharing.h"

#include "ns3/edgepipe-json-reader.h"

#include <cmath>
#include <regex>

namespace ns3::edgepipe
{

/// Step between the shares that are tried at first, samples.
constexpr uint32_t COARSE = 4;
/// Bisections of the limit of level stages.
constexpr uint32_t LEVELS = 10;
/// Least relative gain of a round of descent for another one.
constexpr double LEAST_ROUND = 1e-4;

CutSharing::CutSharing(const PipelineJob& job, const PipelinePlan& plan)
    : m_job(job),
      m_problem(*job.problem),
      m_plan(plan),
      m_costs(m_problem)
{
    const auto schedule = FindByName<PipelineSchedule>("schedule", job.schedule);
    m_parts = schedule->GetParts();
    m_samples = (job.microBatchSamples + m_parts - 1) / m_parts;
    m_microBatches = m_problem.microBatches * m_parts;
    m_parameterBytes.push_back(0);
    m_activationBytes.push_back(0);
    const std::vector<uint64_t> kept = FindKeptBytes(m_problem.layers);
    for (std::size_t i = 0; i < kept.size(); ++i)
    {
        const PipelineLayer& layer = m_problem.layers[i];
        Require(layer.tied.empty(),
                "layer " + QuoteForMessage(layer.name) +
                    ": found tied weights, which joint help cannot keep equal, expected none");
        m_parameterBytes.push_back(m_parameterBytes.back() + layer.parameterBytes);
        m_activationBytes.push_back(m_activationBytes.back() + double(kept[i]) / m_parts);
    }
    for (const auto& stage : plan.stages)
    {
        const auto& costs = m_problem.costs.at(m_problem.devices[stage.device].type);
        Sums sums{{0}, {0}, {0}};
        for (std::size_t layer = 0; layer < m_problem.layers.size(); ++layer)
        {
            const double fixed = costs.fixedSeconds.empty() ? 0 : costs.fixedSeconds[layer];
            const double paid = m_job.paysFixed ? fixed : 0;
            const double forward = GetPartSeconds(costs.forwardSeconds[layer], paid, m_parts);
            const double backward = GetPartSeconds(costs.backwardSeconds[layer], paid, m_parts);
            sums.forward.push_back(sums.forward.back() + forward);
            sums.backward.push_back(sums.backward.back() + backward);
            sums.fixed.push_back(sums.fixed.back() + std::min({fixed, forward, backward}));
        }
        m_sums.push_back(std::move(sums));
    }
    m_passes = OrderPasses(*schedule, plan.stages.size(), m_microBatches);
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        m_mostHeld.push_back(
            FindMostHeld(schedule->GetSteps(i, plan.stages.size(), m_microBatches)));
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
    load.firstLayer = first;
    load.endLayer = end;
    if (stage > 0 && cuts[stage - 1].samples > 0)
    {
        const auto& [layer, samples] = cuts[stage - 1];
        Add(stage, layer, first, samples, load);
        Add(stage, first, layer, m_samples - samples, load);
        load.firstLayer = std::min(first, layer);
        first = std::max(first, layer);
    }
    if (stage < cuts.size() && cuts[stage].samples > 0)
    {
        const auto& [layer, samples] = cuts[stage];
        Add(stage, end, layer, samples, load);
        Add(stage, layer, end, m_samples - samples, load);
        load.endLayer = std::max(end, layer);
        end = std::min(end, layer);
    }
    if (first >= end)
    {
        load.activationBytes = std::numeric_limits<double>::infinity();
    }
    Add(stage, first, end, m_samples, load);
    return load;
}

StageMemory
CutSharing::CountMemory(const Load& load) const
{
    StageTensors tensors = m_costs.GetTensors(load.firstLayer, load.endLayer - 1);
    tensors.parameterBytes = load.parameterBytes;
    tensors.activationBytes = std::ceil(load.activationBytes);
    for (uint64_t* bytes : {&tensors.receivedBytes, &tensors.inputBytes, &tensors.largestBytes})
    {
        *bytes = (*bytes + m_parts - 1) / m_parts;
    }
    return CountStageMemory(tensors, m_problem.optimizerStates, m_problem.recomputes);
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
    std::vector<Load> loads;
    for (std::size_t i = 0; i < stages; ++i)
    {
        loads.push_back(GetLoad(i, cuts));
        if (!Fits(i, loads[i]))
        {
            return std::numeric_limits<double>::infinity();
        }
    }
    const auto getRate = [this](std::size_t from, std::size_t to) {
        return m_costs.GetBitsPerSecond(m_plan.stages[from].device, m_plan.stages[to].device) / 8;
    };
    // By pass and sending stage: the time of a transfer, and the end of the last one.
    std::array<std::vector<double>, 2> transfer;
    transfer.fill(std::vector<double>(stages, 0));
    std::array<std::vector<double>, 2> wire = transfer;
    for (std::size_t i = 0; i < cuts.size(); ++i)
    {
        const double bytes = GetCutBytes(i, cuts[i]);
        transfer[false][i] = bytes / getRate(i, i + 1);
        transfer[true][i + 1] = bytes / getRate(i + 1, i);
    }
    std::vector<double> here(m_passes.size() + 1, 0); // arrival of each input
    std::vector<double> end(stages, 0);
    for (const auto& [stage, isBackward, input, output] : m_passes)
    {
        const Load& load = loads[stage];
        end[stage] = std::max(end[stage], here[input]) +
                     (isBackward ? load.backwardSeconds : load.forwardSeconds);
        double& busy = wire[isBackward][stage];
        busy = std::max(busy, end[stage]) + transfer[isBackward][stage];
        here[output] = busy;
    }
    // Weight gradients follow the last gradient: to the previous stage, then to the next.
    std::vector<double> update = end;
    for (std::size_t i = 0; i < stages; ++i)
    {
        double over = wire[true][i];
        for (const std::size_t to : {i - 1, i + 1})
        {
            const std::size_t cut = std::min(i, to);
            const uint64_t bytes = to < stages ? GetSharedBytes(cut, cuts[cut]) : 0;
            if (bytes > 0)
            {
                over += bytes / getRate(i, to);
                update[to] = std::max(update[to], over);
            }
        }
    }
    double all = 0;
    for (std::size_t i = 0; i < stages; ++i)
    {
        all = std::max(
            all,
            update[i] + GetUpdateSeconds(m_job, m_plan.stages[i].device, loads[i].parameterBytes));
    }
    return all;
}

std::vector<SharedCut>
CutSharing::GetChoices(std::size_t cut, uint32_t steps) const
{
    const std::size_t planned = m_plan.stages[cut + 1].firstLayer;
    std::vector<SharedCut> choices;
    for (std::size_t layer = m_plan.stages[cut].firstLayer + 1;
         layer <= m_plan.stages[cut + 1].lastLayer;
         ++layer)
    {
        for (uint32_t samples = 0; samples < m_samples; ++samples)
        {
            const bool isTried = samples % steps == 0 || samples == 1 || samples + 1 == m_samples;
            if (isTried && (samples == 0) == (layer == planned))
            {
                choices.push_back({layer, samples});
            }
        }
    }
    return choices;
}

double
CutSharing::Descend(bool isForward, uint32_t steps, SharedCuts& found) const
{
    double seconds = GetIterationSeconds(found.cuts);
    for (double before = std::numeric_limits<double>::infinity();
         seconds < (1 - LEAST_ROUND) * before;)
    {
        before = seconds;
        for (std::size_t i = 0; i < found.cuts.size(); ++i)
        {
            const std::size_t cut = isForward ? i : found.cuts.size() - 1 - i;
            std::vector<SharedCut> cuts = found.cuts;
            for (const SharedCut& choice : GetChoices(cut, steps))
            {
                cuts[cut] = choice;
                const double time = GetIterationSeconds(cuts);
                found.passes += m_passes.size();
                if (time < seconds)
                {
                    seconds = time;
                    found.cuts = cuts;
                }
            }
        }
    }
    return seconds;
}

bool
CutSharing::Level(double most, SharedCuts& found) const
{
    const auto getExcess = [this, most, &found](std::size_t stage) {
        ++found.passes;
        const Load load = GetLoad(stage, found.cuts);
        return Fits(stage, load) ? std::max(0.0, load.forwardSeconds + load.backwardSeconds - most)
                                 : std::numeric_limits<double>::infinity();
    };
    bool isMet = true;
    for (std::size_t cut = 0; cut < found.cuts.size(); ++cut)
    {
        SharedCut best = found.cuts[cut];
        std::pair<double, double> least(getExcess(cut), getExcess(cut + 1));
        for (const SharedCut& choice : GetChoices(cut, 1))
        {
            if (least.first + least.second == 0)
            {
                break;
            }
            found.cuts[cut] = choice;
            const std::pair<double, double> excess(getExcess(cut), getExcess(cut + 1));
            best = excess < least ? choice : best;
            least = std::min(least, excess);
        }
        found.cuts[cut] = best;
        isMet = isMet && least.first == 0 && (cut + 1 < found.cuts.size() || least.second == 0);
    }
    return isMet;
}

SharedCuts
CutSharing::Solve() const
{
    const SharedCuts none{std::vector<SharedCut>(m_plan.stages.size() - 1), 0};
    SharedCuts even = none;
    double least = 0;
    double most = 0;
    for (std::size_t i = 0; i < m_plan.stages.size(); ++i)
    {
        const Load load = GetLoad(i, none.cuts);
        most = std::max(most, load.forwardSeconds + load.backwardSeconds);
    }
    for (uint32_t step = 0; step < LEVELS; ++step)
    {
        SharedCuts level{none.cuts, even.passes};
        const double middle = (least + most) / 2;
        const bool isMet = Level(middle, level);
        (isMet ? most : least) = middle;
        even = {isMet ? level.cuts : even.cuts, level.passes};
    }
    SharedCuts best = none;
    SharedCuts other = none;
    double seconds = Descend(true, COARSE, best);
    for (SharedCuts* start : {&other, &even})
    {
        const double time = Descend(false, COARSE, *start);
        start->passes += best.passes;
        best = {time < seconds ? start->cuts : best.cuts, start->passes};
        seconds = std::min(seconds, time);
    }
    if (Descend(false, 1, best) > (1 - LEAST_GAIN) * GetIterationSeconds(none.cuts))
    {
        best.cuts = none.cuts;
    }
    return best;
}

std::vector<SharedCut>
CutSharing::Read(const std::string& text) const
{
    std::vector<SharedCut> cuts(m_plan.stages.size() - 1);
    const std::regex form("(\\d{1,9}):(.*):(\\d{1,9})");
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');)
    {
        const auto require = [&word](bool isGood, const std::string& expected) {
            Require(isGood, "SharedCuts", QuoteForMessage(word), expected);
        };
        std::smatch parts;
        require(std::regex_match(word, parts, form), "CUT:LAYER:SAMPLES");
        const std::size_t cut = std::stoul(parts[1]);
        const uint32_t samples = std::stoul(parts[3]);
        require(cut < cuts.size(), "a cut below " + std::to_string(cuts.size()));
        const auto begin = m_problem.layers.begin() + m_plan.stages[cut].firstLayer + 1;
        const auto end = m_problem.layers.begin() + m_plan.stages[cut + 1].lastLayer + 1;
        const auto layer =
            std::find_if(begin, end, [&](const auto& each) { return each.name == parts[2]; });
        require(layer != end,
                "a layer of stages " + std::to_string(cut) + " and " + std::to_string(cut + 1) +
                    ", not their first");
        require(samples < m_samples, "fewer samples than " + std::to_string(m_samples));
        cuts[cut] = {std::size_t(layer - m_problem.layers.begin()), samples};
    }
    Require(!std::isinf(GetIterationSeconds(cuts)),
            "SharedCuts",
            QuoteForMessage(text),
            "shares that fit into the memory and leave every stage layers that all samples pass");
    return cuts;
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
            stage.memory = CountMemory(load);
            stage.updateSeconds =
                GetUpdateSeconds(m_job, m_plan.stages[i].device, load.parameterBytes);
        }
    }
}

} // namespace ns3::edgepipe
