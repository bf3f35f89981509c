/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-problem-check.h"
#include "ns3/edgepipe-problem-json.h"

#include <set>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param problem the problem
 * @throws InputError for an invalid layer
 */
void
CheckLayers(const PipelineProblem& problem)
{
    Require(!problem.layers.empty(), "the problem has no layer, expected at least one");
    RequireNames(problem.layers, "layer");
    long double bytes = 0;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const PipelineLayer& layer = problem.layers[i];
        const Place place{"layer", layer.name};
        for (const std::size_t input : layer.inputs)
        {
            RequireThat(input < i, place, " reads layer ", input, ", expected a layer before it");
        }
        std::set<std::size_t> owners;
        for (const TiedWeights& tied : layer.tied)
        {
            const bool isEarlier = tied.layer < i;
            const uint64_t most = isEarlier ? problem.layers[tied.layer].parameterBytes : 0;
            RequireThat(isEarlier && owners.insert(tied.layer).second && tied.bytes > 0 &&
                            tied.bytes <= most,
                        place,
                        " is tied to " + std::to_string(tied.bytes) + " bytes of layer " +
                            std::to_string(tied.layer) +
                            ", expected a layer before it, once, and 1 to " + std::to_string(most) +
                            " bytes");
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
CheckDevices(const PipelineProblem& problem)
{
    Require(!problem.devices.empty(), "the problem has no device, expected at least one");
    RequireNames(problem.devices, "device");
    for (const PipelineDevice& device : problem.devices)
    {
        RequireThat(problem.costs.count(device.type) > 0,
                    Place{"device", device.name},
                    Place{" is of type", device.type},
                    ", for which there are no costs");
        for (const auto& [rate, link] :
             {std::pair(device.uplinkBitsPerSecond, "uplinkBitsPerSecond"),
              std::pair(device.downlinkBitsPerSecond, "downlinkBitsPerSecond")})
        {
            RequireRate(rate != 0 ? rate : 1, Place{"device", device.name, link});
        }
        RequireSeconds(device.delaySeconds, Place{"device", device.name, "delaySeconds"});
    }
}

/**
 * @param seconds costs of some layers in one direction
 * @param layers how many layers there are
 * @param place what they are
 * @throws InputError for an invalid cost
 */
void
CheckSeconds(const std::vector<double>& seconds, std::size_t layers, const Place& place)
{
    RequireFound(seconds.size() == layers,
                 place,
                 std::to_string(seconds.size()) + " costs",
                 "one for each of " + std::to_string(layers) + " layers");
    double sum = 0;
    for (std::size_t i = 0; i < layers; ++i)
    {
        if (!(seconds[i] >= 0))
        {
            RequireSeconds(seconds[i], JoinParts(place, "[", i, "]"));
        }
        sum += seconds[i];
    }
    RequireTotal(sum, JoinParts(place, ": "));
}

/**
 * @param costs of a type of device
 * @param problem their problem
 * @param type the type
 * @throws InputError for a part that is no smaller than the next one, or whose costs are invalid
 */
void
CheckParts(const LayerSeconds& costs, const PipelineProblem& problem, const std::string& type)
{
    const char* kind = "costs of type";
    const Place place{kind, type, "parts"};
    uint32_t least = 1;
    RequireFound(costs.parts.empty() || problem.microBatchSamples > 1,
                 "microBatchSamples",
                 problem.microBatchSamples,
                 "2 or more, since there are costs of parts");
    RequireFound(costs.parts.empty() || costs.parts.front().samples == 1,
                 place,
                 "none of 1 sample",
                 "one, first");
    for (const PartCost& part : costs.parts)
    {
        RequireFound(part.samples >= least && part.samples < problem.microBatchSamples,
                     place,
                     std::to_string(part.samples) + " samples",
                     std::to_string(least) + " or more, below the micro-batch's " +
                         std::to_string(problem.microBatchSamples));
        least = part.samples + 1;
        CheckSeconds(part.forwardSeconds, problem.layers.size(), {kind, type, "forwardSeconds"});
        CheckSeconds(part.backwardSeconds, problem.layers.size(), {kind, type, "backwardSeconds"});
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
    CheckLayers(problem);
    CheckDevices(problem);
    const std::size_t layers = problem.layers.size();
    for (const auto& [type, costs] : problem.costs)
    {
        const std::size_t fixed = costs.fixedSeconds.empty() ? 0 : layers;
        CheckSeconds(costs.forwardSeconds, layers, {"costs of type", type, "forwardSeconds"});
        CheckSeconds(costs.fixedSeconds, fixed, {"costs of type", type, "fixedSeconds"});
        CheckSeconds(costs.backwardSeconds, layers, {"costs of type", type, "backwardSeconds"});
        CheckParts(costs, problem, type);
    }
    RequireRate(problem.bandwidthBitsPerSecond, "bandwidthBitsPerSecond");
}

void
ListFields(JsonTable& table, PipelineProblem& problem)
{
    table.Kind("pipeline");
    table.Name("model", problem.model, true);
    table.Count("microBatches", problem.microBatches);
    table.IntegerIfAny("microBatchSamples", problem.microBatchSamples);
    table.IntegerIfAny("optimizerStates", problem.optimizerStates);
    table.Value("recomputes", problem.recomputes, &JsonField::GetBoolean, true, problem.recomputes);
    table.Value("sharesMedium",
                problem.sharesMedium,
                &JsonField::GetBoolean,
                true,
                problem.sharesMedium);
    JsonNames names;
    table.Elements("layers", problem.layers, [&names](JsonTable& entry, PipelineLayer& layer) {
        entry.Name("name", layer.name);
        entry.Inputs("inputs", layer.inputs, names);
        entry.Integer("outputBytes", layer.outputBytes);
        entry.Integer("parameterBytes", layer.parameterBytes);
        entry.Integer("activationBytes", layer.activationBytes);
        const auto listTied = [&names](JsonTable& form, TiedWeights& tied) {
            form.Input("layer", tied.layer, names);
            form.Integer("bytes", tied.bytes);
        };
        entry.Elements("tied", layer.tied, listTied, true);
        entry.Unique("name", layer.name, names, "layer");
    });
    const std::size_t count = problem.layers.size();
    table.Check("layers", count > 0, "found no layer, expected at least one");
    table.Elements("devices", problem.devices, [](JsonTable& entry, PipelineDevice& device) {
        entry.Name("name", device.name);
        entry.Name("type", device.type);
        entry.Integer("memoryBytes", device.memoryBytes);
        entry.Positive("uplinkBitsPerSecond", device.uplinkBitsPerSecond, true);
        entry.Positive("downlinkBitsPerSecond", device.downlinkBitsPerSecond, true);
        entry.NumberIfAny("delaySeconds", device.delaySeconds, device.delaySeconds > 0);
    });
    table.Members("costs", problem.costs, [count](JsonTable& entry, LayerSeconds& costs) {
        const auto list = [&](const char* key, std::vector<double>& seconds) {
            entry.Numbers(key, seconds);
            entry.Check(key,
                        seconds.size() == count,
                        "found " + std::to_string(seconds.size()) +
                            " costs, expected one for each of " + std::to_string(count) +
                            " layers");
        };
        list("forwardSeconds", costs.forwardSeconds);
        list("backwardSeconds", costs.backwardSeconds);
        const auto listPart = [](JsonTable& part, PartCost& cost) {
            part.Count("samples", cost.samples);
            part.Numbers("forwardSeconds", cost.forwardSeconds);
            part.Numbers("backwardSeconds", cost.backwardSeconds);
        };
        entry.Elements("parts", costs.parts, listPart, true);
    });
    table.Positive("bandwidthBitsPerSecond", problem.bandwidthBitsPerSecond);
    table.Check(ValidatePipelineProblem, problem);
}

void
ListFields(JsonTable& table, PipelinePlan& plan, const PipelineProblem& problem)
{
    table.Plan(problem.model,
               problem.layers.size(),
               {"iterationSeconds",
                "lowerBoundSeconds",
                "decisionSeconds",
                "evaluations",
                "preparationSeconds",
                "decomposition"});
    const JsonNames layers(problem.layers);
    const JsonNames devices(problem.devices);
    table.Elements("stages", plan.stages, [&](JsonTable& entry, PipelineStage& stage) {
        if (entry.Has("devices", !stage.group.empty()))
        {
            entry.Elements("devices", stage.group, [&](JsonTable& part, StageReplica& replica) {
                part.Input("device", replica.device, devices, "a device of the problem");
                part.Count("samples", replica.samples);
            });
            entry.Check("devices",
                        !stage.group.empty(),
                        "found an array, expected at least one device");
        }
        else
        {
            entry.Input("device", stage.device, devices, "a device of the problem");
        }
        entry.Input("firstLayer", stage.firstLayer, layers, "a layer of the problem");
        entry.Input("lastLayer", stage.lastLayer, layers, "a layer of the problem");
        if (!stage.group.empty())
        {
            stage.device = stage.group.front().device;
        }
        if (stage.group.size() == 1 && stage.group.front().samples == problem.microBatchSamples)
        {
            stage.group.clear(); // a device alone
        }
    });
}

bool
HasGroups(const JsonField& root)
{
    const auto stages = root.FindField("stages");
    const auto all = stages ? stages->GetElements() : std::vector<JsonField>();
    return std::any_of(all.begin(), all.end(), [](const JsonField& stage) {
        return stage.FindField("devices").has_value();
    });
}

} // namespace ns3::edgepipe
