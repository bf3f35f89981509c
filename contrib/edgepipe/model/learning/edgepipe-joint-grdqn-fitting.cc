/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-joint-grdqn.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

std::size_t
JointGrdqn::FindLargest(const std::vector<double>& values)
{
    return std::max_element(values.begin(), values.end()) - values.begin();
}

double
JointGrdqn::Fit(const Ptr<UniformRandomVariable>& random)
{
    const double loss = FitPlace(random) + (m_cutReplay.GetSize() > 0 ? FitCut(random) : 0);
    if (++m_fits % m_options.targetInterval == 0)
    {
        m_cut->CopyToTarget();
        m_place->CopyToTarget();
    }
    return loss;
}

double
JointGrdqn::FitPlace(const Ptr<UniformRandomVariable>& random)
{
    QInputs now;
    QInputs ends;
    std::vector<std::size_t> drawn;
    std::vector<std::size_t> devices;
    std::vector<float> weights;
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        drawn.push_back(m_placeReplay.Draw(random));
        const PlaceStep& step = m_placeReplay[drawn.back()];
        Append(now, step.state);
        devices.push_back(step.device);
        weights.push_back(static_cast<float>(m_placeReplay.GetWeight(drawn.back())));
        ends.rows += step.rewards.size();
        ends.states.insert(ends.states.end(), step.features.begin(), step.features.end());
    }
    const auto values = m_cut->Evaluate(QNetwork::TARGET, ends).values;
    const auto choosing =
        m_options.doubleDqn ? m_cut->Evaluate(QNetwork::ONLINE, ends).values : values;
    std::vector<float> targets;
    std::size_t row = 0;
    for (std::size_t index : drawn)
    {
        const PlaceStep& step = m_placeReplay[index];
        std::vector<double> returns;
        std::vector<double> chosenBy;
        for (std::size_t i = 0; i < step.rewards.size(); ++i, ++row)
        {
            returns.push_back(step.rewards[i] + (step.isLast[i] ? 0 : values[row]));
            chosenBy.push_back(step.rewards[i] + (step.isLast[i] ? 0 : choosing[row]));
        }
        double target = returns[FindLargest(chosenBy)];
        if (m_options.returnBound)
        {
            target = std::max(target, step.observed);
        }
        targets.push_back(static_cast<float>(target));
    }
    const auto errors = m_place->Fit(now, devices, targets, weights);
    double loss = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
    {
        m_placeReplay.SetPriority(drawn[i], errors[i]);
        loss += errors[i] * errors[i] / static_cast<double>(errors.size());
    }
    return loss;
}

double
JointGrdqn::FitCut(const Ptr<UniformRandomVariable>& random)
{
    QInputs now;
    QInputs placing;
    std::vector<std::size_t> drawn;
    std::vector<float> weights;
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        drawn.push_back(m_cutReplay.Draw(random));
        const CutStep& step = m_cutReplay[drawn.back()];
        Append(placing, step.state);
        weights.push_back(static_cast<float>(m_cutReplay.GetWeight(drawn.back())));
    }
    now.rows = placing.rows;
    now.states = placing.states;
    const std::size_t devices = m_placeShape.outputs;
    const auto values = m_place->Evaluate(QNetwork::TARGET, placing).values;
    const auto choosing =
        m_options.doubleDqn ? m_place->Evaluate(QNetwork::ONLINE, placing).values : values;
    std::vector<float> targets;
    for (std::size_t i = 0; i < drawn.size(); ++i)
    {
        const CutStep& step = m_cutReplay[drawn[i]];
        const auto& allowed = step.state.allowed;
        const std::size_t device =
            *std::max_element(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
                return choosing[i * devices + a] < choosing[i * devices + b];
            });
        double target = values[i * devices + device];
        if (m_options.returnBound)
        {
            target = std::max(target, step.observed);
        }
        targets.push_back(static_cast<float>(target));
    }
    const auto errors = m_cut->Fit(now, std::vector<std::size_t>(now.rows, 0), targets, weights);
    double loss = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
    {
        m_cutReplay.SetPriority(drawn[i], errors[i]);
        loss += errors[i] * errors[i] / static_cast<double>(errors.size());
    }
    return loss;
}

} // namespace edgepipe
} // namespace ns3
