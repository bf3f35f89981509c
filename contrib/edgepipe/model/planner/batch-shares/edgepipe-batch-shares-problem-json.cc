/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-problem-json.h"

#include "ns3/edgepipe-json-table.h"
#include "ns3/edgepipe-planner-request.h"

#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

using Json = nlohmann::ordered_json;

/**
 * @param table reads or writes
 * @param problem what
 */
void
ListBatchSharesProblem(JsonTable& table, BatchSharesProblem& problem)
{
    table.Kind("batch-shares");
    table.NameIfAny("model", problem.model);
    table.Elements("nodes", problem.nodes, [](JsonTable& entry, BatchSharesNode& node) {
        entry.Name("name", node.name);
        entry.Number("opsPerSecond", node.opsPerSecond);
        entry.Number("memoryBytesInUse", node.memoryBytesInUse);
        entry.NumberOrNumbers("latencySeconds", "latenciesSeconds", node.latenciesSeconds);
        entry.NumberIfAny("communicationSeconds", node.communicationSeconds);
    });
    table.Integer("baseBatch", problem.baseBatch);
    table.Boolean("normalize", problem.normalize);
    table.Positive("opsPerSample", problem.opsPerSample, true);
}

/**
 * @param problem the problem
 * @param plan a plan for it
 * @return what is in every form of the plan
 */
Json
MakePlanJson(const BatchSharesProblem& problem, const BatchSharesPlan& plan)
{
    Json document = MakePlanForm(problem.model, 0);
    document["batches"] = plan.batches;
    return document;
}

} // namespace

BatchSharesProblem
ReadBatchSharesProblem(const JsonField& root, const std::string& path)
{
    return ReadProblem(root, path, ListBatchSharesProblem, ValidateBatchSharesProblem);
}

std::string
FormatBatchSharesProblem(const BatchSharesProblem& problem)
{
    BatchSharesProblem listed = problem;
    return JsonTable::Write([&](JsonTable& table) { ListBatchSharesProblem(table, listed); });
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

std::string
FormatRequest(const BatchSharesProblem& problem, const PlannerState<BatchSharesPlan>* state)
{
    BatchSharesProblem listed = problem;
    Json request =
        JsonTable::ToJson([&](JsonTable& table) { ListBatchSharesProblem(table, listed); });
    if (state)
    {
        request["state"] =
            MakeStateJson(state->seconds, MakePlanJson(problem, state->plan), state->devices);
    }
    return DumpInLine(request);
}

} // namespace edgepipe
} // namespace ns3
