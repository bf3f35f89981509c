/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem-json.h"

#include "ns3/edgepipe-json-table.h"
#include "ns3/edgepipe-planner-request.h"

#include <nlohmann/json.hpp>
#include <unordered_map>

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
    table.NameIfAny("model", problem.model.name);
    table.Integers("layerFlop", problem.model.layerFlop);
    table.Integers("outputBytes", problem.model.outputBytes);
    JsonNames names;
    table.Elements("actors", problem.actors, [&names](JsonTable& entry, MultiActor& actor) {
        entry.Name("name", actor.name);
        entry.Unique("name", actor.name, names, "actor");
        entry.Positive("flopPerSecond", actor.flopPerSecond);
        entry.Positive("bytesPerSecond", actor.bytesPerSecond);
        entry.NumbersIfAny("layerSeconds", actor.layerSeconds);
    });
    table.Positive("serverFlopPerSecond", problem.model.serverFlopPerSecond);
    table.NumbersIfAny("serverLayerSeconds", problem.model.serverLayerSeconds);
    table.Number("computeBudgetFlop", problem.budgets.computeFlop);
    table.Number("bandwidthBudgetBytes", problem.budgets.bandwidthBytes);
    table.Positive("delta", problem.budgets.delta, true);
}

/**
 * @param problem the problem
 * @param plan a plan for its actors, or for the first of them
 * @return what is in every form of the plan
 */
Json
MakePlanJson(const MultiActorProblem& problem, const MultiActorPlan& plan)
{
    Json document = MakePlanForm(problem.model.name, problem.model.layerFlop.size());
    document["actors"] = Json::array();
    for (std::size_t i = 0; i < plan.cuts.size(); ++i)
    {
        document["actors"].push_back(problem.actors[i].name);
    }
    document["cuts"] = plan.cuts;
    return document;
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
    Json document{{"planner", planner}};
    document.update(MakePlanJson(problem, plan));
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
    return DumpInLine(document);
}

MultiActorPlan
ReadPlan(const JsonField& root, const MultiActorProblem& problem)
{
    CheckPlanForm(root,
                  problem.model.name,
                  problem.model.layerFlop.size(),
                  {"actors",
                   "cuts",
                   "totalReductionSeconds",
                   "computeUsedFlop",
                   "bandwidthUsedBytes",
                   "decisionSeconds",
                   "pairs"});
    const JsonField cuts = root.GetField("cuts");
    MultiActorPlan given;
    for (const JsonField& cut : cuts.GetElements())
    {
        given.cuts.push_back(cut.GetInteger(0, problem.model.layerFlop.size()));
    }
    const auto actors = root.FindField("actors");
    std::unordered_map<std::string, std::size_t> indices;
    for (const JsonField& name : actors ? actors->GetElements() : std::vector<JsonField>())
    {
        indices.emplace(name.GetName(), indices.size());
    }
    const std::size_t expected = actors ? indices.size() : problem.actors.size();
    if (given.cuts.size() != expected)
    {
        cuts.FailWith("found " + std::to_string(given.cuts.size()) +
                      " cuts, expected one for each of " + std::to_string(expected) + " actors");
    }
    if (!actors)
    {
        return given;
    }
    MultiActorPlan plan;
    for (const MultiActor& actor : problem.actors)
    {
        const auto found = indices.find(actor.name);
        if (found == indices.end())
        {
            actors->FailWith("found no " + QuoteForMessage(actor.name) +
                             ", expected every actor of the problem");
        }
        plan.cuts.push_back(given.cuts[found->second]);
    }
    return plan;
}

std::string
FormatRequest(const MultiActorProblem& problem, const PlannerState<MultiActorPlan>* state)
{
    MultiActorProblem listed = problem;
    Json request =
        JsonTable::ToJson([&](JsonTable& table) { ListMultiActorProblem(table, listed); });
    if (state)
    {
        request["state"] =
            MakeStateJson(state->seconds, MakePlanJson(problem, state->plan), state->devices);
    }
    return DumpInLine(request);
}

} // namespace edgepipe
} // namespace ns3
