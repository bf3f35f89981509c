/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>
#include <unordered_set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most seconds that all layers may take; sums of such costs stay finite.
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
 * @param layer a layer
 * @param belief what somebody believes of it
 * @param field name of the belief
 * @return the sum of both costs
 * @throws InputError for a cost that is wrong
 */
double
CheckBelief(const TwoWayCutLayer& layer,
            const std::optional<TwoWayCutBelief>& belief,
            const char* field)
{
    return belief ? CheckSeconds(layer, belief->deviceSeconds, field) +
                        CheckSeconds(layer, belief->serverSeconds, field)
                  : 0;
}

/**
 * @param bitsPerSecond a bandwidth
 * @param field its name
 * @throws InputError if nothing would ever arrive
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

} // namespace

void
ValidateTwoWayCutProblem(const TwoWayCutProblem& problem)
{
    if (problem.layers.empty())
    {
        throw InputError("the problem has no layer, expected at least one");
    }
    std::unordered_set<std::string_view> names;
    names.reserve(problem.layers.size());
    long double bytes = problem.inputBytes;
    double seconds = 0;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        if (!names.insert(layer.name).second)
        {
            throw InputError("layer " + QuoteForMessage(layer.name) + " is given twice");
        }
        for (const std::size_t input : layer.inputs)
        {
            if (input >= i)
            {
                throw InputError("layer " + QuoteForMessage(layer.name) + " reads layer " +
                                 std::to_string(input) + ", expected a layer before it");
            }
        }
        bytes += layer.outputBytes;
        seconds += CheckSeconds(layer, layer.deviceSeconds, "deviceSeconds") +
                   CheckSeconds(layer, layer.serverSeconds, "serverSeconds") +
                   CheckBelief(layer, layer.isolated, "isolated") +
                   CheckBelief(layer, layer.predicted, "predicted");
    }
    if (bytes >= 0x1p63L)
    {
        throw InputError("the tensors hold 2^63 bytes or more");
    }
    if (seconds > LONGEST_SECONDS)
    {
        std::ostringstream message;
        message << "the layers take " << seconds << " s in all, expected at most "
                << LONGEST_SECONDS << " s";
        throw InputError(message.str());
    }
    CheckBandwidth(problem.uplinkBitsPerSecond, "uplinkBitsPerSecond");
    CheckBandwidth(problem.downlinkBitsPerSecond, "downlinkBitsPerSecond");
}

} // namespace edgepipe
} // namespace ns3
