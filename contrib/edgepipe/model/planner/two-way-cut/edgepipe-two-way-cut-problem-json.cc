/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem-json.h"

#include <algorithm>

namespace ns3::edgepipe
{

void
ListFields(JsonTable& table, TwoWayCutProblem& problem)
{
    table.Kind("two-way-cut");
    table.Name("model", problem.model, true);
    JsonNames names;
    const auto isGiven = [&table](const char* device, const char* server, auto& beliefs) {
        beliefs.resize(std::max(beliefs.size(), table.CountIfAny("layers", device, server)));
        return !beliefs.empty();
    };
    const bool hasIsolated =
        isGiven("isolatedDeviceSeconds", "isolatedServerSeconds", problem.isolated);
    const bool hasPredicted =
        isGiven("predictedDeviceSeconds", "predictedServerSeconds", problem.predicted);
    const bool hasFlop = table.CountIfAny("layers", "flop", "flop") > 0 ||
                         std::any_of(problem.layers.begin(),
                                     problem.layers.end(),
                                     [](const auto& layer) { return layer.flop > 0; });
    table.Elements("layers", problem.layers, [&](JsonTable& entry, TwoWayCutLayer& layer) {
        TwoWayCutBelief none{};
        const std::size_t index = &layer - problem.layers.data();
        auto& isolated = hasIsolated ? problem.isolated[index] : none;
        auto& predicted = hasPredicted ? problem.predicted[index] : none;
        entry.Name("name", layer.name);
        entry.Inputs("inputs", layer.inputs, names);
        entry.Integer("outputBytes", layer.outputBytes);
        entry.Number("deviceSeconds", layer.deviceSeconds);
        entry.Number("serverSeconds", layer.serverSeconds);
        entry.Number("isolatedDeviceSeconds", isolated.deviceSeconds, hasIsolated);
        entry.Number("isolatedServerSeconds", isolated.serverSeconds, hasIsolated);
        entry.Number("predictedDeviceSeconds", predicted.deviceSeconds, hasPredicted);
        entry.Number("predictedServerSeconds", predicted.serverSeconds, hasPredicted);
        entry.Number("flop", layer.flop, hasFlop);
        entry.Unique("name", layer.name, names, "layer");
    });
    table.Check("layers", !problem.layers.empty(), "found no layer, expected at least one");
    table.Integer("inputBytes", problem.inputBytes);
    table.Positive("uplinkBitsPerSecond", problem.uplinkBitsPerSecond);
    table.Positive("downlinkBitsPerSecond", problem.downlinkBitsPerSecond);
    table.NumberIfAny("delaySeconds", problem.delaySeconds, problem.delaySeconds > 0);
    table.Value("countResult", problem.countResult, &JsonField::GetBoolean, true);
    const bool isThroughput = problem.objective == TwoWayCutObjective::THROUGHPUT;
    problem.objective = table.Choice("objective", {"latency", "throughput"}, isThroughput) == 0
                            ? TwoWayCutObjective::LATENCY
                            : TwoWayCutObjective::THROUGHPUT;
    table.Check(ValidateTwoWayCutProblem, problem);
}

void
ListFields(JsonTable& table, TwoWayCutPlan& plan, const TwoWayCutProblem& problem)
{
    table.Plan(problem.model,
               problem.layers.size(),
               {"latencySeconds",
                "deviceSeconds",
                "serverSeconds",
                "transferSeconds",
                "delaySeconds",
                "bottleneckSeconds",
                "uplinkBytes",
                "decisionSeconds",
                "envelope"});
    auto left = JsonNames(problem.layers).indices; // layers that have yet to be placed
    std::vector<bool> isOnDevice(problem.layers.size(), false);
    for (const bool isDevice : {true, false})
    {
        std::vector<std::string> names = ListLayers(problem, plan, isDevice);
        const auto place = [&](const JsonField& list) {
            for (const JsonField& name : list.GetElements())
            {
                const auto found = left.find(name.GetString());
                name.Expect(found != left.end(), "the name of a layer of the problem, each once");
                isOnDevice[found->second] = isDevice;
                left.erase(found);
            }
            return names;
        };
        table.Value(isDevice ? "deviceLayers" : "serverLayers", names, place);
    }
    if (!table.IsReading())
    {
        return;
    }
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        table.Check(left.count(problem.layers[i].name) == 0,
                    "the plan does not place layer " + QuoteForMessage(problem.layers[i].name));
    }
    plan.isOnDevice = isOnDevice;
}

std::vector<std::string>
ListLayers(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan, bool isOnDevice)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plan.isOnDevice.size(); ++i)
    {
        if (plan.isOnDevice[i] == isOnDevice)
        {
            names.push_back(problem.layers[i].name);
        }
    }
    return names;
}

} // namespace ns3::edgepipe
