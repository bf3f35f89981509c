/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-staged-rewards.h"

#include <array>
#include <cmath>
#include <numeric>

namespace ns3::edgepipe
{

StagedRewards::StagedRewards(const PipelineCostModel& costModel, const StagedConstants& constants)
    : m_costModel(costModel),
      m_constants(constants),
      m_scales(costModel)
{
    double squares = 0;
    for (std::size_t device : m_scales.GetFastestFirst())
    {
        squares += m_scales.GetSpeed(device) * m_scales.GetSpeed(device);
    }
    const double slowest = m_scales.GetSpeed(m_scales.GetFastestFirst().back());
    // Time of a micro-batch if every device works in proportion to its speed.
    m_share = m_scales.GetTotalWork() / m_scales.GetTotalSpeed();
    // Loads then lie in 0 to 1.
    m_whole = m_scales.GetTotalWork() / slowest;
    m_leastSpeed = squares / m_scales.GetTotalSpeed();
}

void
StagedRewards::SetThresholds(double kappa, double varsigma)
{
    m_constants.kappa = kappa;
    m_constants.varsigma = varsigma;
}

double
StagedRewards::GetStageSpeed(std::size_t stage) const
{
    const auto& fastestFirst = m_scales.GetFastestFirst();
    return std::max(m_scales.GetSpeed(fastestFirst[stage]), m_leastSpeed);
}

double
StagedRewards::GetStageLength(const CutState& state) const
{
    return m_scales.GetWork(state.first, state.layer) / (m_share * GetStageSpeed(state.stage));
}

double
StagedRewards::RewardCut(const CutState& state, bool isSplit) const
{
    if (isSplit)
    {
        return GetStageLength(state) > m_constants.kappa ? m_constants.cutReward
                                                         : -m_constants.cutPenalty;
    }
    return m_costModel.TransferSeconds(state.layer) > m_constants.varsigma * m_share
               ? m_constants.continueReward
               : -m_constants.continuePenalty;
}

double
StagedRewards::RewardDivision(const PipelineDivision& division) const
{
    std::vector<double> seconds;
    double mean = 0;
    for (std::size_t r = 0; r < division.size(); ++r)
    {
        seconds.push_back(m_scales.GetWork(division[r].first, division[r].second) /
                          GetStageSpeed(r));
        mean += seconds.back() / static_cast<double>(division.size());
    }
    double variance = 0;
    for (double each : seconds)
    {
        const double deviation = mean > 0 ? (each - mean) / mean : 0;
        variance += deviation * deviation / static_cast<double>(division.size());
    }
    return variance <= m_constants.balanceThreshold ? std::max(5.0, 6 - 10 * variance)
                                                    : -std::min(3.0, variance);
}

double
StagedRewards::RewardPlacing(const PipelinePlan& plan) const
{
    const auto& devices = m_costModel.GetProblem().devices;
    double delay = 0;
    double loads = 0;
    bool isMet = false;
    for (const PipelineStage& stage : plan.stages)
    {
        const double seconds =
            m_scales.GetWork(stage.firstLayer, stage.lastLayer) / m_scales.GetSpeed(stage.device);
        const double memory =
            static_cast<double>(m_costModel.StageMemoryBytes(stage.firstLayer, stage.lastLayer)) /
            std::max(1.0, static_cast<double>(devices[stage.device].memoryBytes));
        delay = seconds / m_whole;
        loads += memory * memory + delay * delay;
        // Allowed actions ensure memory; compute and bandwidth suffice if neither takes longer.
        const double limit = m_constants.fitThreshold * m_share;
        isMet = seconds <= limit &&
                m_costModel.CutSeconds(stage.lastLayer, stage.device).forward <= limit;
    }
    return (isMet ? m_constants.fitReward : 0) - m_constants.delayWeight * delay -
           m_constants.loadWeight * loads;
}

namespace
{

/// Episodes of a rehearsal.
constexpr uint32_t EPISODES = 60;
/// Episodes over which the share of random actions falls.
constexpr uint32_t EXPLORING_EPISODES = 24;
/// Share of random actions afterwards.
constexpr double LAST_EPSILON = 0.1;
/// Weight of a new reward in a table entry.
constexpr double RATE = 0.3;

/**
 * @param fixed the only value to try; 0: a geometric series
 * @param least first value
 * @param most last value
 * @param count number of values
 * @return values to try
 */
std::vector<double>
ListThresholds(double fixed, double least, double most, int count)
{
    std::vector<double> values;
    for (int i = 0; i < count && fixed <= 0; ++i)
    {
        values.push_back(least * std::pow(most / least, i / (count - 1.0)));
    }
    return fixed > 0 ? std::vector<double>{fixed} : values;
}

/**
 * @param walk over the layers
 * @param rewards of the problem
 * @param states of the layers, by PipelineScales::NumberStates
 * @param random source of exploration
 * @return divisions of the later greedy walks
 */
std::vector<PipelineDivision>
Rehearse(const StagedWalk& walk,
         const StagedRewards& rewards,
         const std::vector<std::size_t>& states,
         const Ptr<UniformRandomVariable>& random)
{
    // Mean rewards by state and whether it splits.
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
    // From stages of a few layers to all work on few devices.
    const auto kappas = ListThresholds(given.first, 0.06, 2.2, 12);
    // From almost no cut being cheap enough to almost any.
    const auto varsigmas = ListThresholds(given.second, 0.05, 2.5, 10);
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
    const auto best = equals[equals.size() / 2];
    rewards.SetThresholds(best.first, best.second);
    return best;
}

} // namespace ns3::edgepipe
