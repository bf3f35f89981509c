/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-group-shares.h"

#include <algorithm>

namespace ns3::edgepipe
{

std::vector<uint32_t>
ShareSamples(const std::vector<const std::vector<double>*>& costs, uint32_t samples)
{
    const std::size_t devices = costs.size();
    std::vector<uint32_t> shares(devices, 1);
    if (samples < devices ||
        std::any_of(costs.begin(), costs.end(), [](const auto* own) { return own->size() < 2; }))
    {
        return {};
    }
    for (uint32_t given = devices; given < samples; ++given)
    {
        std::size_t next = devices;
        for (std::size_t i = 0; i < devices; ++i)
        {
            const auto getCost = [&](std::size_t each) { return (*costs[each])[shares[each] + 1]; };
            if (shares[i] + 1 < costs[i]->size() && (next == devices || getCost(i) < getCost(next)))
            {
                next = i;
            }
        }
        if (next == devices)
        {
            return {};
        }
        ++shares[next];
    }
    return shares;
}

std::vector<double>
ListReplicaSeconds(const PipelineCostModel& costModel,
                   std::size_t device,
                   std::size_t firstLayer,
                   std::size_t lastLayer,
                   uint32_t samples)
{
    const PipelineProblem& problem = costModel.GetProblem();
    std::vector<double> seconds{0};
    for (uint32_t part = 1; part <= samples; ++part)
    {
        const uint64_t bytes =
            costModel
                .CountMemory(firstLayer, lastLayer, part, std::max(1U, problem.microBatchSamples))
                .GetBytes(problem.microBatches);
        if (bytes > problem.devices[device].memoryBytes)
        {
            break;
        }
        const PassSeconds own = costModel.ReplicaSeconds(device, firstLayer, lastLayer, part);
        seconds.push_back(own.forward + own.backward);
    }
    return seconds;
}

PipelineStage
ShareStage(const PipelineCostModel& costModel,
           const PipelineStage& stage,
           const std::vector<std::size_t>& devices)
{
    const uint32_t samples = costModel.GetProblem().microBatchSamples;
    std::vector<std::vector<double>> seconds;
    for (const std::size_t device : devices)
    {
        seconds.push_back(
            ListReplicaSeconds(costModel, device, stage.firstLayer, stage.lastLayer, samples));
    }
    std::vector<const std::vector<double>*> costs;
    for (const auto& own : seconds)
    {
        costs.push_back(&own);
    }
    const auto shares = ShareSamples(costs, samples);
    if (shares.empty())
    {
        return stage;
    }
    PipelineStage shared{devices.front(), stage.firstLayer, stage.lastLayer};
    for (std::size_t i = 0; i < devices.size(); ++i)
    {
        shared.group.push_back({devices[i], shares[i]});
    }
    return shared;
}

} // namespace ns3::edgepipe
