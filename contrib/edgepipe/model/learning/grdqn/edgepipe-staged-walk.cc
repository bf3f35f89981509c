/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-staged-walk.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

StagedWalk::StagedWalk(const PipelineCostModel& costModel, bool isPapers)
    : m_costModel(costModel),
      m_isPapers(isPapers),
      m_scales(costModel),
      m_fit(costModel),
      m_cuts(costModel),
      m_layers(m_scales.DescribeLayers())
{
}

std::size_t
StagedWalk::CountCutFigures() const
{
    return PipelineScales::LAYER_FIGURES + (m_isPapers ? 0 : 6);
}

std::size_t
StagedWalk::CountPlaceFigures() const
{
    return 4 * CountDevices() + (m_isPapers ? 2 : 5);
}

StagedState
StagedWalk::Begin() const
{
    StagedState state;
    state.isTaken.assign(CountDevices(), false);
    if (CountLayers() == 1)
    {
        state.division.emplace_back(0, 0);
        state.first = 1;
    }
    return state;
}

bool
StagedWalk::IsCutting(const StagedState& state) const
{
    return state.first < CountLayers();
}

bool
StagedWalk::IsFinished(const StagedState& state) const
{
    return !IsCutting(state) && state.plan.stages.size() == state.division.size();
}

std::vector<bool>
StagedWalk::FindAllowed(const StagedState& state) const
{
    if (IsCutting(state))
    {
        const std::size_t stage = state.division.size();
        return {m_cuts.MaySplit(stage, state.layer),
                m_cuts.FindEnd(stage, state.first) > state.layer + 1};
    }
    std::vector<uint64_t> rest;
    for (std::size_t r = state.plan.stages.size() + 1; r < state.division.size(); ++r)
    {
        rest.push_back(GetBytes(state.division[r]));
    }
    return m_fit.FindPlaces(GetBytes(state.division[state.plan.stages.size()]),
                            rest,
                            state.isTaken);
}

void
StagedWalk::Describe(const StagedState& state, std::vector<float>& figures) const
{
    const auto share = [](double part, double whole) {
        return static_cast<float>(whole > 0 ? std::min(4.0, part / whole) : 0);
    };
    const auto& devices = m_costModel.GetProblem().devices;
    const auto largest = static_cast<double>(devices[m_fit.GetLargestFirst().front()].memoryBytes);
    const auto count = static_cast<double>(devices.size());
    if (IsCutting(state))
    {
        const std::size_t width = PipelineScales::LAYER_FIGURES;
        const auto row = m_layers.begin() + static_cast<std::ptrdiff_t>(state.layer * width);
        figures.insert(figures.end(), row, row + width);
        if (m_isPapers)
        {
            return;
        }
        const double balanced = m_scales.GetTotalWork() / m_scales.GetTotalSpeed();
        const double work = m_scales.GetWork(state.first, state.layer);
        const double left = m_scales.GetWork(state.layer + 1, CountLayers() - 1);
        figures.push_back(share(work, m_scales.GetTotalWork()));
        figures.push_back(share(work, balanced));
        figures.push_back(share(GetBytes({state.first, state.layer}), largest));
        figures.push_back(share(left, m_scales.GetTotalWork()));
        figures.push_back(share(state.division.size(), count));
        figures.push_back(share(m_costModel.TransferSeconds(state.layer), balanced));
        return;
    }
    const auto devicesNow = m_scales.DescribeDevices(state.isTaken);
    figures.insert(figures.end(), devicesNow.begin(), devicesNow.end());
    const std::size_t next = state.plan.stages.size();
    const auto& stage = state.division[next];
    const double work = m_scales.GetWork(stage.first, stage.second);
    figures.push_back(share(work, m_scales.GetTotalWork()));
    figures.push_back(share(GetBytes(stage), largest));
    if (m_isPapers)
    {
        return;
    }
    double heaviest = 0;
    for (std::size_t r = next + 1; r < state.division.size(); ++r)
    {
        heaviest =
            std::max(heaviest, m_scales.GetWork(state.division[r].first, state.division[r].second));
    }
    figures.push_back(share(heaviest, m_scales.GetTotalWork()));
    figures.push_back(share(next, count));
    figures.push_back(share(state.division.size(), count));
}

void
StagedWalk::Take(StagedState& state, std::size_t action) const
{
    if (!IsCutting(state))
    {
        const auto& stage = state.division[state.plan.stages.size()];
        state.plan.stages.push_back({action, stage.first, stage.second});
        state.isTaken[action] = true;
        return;
    }
    if (action == SPLIT)
    {
        state.division.emplace_back(state.first, state.layer);
        state.first = state.layer + 1;
    }
    if (++state.layer + 1 == CountLayers())
    {
        state.division.emplace_back(state.first, state.layer);
        state.first = CountLayers();
    }
}

const PipelineScales&
StagedWalk::GetScales() const
{
    return m_scales;
}

std::size_t
StagedWalk::CountDevices() const
{
    return m_costModel.GetProblem().devices.size();
}

std::size_t
StagedWalk::CountLayers() const
{
    return m_costModel.GetProblem().layers.size();
}

uint64_t
StagedWalk::GetBytes(const std::pair<std::size_t, std::size_t>& stage) const
{
    return m_costModel.StageMemoryBytes(stage.first, stage.second);
}

} // namespace edgepipe
} // namespace ns3
