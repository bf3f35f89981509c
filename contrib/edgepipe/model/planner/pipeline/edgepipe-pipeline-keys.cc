/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-keys.h"

#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// More seconds than any fitting plan takes.
constexpr double TOO_LARGE = 1e250;

} // namespace

PipelineKeys::PipelineKeys(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_devices(costModel.GetProblem().devices.size()),
      m_mostStages(std::min(m_devices, costModel.GetProblem().layers.size()))
{
}

PipelinePlan
PipelineKeys::Decode(const std::vector<double>& keys) const
{
    const std::size_t layers = m_costModel.GetProblem().layers.size();
    const auto stages = 1 + static_cast<std::size_t>(keys[0] * m_mostStages);
    std::vector<std::size_t> devices(m_devices);
    std::iota(devices.begin(), devices.end(), 0);
    std::partial_sort(devices.begin(),
                      devices.begin() + stages,
                      devices.end(),
                      [&keys](std::size_t a, std::size_t b) {
                          return std::make_pair(keys[1 + a], a) < std::make_pair(keys[1 + b], b);
                      });
    std::vector<std::size_t> ends{layers};
    for (std::size_t cut = 0; cut + 1 < stages; ++cut)
    {
        const double key = keys[1 + m_devices + cut];
        ends.push_back(1 + static_cast<std::size_t>(key * (layers - 1)));
    }
    std::sort(ends.begin(), ends.end());
    PipelinePlan plan;
    std::size_t first = 0;
    for (const std::size_t end : ends)
    {
        if (end > first)
        {
            plan.stages.push_back({devices[plan.stages.size()], first, end - 1});
            first = end;
        }
    }
    return plan;
}

double
PipelineKeys::Evaluate(const std::vector<double>& keys)
{
    ++m_evaluations;
    const PipelinePlan plan = Decode(keys);
    double excess = 0;
    for (const auto& stage : plan.stages)
    {
        const double bytes = m_costModel.StageMemoryBytes(stage.firstLayer, stage.lastLayer);
        const double memory = m_costModel.GetProblem().devices[stage.device].memoryBytes;
        excess += bytes > memory ? (bytes - memory) / bytes : 0;
    }
    return excess > 0 ? TOO_LARGE * (1 + excess) : m_costModel.IterationSeconds(plan);
}

double
ClampKey(double key)
{
    return std::clamp(key, 0.0, 1 - 1e-12);
}

} // namespace ns3::edgepipe
