/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-staged-walk.h"

#include <numeric>

namespace ns3::edgepipe
{

StagedWalk::StagedWalk(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_scales(costModel),
      m_fit(costModel),
      m_layers(costModel.GetProblem().layers.size()),
      m_figures(m_scales.DescribeLayers())
{
    const std::size_t stages = m_fit.GetLargestFirst().size();
    m_completes.assign(stages + 1, std::vector<bool>(m_layers + 1, false));
    for (std::size_t stage = stages + 1; stage-- > 0;)
    {
        for (std::size_t first = 0; first < m_layers && stage < stages; ++first)
        {
            m_completes[stage][first] = m_completes[stage + 1][FindEnd(stage, first)];
        }
        m_completes[stage][m_layers] = true;
    }
}

bool
StagedWalk::MaySplit(std::size_t stage, std::size_t layer) const
{
    return m_completes[stage + 1][layer + 1];
}

std::size_t
StagedWalk::FindEnd(std::size_t stage, std::size_t first) const
{
    return m_fit.FindEnd(first, m_fit.GetLargestFirst()[stage]);
}

bool
StagedWalk::HasChoice(const CutState& state) const
{
    return MaySplit(state.stage, state.layer) &&
           FindEnd(state.stage, state.first) > state.layer + 1;
}

StagedPlan
StagedWalk::Begin() const
{
    StagedPlan state{};
    state.isTaken.assign(m_fit.GetLargestFirst().size(), false);
    if (m_layers == 1)
    {
        state.division.emplace_back(0, 0);
        state.first = 1;
    }
    return state;
}

bool
StagedWalk::IsCutting(const StagedPlan& state) const
{
    return state.first < m_layers;
}

bool
StagedWalk::IsFinished(const StagedPlan& state) const
{
    return !IsCutting(state) && state.stage == state.division.size();
}

std::vector<std::size_t>
StagedWalk::FindAllowed(const StagedPlan& state) const
{
    if (IsCutting(state))
    {
        if (HasChoice(state))
        {
            return {SPLIT, CONTINUE};
        }
        return {MaySplit(state.stage, state.layer) ? SPLIT : CONTINUE};
    }
    std::vector<uint64_t> bytes;
    for (std::size_t r = state.stage; r < state.division.size(); ++r)
    {
        bytes.push_back(
            m_costModel.StageMemoryBytes(state.division[r].first, state.division[r].second));
    }
    const std::vector<uint64_t> rest(bytes.begin() + 1, bytes.end());
    std::vector<std::size_t> allowed;
    for (std::size_t device = 0; device < state.isTaken.size(); ++device)
    {
        if (m_fit.MayPlace(device, bytes.front(), rest, state.isTaken))
        {
            allowed.push_back(device);
        }
    }
    return allowed;
}

void
StagedWalk::Describe(const StagedPlan& state, std::vector<float>& figures) const
{
    if (IsCutting(state))
    {
        DescribeLayer(state.layer, figures);
        return;
    }
    const auto devices = m_scales.DescribeDevices(state.isTaken);
    figures.insert(figures.end(), devices.begin(), devices.end());
    const auto [first, last] = state.division[state.stage];
    figures.push_back(Share(m_scales.GetWork(first, last), m_scales.GetTotalWork()));
    figures.push_back(Share(m_costModel.StageMemoryBytes(first, last), GetLargestMemory()));
}

void
StagedWalk::DescribeLayer(std::size_t layer, std::vector<float>& figures) const
{
    const std::size_t width = PipelineScales::LAYER_FIGURES;
    const auto row = m_figures.begin() + static_cast<std::ptrdiff_t>(layer * width);
    figures.insert(figures.end(), row, row + width);
}

void
StagedWalk::TakeAction(StagedPlan& state, std::size_t action) const
{
    if (!IsCutting(state))
    {
        const auto [first, last] = state.division[state.stage++];
        state.plan.stages.push_back({action, first, last});
        state.isTaken[action] = true;
        return;
    }
    if (action == SPLIT)
    {
        state.division.emplace_back(state.first, state.layer);
        state.first = state.layer + 1;
        ++state.stage;
    }
    if (++state.layer + 1 == m_layers)
    {
        state.division.emplace_back(state.first, state.layer);
        state.first = m_layers;
        state.stage = 0;
    }
}

PipelineDivision
StagedWalk::Cut(const std::function<bool(const CutState&)>& splits) const
{
    StagedPlan state = Begin();
    while (IsCutting(state))
    {
        const bool isSplit = HasChoice(state) ? splits(state) : MaySplit(state.stage, state.layer);
        TakeAction(state, isSplit ? SPLIT : CONTINUE);
    }
    return state.division;
}

PipelinePlan
StagedWalk::PlaceByRule(const PipelineDivision& division) const
{
    std::vector<std::size_t> heaviest(division.size());
    PipelinePlan plan;
    for (const auto& [first, last] : division)
    {
        plan.stages.push_back({0, first, last});
    }
    std::iota(heaviest.begin(), heaviest.end(), 0);
    std::stable_sort(heaviest.begin(), heaviest.end(), [&](std::size_t a, std::size_t b) {
        return m_scales.GetWork(division[a].first, division[a].second) >
               m_scales.GetWork(division[b].first, division[b].second);
    });
    std::vector<uint64_t> rest; // the lightest first
    for (std::size_t k = heaviest.size(); k-- > 0;)
    {
        const auto [first, last] = division[heaviest[k]];
        rest.push_back(m_costModel.StageMemoryBytes(first, last));
    }
    std::vector<bool> isTaken(m_fit.GetLargestFirst().size(), false);
    for (std::size_t r : heaviest)
    {
        const uint64_t bytes = rest.back();
        rest.pop_back();
        for (std::size_t device : m_scales.GetFastestFirst())
        {
            if (m_fit.MayPlace(device, bytes, rest, isTaken))
            {
                isTaken[device] = true;
                plan.stages[r].device = device;
                break;
            }
        }
    }
    return plan;
}

uint64_t
StagedWalk::GetLargestMemory() const
{
    return m_costModel.GetProblem().devices[m_fit.GetLargestFirst().front()].memoryBytes;
}

void
ForEachCut(const PipelineDivision& division,
           const std::function<void(const CutState&, bool)>& visit)
{
    for (std::size_t stage = 0; stage < division.size(); ++stage)
    {
        const auto [first, last] = division[stage];
        for (std::size_t layer = first; layer < last; ++layer)
        {
            visit({stage, first, layer}, false);
        }
        if (stage + 1 < division.size())
        {
            visit({stage, first, last}, true);
        }
    }
}

} // namespace ns3::edgepipe
