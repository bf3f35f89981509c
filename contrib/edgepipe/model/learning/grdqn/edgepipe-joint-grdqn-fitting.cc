/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-joint-grdqn.h"

#include "ns3/edgepipe-plan-search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Episodes between looks at the greedy plan.
constexpr uint32_t LOOK_INTERVAL = 10;
/// Episodes that a limited number of evaluations is spread over, at least.
constexpr uint64_t LEAST_EPISODES = 20;

} // namespace

void
JointGrdqn::Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress)
{
    TrainTogether({this}, random, progress);
}

void
JointGrdqn::TrainTogether(const std::vector<JointGrdqn*>& agents,
                          Ptr<UniformRandomVariable> random,
                          const GrdqnProgress& progress)
{
    JointGrdqn& first = *agents.front();
    const auto problems = static_cast<uint32_t>(agents.size());
    const uint32_t episodes = first.m_options.cutEpisodes * problems;
    const uint64_t most = first.m_options.mostEvaluations;
    first.DrawWeights(random);
    auto best = first.GetWeights();
    double least = std::numeric_limits<double>::infinity();
    double share = 0;
    for (uint32_t episode = 0; episode < episodes && share < 1; ++episode)
    {
        JointGrdqn& agent = *agents[episode % problems];
        GrdqnEpisode report{"joint",
                            episode,
                            0,
                            first.FindEpsilon(share * episodes, episodes),
                            0,
                            0};
        agent.PlayEpisode(random, report);
        uint64_t evaluations = 0;
        for (const JointGrdqn* each : agents)
        {
            evaluations += each->m_evaluations;
        }
        share = (episode + 1.0) / episodes;
        share = most > 0 ? std::max(share, static_cast<double>(evaluations) / most) : share;
        if ((episode + 1) % (LOOK_INTERVAL * problems) == 0 || episode + 1 == episodes ||
            share >= 1)
        {
            double sum = 0;
            for (JointGrdqn* each : agents)
            {
                sum += std::log(each->Search(each->m_options.beamWidth).front().promise);
            }
            report.iterationSeconds = std::exp(sum / problems);
            if (report.iterationSeconds < least)
            {
                least = report.iterationSeconds;
                best = first.GetWeights();
            }
        }
        if (progress)
        {
            progress(report, std::min(1.0, share));
        }
    }
    first.SetWeights(best);
}

void
JointGrdqn::PlayEpisode(const Ptr<UniformRandomVariable>& random, GrdqnEpisode& report)
{
    const Node walked = Walk(report.epsilon, random, nullptr);
    report.reward = std::log(BeginNode().promise / walked.promise);
    uint64_t imitated = m_options.imitatedEvaluations;
    if (m_options.mostEvaluations > 0)
    {
        imitated = std::min(imitated, m_options.mostEvaluations / LEAST_EPISODES);
    }
    if (imitated > 0)
    {
        PipelinePlan better = walked.partial.plan;
        double seconds = walked.promise;
        PlanSearch search(m_costModel, imitated);
        search.Improve(better, seconds);
        m_evaluations += search.GetEvaluations();
        if (seconds < walked.promise && m_partials.CanGrow(better))
        {
            Walk(0, random, &better);
        }
    }
    const std::size_t fits = walked.partial.plan.stages.size();
    for (std::size_t i = 0; i < fits; ++i)
    {
        report.loss += Fit(random) / static_cast<double>(fits);
    }
}

std::size_t
JointGrdqn::FindLargest(const std::vector<double>& values)
{
    return std::max_element(values.begin(), values.end()) - values.begin();
}

double
JointGrdqn::Fit(const Ptr<UniformRandomVariable>& random)
{
    const double loss = FitPlace(random) + (m_experience->cuts.GetSize() > 0 ? FitCut(random) : 0);
    if (++m_experience->fits % m_options.targetInterval == 0)
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
    std::vector<std::size_t> slots;
    std::vector<float> weights;
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        drawn.push_back(m_experience->placings.Draw(random));
        const PlaceStep& step = m_experience->placings[drawn.back()];
        Append(now, step.state);
        slots.push_back(step.slot);
        weights.push_back(static_cast<float>(m_experience->placings.GetWeight(drawn.back())));
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
        const PlaceStep& step = m_experience->placings[index];
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
    const auto errors = m_place->Fit(now, slots, targets, weights);
    double loss = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
    {
        m_experience->placings.SetPriority(drawn[i], errors[i]);
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
        drawn.push_back(m_experience->cuts.Draw(random));
        const CutStep& step = m_experience->cuts[drawn.back()];
        Append(placing, step.state);
        weights.push_back(static_cast<float>(m_experience->cuts.GetWeight(drawn.back())));
    }
    now.rows = placing.rows;
    now.states = placing.states;
    const std::size_t slots = m_placeShape.outputs;
    const auto values = m_place->Evaluate(QNetwork::TARGET, placing).values;
    const auto choosing =
        m_options.doubleDqn ? m_place->Evaluate(QNetwork::ONLINE, placing).values : values;
    std::vector<float> targets;
    for (std::size_t i = 0; i < drawn.size(); ++i)
    {
        const CutStep& step = m_experience->cuts[drawn[i]];
        const auto& allowed = step.state.allowed;
        const std::size_t slot =
            *std::max_element(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
                return choosing[i * slots + a] < choosing[i * slots + b];
            });
        double target = values[i * slots + slot];
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
        m_experience->cuts.SetPriority(drawn[i], errors[i]);
        loss += errors[i] * errors[i] / static_cast<double>(errors.size());
    }
    return loss;
}

} // namespace edgepipe
} // namespace ns3
