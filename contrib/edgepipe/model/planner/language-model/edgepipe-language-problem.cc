/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-problem.h"

#include "ns3/edgepipe-problem-check.h"
#include "ns3/edgepipe-problem-json.h"

#include <algorithm>
#include <set>

namespace ns3::edgepipe
{

void
ValidateLanguageProblem(const LanguageProblem& problem)
{
    const auto check = [](const std::string& name, const char* field, double value, bool isZero) {
        RequireFound(value <= LARGEST_FIGURE && (value > 0 || (isZero && value == 0)),
                     Place{"node", name, field},
                     value,
                     JoinParts(isZero ? "0 to " : "above 0, at most ", LARGEST_FIGURE));
    };
    Require(problem.nodes.size() > problem.clients,
            "the problem has no node that holds a part, expected at least one");
    Require(problem.amount > 0 && problem.layers > 0 && problem.clients <= 1,
            "amount, layers or clients: found one out of range, expected 1 or more, 1 or more, "
            "and 0 or 1");
    RequireNames(problem.nodes, "node");
    for (const double bytes : {problem.partBytes,
                               problem.firstBytes,
                               problem.lastBytes,
                               problem.hopBytes,
                               problem.closingBytes,
                               problem.delaySeconds})
    {
        check("", "bytes or delay", bytes, true);
    }
    for (const auto& node : problem.nodes)
    {
        check(node.name, "layerSeconds", node.layerSeconds, false);
        check(node.name, "headSeconds", node.headSeconds, true);
        check(node.name, "memoryBytes", node.memoryBytes, true);
        check(node.name, "messageSeconds", node.messageSeconds, true);
        check(node.name, "uplinkBitsPerSecond", node.uplinkBitsPerSecond, false);
        check(node.name, "downlinkBitsPerSecond", node.downlinkBitsPerSecond, false);
        check(node.name, "diskBytesPerSecond", node.disk.bytesPerSecond, true);
    }
}

void
ValidateLanguagePlan(const LanguageProblem& problem, const LanguagePlan& plan)
{
    std::set<std::size_t> seen;
    uint64_t sum = 0;
    for (const auto& part : plan.parts)
    {
        Require(part.node < problem.nodes.size() && seen.insert(part.node).second,
                "the plan names a node twice, or one that there is not");
        Require((part.amount > 0) != (part.node < problem.clients),
                "node " + problem.nodes[part.node].name + ": found " + std::to_string(part.amount) +
                    " parts, expected " +
                    (part.node < problem.clients ? "0, since it is a client" : "1 or more"));
        sum += part.amount;
    }
    Require(!plan.parts.empty() && plan.parts.front().node == 0,
            "the plan does not begin at node " + problem.nodes.front().name +
                ", where requests arrive");
    Require(sum == problem.amount,
            "the plan shares out " + std::to_string(sum) + " parts, expected " +
                std::to_string(problem.amount));
}

double
GetLanguageHopSeconds(const LanguageProblem& problem,
                      std::size_t from,
                      std::size_t to,
                      double bytes)
{
    const LanguageNode& a = problem.nodes[from];
    const LanguageNode& b = problem.nodes[to];
    return from == to ? 0
                      : 8 * bytes / std::min(a.uplinkBitsPerSecond, b.downlinkBitsPerSecond) +
                            problem.delaySeconds + a.messageSeconds + b.messageSeconds;
}

double
GetLanguageBytes(const LanguageProblem& problem, uint32_t amount, bool isFirst, bool isHead)
{
    return amount * problem.partBytes + (isFirst ? problem.firstBytes : 0) +
           (isHead ? problem.lastBytes : 0);
}

LanguagePlanCost
GetLanguagePlanCost(const LanguageProblem& problem, const LanguagePlan& plan)
{
    LanguagePlanCost cost;
    const std::size_t head = problem.isHeadLast ? plan.parts.size() - 1 : 0;
    for (std::size_t i = 0; i < plan.parts.size(); ++i)
    {
        const auto& part = plan.parts[i];
        const LanguageNode& node = problem.nodes[part.node];
        const double share =
            problem.isTensorSplit ? static_cast<double>(problem.layers) / problem.amount : 1;
        const double excess =
            GetLanguageBytes(problem, part.amount, i == 0, i == head) - node.memoryBytes;
        const double compute = node.disk.Add(part.amount * share * node.layerSeconds +
                                                 (i == head ? node.headSeconds : 0),
                                             std::max(0., excess));
        cost.fits &= excess <= 0 || node.disk.bytesPerSecond > 0;
        cost.periodSeconds = std::max(cost.periodSeconds, compute);
        cost.latencySeconds =
            problem.isTensorSplit ? cost.periodSeconds : cost.latencySeconds + compute;
        if (!problem.isTensorSplit && plan.parts.size() > 1)
        {
            const bool isLast = i + 1 == plan.parts.size();
            const double hop =
                GetLanguageHopSeconds(problem,
                                      part.node,
                                      plan.parts[isLast ? 0 : i + 1].node,
                                      isLast ? problem.closingBytes : problem.hopBytes);
            cost.latencySeconds += hop;
            cost.periodSeconds = std::max(cost.periodSeconds, hop);
        }
    }
    return cost;
}

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
        const bool hasDisk = node.disk.bytesPerSecond > 0;
        entry.NumberIfAny("diskBytesPerSecond", node.disk.bytesPerSecond, hasDisk);
        entry.Value("isDiskHidden", node.disk.isHidden, &JsonField::GetBoolean, true, hasDisk);
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
