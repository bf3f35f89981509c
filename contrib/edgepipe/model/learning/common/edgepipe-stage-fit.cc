/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-stage-fit.h"

#include "ns3/edgepipe-pipeline-search.h"

#include <boost/iterator/counting_iterator.hpp>
#include <functional>
#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// Most dynamic programming steps to find a plan that fits.
constexpr double MOST_STEPS = 2e9;

} // namespace

StageFit::StageFit(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_largestFirst(costModel.GetProblem().devices.size())
{
    const auto& devices = costModel.GetProblem().devices;
    const std::size_t layers = costModel.GetProblem().layers.size();
    std::iota(m_largestFirst.begin(), m_largestFirst.end(), 0);
    std::stable_sort(m_largestFirst.begin(),
                     m_largestFirst.end(),
                     [&devices](std::size_t a, std::size_t b) {
                         return devices[a].memoryBytes > devices[b].memoryBytes;
                     });
    for (const PipelineDevice& device : devices)
    {
        m_ends.resize(m_ends.size() + layers + 1, layers);
        for (std::size_t first = layers; first-- > 0;)
        {
            // Ends must ascend with first, so a stage stops where the next would, though more may
            // fit.
            const auto end = m_ends.end() - 1 - layers + first;
            *end = std::min(*(end + 1), costModel.FindMemoryEnd(first, device.memoryBytes));
        }
    }
}

std::size_t
StageFit::FindEnd(std::size_t first, std::size_t device) const
{
    return m_ends[device * (m_costModel.GetProblem().layers.size() + 1) + first];
}

bool
StageFit::CanComplete(std::size_t first, const std::vector<bool>& isTaken) const
{
    const std::size_t layers = m_costModel.GetProblem().layers.size();
    for (std::size_t r = 0; r < m_largestFirst.size() && first < layers; ++r)
    {
        const std::size_t device = m_largestFirst[r];
        first = isTaken[device] ? first : FindEnd(first, device);
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
    // A plan that can be completed from one layer can be from any later one.
    using Layer = boost::counting_iterator<std::size_t>;
    const Layer least = std::partition_point(Layer(first + 1), Layer(largest), [&](auto end) {
        return !CanComplete(end, isTaken);
    });
    return {*least, largest};
}

bool
StageFit::MayPlace(std::size_t device,
                   uint64_t bytes,
                   std::vector<uint64_t> rest,
                   const std::vector<bool>& isTaken) const
{
    const auto& devices = m_costModel.GetProblem().devices;
    if (isTaken[device] || devices[device].memoryBytes < bytes)
    {
        return false;
    }
    // The stage that needs most memory goes to the device with the most, and so on.
    std::sort(rest.begin(), rest.end(), std::greater<>());
    auto next = rest.begin();
    for (std::size_t other : m_largestFirst)
    {
        if (next != rest.end() && other != device && !isTaken[other])
        {
            if (devices[other].memoryBytes < *next++)
            {
                return false;
            }
        }
    }
    return next == rest.end();
}

bool
CanGrowPlans(const PipelineCostModel& costModel)
{
    const std::vector<bool> isTaken(costModel.GetProblem().devices.size(), false);
    return StageFit(costModel).CanComplete(0, isTaken);
}

PipelinePlan
FindAnyPlan(const PipelineCostModel& costModel)
{
    Require(MeasurePipelineSearch(costModel).steps <= MOST_STEPS,
            "no plan found: giving the devices with the most memory as many layers as "
            "fit leaves layers over, and the problem is too large for a search");
    const PipelinePlan plan = SearchPipelines(costModel, {}, {1}).plan;
    Require(!plan.stages.empty(),
            "no plan fits: no cut of the layers fits the memory of the devices");
    return plan;
}

} // namespace ns3::edgepipe
