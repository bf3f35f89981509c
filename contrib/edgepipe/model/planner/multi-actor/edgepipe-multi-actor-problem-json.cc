/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem-json.h"

namespace ns3::edgepipe
{

namespace
{

using Json = nlohmann::ordered_json;

} // namespace

void
ListFields(JsonTable& table, MultiActorProblem& problem)
{
    table.Kind("multi-actor");
    table.Name("model", problem.model.name, true);
    table.Integers("layerFlop", problem.model.layerFlop);
    table.Integers("outputBytes", problem.model.outputBytes);
    JsonNames names;
    table.Elements("actors", problem.actors, [&names](JsonTable& entry, MultiActor& actor) {
        entry.Name("name", actor.name);
        entry.Unique("name", actor.name, names, "actor");
        entry.Positive("flopPerSecond", actor.flopPerSecond);
        entry.Positive("bytesPerSecond", actor.bytesPerSecond);
        entry.Numbers("layerSeconds", actor.layerSeconds, true);
    });
    table.Positive("serverFlopPerSecond", problem.model.serverFlopPerSecond);
    table.Numbers("serverLayerSeconds", problem.model.serverLayerSeconds, true);
    table.Number("computeBudgetFlop", problem.budgets.computeFlop);
    table.Number("bandwidthBudgetBytes", problem.budgets.bandwidthBytes);
    table.Positive("delta", problem.budgets.delta, true);
    table.Check(ValidateMultiActorProblem, problem);
}

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
    document["cutVariance"] = cost.cutVariance;
    document["reductionVariance"] = cost.reductionVariance;
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
                   "cutVariance",
                   "reductionVariance",
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

} // namespace ns3::edgepipe
