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

/**
 * @param walk over the layers
 * @param rewards of the problem
 * @param states of the layers, by PipelineScales::NumberStates
 * @param random where exploration comes from
 * @return divisions that the later walks without chance came to
 */
std::vector<PipelineDivision>
Rehearse(const StagedWalk& walk,
         const StagedRewards& rewards,
         const std::vector<std::size_t>& states,
         const Ptr<UniformRandomVariable>& random)
{
    // By state, and whether it splits.
    std::vector<std::array<double, 2>> means(states.size(), {0, 0});
    std::vector<PipelineDivision> divisions;
    for (uint32_t episode = 0; episode < EPISODES; ++episode)
    {
        const double epsilon =
            std::max(LAST_EPSILON, 1 - (1 - LAST_EPSILON) * episode / EXPLORING_EPISODES);
        for (const bool explores : {true, false})
        {
            auto division = walk.Cut([&](const CutState& state) {
                const auto& mean = means[states[state.layer]];
                return explores && random->GetValue() < epsilon ? random->GetValue() < 0.5
                                                                : mean[true] > mean[false];
            });
            ForEachCut(division, [&](const CutState& state, bool isSplit) {
                double& mean = means[states[state.layer]][isSplit];
                mean += RATE * (rewards.RewardCut(state, isSplit) - mean);
            });
            if (!explores && episode >= EPISODES / 2)
            {
                divisions.push_back(std::move(division));
            }
        }
    }
    return divisions;
}

} // namespace

std::pair<double, double>
ChooseThresholds(const StagedWalk& walk,
                 StagedRewards& rewards,
                 bool seesStage,
                 std::pair<double, double> given,
                 const std::function<double(const PipelineDivision&)>& judge,
                 const Ptr<UniformRandomVariable>& random)
{
    if (given.first > 0 && given.second > 0)
    {
        rewards.SetThresholds(given.first, given.second);
        return given;
    }
    const auto states = walk.GetScales().NumberStates();
    const auto kappas = ListThresholds(KAPPAS, given.first);
    const auto varsigmas = ListThresholds(VARSIGMAS, given.second);
    std::pair<double, double> best(kappas.front(), varsigmas.front());
    std::map<PipelineDivision, double> judged;
    std::pair<double, double> least(std::numeric_limits<double>::infinity(), 0);
    std::vector<std::pair<double, double>> equals;
    for (const double varsigma : varsigmas)
    {
        for (const double kappa : kappas)
        {
            rewards.SetThresholds(kappa, varsigma);
            std::vector<PipelineDivision> divisions;
            if (seesStage)
            {
                divisions.push_back(walk.Cut([&rewards](const CutState& state) {
                    return rewards.RewardCut(state, true) > rewards.RewardCut(state, false);
                }));
            }
            else
            {
                divisions = Rehearse(walk, rewards, states, random);
            }
            std::vector<double> seconds;
            for (const PipelineDivision& division : divisions)
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
                equals.emplace_back(kappa, varsigma);
            }
        }
    }
    best = equals.empty() ? best : equals[equals.size() / 2];
    rewards.SetThresholds(best.first, best.second);
    return best;
}

} // namespace edgepipe
} // namespace ns3
