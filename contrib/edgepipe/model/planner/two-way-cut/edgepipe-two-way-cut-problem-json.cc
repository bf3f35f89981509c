/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem-json.h"

#include "edgepipe-two-way-cut-cost.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace ns3
{
namespace edgepipe
{

namespace
{

using Json = nlohmann::ordered_json;

/**
 * @param entries the elements of "layers"
 * @param deviceKey key of what the device takes
 * @param serverKey key of what the server takes
 * @return both for every layer, if any layer has either
 */
std::vector<TwoWayCutBelief>
ReadBeliefs(const std::vector<JsonField>& entries, const char* deviceKey, const char* serverKey)
{
    std::vector<TwoWayCutBelief> beliefs;
    const auto isGiven = [&](const JsonField& entry) {
        return entry.FindField(deviceKey) || entry.FindField(serverKey);
    };
    if (std::any_of(entries.begin(), entries.end(), isGiven))
    {
        for (const JsonField& entry : entries)
        {
            beliefs.push_back(
                {entry.GetField(deviceKey).GetNumber(0), entry.GetField(serverKey).GetNumber(0)});
        }
    }
    return beliefs;
}

/**
 * @param entries the elements of "layers"
 * @return the layers
 */
std::vector<TwoWayCutLayer>
ReadLayers(const std::vector<JsonField>& entries)
{
    std::vector<TwoWayCutLayer> layers;
    std::unordered_map<std::string, std::size_t> indices;
    for (const JsonField& entry : entries)
    {
        entry.CheckKeys({"name",
                         "inputs",
                         "outputBytes",
                         "deviceSeconds",
                         "serverSeconds",
                         "isolatedDeviceSeconds",
                         "isolatedServerSeconds",
                         "predictedDeviceSeconds",
                         "predictedServerSeconds"});
        TwoWayCutLayer layer;
        layer.name = entry.GetField("name").GetName();
        for (const JsonField& field : entry.GetField("inputs").GetElements())
        {
            const auto input = indices.find(field.GetString());
            if (input == indices.end())
            {
                field.Fail("the name of a layer that stands before this one");
            }
            layer.inputs.push_back(input->second);
        }
        layer.outputBytes = entry.GetField("outputBytes").GetInteger();
        layer.deviceSeconds = entry.GetField("deviceSeconds").GetNumber(0);
        layer.serverSeconds = entry.GetField("serverSeconds").GetNumber(0);
        if (!indices.emplace(layer.name, layers.size()).second)
        {
            entry.GetField("name").Fail("a name that no other layer has");
        }
        layers.push_back(layer);
    }
    return layers;
}

/** @return one line of JSON */
std::string
Dump(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/** @return the names of the layers that run on the device, or of those on the server */
Json
ListLayers(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan, bool isOnDevice)
{
    Json names = Json::array();
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        if (plan.isOnDevice[i] == isOnDevice)
        {
            names.push_back(problem.layers[i].name);
        }
    }
    return names;
}

} // namespace

TwoWayCutProblem
ReadTwoWayCutProblem(const std::string& path)
{
    return ReadTwoWayCutProblem(ReadJsonFile(path), path);
}

TwoWayCutProblem
ReadTwoWayCutProblem(const JsonField& root, const std::string& path)
{
    root.CheckKeys({"problem",
                    "layers",
                    "inputBytes",
                    "uplinkBitsPerSecond",
                    "downlinkBitsPerSecond",
                    "countResult"});
    const JsonField kind = root.GetField("problem");
    if (kind.GetString() != "two-way-cut")
    {
        kind.Fail("\"two-way-cut\"");
    }
    TwoWayCutProblem problem;
    const JsonField layers = root.GetField("layers");
    const std::vector<JsonField> entries = layers.GetElements();
    problem.layers = ReadLayers(entries);
    problem.isolated = ReadBeliefs(entries, "isolatedDeviceSeconds", "isolatedServerSeconds");
    problem.predicted = ReadBeliefs(entries, "predictedDeviceSeconds", "predictedServerSeconds");
    if (problem.layers.empty())
    {
        layers.FailWith("found no layer, expected at least one");
    }
    problem.inputBytes = root.GetField("inputBytes").GetInteger();
    problem.uplinkBitsPerSecond = root.GetField("uplinkBitsPerSecond").GetPositiveNumber();
    problem.downlinkBitsPerSecond = root.GetField("downlinkBitsPerSecond").GetPositiveNumber();
    if (const auto countResult = root.FindField("countResult"))
    {
        problem.countResult = countResult->GetBoolean();
    }
    try
    {
        ValidateTwoWayCutProblem(problem);
    }
    catch (const InputError& error)
    {
        throw InputError(path + ": " + error.what());
    }
    return problem;
}

std::string
FormatTwoWayCutProblem(const TwoWayCutProblem& problem)
{
    std::string layers;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        Json entry;
        entry["name"] = layer.name;
        entry["inputs"] = Json::array();
        for (const std::size_t input : layer.inputs)
        {
            entry["inputs"].push_back(problem.layers[input].name);
        }
        entry["outputBytes"] = layer.outputBytes;
        entry["deviceSeconds"] = layer.deviceSeconds;
        entry["serverSeconds"] = layer.serverSeconds;
        if (!problem.isolated.empty())
        {
            entry["isolatedDeviceSeconds"] = problem.isolated[i].deviceSeconds;
            entry["isolatedServerSeconds"] = problem.isolated[i].serverSeconds;
        }
        if (!problem.predicted.empty())
        {
            entry["predictedDeviceSeconds"] = problem.predicted[i].deviceSeconds;
            entry["predictedServerSeconds"] = problem.predicted[i].serverSeconds;
        }
        layers += (layers.empty() ? "\n    " : ",\n    ") + Dump(entry);
    }
    return "{\"problem\": \"two-way-cut\",\n  \"layers\": [" + layers +
           "],\n  \"inputBytes\": " + Dump(problem.inputBytes) +
           ", \"uplinkBitsPerSecond\": " + Dump(problem.uplinkBitsPerSecond) +
           ", \"downlinkBitsPerSecond\": " + Dump(problem.downlinkBitsPerSecond) +
           ", \"countResult\": " + Dump(problem.countResult) + "}\n";
}

std::string
FormatTwoWayCutPlan(const TwoWayCutProblem& problem,
                    const TwoWayCutPlan& plan,
                    const std::string& planner,
                    double decisionSeconds,
                    TwoWayCutEnvelope* envelope)
{
    const TwoWayCutCost cost = EvaluateTwoWayCut(problem, plan);
    Json document;
    document["planner"] = planner;
    document["deviceLayers"] = ListLayers(problem, plan, true);
    document["serverLayers"] = ListLayers(problem, plan, false);
    document["latencySeconds"] = cost.latencySeconds;
    document["deviceSeconds"] = cost.deviceSeconds;
    document["serverSeconds"] = cost.serverSeconds;
    document["transferSeconds"] = cost.transferSeconds;
    document["uplinkBytes"] = cost.uplinkBytes;
    document["decisionSeconds"] = decisionSeconds;
    if (envelope)
    {
        document["envelope"] = Json::array();
        for (std::size_t i = 0; i < envelope->GetSegments(); ++i)
        {
            const TwoWayCutPlan& best = envelope->GetPlan(i);
            const TwoWayCutCost bestCost = EvaluateTwoWayCut(problem, best);
            Json segment;
            segment["fromUplinkBitsPerSecond"] = envelope->GetLowestBitsPerSecond(i);
            segment["deviceLayers"] = ListLayers(problem, best, true);
            segment["deviceSeconds"] = bestCost.deviceSeconds;
            segment["serverSeconds"] = bestCost.serverSeconds;
            segment["uplinkBytes"] = bestCost.uplinkBytes;
            document["envelope"].push_back(segment);
        }
    }
    return Dump(document);
}

} // namespace edgepipe
} // namespace ns3
