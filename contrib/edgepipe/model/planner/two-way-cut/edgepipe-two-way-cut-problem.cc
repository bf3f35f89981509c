/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-problem-check.h"

namespace ns3::edgepipe
{

namespace
{

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
    RequireFound(beliefs.empty() || beliefs.size() == layers.size(),
                 field,
                 std::to_string(beliefs.size()) + " costs",
                 "none or one for each of " + std::to_string(layers.size()) + " layers");
    double seconds = 0;
    for (std::size_t i = 0; i < beliefs.size(); ++i)
    {
        for (const double each : {beliefs[i].deviceSeconds, beliefs[i].serverSeconds})
        {
            RequireSeconds(each, Place{"layer", layers[i].name, field});
        }
        seconds += beliefs[i].deviceSeconds + beliefs[i].serverSeconds;
    }
    return seconds;
}

} // namespace

void
ValidateTwoWayCutProblem(const TwoWayCutProblem& problem)
{
    Require(!problem.layers.empty(), "the problem has no layer, expected at least one");
    RequireNames(problem.layers, "layer");
    long double bytes = problem.inputBytes;
    double seconds = 0;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        const Place place{"layer", layer.name};
        for (const std::size_t input : layer.inputs)
        {
            RequireThat(input < i, place, " reads layer ", input, ", expected a layer before it");
        }
        const bool isFlop = layer.flop >= 0 && layer.flop <= LARGEST_FIGURE;
        RequireFound(isFlop, Place{"layer", layer.name, "flop"}, layer.flop, "a number, 0 or more");
        RequireSeconds(layer.deviceSeconds, Place{"layer", layer.name, "deviceSeconds"});
        RequireSeconds(layer.serverSeconds, Place{"layer", layer.name, "serverSeconds"});
        bytes += layer.outputBytes;
        seconds += layer.deviceSeconds + layer.serverSeconds;
    }
    seconds += CheckBeliefs(problem.layers, problem.isolated, "isolated") +
               CheckBeliefs(problem.layers, problem.predicted, "predicted");
    Require(bytes < 0x1p63L, "the tensors hold 2^63 bytes or more");
    RequireTotal(seconds, "");
    RequireRate(problem.uplinkBitsPerSecond, "uplinkBitsPerSecond");
    RequireRate(problem.downlinkBitsPerSecond, "downlinkBitsPerSecond");
    RequireSeconds(problem.delaySeconds, "delaySeconds");
}

} // namespace ns3::edgepipe
