/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-problem-check.h"
#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

void
ValidateBatchSharesProblem(const BatchSharesProblem& problem)
{
    const auto check = [](const std::string& name, const char* field, double value) {
        RequireFound(value >= 0 && value <= LARGEST_FIGURE,
                     Place{"node", name, field},
                     value,
                     JoinParts("0 to ", LARGEST_FIGURE));
    };
    const std::size_t count = problem.nodes.size();
    Require(count > 0, "the problem has no node, expected at least one");
    RequireFound(problem.baseBatch >= count && problem.baseBatch <= LARGEST_BASE_BATCH,
                 "baseBatch",
                 problem.baseBatch,
                 "a sample or more for each of " + std::to_string(count) +
                     " nodes, and at most 2^40");
    check("", "opsPerSample", problem.opsPerSample);
    RequireNames(problem.nodes, "node");
    const std::size_t latencies = problem.nodes.front().latenciesSeconds.size();
    for (const auto& node : problem.nodes)
    {
        check(node.name, "opsPerSecond", node.opsPerSecond);
        check(node.name, "memoryBytesInUse", node.memoryBytesInUse);
        check(node.name, "communicationSeconds", node.communicationSeconds);
        const std::size_t found = node.latenciesSeconds.size();
        RequireFound(found == latencies && (found == 1 || found == count),
                     Place{"node", node.name},
                     std::to_string(found) + " latencies",
                     "every node to have one, or one for each of " + std::to_string(count) +
                         " nodes");
        for (const double seconds : node.latenciesSeconds)
        {
            check(node.name, "latency", seconds);
        }
    }
}

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
