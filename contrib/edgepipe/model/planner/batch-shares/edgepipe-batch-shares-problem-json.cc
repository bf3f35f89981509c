/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-problem-json.h"

namespace ns3::edgepipe
{

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

void
ListFields(JsonTable& table, BatchSharesPlan& plan, const BatchSharesProblem& problem)
{
    table.Plan(problem.model, 0);
    table.Integers("batches", plan.batches, 1, LARGEST_BASE_BATCH);
    table.Check("batches",
                plan.batches.size() == problem.nodes.size(),
                "found " + std::to_string(plan.batches.size()) +
                    " batches, expected one for each of " + std::to_string(problem.nodes.size()) +
                    " nodes");
}

} // namespace ns3::edgepipe
