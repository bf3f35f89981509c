// SPDX-License-Identifier: GPL-2.0-only

#include "sharing-model.h"

#include <algorithm>
#include <cmath>
#include <sstream>

using ns3::edgepipe::MaxMinSharing;

std::vector<double>
SharingModel::Solve() const
{
    constexpr long double CLOSE = 1e-15L;
    std::vector<double> rates(flows.size(), 0);
    std::vector<bool> isFixed(flows.size(), false);
    while (true)
    {
        std::vector<long double> left(capacities.begin(), capacities.end());
        std::vector<long double> weight(capacities.size(), 0);
        long double level = MaxMinSharing::UNBOUNDED;
        for (std::size_t f = 0; f < flows.size(); ++f)
        {
            for (const auto& use : flows[f].uses)
            {
                (isFixed[f] ? left : weight)[use.link] +=
                    isFixed[f] ? -static_cast<long double>(use.weight) * rates[f] : use.weight;
            }
            if (!isFixed[f])
            {
                level = std::min<long double>(level, flows[f].bound);
            }
        }
        const auto fill = [&](uint32_t link) { return std::max(0.0L, left[link]) / weight[link]; };
        for (std::size_t link = 0; link < capacities.size(); ++link)
        {
            level = weight[link] > 0 ? std::min(level, fill(link)) : level;
        }
        if (level == MaxMinSharing::UNBOUNDED)
        {
            return rates;
        }
        for (std::size_t f = 0; f < flows.size(); ++f)
        {
            bool isHeld = flows[f].bound <= level;
            for (const auto& use : flows[f].uses)
            {
                isHeld = isHeld || (weight[use.link] > 0 && fill(use.link) <= level * (1 + CLOSE));
            }
            if (isHeld && !isFixed[f])
            {
                rates[f] = level;
                isFixed[f] = true;
            }
        }
    }
}

long double
SharingModel::GetLoad(uint32_t number, const std::vector<double>& rates) const
{
    long double load = 0;
    for (std::size_t f = 0; f < flows.size(); ++f)
    {
        for (const auto& use : flows[f].uses)
        {
            load += use.link == number ? static_cast<long double>(use.weight) * rates[f] : 0;
        }
    }
    return load;
}

std::string
SharingModel::FindFault(const std::vector<double>& rates, double tolerance) const
{
    std::ostringstream fault;
    fault.precision(17);
    std::vector<bool> isFull(capacities.size());
    std::vector<double> fastest(capacities.size(), 0);
    for (std::size_t link = 0; link < capacities.size(); ++link)
    {
        const long double load = GetLoad(link, rates);
        isFull[link] = load >= capacities[link] * (1 - tolerance);
        if (!(load <= capacities[link] * (1 + tolerance)))
        {
            fault << "link " << link << " of " << capacities[link] << " carries " << load;
            return fault.str();
        }
    }
    for (std::size_t f = 0; f < flows.size(); ++f)
    {
        for (const auto& use : flows[f].uses)
        {
            fastest[use.link] = std::max(fastest[use.link], rates[f]);
        }
    }
    for (std::size_t f = 0; f < flows.size(); ++f)
    {
        if (!(rates[f] >= 0 && rates[f] <= flows[f].bound * (1 + tolerance)))
        {
            fault << "flow " << f << " bound to " << flows[f].bound << " runs at " << rates[f];
            return fault.str();
        }
        bool isHeld = rates[f] >= flows[f].bound * (1 - tolerance);
        for (const auto& use : flows[f].uses)
        {
            isHeld =
                isHeld || (isFull[use.link] && fastest[use.link] <= rates[f] * (1 + tolerance));
        }
        if (!isHeld)
        {
            fault << "nothing holds flow " << f << " at " << rates[f];
            return fault.str();
        }
    }
    return "";
}

SharingDice::SharingDice(const SharingStyle& style, uint32_t seed)
    : random(seed),
      m_style(style)
{
}

uint32_t
SharingDice::DrawBelow(uint32_t end)
{
    return random() % end;
}

double
SharingDice::DrawBetween(double low, double high)
{
    const double share = random() / 4294967296.0;
    return low * std::exp(share * std::log(high / low));
}

double
SharingDice::DrawCapacity(bool isBound)
{
    const double capacity = DrawBetween(m_style.lowestCapacity, m_style.highestCapacity);
    if (!isBound && random() / 4294967296.0 < m_style.zeroes)
    {
        return 0;
    }
    return m_style.isRounded ? std::exp2(std::round(std::log2(capacity))) : capacity;
}

double
SharingDice::DrawBound()
{
    return random() / 4294967296.0 < m_style.bounded
               ? DrawCapacity(true) / DrawBetween(1, 10) / m_style.highestWeight
               : MaxMinSharing::UNBOUNDED;
}

SharingModel::Flow
SharingDice::DrawFlow(uint32_t links)
{
    SharingModel::Flow flow{{}, DrawBound()};
    std::vector<uint32_t> deck(links);
    for (uint32_t i = 0; i < links; ++i)
    {
        deck[i] = i;
    }
    const uint32_t length = 1 + DrawBelow(std::min(links, m_style.length));
    for (uint32_t i = 0; i < length; ++i)
    {
        std::swap(deck[i], deck[i + DrawBelow(links - i)]);
        flow.uses.push_back({deck[i], DrawBetween(m_style.lowestWeight, m_style.highestWeight)});
    }
    return flow;
}
