/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-stage-fit.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

StageFit::StageFit(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_largestFirst(costModel.GetProblem().devices.size())
{
    const auto& devices = costModel.GetProblem().devices;
    std::iota(m_largestFirst.begin(), m_largestFirst.end(), 0);
    std::stable_sort(m_largestFirst.begin(),
                     m_largestFirst.end(),
                     [&devices](std::size_t a, std::size_t b) {
                         return devices[a].memoryBytes > devices[b].memoryBytes;
                     });
}

std::size_t
StageFit::FindEnd(std::size_t first, std::size_t device) const
{
    const uint64_t memory = m_costModel.GetProblem().devices[device].memoryBytes;
    std::size_t low = first;
    std::size_t high = m_costModel.GetProblem().layers.size();
    while (low < high)
    {
        const std::size_t middle = low + (high - low) / 2;
        if (m_costModel.StageMemoryBytes(first, middle) <= memory)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

bool
StageFit::CanComplete(std::size_t first, const std::vector<bool>& isTaken) const
{
    const std::size_t layers = m_costModel.GetProblem().layers.size();
    for (std::size_t device : m_largestFirst)
    {
        if (first == layers)
        {
            break;
        }
        if (!isTaken[device])
        {
            first = FindEnd(first, device);
        }
    }
    return first == layers;
}

std::pair<std::size_t, std::size_t>
StageFit::FindEnds(std::size_t first, std::size_t device, std::vector<bool> isTaken) const
{
    isTaken[device] = true;
    const std::size_t largest = FindEnd(first, device);
    if (largest == first || !CanComplete(largest, isTaken))
    {
        return {first, first};
    }
    // What can be completed from a layer on can be from a later layer on.
    std::size_t low = first + 1;
    std::size_t high = largest;
    while (low < high)
    {
        const std::size_t middle = low + (high - low) / 2;
        if (CanComplete(middle, isTaken))
        {
            high = middle;
        }
        else
        {
            low = middle + 1;
        }
    }
    return {low, largest};
}

std::vector<bool>
StageFit::FindPlaces(uint64_t bytes,
                     const std::vector<uint64_t>& rest,
                     std::vector<bool> isTaken) const
{
    std::vector<bool> isAllowed;
    for (std::size_t d = 0; d < isTaken.size(); ++d)
    {
        bool fits = !isTaken[d] && bytes <= m_costModel.GetProblem().devices[d].memoryBytes;
        if (fits)
        {
            isTaken[d] = true;
            fits = CanPlace(rest, isTaken);
            isTaken[d] = false;
        }
        isAllowed.push_back(fits);
    }
    return isAllowed;
}

const std::vector<std::size_t>&
StageFit::GetLargestFirst() const
{
    return m_largestFirst;
}

PipelinePlan
StageFit::PlaceByRule(const PipelineDivision& division, const PipelineScales& scales) const
{
    std::vector<std::size_t> heaviest(division.size());
    std::vector<uint64_t> bytes(division.size());
    PipelinePlan plan;
    for (std::size_t r = 0; r < division.size(); ++r)
    {
        heaviest[r] = r;
        bytes[r] = m_costModel.StageMemoryBytes(division[r].first, division[r].second);
        plan.stages.push_back({0, division[r].first, division[r].second});
    }
    std::stable_sort(heaviest.begin(), heaviest.end(), [&](std::size_t a, std::size_t b) {
        return scales.GetWork(division[a].first, division[a].second) >
               scales.GetWork(division[b].first, division[b].second);
    });
    std::vector<bool> isTaken(m_costModel.GetProblem().devices.size(), false);
    for (std::size_t k = 0; k < heaviest.size(); ++k)
    {
        std::vector<uint64_t> rest;
        for (std::size_t later = k + 1; later < heaviest.size(); ++later)
        {
            rest.push_back(bytes[heaviest[later]]);
        }
        for (std::size_t device : scales.GetFastestFirst())
        {
            if (isTaken[device] ||
                m_costModel.GetProblem().devices[device].memoryBytes < bytes[heaviest[k]])
            {
                continue;
            }
            isTaken[device] = true;
            if (CanPlace(rest, isTaken))
            {
                plan.stages[heaviest[k]].device = device;
                break;
            }
            isTaken[device] = false;
        }
    }
    return plan;
}

bool
StageFit::CanPlace(std::vector<uint64_t> bytes, const std::vector<bool>& isTaken) const
{
    std::sort(bytes.begin(), bytes.end(), std::greater<>());
    std::size_t stage = 0;
    for (std::size_t device : m_largestFirst)
    {
        if (stage == bytes.size())
        {
            break;
        }
        if (isTaken[device])
        {
            continue;
        }
        if (m_costModel.GetProblem().devices[device].memoryBytes < bytes[stage])
        {
            return false;
        }
        ++stage;
    }
    return stage == bytes.size();
}

} // namespace edgepipe
} // namespace ns3
