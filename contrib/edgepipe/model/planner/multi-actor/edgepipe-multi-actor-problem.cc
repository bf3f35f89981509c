/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-problem.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <unordered_set>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param actor owner of the field; null: the model or the budgets
 * @param field its name
 * @return its location, for messages
 */
std::string
Locate(const MultiActor* actor, const char* field)
{
    return (actor ? "actor " + QuoteForMessage(actor->name) + ", " : "") + field;
}

/**
 * @param actor owner of the figure; null: the model or the budgets
 * @param field name of a figure
 * @param value the figure
 * @param least the least it may be
 * @param expected what it should be
 * @throws InputError if it is less, or not finite
 */
void
CheckFigure(const MultiActor* actor,
            const char* field,
            double value,
            double least,
            const char* expected)
{
    if (!std::isfinite(value) || value < least)
    {
        std::ostringstream message;
        message << Locate(actor, field) << ": found " << value << ", expected " << expected;
        throw InputError(message.str());
    }
}

/**
 * @param actor owner of the seconds; null: the model
 * @param field name of the figures
 * @param seconds by layer
 * @param layers number of layers of the model
 * @throws InputError unless there are none, or one of at least 0 for each layer
 */
void
CheckLayerSeconds(const MultiActor* actor,
                  const char* field,
                  const std::vector<double>& seconds,
                  std::size_t layers)
{
    if (!seconds.empty() && seconds.size() != layers)
    {
        throw InputError(Locate(actor, field) + ": found " + std::to_string(seconds.size()) +
                         " numbers, expected " + std::to_string(layers) + ", one for each layer");
    }
    for (const double one : seconds)
    {
        CheckFigure(actor, field, one, 0, "a number of at least 0");
    }
}

/** Least speed: below it, 2^63 FLOP would take infinitely long. */
constexpr double LEAST_SPEED = 1e-200;
constexpr char ABOVE_ZERO[] = "a number above 0";

} // namespace

void
ValidateMultiActorModel(const MultiActorModel& model)
{
    if (model.layerFlop.empty())
    {
        throw InputError("layerFlop: found no layer, expected at least one");
    }
    if (model.outputBytes.size() != model.layerFlop.size() + 1)
    {
        throw InputError("outputBytes: found " + std::to_string(model.outputBytes.size()) +
                         " sizes, expected " + std::to_string(model.layerFlop.size() + 1) +
                         ", of the input and of every layer's output");
    }
    long double flop = 0;
    for (const uint64_t one : model.layerFlop)
    {
        flop += one;
    }
    if (flop >= 0x1p63L)
    {
        throw InputError("layerFlop: found 2^63 FLOP or more in all, expected less");
    }
    for (const uint64_t bytes : model.outputBytes)
    {
        if (bytes >= uint64_t{1} << 53)
        {
            throw InputError("outputBytes: found " + std::to_string(bytes) +
                             ", expected less than 2^53");
        }
    }
    CheckFigure(nullptr, "serverFlopPerSecond", model.serverFlopPerSecond, LEAST_SPEED, ABOVE_ZERO);
    CheckLayerSeconds(nullptr,
                      "serverLayerSeconds",
                      model.serverLayerSeconds,
                      model.layerFlop.size());
}

void
ValidateMultiActor(const MultiActor& actor)
{
    CheckFigure(&actor, "flopPerSecond", actor.flopPerSecond, LEAST_SPEED, ABOVE_ZERO);
    CheckFigure(&actor, "bytesPerSecond", actor.bytesPerSecond, LEAST_SPEED, ABOVE_ZERO);
}

void
ValidateMultiActorBudgets(const MultiActorBudgets& budgets)
{
    constexpr char atLeastZero[] = "a number of at least 0";
    CheckFigure(nullptr, "computeBudgetFlop", budgets.computeFlop, 0, atLeastZero);
    CheckFigure(nullptr, "bandwidthBudgetBytes", budgets.bandwidthBytes, 0, atLeastZero);
    CheckFigure(nullptr, "delta", budgets.delta, LEAST_SPEED, ABOVE_ZERO);
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
    if (problem.actors.empty())
    {
        throw InputError("actors: found none, expected at least one");
    }
    std::unordered_set<std::string> names;
    for (const std::size_t i : actors)
    {
        const MultiActor& actor = problem.actors[i];
        ValidateMultiActor(actor);
        CheckLayerSeconds(&actor,
                          "layerSeconds",
                          actor.layerSeconds,
                          problem.model.layerFlop.size());
        if (!names.insert(actor.name).second)
        {
            throw InputError("actor " + QuoteForMessage(actor.name) + " is given twice");
        }
    }
    long double flop = 0;
    for (const uint64_t one : problem.model.layerFlop)
    {
        flop += one;
    }
    const std::vector<uint64_t>& bytes = problem.model.outputBytes;
    const long double count = problem.actors.size();
    if (flop * count >= 0x1p63L || *std::max_element(bytes.begin(), bytes.end()) * count >= 0x1p53L)
    {
        throw InputError("found " + std::to_string(problem.actors.size()) +
                         " actors that may ask for 2^63 FLOP or 2^53 bytes or more in all, "
                         "expected less");
    }
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

} // namespace ns3::edgepipe
