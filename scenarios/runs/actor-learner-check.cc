/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/actor-learner-check.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>

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
RequireOption(const std::string& option, bool isGood, const std::string& expected)
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
    RequireOption("actors", !o.actors.empty(), "at least one");
    for (const auto& actor : o.actors)
    {
        ValidateMultiActor({actor.name, actor.flopPerSecond, 1});
    }
    for (const auto& change : o.changes)
    {
        RequireOption("changes", change.actor < o.actors.size(), "actors that there are");
    }
    RequireOption("parameterBytes",
                  o.parameterBytes.size() == o.model.layerFlop.size(),
                  "one a layer");
    RequireOption("duration", o.duration.IsStrictlyPositive(), "a time above 0");
    RequireOption("span", o.span.IsStrictlyPositive(), "a time above 0");
    RequireOption("environment",
                  o.environmentSeconds >= 0 && o.environmentSpread >= 0 && o.environmentSpread <= 1,
                  "seconds of at least 0 and a spread from 0 to 1");
    RequireOption("link share", o.linkShare > 0 && o.linkBytesPerSecond >= 0, "numbers above 0");
    for (const auto& load : o.loads)
    {
        RequireOption("load",
                      load.device == o.serverName ||
                          std::any_of(o.actors.begin(),
                                      o.actors.end(),
                                      [&](const auto& actor) { return actor.name == load.device; }),
                      "a device of the run");
    }
    const double least = o.environmentSeconds * (1 - o.environmentSpread);
    double layers = 0;
    for (const uint64_t flop : o.model.layerFlop)
    {
        layers += static_cast<double>(flop);
    }
    RequireOption("environment",
                  least + layers / o.model.serverFlopPerSecond > 1e-9,
                  "steps that take time, on the actor or the server");
}

} // namespace edgepipe
} // namespace ns3
