/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-problem-check.h"
#include "ns3/edgepipe-problem-json.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param layers the layers
 * @param beliefs their believed costs
 * @param field name of the belief
 * @return the sum of all costs
 * @throws InputError for an invalid cost, or a wrong number of costs
 */
double
CheckBeliefs(const std::vector<TwoWayCutLayer>& layers,
             const std::vector<TwoWayCutBelief>& beliefs,
             const char* field)
{
    RequireFound(beliefs.empty() || beliefs.size() == layers.size(),
                 field,
                 std::to_string(beliefs.size()) + " costs",
                 "none or one for each of " + std::to_string(layers.size()) + " layers");
    double seconds = 0;
    for (std::size_t i = 0; i < beliefs.size(); ++i)
    {
        for (const double each : {beliefs[i].deviceSeconds, beliefs[i].serverSeconds})
        {
            RequireSeconds(each, Place{"layer", layers[i].name, field});
        }
        seconds += beliefs[i].deviceSeconds + beliefs[i].serverSeconds;
    }
    return seconds;
}

} // namespace

void
ValidateTwoWayCutProblem(const TwoWayCutProblem& problem)
{
    Require(!problem.layers.empty(), "the problem has no layer, expected at least one");
    RequireNames(problem.layers.Get(), "layer");
    long double bytes = problem.inputBytes;
    double seconds = 0;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        const Place place{"layer", layer.name};
        for (const std::size_t input : layer.inputs)
        {
            RequireThat(input < i, place, " reads layer ", input, ", expected a layer before it");
        }
        const bool isFlop = layer.flop >= 0 && layer.flop <= LARGEST_FIGURE;
        RequireFound(isFlop, Place{"layer", layer.name, "flop"}, layer.flop, "a number, 0 or more");
        RequireSeconds(layer.deviceSeconds, Place{"layer", layer.name, "deviceSeconds"});
        RequireSeconds(layer.serverSeconds, Place{"layer", layer.name, "serverSeconds"});
        bytes += layer.outputBytes;
        seconds += layer.deviceSeconds + layer.serverSeconds;
    }
    seconds += CheckBeliefs(problem.layers, problem.isolated, "isolated") +
               CheckBeliefs(problem.layers, problem.predicted, "predicted");
    Require(bytes < 0x1p63L, "the tensors hold 2^63 bytes or more");
    RequireTotal(seconds, "");
    RequireRate(problem.uplinkBitsPerSecond, "uplinkBitsPerSecond");
    RequireRate(problem.downlinkBitsPerSecond, "downlinkBitsPerSecond");
    RequireSeconds(problem.delaySeconds, "delaySeconds");
}

void
ListFields(JsonTable& table, TwoWayCutProblem& problem)
{
    table.Kind("two-way-cut");
    table.Name("model", problem.model, true);
    JsonNames names;
    auto& layers = problem.layers.Edit();
    auto& allIsolated = problem.isolated.Edit();
    auto& allPredicted = problem.predicted.Edit();
    const auto isGiven = [&table](const char* device, const char* server, auto& beliefs) {
        beliefs.resize(std::max(beliefs.size(), table.CountIfAny("layers", device, server)));
        return !beliefs.empty();
    };
    const bool hasIsolated = isGiven("isolatedDeviceSeconds", "isolatedServerSeconds", allIsolated);
    const bool hasPredicted =
        isGiven("predictedDeviceSeconds", "predictedServerSeconds", allPredicted);
    const bool hasFlop = table.CountIfAny("layers", "flop", "flop") > 0 ||
                         std::any_of(problem.layers.begin(),
                                     problem.layers.end(),
                                     [](const auto& layer) { return layer.flop > 0; });
    table.Elements("layers", layers, [&](JsonTable& entry, TwoWayCutLayer& layer) {
        TwoWayCutBelief none{};
        const std::size_t index = &layer - layers.data();
        auto& isolated = hasIsolated ? allIsolated[index] : none;
        auto& predicted = hasPredicted ? allPredicted[index] : none;
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
    auto left = JsonNames(problem.layers.Get()).indices; // layers that have yet to be placed
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
