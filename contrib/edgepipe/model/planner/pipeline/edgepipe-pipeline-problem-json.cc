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

Json
MakePlanJson(const PipelineProblem& problem, const PipelinePlan& plan)
{
    Json document = MakePlanForm(problem.model, problem.layers.size());
    document["stages"] = Json::array();
    for (const PipelineStage& stage : plan.stages)
    {
        Json form;
        for (const StageReplica& replica : stage.group)
        {
            form["devices"].push_back(
                {{"device", problem.devices[replica.device].name}, {"samples", replica.samples}});
        }
        if (stage.group.empty())
        {
            form["device"] = problem.devices[stage.device].name;
        }
        form["firstLayer"] = problem.layers[stage.firstLayer].name;
        form["lastLayer"] = problem.layers[stage.lastLayer].name;
        document["stages"].push_back(form);
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
        const auto group = stage.FindField("devices");
        stage.CheckKeys({group ? "devices" : "device", "firstLayer", "lastLayer"});
        PipelineStage read{};
        if (group)
        {
            for (const JsonField& replica : group->GetElements())
            {
                replica.CheckKeys({"device", "samples"});
                read.group.push_back(
                    {find(replica.GetField("device"), devices, "device"),
                     static_cast<uint32_t>(replica.GetField("samples").GetInteger(1, UINT32_MAX))});
            }
            group->Expect(!read.group.empty(), "at least one device");
            read.device = read.group.front().device;
            if (read.group.size() == 1 && read.group.front().samples == problem.microBatchSamples)
            {
                read.group.clear(); // a device alone
            }
        }
        else
        {
            read.device = find(stage.GetField("device"), devices, "device");
        }
        read.firstLayer = find(stage.GetField("firstLayer"), layers, "layer");
        read.lastLayer = find(stage.GetField("lastLayer"), layers, "layer");
        plan.stages.push_back(read);
    }
    return plan;
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
