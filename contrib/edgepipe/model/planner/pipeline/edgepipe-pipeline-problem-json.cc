/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-problem-json.h"

namespace ns3::edgepipe
{

namespace
{

using Json = nlohmann::ordered_json;

} // namespace

void
ListFields(JsonTable& table, PipelineProblem& problem)
{
    table.Kind("pipeline");
    table.Name("model", problem.model, true);
    table.Count("microBatches", problem.microBatches);
    table.IntegerIfAny("optimizerStates", problem.optimizerStates);
    table.Value("recomputes", problem.recomputes, &JsonField::GetBoolean, true, problem.recomputes);
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
    });
    table.Positive("bandwidthBitsPerSecond", problem.bandwidthBitsPerSecond);
    table.Check(ValidatePipelineProblem, problem);
}

Json
MakePlanJson(const PipelineProblem& problem, const PipelinePlan& plan)
{
    Json document = MakePlanForm(problem.model, problem.layers.size());
    document["stages"] = Json::array();
    for (const PipelineStage& stage : plan.stages)
    {
        document["stages"].push_back({{"device", problem.devices[stage.device].name},
                                      {"firstLayer", problem.layers[stage.firstLayer].name},
                                      {"lastLayer", problem.layers[stage.lastLayer].name}});
    }
    return document;
}

std::string
FormatPipelinePlan(const PipelineProblem& problem,
                   const PipelinePlan& plan,
                   const std::string& planner,
                   double iterationSeconds,
                   double decisionSeconds,
                   double lowerBoundSeconds)
{
    Json document{{"planner", planner}};
    document.update(MakePlanJson(problem, plan));
    document["iterationSeconds"] = iterationSeconds;
    if (lowerBoundSeconds > 0)
    {
        document["lowerBoundSeconds"] = lowerBoundSeconds;
    }
    document["decisionSeconds"] = decisionSeconds;
    return DumpInLine(document);
}

PipelinePlan
ReadPlan(const JsonField& root, const PipelineProblem& problem)
{
    CheckPlanForm(root,
                  problem.model,
                  problem.layers.size(),
                  {"stages",
                   "iterationSeconds",
                   "lowerBoundSeconds",
                   "decisionSeconds",
                   "evaluations",
                   "preparationSeconds",
                   "decomposition"});
    const auto layers = IndexNames(problem.layers);
    const auto devices = IndexNames(problem.devices);
    const auto find = [](const JsonField& name, const auto& indices, const char* what) {
        const auto found = indices.find(name.GetString());
        name.Expect(found != indices.end(),
                    std::string("the name of a ") + what + " of the problem");
        return found->second;
    };
    PipelinePlan plan;
    for (const JsonField& stage : root.GetField("stages").GetElements())
    {
        stage.CheckKeys({"device", "firstLayer", "lastLayer"});
        plan.stages.push_back({find(stage.GetField("device"), devices, "device"),
                               find(stage.GetField("firstLayer"), layers, "layer"),
                               find(stage.GetField("lastLayer"), layers, "layer")});
    }
    return plan;
}

} // namespace ns3::edgepipe
