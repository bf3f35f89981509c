/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-problem-json.h"

namespace ns3::edgepipe
{

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
