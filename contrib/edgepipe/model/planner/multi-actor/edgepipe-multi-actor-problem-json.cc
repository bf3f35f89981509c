/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem-json.h"

#include "ns3/edgepipe-json-table.h"

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
ListMultiActorProblem(JsonTable& table, MultiActorProblem& problem)
{
    table.Kind("multi-actor");
    table.Integers("layerFlop", problem.model.layerFlop);
    table.Integers("outputBytes", problem.model.outputBytes);
    JsonNames names;
    table.Elements("actors", problem.actors, [&names](JsonTable& entry, MultiActor& actor) {
        entry.Name("name", actor.name);
        entry.Unique("name", actor.name, names, "actor");
        entry.Positive("flopPerSecond", actor.flopPerSecond);
        entry.Positive("bytesPerSecond", actor.bytesPerSecond);
    });
    table.Positive("serverFlopPerSecond", problem.model.serverFlopPerSecond);
    table.Number("computeBudgetFlop", problem.budgets.computeFlop);
    table.Number("bandwidthBudgetBytes", problem.budgets.bandwidthBytes);
    table.Positive("delta", problem.budgets.delta, true);
}

/** @return one line of JSON */
std::string
Dump(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

MultiActorProblem
ReadMultiActorProblem(const std::string& path)
{
    return ReadMultiActorProblem(ReadJsonFile(path), path);
}

MultiActorProblem
ReadMultiActorProblem(const JsonField& root, const std::string& path)
{
    return ReadProblem(root, path, ListMultiActorProblem, ValidateMultiActorProblem);
}

std::string
FormatMultiActorProblem(const MultiActorProblem& problem)
{
    MultiActorProblem listed = problem;
    return JsonTable::Write([&](JsonTable& table) { ListMultiActorProblem(table, listed); });
}

std::string
FormatMultiActorPlan(const MultiActorProblem& problem,
                     const MultiActorPlan& plan,
                     const std::string& planner,
                     double decisionSeconds,
                     const MultiActorPairs* pairs)
{
    const MultiActorCost cost = EvaluateMultiActor(problem, plan);
    Json document;
    document["planner"] = planner;
    document["cuts"] = plan.cuts;
    document["totalReductionSeconds"] = cost.totalReductionSeconds;
    document["computeUsedFlop"] = cost.computeUsedFlop;
    document["bandwidthUsedBytes"] = cost.bandwidthUsedBytes;
    document["decisionSeconds"] = decisionSeconds;
    if (pairs)
    {
        Json& entry = document["pairs"];
        entry["all"] = pairs->rest.pairs;
        entry["thatGain"] = pairs->rest.pairsThatGain;
        entry["largestGainSeconds"] = pairs->rest.largestGainSeconds;
        entry["messages"] = pairs->messages;
    }
    return Dump(document);
}

} // namespace edgepipe
} // namespace ns3
