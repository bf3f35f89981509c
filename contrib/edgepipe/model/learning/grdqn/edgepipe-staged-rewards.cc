/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-staged-rewards.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
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
    const bool countsSeconds = constants.countsSeconds;
    // What a micro-batch takes when every device works in proportion to its speed.
    m_share = countsSeconds ? 1 : m_scales.GetTotalWork() / m_scales.GetTotalSpeed();
    // Loads then lie in 0 to 1.
    m_whole = countsSeconds ? 1 : m_scales.GetTotalWork() / slowest;
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
    return m_constants.countsSeconds
               ? m_scales.GetSpeed(fastestFirst.back())
               : std::max(m_scales.GetSpeed(fastestFirst[stage]), m_leastSpeed);
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
    const double unit = m_constants.countsSeconds ? 1 : mean;
    double variance = 0;
    for (double each : seconds)
    {
        const double deviation = unit > 0 ? (each - mean) / unit : 0;
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
        // Memory is met by what is allowed; compute and bandwidth where neither takes longer.
        const double limit = m_constants.fitThreshold * m_share;
        isMet = seconds <= limit &&
                m_costModel.CutSeconds(stage.lastLayer, stage.device).forward <= limit;
    }
    return (isMet ? m_constants.fitReward : 0) - m_constants.delayWeight * delay -
           m_constants.loadWeight * loads;
}

} // namespace edgepipe
} // namespace ns3
