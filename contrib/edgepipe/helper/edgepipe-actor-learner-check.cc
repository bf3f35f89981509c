/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-learner-check.h"

#include "ns3/edgepipe-input-error.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param option its name
 * @param isGood whether it makes sense
 * @param expected what it should be
 * @throws InputError unless it is good
 */
void
Require(const std::string& option, bool isGood, const std::string& expected)
{
    if (!isGood)
    {
        throw InputError(option + ": expected " + expected);
    }
}

} // namespace

void
CheckActorLearner(const ActorLearnerOptions& o)
{
    Require("actors", !o.actors.empty(), "at least one");
    for (const auto& actor : o.actors)
    {
        ValidateMultiActor({actor.name, actor.flopPerSecond, 1});
    }
    for (const auto& change : o.changes)
    {
        Require("changes", change.actor < o.actors.size(), "actors that there are");
    }
    Require("parameterBytes", o.parameterBytes.size() == o.model.layerFlop.size(), "one a layer");
    Require("duration", o.duration.IsStrictlyPositive(), "a time above 0");
    Require("span", o.span.IsStrictlyPositive(), "a time above 0");
    Require("environment",
            o.environmentSeconds >= 0 && o.environmentSpread >= 0 && o.environmentSpread <= 1,
            "seconds of at least 0 and a spread from 0 to 1");
    Require("link share", o.linkShare > 0 && o.linkBytesPerSecond >= 0, "numbers above 0");
    const double least = o.environmentSeconds * (1 - o.environmentSpread);
    double layers = 0;
    for (const uint64_t flop : o.model.layerFlop)
    {
        layers += static_cast<double>(flop);
    }
    Require("environment",
            least + layers / o.model.serverFlopPerSecond > 1e-9,
            "steps that take time, on the actor or the server");
}

} // namespace edgepipe
} // namespace ns3
