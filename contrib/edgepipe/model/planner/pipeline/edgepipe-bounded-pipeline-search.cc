/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-bounded-pipeline-search.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

constexpr double UNREACHABLE = std::numeric_limits<double>::infinity();

} // namespace

BoundedPipelineSearch::BoundedPipelineSearch(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_layers(costModel.GetProblem().layers.size()),
      m_states(1),
      m_cuts(m_layers),
      m_continue(m_layers),
      m_queue(m_layers)
{
    const std::vector<PipelineDevice>& devices = costModel.GetProblem().devices;
    std::map<std::pair<std::string, uint64_t>, std::size_t> indices;
    for (std::size_t d = 0; d < devices.size(); ++d)
    {
        auto [index, isNew] =
            indices.emplace(std::pair(devices[d].type, devices[d].memoryBytes), m_classes.size());
        if (isNew)
        {
            m_classes.emplace_back();
        }
        DeviceClass& deviceClass = m_classes[index->second];
        // A plan has at most one stage per layer: more devices of one class are of no use.
        if (deviceClass.devices.size() < m_layers)
        {
            deviceClass.devices.push_back(d);
        }
    }

    m_steps = static_cast<double>(m_layers) * static_cast<double>(m_classes.size());
    for (DeviceClass& deviceClass : m_classes)
    {
        deviceClass.stride = m_states;
        m_states *= deviceClass.devices.size() + 1;
        m_steps *= static_cast<double>(deviceClass.devices.size() + 1);

        std::size_t device = deviceClass.devices.front();
        deviceClass.seconds.push_back(0);
        std::size_t end = 0;
        for (std::size_t i = 0; i < m_layers; ++i)
        {
            deviceClass.seconds.push_back(m_costModel.StageForwardSeconds(device, 0, i) +
                                          m_costModel.StageBackwardSeconds(device, 0, i));
            end = std::max(end, i);
            while (end < m_layers &&
                   m_costModel.StageMemoryBytes(i, end) <= devices[device].memoryBytes)
            {
                ++end;
            }
            deviceClass.memory.push_back(end);
        }
        deviceClass.end.resize(m_layers);
    }
}

double
BoundedPipelineSearch::GetStepsPerSearch() const
{
    return m_steps;
}

std::size_t
BoundedPipelineSearch::GetClassCount() const
{
    return m_classes.size();
}

void
BoundedPipelineSearch::SetStagePenalty(double penaltySeconds)
{
    m_penalty = penaltySeconds;
}

std::optional<BoundedPipelinePlan>
BoundedPipelineSearch::Search(const PipelineBounds& bounds)
{
    ApplyBounds(bounds);
    const std::size_t width = m_layers + 1;
    m_rest.resize(m_states * width);
    // Using a device leads to a larger state, so larger states are finished first.
    for (std::size_t state = m_states; state-- > 0;)
    {
        std::size_t used = 0;
        for (const DeviceClass& deviceClass : m_classes)
        {
            used += CountUsed(deviceClass, state);
        }
        if (used > m_layers)
        {
            continue;
        }
        auto row = m_rest.begin() + state * width;
        std::fill(row + used, row + m_layers, UNREACHABLE);
        row[m_layers] = 0;
        for (const DeviceClass& deviceClass : m_classes)
        {
            if (CountUsed(deviceClass, state) < deviceClass.devices.size())
            {
                Relax(deviceClass, state, used);
            }
        }
    }
    if (m_rest[0] == UNREACHABLE)
    {
        return std::nullopt;
    }
    return ExtractPlan();
}

void
BoundedPipelineSearch::ApplyBounds(const PipelineBounds& bounds)
{
    for (std::size_t i = 0; i < m_layers; ++i)
    {
        double c = m_costModel.TransferSeconds(i);
        bool isAllowed = c < bounds.forward && c < bounds.backward && 2 * c < bounds.both;
        m_cuts[i] = isAllowed ? 2 * c : UNREACHABLE;
    }
    for (DeviceClass& deviceClass : m_classes)
    {
        std::size_t device = deviceClass.devices.front();
        std::size_t end = 0;
        for (std::size_t i = 0; i < m_layers; ++i)
        {
            end = std::max(end, i);
            while (end < deviceClass.memory[i])
            {
                double f = m_costModel.StageForwardSeconds(device, i, end);
                double b = m_costModel.StageBackwardSeconds(device, i, end);
                if (!(f < bounds.forward && b < bounds.backward && f + b < bounds.both))
                {
                    break;
                }
                ++end;
            }
            deviceClass.end[i] = end;
        }
    }
}

void
BoundedPipelineSearch::Relax(const DeviceClass& deviceClass, std::size_t state, std::size_t first)
{
    double* rest = m_rest.data() + state * (m_layers + 1);
    const double* next = rest + deviceClass.stride * (m_layers + 1);
    const double* seconds = deviceClass.seconds.data();
    for (std::size_t i = first; i < m_layers; ++i)
    {
        m_continue[i] = next[i + 1] + m_cuts[i] + seconds[i + 1] + m_penalty;
    }
    // The queue holds last layers in descending order, their values rising from oldest to newest.
    std::size_t oldest = 0;
    std::size_t newest = 0;
    for (std::size_t i = m_layers; i-- > first;)
    {
        while (newest > oldest && m_continue[m_queue[newest - 1]] >= m_continue[i])
        {
            --newest;
        }
        m_queue[newest++] = i;
        while (newest > oldest && m_queue[oldest] >= deviceClass.end[i])
        {
            ++oldest;
        }
        if (newest > oldest)
        {
            rest[i] = std::min(rest[i], m_continue[m_queue[oldest]] - seconds[i]);
        }
    }
}

BoundedPipelinePlan
BoundedPipelineSearch::ExtractPlan() const
{
    BoundedPipelinePlan result;
    std::size_t state = 0;
    std::size_t first = 0;
    while (first < m_layers)
    {
        double least = UNREACHABLE;
        const DeviceClass* chosen = nullptr;
        std::size_t last = first;
        for (const DeviceClass& deviceClass : m_classes)
        {
            if (CountUsed(deviceClass, state) == deviceClass.devices.size())
            {
                continue;
            }
            const double* next = m_rest.data() + (state + deviceClass.stride) * (m_layers + 1);
            for (std::size_t i = first; i < deviceClass.end[first]; ++i)
            {
                double sum = next[i + 1] + m_cuts[i] + deviceClass.seconds[i + 1] + m_penalty -
                             deviceClass.seconds[first];
                if (sum < least)
                {
                    least = sum;
                    chosen = &deviceClass;
                    last = i;
                }
            }
        }
        std::size_t device = chosen->devices[CountUsed(*chosen, state)];
        double f = m_costModel.StageForwardSeconds(device, first, last);
        double b = m_costModel.StageBackwardSeconds(device, first, last);
        double c = m_costModel.TransferSeconds(last);
        result.sum += f + b + 2 * c + m_penalty;
        result.forward = std::max({result.forward, f, c});
        result.backward = std::max({result.backward, b, c});
        result.plan.stages.push_back({device, first, last});
        state += chosen->stride;
        first = last + 1;
    }
    return result;
}

std::size_t
BoundedPipelineSearch::CountUsed(const DeviceClass& deviceClass, std::size_t state) const
{
    return state / deviceClass.stride % (deviceClass.devices.size() + 1);
}

} // namespace edgepipe
} // namespace ns3
