/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <cmath>
#include <set>
#include <sstream>
#include <utility>

namespace ns3::edgepipe
{

namespace
{

/// Most seconds that all layers may take, so that sums of costs stay finite.
constexpr double LONGEST_SECONDS = 1e200;

/// Below it, 2^64 bytes for each of 2^32 micro-batches would take infinitely long.
constexpr double LOWEST_BITS_PER_SECOND = 1e-200;

/**
 * @param bitsPerSecond a rate
 * @param name its name in messages
 * @throws InputError for an invalid rate
 */
void
ValidateRate(double bitsPerSecond, const std::string& name)
{
    Require(std::isfinite(bitsPerSecond) && bitsPerSecond >= LOWEST_BITS_PER_SECOND,
            name + ": found " + std::to_string(bitsPerSecond) + ", expected a number above 0");
}

/**
 * @param problem the problem
 * @throws InputError for an invalid layer
 */
void
ValidateLayers(const PipelineProblem& problem)
{
    Require(!problem.layers.empty(), "the problem has no layer, expected at least one");
    std::set<std::string> names;
    long double bytes = 0;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const PipelineLayer& layer = problem.layers[i];
        std::string name = "layer " + QuoteForMessage(layer.name);
        if (!names.insert(layer.name).second)
        {
            throw InputError(name + " is given twice");
        }
        for (std::size_t input : layer.inputs)
        {
            if (input >= i)
            {
                throw InputError(name + " reads layer " + std::to_string(input) +
                                 ", expected a layer before it");
            }
        }
        std::set<std::size_t> owners;
        for (const TiedWeights& tied : layer.tied)
        {
            const bool isEarlier = tied.layer < i;
            const uint64_t most = isEarlier ? problem.layers[tied.layer].parameterBytes : 0;
            if (!isEarlier || !owners.insert(tied.layer).second || tied.bytes == 0 ||
                tied.bytes > most)
            {
                throw InputError(name + " is tied to " + std::to_string(tied.bytes) +
                                 " bytes of layer " + std::to_string(tied.layer) +
                                 ", expected a layer before it, once, and 1 to " +
                                 std::to_string(most) + " bytes");
            }
            bytes += (2.0L + problem.optimizerStates) * tied.bytes;
        }
        // Bounds a stage's memory: its working tensors are layer outputs, counted twice.
        bytes += (2.0L + problem.optimizerStates) * layer.parameterBytes +
                 (problem.microBatches + 2.0L) * (0.0L + layer.outputBytes + layer.activationBytes);
    }
    Require(bytes < 0x1p63L, "the layers hold 2^63 bytes or more over all micro-batches");
}

/**
 * @param problem the problem
 * @throws InputError for an invalid device
 */
void
ValidateDevices(const PipelineProblem& problem)
{
    Require(!problem.devices.empty(), "the problem has no device, expected at least one");
    std::set<std::string> names;
    for (const PipelineDevice& device : problem.devices)
    {
        if (!names.insert(device.name).second)
        {
            throw InputError("device " + QuoteForMessage(device.name) + " is given twice");
        }
        if (problem.costs.count(device.type) == 0)
        {
            throw InputError("device " + QuoteForMessage(device.name) + " is of type " +
                             QuoteForMessage(device.type) + ", for which there are no costs");
        }
        for (const auto& [rate, name] : {std::pair(device.uplinkBitsPerSecond, "uplink"),
                                         std::pair(device.downlinkBitsPerSecond, "downlink")})
        {
            if (rate != 0)
            {
                ValidateRate(rate,
                             "device " + QuoteForMessage(device.name) + ", " + name +
                                 "BitsPerSecond");
            }
        }
        if (!std::isfinite(device.delaySeconds) || device.delaySeconds < 0)
        {
            throw InputError("device " + QuoteForMessage(device.name) + ", delaySeconds: found " +
                             std::to_string(device.delaySeconds) + ", expected seconds, 0 or more");
        }
    }
}

/**
 * @param seconds the costs of one type in one direction
 * @param count how many layers there are
 * @param name their name in messages
 * @throws InputError for an invalid cost
 */
void
ValidateSeconds(const std::vector<double>& seconds, std::size_t count, const std::string& name)
{
    Require(seconds.size() == count,
            name + ": found " + std::to_string(seconds.size()) +
                " costs, expected one for each of " + std::to_string(count) + " layers");
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
        if (!std::isfinite(seconds[i]) || seconds[i] < 0)
        {
            throw InputError(name + "[" + std::to_string(i) + "]: found " +
                             std::to_string(seconds[i]) + ", expected seconds, 0 or more");
        }
        sum += seconds[i];
    }
    if (sum > LONGEST_SECONDS)
    {
        std::ostringstream message;
        message << name << ": the layers take " << sum << " s in all, expected at most "
                << LONGEST_SECONDS << " s";
        throw InputError(message.str());
    }
}

