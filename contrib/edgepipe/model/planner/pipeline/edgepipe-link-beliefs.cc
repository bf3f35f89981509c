/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-link-beliefs.h"

#include "ns3/edgepipe-pipeline-cost-model.h"

#include <cstdio>
#include <cstdlib>

namespace ns3::edgepipe
{

namespace
{

/// Relative deviation from a belief within which a measurement changes nothing.
constexpr double AGREEMENT = 0.05;

/**
 * @param value above 0
 * @return it in two digits
 */
double
RoundToTwoDigits(double value)
{
    char text[16];
    std::snprintf(text, sizeof(text), "%.1e", value);
    return std::strtod(text, nullptr);
}

} // namespace

LinkBeliefs::LinkBeliefs(const PipelineProblem& problem)
{
    const PipelineCostModel costs(problem);
    for (std::size_t i = 0; i < problem.devices.size(); ++i)
    {
        m_uplinks.push_back(costs.GetUplink(i));
        m_downlinks.push_back(costs.GetDownlink(i));
    }
}

void
LinkBeliefs::SetRates(const std::vector<PairRate>& rates)
{
    /** Simultaneous measurements of a link's end. */
    struct Evidence
    {
        double best{0};       //!< highest rate measured, bit/s
        std::size_t count{0}; //!< number of measurements
    };

    std::map<double*, Evidence> evidence;
    for (const auto& rate : rates)
    {
        for (double* end : {&m_uplinks[rate.from], &m_downlinks[rate.to]})
        {
            evidence[end].best = std::max(evidence[end].best, rate.bitsPerSecond);
            ++evidence[end].count;
        }
    }
    for (const auto& [end, is] : evidence)
    {
        if (is.best > (1 + AGREEMENT) * *end)
        {
            *end = RoundToTwoDigits(is.best);
        }
    }
    const LinkBeliefs before = *this;
    for (const auto& [from, to, bitsPerSecond] : rates)
    {
        double* ends[] = {&m_uplinks[from], &m_downlinks[to]};
        const double believed[] = {before.m_uplinks[from], before.m_downlinks[to]};
        if (bitsPerSecond >= (1 - AGREEMENT) * std::min(believed[0], believed[1]))
        {
            continue;
        }
        // Weight of evidence that either end is the slow one.
        std::size_t weights[] = {0, 0};
        for (const std::size_t i : {0, 1})
        {
            const Evidence& is = evidence[ends[i]];
            const bool isContradicted = is.best > (1 + AGREEMENT) * bitsPerSecond;
            const bool isSlower = believed[i] < (1 - AGREEMENT) * believed[1 - i];
            weights[i] = isContradicted ? 0 : 2 * is.count + (isSlower ? 1 : 0);
        }
        for (const std::size_t i : {0, 1})
        {
            if (weights[i] >= weights[1 - i])
            {
                *ends[i] = RoundToTwoDigits(bitsPerSecond);
            }
        }
    }
}

} // namespace ns3::edgepipe
