/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-walk.h"

#include "edgepipe-stage-fit.h"

namespace ns3
{
namespace edgepipe
{

CutWalk::CutWalk(const PipelineCostModel& costModel)
    : m_layers(costModel.GetProblem().layers.size())
{
    const StageFit fit(costModel);
    for (const std::size_t device : fit.GetLargestFirst())
    {
        for (std::size_t first = 0; first < m_layers; ++first)
        {
            m_ends.push_back(fit.FindEnd(first, device));
        }
    }
    const std::size_t stages = fit.GetLargestFirst().size();
    const std::size_t width = m_layers + 1;
    m_completes.assign((stages + 1) * width, false);
    for (std::size_t stage = stages + 1; stage-- > 0;)
    {
        for (std::size_t first = 0; first < m_layers && stage < stages; ++first)
        {
            m_completes[stage * width + first] =
                m_completes[(stage + 1) * width + FindEnd(stage, first)];
        }
        m_completes[stage * width + m_layers] = true;
    }
}

std::size_t
CutWalk::CountLayers() const
{
    return m_layers;
}

std::size_t
CutWalk::CountStages() const
{
    return m_ends.size() / m_layers;
}

bool
CutWalk::MaySplit(std::size_t stage, std::size_t layer) const
{
    return m_completes[(stage + 1) * (m_layers + 1) + layer + 1];
}

std::size_t
CutWalk::FindEnd(std::size_t stage, std::size_t first) const
{
    return m_ends[stage * m_layers + first];
}

PipelineDivision
CutWalk::Walk(const std::function<bool(const CutState&)>& splits, std::vector<CutStep>* steps) const
{
    PipelineDivision division;
    CutState state{0, 0, 0};
    for (; state.layer + 1 < m_layers; ++state.layer)
    {
        CutStep step{state,
                     MaySplit(state.stage, state.layer),
                     FindEnd(state.stage, state.first) > state.layer + 1,
                     false};
        step.isSplit = step.maySplit && step.mayContinue ? splits(state) : !step.mayContinue;
        if (steps)
        {
            steps->push_back(step);
        }
        if (step.isSplit)
        {
            division.emplace_back(state.first, state.layer);
            state.first = state.layer + 1;
            ++state.stage;
        }
    }
    division.emplace_back(state.first, m_layers - 1);
    return division;
}

} // namespace edgepipe
} // namespace ns3
