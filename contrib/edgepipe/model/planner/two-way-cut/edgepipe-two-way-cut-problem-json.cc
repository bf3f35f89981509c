/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem-json.h"

#include "edgepipe-two-way-cut-cost.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

using Json = nlohmann::ordered_json;

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

Json
MakePlanJson(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan)
{
    Json document = MakePlanForm(problem.model, problem.layers.size());
    document["deviceLayers"] = ListLayers(problem, plan, true);
    document["serverLayers"] = ListLayers(problem, plan, false);
    return document;
}

std::string
FormatTwoWayCutPlan(const TwoWayCutProblem& problem,
                    const TwoWayCutPlan& plan,
                    const std::string& planner,
                    double decisionSeconds,
                    TwoWayCutEnvelope* envelope)
{
    const TwoWayCutCost cost = EvaluateTwoWayCut(problem, plan);
    Json document{{"planner", planner}};
    document.update(MakePlanJson(problem, plan));
    document["latencySeconds"] = cost.latencySeconds;
    document["deviceSeconds"] = cost.deviceSeconds;
    document["serverSeconds"] = cost.serverSeconds;
    document["transferSeconds"] = cost.transferSeconds;
    if (problem.delaySeconds > 0)
    {
        document["delaySeconds"] = cost.delaySeconds;
    }
    if (problem.objective == TwoWayCutObjective::THROUGHPUT)
    {
        document["bottleneckSeconds"] = GetBottleneckSeconds(cost);
    }
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
    return DumpInLine(document);
}

TwoWayCutPlan
ReadPlan(const JsonField& root, const TwoWayCutProblem& problem)
{
    CheckPlanForm(root,
                  problem.model,
                  problem.layers.size(),
                  {"deviceLayers",
                   "serverLayers",
                   "latencySeconds",
                   "deviceSeconds",
                   "serverSeconds",
                   "transferSeconds",
                   "delaySeconds",
                   "bottleneckSeconds",
                   "uplinkBytes",
                   "decisionSeconds",
                   "envelope"});
    auto left = IndexNames(problem.layers); // layers that have yet to be placed
    TwoWayCutPlan plan{std::vector<bool>(problem.layers.size(), false)};
    for (const char* key : {"deviceLayers", "serverLayers"})
    {
        for (const JsonField& name : root.GetField(key).GetElements())
        {
            const auto found = left.find(name.GetString());
            name.Expect(found != left.end(), "the name of a layer of the problem, each once");
            plan.isOnDevice[found->second] = key == std::string("deviceLayers");
            left.erase(found);
        }
    }
    if (!left.empty())
    {
        const auto first = std::min_element(left.begin(), left.end(), [](auto& a, auto& b) {
            return a.second < b.second;
        });
        root.FailWith("the plan does not place layer " + QuoteForMessage(first->first));
    }
    return plan;
}

} // namespace ns3::edgepipe
