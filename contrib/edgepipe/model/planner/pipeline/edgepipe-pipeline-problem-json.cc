/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-problem-json.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param entries the elements of "layers"
 * @return the layers
 */
std::vector<PipelineLayer>
ReadLayers(const std::vector<JsonField>& entries)
{
    std::vector<PipelineLayer> layers;
    std::map<std::string, std::size_t> indices;
    for (const JsonField& entry : entries)
    {
        entry.CheckKeys({"name", "inputs", "outputBytes", "parameterBytes", "activationBytes"});
        PipelineLayer layer;
        layer.name = entry.GetField("name").GetName();
        for (const JsonField& field : entry.GetField("inputs").GetElements())
        {
            auto input = indices.find(field.GetString());
            if (input == indices.end())
            {
                field.Fail("the name of a layer that stands before this one");
            }
            layer.inputs.push_back(input->second);
        }
        layer.outputBytes = entry.GetField("outputBytes").GetInteger();
        layer.parameterBytes = entry.GetField("parameterBytes").GetInteger();
        layer.activationBytes = entry.GetField("activationBytes").GetInteger();
        if (!indices.emplace(layer.name, layers.size()).second)
        {
            entry.GetField("name").Fail("a name that no other layer has");
        }
        layers.push_back(layer);
    }
    return layers;
}

/**
 * @param entries the elements of "devices"
 * @return the devices
 */
std::vector<PipelineDevice>
ReadDevices(const std::vector<JsonField>& entries)
{
    std::vector<PipelineDevice> devices;
    for (const JsonField& entry : entries)
    {
        entry.CheckKeys({"name", "type", "memoryBytes"});
        devices.push_back({entry.GetField("name").GetName(),
                           entry.GetField("type").GetName(),
                           entry.GetField("memoryBytes").GetInteger()});
    }
    return devices;
}

/**
 * @param field an array of seconds
 * @param count how many there must be
 * @return the seconds
 */
std::vector<double>
ReadSeconds(const JsonField& field, std::size_t count)
{
    std::vector<double> seconds;
    for (const JsonField& element : field.GetElements())
    {
        seconds.push_back(element.GetNumber(0));
    }
    if (seconds.size() != count)
    {
        field.FailWith("found " + std::to_string(seconds.size()) +
                       " costs, expected one for each of " + std::to_string(count) + " layers");
    }
    return seconds;
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
    root.CheckKeys(
        {"problem", "microBatches", "layers", "devices", "costs", "bandwidthBitsPerSecond"});
    JsonField kind = root.GetField("problem");
    if (kind.GetString() != "pipeline")
    {
        kind.Fail("\"pipeline\"");
    }

    PipelineProblem problem;
    problem.microBatches = static_cast<uint32_t>(
        root.GetField("microBatches").GetInteger(1, std::numeric_limits<uint32_t>::max()));
    JsonField layers = root.GetField("layers");
    problem.layers = ReadLayers(layers.GetElements());
    if (problem.layers.empty())
    {
        layers.FailWith("found no layer, expected at least one");
    }
    problem.devices = ReadDevices(root.GetField("devices").GetElements());
    for (const auto& [type, costs] : root.GetField("costs").GetMembers())
    {
        costs.CheckKeys({"forwardSeconds", "backwardSeconds"});
        std::size_t count = problem.layers.size();
        problem.costs[type] = {ReadSeconds(costs.GetField("forwardSeconds"), count),
                               ReadSeconds(costs.GetField("backwardSeconds"), count)};
    }
    problem.bandwidthBitsPerSecond = root.GetField("bandwidthBitsPerSecond").GetPositiveNumber();
    try
    {
        ValidatePipelineProblem(problem);
    }
    catch (const InputError& error)
    {
        throw InputError(path + ": " + error.what());
    }
    return problem;
}

std::string
FormatPipelineProblem(const PipelineProblem& problem)
{
    using Json = nlohmann::ordered_json;
    const auto dump = [](const Json& json) {
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    const auto list = [](const std::vector<std::string>& lines) {
        std::string text;
        for (const std::string& line : lines)
        {
            text += (text.empty() ? "\n    " : ",\n    ") + line;
        }
        return text;
    };
    std::vector<std::string> layers;
    for (const PipelineLayer& layer : problem.layers)
    {
        Json inputs = Json::array();
        for (const std::size_t input : layer.inputs)
        {
            inputs.push_back(problem.layers[input].name);
        }
        layers.push_back(dump({{"name", layer.name},
                               {"inputs", inputs},
                               {"outputBytes", layer.outputBytes},
                               {"parameterBytes", layer.parameterBytes},
                               {"activationBytes", layer.activationBytes}}));
    }
    std::vector<std::string> devices;
    for (const PipelineDevice& device : problem.devices)
    {
        devices.push_back(dump(
            {{"name", device.name}, {"type", device.type}, {"memoryBytes", device.memoryBytes}}));
    }
    std::vector<std::string> costs;
    for (const auto& [type, seconds] : problem.costs)
    {
        costs.push_back(dump(type) + ": " +
                        dump({{"forwardSeconds", seconds.forwardSeconds},
                              {"backwardSeconds", seconds.backwardSeconds}}));
    }
    return "{\"problem\": \"pipeline\", \"microBatches\": " + std::to_string(problem.microBatches) +
           ",\n  \"layers\": [" + list(layers) + "],\n  \"devices\": [" + list(devices) +
           "],\n  \"costs\": {" + list(costs) +
           "},\n  \"bandwidthBitsPerSecond\": " + dump(problem.bandwidthBitsPerSecond) + "}\n";
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
