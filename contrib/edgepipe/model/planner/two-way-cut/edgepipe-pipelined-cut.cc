/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipelined-cut.h"

#include "edgepipe-two-way-cut-cost.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace edgepipe
{

PipelinedCut::PipelinedCut(const TwoWayCutProblem& problem, uint64_t most)
    : m_problem(problem),
      m_most(most),
      m_isRead(FindReadLayers(problem)),
      m_isOnDevice(problem.layers.size(), false),
      m_remote(problem.layers.size() + 1, 0),
      m_sums(problem.layers.size() + 1)
{
    Complete(m_sums[0]);
    m_best.bottleneckSeconds = std::numeric_limits<double>::infinity();
    m_best.latencySeconds = m_best.bottleneckSeconds;
}

void
PipelinedCut::Complete(Sums& sums) const
{
    const double moving =
        static_cast<double>(sums.uplinkBytes) * 8 / m_problem.uplinkBitsPerSecond +
        GetResultSeconds(m_problem, sums.resultBytes);
    sums.bottleneckSeconds = std::max({sums.deviceSeconds, moving, sums.serverSeconds});
    sums.latencySeconds = sums.deviceSeconds + sums.serverSeconds + moving;
}

bool
PipelinedCut::IsHopeless(std::size_t layers) const
{
    const Sums& sums = m_sums[layers];
    return sums.bottleneckSeconds != m_best.bottleneckSeconds
               ? sums.bottleneckSeconds > m_best.bottleneckSeconds
               : sums.latencySeconds >= m_best.latencySeconds;
}

bool
PipelinedCut::CanBeOnDevice(std::size_t layer) const
{
    const auto& inputs = m_problem.layers[layer].inputs;
    return std::all_of(inputs.begin(), inputs.end(), [this](std::size_t input) {
        return m_isOnDevice[input];
    });
}

void
PipelinedCut::Place(std::size_t layer, bool isOnDevice)
{
    const TwoWayCutLayer& placed = m_problem.layers[layer];
    Sums sums = m_sums[layer];
    m_isOnDevice[layer] = isOnDevice;
    if (isOnDevice)
    {
        sums.deviceSeconds += placed.deviceSeconds;
    }
    else
    {
        sums.serverSeconds += placed.serverSeconds;
        sums.resultBytes += m_isRead[layer] ? 0 : placed.outputBytes;
        for (const std::size_t input : placed.inputs)
        {
            sums.uplinkBytes += m_isOnDevice[input] && m_remote[input]++ == 0
                                    ? m_problem.layers[input].outputBytes
                                    : 0;
        }
        if (placed.inputs.empty())
        {
            sums.uplinkBytes += m_remote.back()++ == 0 ? m_problem.inputBytes : 0;
        }
    }
    Complete(sums);
    m_sums[layer + 1] = sums;
}

void
PipelinedCut::TakeBack(std::size_t layer)
{
    if (m_isOnDevice[layer])
    {
        return;
    }
    const auto& inputs = m_problem.layers[layer].inputs;
    for (const std::size_t input : inputs)
    {
        m_remote[input] -= m_isOnDevice[input];
    }
    m_remote.back() -= inputs.empty();
}

TwoWayCutPlan
PipelinedCut::Find()
{
    const std::size_t count = m_problem.layers.size();
    uint64_t steps = 0;
    std::size_t placed = 0;
    while (true)
    {
        if (placed < count && !IsHopeless(placed))
        {
            if (++steps > m_most)
            {
                throw InputError("has placed " + std::to_string(m_most) +
                                 " layers and not seen all partitions, expected a network with "
                                 "fewer layers side by side, or a larger attribute MostSteps");
            }
            Place(placed, CanBeOnDevice(placed));
            ++placed;
            continue;
        }
        if (placed == count && !IsHopeless(placed))
        {
            m_best = m_sums[count];
            m_bestIsOnDevice = m_isOnDevice;
        }
        // The last layer on the device has yet to be tried on the server.
        while (placed > 0 && !m_isOnDevice[placed - 1])
        {
            TakeBack(--placed);
        }
        if (placed == 0)
        {
            return {m_bestIsOnDevice};
        }
        Place(placed - 1, false);
    }
}

} // namespace edgepipe
} // namespace ns3
