/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-problem-check.h"
#include "ns3/edgepipe-problem-json.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param seconds by layer
 * @param layers number of layers of the model
 * @param place streamable, what they are
 * @throws InputError unless there are none, or one of at least 0 for each layer
 */
template <typename Where>
void
CheckLayerSeconds(const std::vector<double>& seconds, std::size_t layers, const Where& place)
{
    RequireFound(seconds.empty() || seconds.size() == layers,
                 place,
                 std::to_string(seconds.size()) + " numbers",
                 std::to_string(layers) + ", one for each layer");
    for (const double one : seconds)
    {
        RequireSeconds(one, place);
    }
}

} // namespace

void
ValidateMultiActorModel(const MultiActorModel& model)
{
    Require(!model.layerFlop.empty(), "layerFlop: found no layer, expected at least one");
    const std::size_t layers = model.layerFlop.size();
    RequireFound(model.outputBytes.size() == layers + 1,
                 "outputBytes",
                 std::to_string(model.outputBytes.size()) + " sizes",
                 std::to_string(layers + 1) + ", of the input and of every layer's output");
    Require(std::accumulate(model.layerFlop.begin(), model.layerFlop.end(), 0.0L) < 0x1p63L,
            "layerFlop: found 2^63 FLOP or more in all, expected less");
    for (const uint64_t bytes : model.outputBytes)
    {
        RequireFound(bytes < uint64_t{1} << 53, "outputBytes", bytes, "less than 2^53");
    }
    RequireRate(model.serverFlopPerSecond, "serverFlopPerSecond");
    CheckLayerSeconds(model.serverLayerSeconds, layers, "serverLayerSeconds");
}

void
ValidateMultiActor(const MultiActor& actor)
{
    RequireRate(actor.flopPerSecond, Place{"actor", actor.name, "flopPerSecond"});
    RequireRate(actor.bytesPerSecond, Place{"actor", actor.name, "bytesPerSecond"});
}

void
ValidateMultiActorBudgets(const MultiActorBudgets& budgets)
{
    for (const auto& [budget, name] : {std::pair(budgets.computeFlop, "computeBudgetFlop"),
                                       std::pair(budgets.bandwidthBytes, "bandwidthBudgetBytes")})
    {
        const bool isGood = std::isfinite(budget) && budget >= 0;
        RequireFound(isGood, name, budget, "a number of at least 0");
    }
    RequireRate(budgets.delta, "delta");
}

void
ValidateMultiActorProblem(const MultiActorProblem& problem)
{
    std::vector<std::size_t> all(problem.actors.size());
    std::iota(all.begin(), all.end(), 0);
    ValidateActors(problem, all);
}

void
ValidateActors(const MultiActorProblem& problem, const std::vector<std::size_t>& actors)
{
    ValidateMultiActorModel(problem.model);
    ValidateMultiActorBudgets(problem.budgets);
    Require(!problem.actors.empty(), "actors: found none, expected at least one");
    const std::vector<uint64_t>& flop = problem.model.layerFlop;
    std::unordered_set<std::string> names;
    for (const std::size_t i : actors)
    {
        const MultiActor& actor = problem.actors[i];
        const Place place{"actor", actor.name, "layerSeconds"};
        ValidateMultiActor(actor);
        CheckLayerSeconds(actor.layerSeconds, flop.size(), place);
        RequireThat(names.insert(actor.name).second, Place{"actor", actor.name}, " is given twice");
    }
    const std::vector<uint64_t>& bytes = problem.model.outputBytes;
    const long double count = problem.actors.size();
    RequireThat(std::accumulate(flop.begin(), flop.end(), 0.0L) * count < 0x1p63L &&
                    *std::max_element(bytes.begin(), bytes.end()) * count < 0x1p53L,
                "found ",
                problem.actors.size(),
                " actors that may ask for 2^63 FLOP or 2^53 bytes or more in all, expected less");
}

MultiActorLimits
GetMultiActorLimits(const MultiActorBudgets& budgets)
{
    constexpr double mostBytes = 0x1p53;
    double bytes = std::floor(std::min(budgets.bandwidthBytes / budgets.delta, mostBytes));
    // The quotient is rounded, but the product decides.
    if (bytes > 0 && budgets.delta * bytes > budgets.bandwidthBytes)
    {
        --bytes;
    }
    else if (bytes < mostBytes && budgets.delta * (bytes + 1) <= budgets.bandwidthBytes)
    {
        ++bytes;
    }
    return {static_cast<uint64_t>(std::min(budgets.computeFlop, 0x1p63)),
            static_cast<uint64_t>(bytes)};
}

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
        return Map(field.GetElements(), &JsonField::GetName);
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
