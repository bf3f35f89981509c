/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

/// Most seconds of all layers, and most FLOP of one layer, so that sums of costs stay finite.
constexpr double LONGEST_SECONDS = 1e200;

/**
 * @param layer a layer
 * @param seconds one of its costs
 * @param field name of the cost
 * @return the cost
 * @throws InputError if it is not a finite number of 0 or more
 */
double
CheckSeconds(const TwoWayCutLayer& layer, double seconds, const char* field)
{
    // False for NaN too.
    if (!(seconds >= 0 && seconds <= std::numeric_limits<double>::max()))
    {
        throw InputError("layer " + QuoteForMessage(layer.name) + ", " + field + ": found " +
                         std::to_string(seconds) + ", expected seconds, 0 or more");
    }
    return seconds;
}

/**
 * @param layers the layers
 * @param beliefs their believed costs
 * @param field name of the belief
 * @return the sum of all costs
 * @throws InputError for an invalid cost, or a wrong number of costs
 */
double
CheckBeliefs(const std::vector<TwoWayCutLayer>& layers,
             const std::vector<TwoWayCutBelief>& beliefs,
             const char* field)
{
    if (!beliefs.empty() && beliefs.size() != layers.size())
    {
        throw InputError(std::string(field) + ": found " + std::to_string(beliefs.size()) +
                         " costs, expected none or one for each of " +
                         std::to_string(layers.size()) + " layers");
    }
    double seconds = 0;
    for (std::size_t i = 0; i < beliefs.size(); ++i)
    {
        seconds += CheckSeconds(layers[i], beliefs[i].deviceSeconds, field) +
                   CheckSeconds(layers[i], beliefs[i].serverSeconds, field);
    }
    return seconds;
}

/**
 * @param bitsPerSecond a bandwidth
 * @param field its name
 * @throws InputError if it is not finite or too low
 */
void
CheckBandwidth(double bitsPerSecond, const char* field)
{
    // Below it, 2^63 bytes would take infinitely long.
    constexpr double lowest = 1e-200;
    if (!std::isfinite(bitsPerSecond) || bitsPerSecond < lowest)
    {
        throw InputError(std::string(field) + ": found " + std::to_string(bitsPerSecond) +
                         ", expected a number above 0");
    }
}

/**
 * Refuses duplicate names. Uses its own hash table, since filling a std::unordered_set may take
 * longer than planning.
 *
 * @param layers the layers
 * @throws InputError naming the first duplicate
 */
void
CheckNames(const std::vector<TwoWayCutLayer>& layers)
{
    constexpr uint32_t free = std::numeric_limits<uint32_t>::max();
    if (layers.size() >= free / 2)
    {
        throw InputError("found " + std::to_string(layers.size()) +
                         " layers, expected fewer than 2^31");
    }
    std::size_t slots = 2;
    while (slots < 2 * layers.size())
    {
        slots *= 2;
    }
    std::vector<uint32_t> table(slots, free);
    for (uint32_t i = 0; i < layers.size(); ++i)
    {
        std::size_t slot = std::hash<std::string>()(layers[i].name) & (slots - 1);
        for (; table[slot] != free; slot = (slot + 1) & (slots - 1))
        {
            if (layers[table[slot]].name == layers[i].name)
            {
                throw InputError("layer " + QuoteForMessage(layers[i].name) + " is given twice");
            }
        }
        table[slot] = i;
    }
}

} // namespace

void
ValidateTwoWayCutProblem(const TwoWayCutProblem& problem)
{
    Require(!problem.layers.empty(), "the problem has no layer, expected at least one");
    CheckNames(problem.layers);
    long double bytes = problem.inputBytes;
    double seconds = 0;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        for (const std::size_t input : layer.inputs)
        {
            if (input >= i)
            {
                throw InputError("layer " + QuoteForMessage(layer.name) + " reads layer " +
                                 std::to_string(input) + ", expected a layer before it");
            }
        }
        if (!(layer.flop >= 0 && layer.flop <= LONGEST_SECONDS))
        {
            throw InputError("layer " + QuoteForMessage(layer.name) + ", flop: found " +
                             std::to_string(layer.flop) + ", expected a number, 0 or more");
        }
        bytes += layer.outputBytes;
        seconds += CheckSeconds(layer, layer.deviceSeconds, "deviceSeconds") +
                   CheckSeconds(layer, layer.serverSeconds, "serverSeconds");
    }
    seconds += CheckBeliefs(problem.layers, problem.isolated, "isolated") +
               CheckBeliefs(problem.layers, problem.predicted, "predicted");
    Require(bytes < 0x1p63L, "the tensors hold 2^63 bytes or more");
    if (seconds > LONGEST_SECONDS)
    {
        std::ostringstream message;
        message << "the layers take " << seconds << " s in all, expected at most "
                << LONGEST_SECONDS << " s";
        throw InputError(message.str());
    }
    CheckBandwidth(problem.uplinkBitsPerSecond, "uplinkBitsPerSecond");
    CheckBandwidth(problem.downlinkBitsPerSecond, "downlinkBitsPerSecond");
    Require(problem.delaySeconds >= 0 && problem.delaySeconds <= LONGEST_SECONDS,
            "delaySeconds: found " + std::to_string(problem.delaySeconds) +
                ", expected seconds, 0 or more");
}

} // namespace ns3::edgepipe
