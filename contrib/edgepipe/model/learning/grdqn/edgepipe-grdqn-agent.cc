/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-agent.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

GrdqnAgent::GrdqnAgent(const PipelineCostModel& costModel,
                       const GrdqnOptions& options,
                       const QNetworkShape& cut,
                       const QNetworkShape& place)
    : m_costModel(costModel),
      m_options(options),
      m_cutShape(cut),
      m_placeShape(place),
      m_cut(MakeQNetwork(cut, options.learningRate)),
      m_place(MakeQNetwork(place, options.learningRate))
{
}

GrdqnAgent::GrdqnAgent(const PipelineCostModel& costModel, const GrdqnAgent& other)
    : m_costModel(costModel),
      m_options(other.m_options),
      m_cutShape(other.m_cutShape),
      m_placeShape(other.m_placeShape),
      m_cut(other.m_cut),
      m_place(other.m_place)
{
}

void
GrdqnAgent::DrawWeights(Ptr<UniformRandomVariable> random)
{
    m_cut->SetWeights(DrawQWeights(m_cutShape, random));
    m_place->SetWeights(DrawQWeights(m_placeShape, random));
}

std::vector<std::vector<float>>
GrdqnAgent::GetWeights() const
{
    return {m_cut->GetWeights(), m_place->GetWeights()};
}

void
GrdqnAgent::SetWeights(const std::vector<std::vector<float>>& weights)
{
    m_cut->SetWeights(weights.at(0));
    m_place->SetWeights(weights.at(1));
}

std::vector<std::size_t>
GrdqnAgent::CountWeights() const
{
    return {m_cutShape.CountWeights(), m_placeShape.CountWeights()};
}

uint64_t
GrdqnAgent::GetEvaluations() const
{
    return m_evaluations;
}

double
GrdqnAgent::Evaluate(const PipelinePlan& plan)
{
    ++m_evaluations;
    return m_costModel.IterationSeconds(plan);
}

double
GrdqnAgent::FindEpsilon(double episode, uint32_t episodes) const
{
    const double exploring = std::max(1.0, m_options.exploringShare * episodes);
    const double share = std::min(1.0, episode / exploring);
    return m_options.firstEpsilon + share * (m_options.lastEpsilon - m_options.firstEpsilon);
}

std::vector<float>
DrawQWeights(const QNetworkShape& shape, Ptr<UniformRandomVariable> random)
{
    std::vector<float> weights;
    auto draw = [&](std::size_t count, std::size_t inputs) {
        const double limit = 1 / std::sqrt(static_cast<double>(inputs));
        for (std::size_t i = 0; i < count; ++i)
        {
            weights.push_back(static_cast<float>(random->GetValue(-limit, limit)));
        }
    };
    const std::size_t units = shape.recurrentUnits;
    if (units > 0)
    {
        draw(3 * units * (shape.recurrentInputs + units + 2), units);
    }
    std::size_t width = units + shape.inputs;
    for (std::size_t hidden : shape.hidden)
    {
        draw(hidden * (width + 1), width);
        width = hidden;
    }
    draw(shape.outputs * (width + 1), width);
    return weights;
}

} // namespace edgepipe
} // namespace ns3
