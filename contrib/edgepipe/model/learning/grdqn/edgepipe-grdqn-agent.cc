/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-agent.h"

namespace ns3::edgepipe
{

GrdqnAgent::GrdqnAgent(const PipelineCostModel& costModel,
                       const GrdqnOptions& options,
                       const QNetworkShape& cut,
                       const QNetworkShape& place)
    : m_costModel(costModel),
      m_options(options),
      m_cut(MakeQNetwork(cut, options.learningRate)),
      m_place(MakeQNetwork(place, options.learningRate))
{
}

void
GrdqnAgent::Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress)
{
    m_random = random;
    m_progress = progress ? progress : [](const GrdqnEpisode&, double) {};
    DoTrain();
}

void
GrdqnAgent::DrawWeights()
{
    for (const auto& network : {m_cut.get(), m_place.get()})
    {
        network->SetWeights(DrawQWeights(network->GetShape(), m_random));
    }
}

std::vector<std::vector<float>>
GrdqnAgent::GetWeights() const
{
    return {m_cut->GetWeights(), m_place->GetWeights()};
}

bool
GrdqnAgent::SetWeights(const std::vector<std::vector<float>>& weights)
{
    const bool fits = weights.size() == 2 &&
                      weights[0].size() == m_cut->GetShape().CountWeights() &&
                      weights[1].size() == m_place->GetShape().CountWeights();
    if (fits)
    {
        m_cut->SetWeights(weights[0]);
        m_place->SetWeights(weights[1]);
    }
    return fits;
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

QNetworkShape
MakeGrdqnShape(const GrdqnOptions& options,
               std::size_t recurrent,
               std::size_t inputs,
               std::size_t outputs)
{
    const std::size_t units = recurrent > 0 ? options.recurrentUnits : 0;
    return {recurrent, units, inputs, options.hiddenUnits, outputs};
}

} // namespace ns3::edgepipe
