/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-group-shares.h"

#include "ns3/edgepipe-input-error.h"

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

namespace
{

/**
 * @param costModel of a problem with costs of parts of micro-batches
 * @param planner decides on the shares
 * @param stage on a group; its shares are replaced
 * @throws InputError as ShareGroups
 */
void
ShareByPlanner(const PipelineCostModel& costModel,
               BatchSharesPlanner& planner,
               PipelineStage& stage)
{
    const PipelineProblem& problem = costModel.GetProblem();
    const std::size_t devices = stage.group.size();
    const std::size_t first = stage.group.front().device;
    const uint32_t even = std::max<uint32_t>(1, problem.microBatchSamples / devices);
    const auto bits = 8.0 * costModel.GetTensors(stage.firstLayer, stage.lastLayer).parameterBytes;
    BatchSharesProblem asked{problem.microBatchSamples, {}, true, 1};
    std::vector<uint32_t> most; // samples that memory holds
    for (const auto& [device, samples] : stage.group)
    {
        const auto seconds = ListReplicaSeconds(costModel,
                                                device,
                                                stage.firstLayer,
                                                stage.lastLayer,
                                                problem.microBatchSamples);
        most.push_back(seconds.size() - 1);
        Require(most.back() > 0,
                "no sample of " + costModel.DescribeStage(stage) + " fits the memory of device " +
                    problem.devices[device].name);
        const PassSeconds own =
            costModel.ReplicaSeconds(device, stage.firstLayer, stage.lastLayer, even);
        asked.nodes.push_back(
            {problem.devices[device].name,
             even / std::max(own.forward + own.backward, 1e-30),
             static_cast<double>(costModel.ReplicaMemoryBytes(stage, even)),
             {(device == first ? 0 : 2 * costModel.GetDelaySeconds(first, device)) +
              bits / costModel.GetUplink(device)}});
    }
    const BatchSharesPlan shares = planner.Plan(asked);
    uint64_t over = 0;
    for (std::size_t i = 0; i < devices; ++i)
    {
        stage.group[i].samples = std::min<uint64_t>(shares.batches[i], most[i]);
        over += shares.batches[i] - stage.group[i].samples;
    }
    for (; over > 0; --over)
    {
        std::size_t roomiest = 0;
        for (std::size_t i = 1; i < devices; ++i)
        {
            const auto getRoom = [&](std::size_t k) { return most[k] - stage.group[k].samples; };
            roomiest = getRoom(i) > getRoom(roomiest) ? i : roomiest;
        }
        Require(stage.group[roomiest].samples < most[roomiest],
                "the samples of " + costModel.DescribeStage(stage) +
                    " do not fit the memory of its devices");
        ++stage.group[roomiest].samples;
    }
}

} // namespace

void
ShareGroups(const PipelineCostModel& costModel, Ptr<BatchSharesPlanner> planner, PipelinePlan& plan)
{
    for (PipelineStage& stage : plan.stages)
    {
        if (stage.group.empty())
        {
            continue;
        }
        if (planner)
        {
            ShareByPlanner(costModel, *planner, stage);
        }
        else
        {
            stage = ShareStage(costModel, stage, ListDevices({{stage}}));
        }
    }
}

} // namespace ns3::edgepipe