/**
 * @param type costs of a type of device
 * @param problem their problem
 * @param name their name in messages
 * @throws InputError for a part that is no smaller than the next one, or whose costs are invalid
 */
void
ValidateParts(const LayerSeconds& type, const PipelineProblem& problem, const std::string& name)
{
    uint32_t least = 1;
    Require(type.parts.empty() || problem.microBatchSamples > 1,
            "microBatchSamples: found " + std::to_string(problem.microBatchSamples) +
                ", expected 2 or more, since there are costs of parts");
    Require(type.parts.empty() || type.parts.front().samples == 1,
            name + "parts: found none of 1 sample, expected one, first");
    for (const PartCost& part : type.parts)
    {
        Require(part.samples >= least && part.samples < problem.microBatchSamples,
                name + "parts: found " + std::to_string(part.samples) + " samples, expected " +
                    std::to_string(least) + " or more, below the micro-batch's " +
                    std::to_string(problem.microBatchSamples));
        least = part.samples + 1;
        ValidateSeconds(part.forwardSeconds, problem.layers.size(), name + "forwardSeconds");
        ValidateSeconds(part.backwardSeconds, problem.layers.size(), name + "backwardSeconds");
    }
}

} // namespace

std::vector<std::size_t>
ListDevices(const PipelinePlan& plan)
{
    std::vector<std::size_t> devices;
    for (const PipelineStage& stage : plan.stages)
    {
        for (const StageReplica& replica : stage.GetReplicas(1))
        {
            devices.push_back(replica.device);
        }
    }
    return devices;
}

std::vector<ReplicaOverlap>
FindOverlaps(const std::vector<StageReplica>& from, const std::vector<StageReplica>& to)
{
    std::vector<ReplicaOverlap> overlaps;
    std::size_t j = 0;
    uint32_t taken = 0; // samples of to[j] already paired
    for (std::size_t i = 0; i < from.size(); ++i)
    {
        for (uint32_t left = from[i].samples; left > 0 && j < to.size();)
        {
            const uint32_t both = std::min(left, to[j].samples - taken);
            overlaps.push_back({i, j, both});
            left -= both;
            taken += both;
            if (taken == to[j].samples)
            {
                ++j;
                taken = 0;
            }
        }
    }
    return overlaps;
}

void
ValidatePipelineProblem(const PipelineProblem& problem)
{
    Require(problem.microBatches > 0, "microBatches: found 0, expected a positive integer");
    ValidateLayers(problem);
    ValidateDevices(problem);
    for (const auto& [type, seconds] : problem.costs)
    {
        std::string name = "costs of type " + QuoteForMessage(type) + ", ";
        ValidateSeconds(seconds.forwardSeconds, problem.layers.size(), name + "forwardSeconds");
        if (!seconds.fixedSeconds.empty())
        {
            ValidateSeconds(seconds.fixedSeconds, problem.layers.size(), name + "fixedSeconds");
        }
        ValidateSeconds(seconds.backwardSeconds, problem.layers.size(), name + "backwardSeconds");
        ValidateParts(seconds, problem, name);
    }
    ValidateRate(problem.bandwidthBitsPerSecond, "bandwidthBitsPerSecond");
}

} // namespace ns3::edgepipe
