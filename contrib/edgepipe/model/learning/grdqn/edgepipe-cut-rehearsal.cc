/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-rehearsal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Episodes of a rehearsal, and those over which the share of random actions falls.
constexpr uint32_t EPISODES = 60;
/// See EPISODES.
constexpr uint32_t EXPLORING_EPISODES = 24;
/// Share of random actions that is left then.
constexpr double LAST_EPSILON = 0.1;
/// Share of a new reward in a table's entry.
constexpr double RATE = 0.3;

/** Values of a threshold that are tried, in a geometric series. */
struct ThresholdRange
{
    double least; //!< the first
    double most;  //!< the last
    int count;    //!< how many
};

/// Kappa: from stages of a few layers to all work on few devices.
constexpr ThresholdRange KAPPAS{0.06, 2.2, 12};
/// Varsigma: from almost no cut that is cheap enough to almost any.
constexpr ThresholdRange VARSIGMAS{0.05, 2.5, 10};

/**
 * @param range of a threshold
 * @param fixed the only value to try; 0: those of the range
 * @return what to try
 */
std::vector<double>
ListThresholds(const ThresholdRange& range, double fixed)
{
    if (fixed > 0)
    {
        return {fixed};
    }
    std::vector<double> values;
    for (int i = 0; i < range.count; ++i)
    {
        values.push_back(range.least * std::pow(range.most / range.least, i / (range.count - 1.0)));
    }
    return values;
}

} // namespace

CutRehearsal::CutRehearsal(const CutWalk& walk, StagedRewards& rewards, bool seesStage)
    : m_walk(walk),
      m_rewards(rewards),
      m_seesStage(seesStage),
      m_stateOfLayer(rewards.GetScales().NumberStates()),
      m_states(1 + *std::max_element(m_stateOfLayer.begin(), m_stateOfLayer.end()))
{
}

std::pair<double, double>
CutRehearsal::Choose(double kappa,
                     double varsigma,
                     const Judge& judge,
                     const Ptr<UniformRandomVariable>& random)
{
    const auto varsigmas = ListThresholds(VARSIGMAS, varsigma);
    const auto kappas = ListThresholds(KAPPAS, kappa);
    std::pair<double, double> best(kappas.front(), varsigmas.front());
    if (kappas.size() == 1 && varsigmas.size() == 1)
    {
        m_rewards.SetThresholds(kappa, varsigma);
        return best;
    }
    std::map<PipelineDivision, double> judged;
    std::pair<double, double> least(std::numeric_limits<double>::infinity(), 0);
    std::vector<std::pair<double, double>> equals;
    for (const double eachVarsigma : varsigmas)
    {
        for (const double eachKappa : kappas)
        {
            m_rewards.SetThresholds(eachKappa, eachVarsigma);
            std::vector<double> seconds;
            for (const PipelineDivision& division : Rehearse(random))
            {
                const auto [entry, isNew] = judged.try_emplace(division, 0);
                entry->second = isNew ? judge(division) : entry->second;
                seconds.push_back(entry->second);
            }
            std::sort(seconds.begin(), seconds.end());
            const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) /
                                static_cast<double>(seconds.size());
            const std::pair worth(seconds[seconds.size() / 4], mean);
            if (worth < least)
            {
                least = worth;
                equals.clear();
            }
            if (worth == least)
            {
                equals.emplace_back(eachKappa, eachVarsigma);
            }
        }
    }
    best = equals.empty() ? best : equals[equals.size() / 2];
    m_rewards.SetThresholds(best.first, best.second);
    return best;
}

std::vector<PipelineDivision>
CutRehearsal::Rehearse(const Ptr<UniformRandomVariable>& random) const
{
    const auto prefersSplit = [this](const CutState& state) {
        return m_rewards.RewardCut(state, true) > m_rewards.RewardCut(state, false);
    };
    if (m_seesStage)
    {
        return {m_walk.Walk(prefersSplit)};
    }
    std::vector<std::array<double, 2>> means(m_states, {0, 0}); // by whether it splits
    const auto decide = [&](const CutState& state) {
        const auto& mean = means[m_stateOfLayer[state.layer]];
        return mean[true] > mean[false];
    };
    std::vector<PipelineDivision> divisions;
    for (uint32_t episode = 0; episode < EPISODES; ++episode)
    {
        const double epsilon =
            std::max(LAST_EPSILON, 1 - (1 - LAST_EPSILON) * episode / EXPLORING_EPISODES);
        for (const bool explores : {true, false})
        {
            std::vector<CutStep> steps;
            auto division = m_walk.Walk(
                [&](const CutState& state) {
                    return explores && random->GetValue() < epsilon ? random->GetValue() < 0.5
                                                                    : decide(state);
                },
                &steps);
            for (const CutStep& step : steps)
            {
                double& mean = means[m_stateOfLayer[step.state.layer]][step.isSplit];
                mean += RATE * (m_rewards.RewardCut(step.state, step.isSplit) - mean);
            }
            if (!explores && episode >= EPISODES / 2)
            {
                divisions.push_back(std::move(division));
            }
        }
    }
    return divisions;
}

} // namespace edgepipe
} // namespace ns3
