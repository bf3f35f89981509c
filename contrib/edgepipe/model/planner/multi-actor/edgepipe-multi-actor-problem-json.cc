/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem-json.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

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

void
ListFields(JsonTable& table, MultiActorPlan& plan, const MultiActorProblem& problem)
{
    const std::size_t layers = problem.model.layerFlop.size();
    table.Plan(problem.model.name,
               layers,
               {"totalReductionSeconds",
                "cutVariance",
                "reductionVariance",
                "computeUsedFlop",
                "bandwidthUsedBytes",
                "decisionSeconds",
                "pairs"});
    std::vector<std::string> actors;
    for (std::size_t i = 0; i < plan.cuts.size(); ++i)
    {
        actors.push_back(problem.actors[i].name);
    }
    const auto getNames = [](const JsonField& field) {
        std::vector<std::string> names;
        for (const JsonField& name : field.GetElements())
        {
            names.push_back(name.GetName());
        }
        return names;
    };
    table.Value("actors", actors, getNames, true);
    table.Integers("cuts", plan.cuts, 0, layers);
    if (!table.IsReading())
    {
        return;
    }
    std::unordered_map<std::string, std::size_t> places;
    for (const std::string& name : actors)
    {
        places.emplace(name, places.size());
    }
    const std::size_t expected = actors.empty() ? problem.actors.size() : places.size();
    table.Check("cuts",
                plan.cuts.size() == expected,
                "found " + std::to_string(plan.cuts.size()) + " cuts, expected one for each of " +
                    std::to_string(expected) + " actors");
    const MultiActorPlan given = actors.empty() ? MultiActorPlan() : std::exchange(plan, {});
    for (std::size_t i = 0; i < problem.actors.size() && !actors.empty(); ++i)
    {
        const std::string& name = problem.actors[i].name;
        table.Check("actors",
                    places.count(name) > 0,
                    "found no " + QuoteForMessage(name) + ", expected every actor of the problem");
        plan.cuts.push_back(given.cuts[places[name]]);
    }
}

} // namespace ns3::edgepipe
