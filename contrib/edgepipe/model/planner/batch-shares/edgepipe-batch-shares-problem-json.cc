/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-problem-json.h"

namespace ns3::edgepipe
{

namespace
{

using Json = nlohmann::ordered_json;

} // namespace

void
ListFields(JsonTable& table, BatchSharesProblem& problem)
{
    table.Kind("batch-shares");
    table.Name("model", problem.model, true);
    table.Elements("nodes", problem.nodes, [](JsonTable& entry, BatchSharesNode& node) {
        entry.Name("name", node.name);
        entry.Positive("opsPerSecond", node.opsPerSecond);
        entry.Number("memoryBytesInUse", node.memoryBytesInUse);
        entry.NumberOrNumbers("latencySeconds", "latenciesSeconds", node.latenciesSeconds);
        entry.NumberIfAny("communicationSeconds", node.communicationSeconds);
    });
    table.Integer("baseBatch", problem.baseBatch);
    table.Value("normalize", problem.normalize, &JsonField::GetBoolean, true);
    table.Positive("opsPerSample", problem.opsPerSample, true);
    table.Check(ValidateBatchSharesProblem, problem);
}

Json
MakePlanJson(const BatchSharesProblem& problem, const BatchSharesPlan& plan)
{
    Json document = MakePlanForm(problem.model, 0);
    document["batches"] = plan.batches;
    return document;
}

std::string
FormatBatchSharesPlan(const BatchSharesProblem& problem,
                      const BatchSharesPlan& plan,
                      const std::string& planner)
{
    Json document{{"planner", planner}};
    document.update(MakePlanJson(problem, plan));
    return DumpInLine(document);
}

BatchSharesPlan
ReadPlan(const JsonField& root, const BatchSharesProblem& problem)
{
    CheckPlanForm(root, problem.model, 0, {"batches"});
    const JsonField batches = root.GetField("batches");
    BatchSharesPlan plan;
    for (const JsonField& samples : batches.GetElements())
    {
        plan.batches.push_back(samples.GetInteger(1, LARGEST_BASE_BATCH));
    }
    if (plan.batches.size() != problem.nodes.size())
    {
        batches.FailWith("found " + std::to_string(plan.batches.size()) +
                         " batches, expected one for each of " +
                         std::to_string(problem.nodes.size()) + " nodes");
    }
    return plan;
}

} // namespace ns3::edgepipe
