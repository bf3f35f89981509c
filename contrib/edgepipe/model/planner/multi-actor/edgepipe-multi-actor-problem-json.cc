/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem-json.h"

#include "ns3/edgepipe-input-error.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

namespace ns3
{
namespace edgepipe
{

namespace
{

using Json = nlohmann::ordered_json;

/**
 * @param field an array of integers
 * @return them
 */
std::vector<uint64_t>
ReadIntegers(const JsonField& field)
{
    std::vector<uint64_t> integers;
    for (const JsonField& element : field.GetElements())
    {
        integers.push_back(element.GetInteger());
    }
    return integers;
}

/**
 * @param entries the elements of "actors"
 * @return the actors
 */
std::vector<MultiActor>
ReadActors(const std::vector<JsonField>& entries)
{
    std::vector<MultiActor> actors;
    std::unordered_set<std::string> names;
    for (const JsonField& entry : entries)
    {
        entry.CheckKeys({"name", "flopPerSecond", "bytesPerSecond"});
        MultiActor actor;
        actor.name = entry.GetField("name").GetName();
        if (!names.insert(actor.name).second)
        {
            entry.GetField("name").Fail("a name that no other actor has");
        }
        actor.flopPerSecond = entry.GetField("flopPerSecond").GetPositiveNumber();
        actor.bytesPerSecond = entry.GetField("bytesPerSecond").GetPositiveNumber();
        actors.push_back(actor);
    }
    return actors;
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
    root.CheckKeys({"problem",
                    "layerFlop",
                    "outputBytes",
                    "actors",
                    "serverFlopPerSecond",
                    "computeBudgetFlop",
                    "bandwidthBudgetBytes",
                    "delta"});
    const JsonField kind = root.GetField("problem");
    if (kind.GetString() != "multi-actor")
    {
        kind.Fail("\"multi-actor\"");
    }
    MultiActorProblem problem;
    problem.model.layerFlop = ReadIntegers(root.GetField("layerFlop"));
    problem.model.outputBytes = ReadIntegers(root.GetField("outputBytes"));
    problem.actors = ReadActors(root.GetField("actors").GetElements());
    problem.model.serverFlopPerSecond = root.GetField("serverFlopPerSecond").GetPositiveNumber();
    problem.budgets.computeFlop = root.GetField("computeBudgetFlop").GetNumber(0);
    problem.budgets.bandwidthBytes = root.GetField("bandwidthBudgetBytes").GetNumber(0);
    if (const auto delta = root.FindField("delta"))
    {
        problem.budgets.delta = delta->GetPositiveNumber();
    }
    try
    {
        ValidateMultiActorProblem(problem);
    }
    catch (const InputError& error)
    {
        throw InputError(path + ": " + error.what());
    }
    return problem;
}

std::string
FormatMultiActorProblem(const MultiActorProblem& problem)
{
    std::string actors;
    for (const MultiActor& actor : problem.actors)
    {
        Json entry;
        entry["name"] = actor.name;
        entry["flopPerSecond"] = actor.flopPerSecond;
        entry["bytesPerSecond"] = actor.bytesPerSecond;
        actors += (actors.empty() ? "\n    " : ",\n    ") + Dump(entry);
    }
    return "{\"problem\": \"multi-actor\",\n  \"layerFlop\": " + Dump(problem.model.layerFlop) +
           ",\n  \"outputBytes\": " + Dump(problem.model.outputBytes) + ",\n  \"actors\": [" +
           actors + "],\n  \"serverFlopPerSecond\": " + Dump(problem.model.serverFlopPerSecond) +
           ", \"computeBudgetFlop\": " + Dump(problem.budgets.computeFlop) +
           ", \"bandwidthBudgetBytes\": " + Dump(problem.budgets.bandwidthBytes) +
           ", \"delta\": " + Dump(problem.budgets.delta) + "}\n";
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
