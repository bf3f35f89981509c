/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-group-shares.h"

#include "ns3/edgepipe-ranges.h"

#include <numeric>

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

namespace
{

/**
 * Try all ways to share samples among the devices from one on.
 *
 * @param costs by device, one more than the samples that its memory holds
 * @param from the device
 * @param left samples to share
 * @param samples of each device
 * @param take called with the samples of each device
 */
void
TryAll(const std::vector<const std::vector<double>*>& costs,
       std::size_t from,
       uint32_t left,
       std::vector<uint32_t>& samples,
       const std::function<void(const std::vector<uint32_t>&)>& take)
{
    const std::size_t others = costs.size() - from - 1;
    const std::size_t most = costs[from]->size() - 1;
    for (uint32_t own = others == 0 ? left : 1; own + others <= left && own <= most; ++own)
    {
        samples[from] = own;
        others == 0 ? take(samples) : TryAll(costs, from + 1, left - own, samples, take);
    }
}

} // namespace

void
DivideSamples(std::vector<const std::vector<double>*> costs,
              uint32_t samples,
              double most,
              const std::function<void(const std::vector<uint32_t>&)>& take)
{
    double ways = 1; // samples - 1 over the number of devices - 1
    for (std::size_t i = 1; i < costs.size(); ++i)
    {
        ways *= double(samples - i) / i;
    }
    std::vector<uint32_t> shares(costs.size());
    if (ways <= most)
    {
        TryAll(costs, 0, samples, shares, take);
        return;
    }
    shares = ShareSamples(costs, samples);
    if (shares.empty())
    {
        return;
    }
    take(shares);
    std::vector<std::vector<double>> counts(costs.size());
    for (std::size_t i = 0; i < costs.size(); ++i)
    {
        counts[i].resize(costs[i]->size());
        std::iota(counts[i].begin(), counts[i].end(), 0);
        costs[i] = &counts[i];
    }
    take(ShareSamples(costs, samples));
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
        seconds.push_back(costModel.ReplicaSeconds(device, firstLayer, lastLayer, part).GetSum());
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
    const auto shares = ShareSamples(Map(seconds, [](const auto& own) { return &own; }), samples);
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
        const double own =
            costModel.ReplicaSeconds(device, stage.firstLayer, stage.lastLayer, even).GetSum();
        asked.nodes.push_back(
            {problem.devices[device].name,
             even / std::max(own, 1e-30),
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
