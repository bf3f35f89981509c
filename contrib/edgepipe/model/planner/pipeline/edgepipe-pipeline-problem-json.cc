/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-problem-json.h"

#include "ns3/edgepipe-json-table.h"

#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param table reads or writes
 * @param problem what
 */
void
ListPipelineProblem(JsonTable& table, PipelineProblem& problem)
{
    table.Kind("pipeline");
    table.Count("microBatches", problem.microBatches);
    JsonNames names;
    table.Elements("layers", problem.layers, [&names](JsonTable& entry, PipelineLayer& layer) {
        entry.Name("name", layer.name);
        entry.Inputs("inputs", layer.inputs, names);
        entry.Integer("outputBytes", layer.outputBytes);
        entry.Integer("parameterBytes", layer.parameterBytes);
        entry.Integer("activationBytes", layer.activationBytes);
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
    });
    table.Positive("bandwidthBitsPerSecond", problem.bandwidthBitsPerSecond);
}

} // namespace

PipelineProblem
ReadPipelineProblem(const std::string& path)
{
    return ReadPipelineProblem(ReadJsonFile(path), path);
}

PipelineProblem
ReadPipelineProblem(const JsonField& root, const std::string& path)
{
    return ReadProblem(root, path, ListPipelineProblem, ValidatePipelineProblem);
}

std::string
FormatPipelineProblem(const PipelineProblem& problem)
{
    PipelineProblem listed = problem;
    return JsonTable::Write([&](JsonTable& table) { ListPipelineProblem(table, listed); });
}

std::string
FormatPipelinePlan(const PipelineProblem& problem,
                   const PipelinePlan& plan,
                   const std::string& planner,
                   double iterationSeconds,
                   double decisionSeconds)
{
    using Json = nlohmann::ordered_json;
    Json stages = Json::array();
    for (const PipelineStage& stage : plan.stages)
    {
        Json entry;
        entry["device"] = problem.devices[stage.device].name;
        entry["firstLayer"] = problem.layers[stage.firstLayer].name;
        entry["lastLayer"] = problem.layers[stage.lastLayer].name;
        stages.push_back(entry);
    }
    Json document;
    document["planner"] = planner;
    document["stages"] = stages;
    document["iterationSeconds"] = iterationSeconds;
    document["decisionSeconds"] = decisionSeconds;
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace edgepipe
} // namespace ns3
