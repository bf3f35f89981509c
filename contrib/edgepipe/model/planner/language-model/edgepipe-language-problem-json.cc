/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-problem-json.h"

namespace ns3::edgepipe
{

void
ListFields(JsonTable& table, LanguageProblem& problem)
{
    table.Kind("language-model");
    table.Name("model", problem.model, true);
    problem.isTensorSplit =
        table.Choice("split", {"layers", "tensors"}, problem.isTensorSplit ? 1 : 0) == 1;
    problem.isHeadLast = table.Choice("head", {"first", "last"}, problem.isHeadLast ? 1 : 0) == 1;
    table.Elements("nodes", problem.nodes, [](JsonTable& entry, LanguageNode& node) {
        entry.Name("name", node.name);
        entry.Positive("layerSeconds", node.layerSeconds);
        entry.Number("headSeconds", node.headSeconds);
        entry.Number("memoryBytes", node.memoryBytes);
        entry.Number("messageSeconds", node.messageSeconds);
        entry.Positive("uplinkBitsPerSecond", node.uplinkBitsPerSecond);
        entry.Positive("downlinkBitsPerSecond", node.downlinkBitsPerSecond);
    });
    table.Count("amount", problem.amount);
    table.Count("layers", problem.layers);
    table.IntegerIfAny("clients", problem.clients);
    table.Number("partBytes", problem.partBytes);
    table.Number("firstBytes", problem.firstBytes);
    table.Number("lastBytes", problem.lastBytes);
    table.Number("hopBytes", problem.hopBytes);
    table.Number("closingBytes", problem.closingBytes);
    table.Number("delaySeconds", problem.delaySeconds);
    table.Check(ValidateLanguageProblem, problem);
}

void
ListFields(JsonTable& table, LanguagePlan& plan, const LanguageProblem& problem)
{
    table.Plan(problem.model, 0, {"latencySeconds", "periodSeconds", "fits", "decisionSeconds"});
    const JsonNames names(problem.nodes);
    table.Elements("parts", plan.parts, [&names](JsonTable& entry, LanguagePart& part) {
        entry.Input("node", part.node, names, "a node of the problem");
        uint64_t amount = part.amount;
        entry.Integer("amount", amount);
        part.amount = amount;
    });
}

} // namespace ns3::edgepipe
