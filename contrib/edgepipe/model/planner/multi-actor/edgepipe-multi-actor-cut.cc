/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-cut.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param seconds by layer; may be empty
 * @param begin first layer
 * @param end layer after the last one
 * @return what these take; nothing where it is not known by layer
 */
std::optional<double>
SumLayers(const std::vector<double>& seconds, std::size_t begin, std::size_t end)
{
    if (seconds.empty())
    {
        return std::nullopt;
    }
    return std::accumulate(seconds.begin() + begin, seconds.begin() + end, 0.0);
}

} // namespace

std::vector<MultiActorCut>
ListMultiActorCuts(const MultiActorModel& model, const MultiActor& actor)
{
    const std::size_t last = model.layerFlop.size();
    std::vector<MultiActorCut> cuts(last + 1);
    uint64_t onActor = 0;
    for (std::size_t y = 0; y <= last; ++y)
    {
        onActor += y > 0 ? model.layerFlop[y - 1] : 0;
        cuts[y].cut = y;
        cuts[y].bytes = y < last ? model.outputBytes[y] : 0;
    }
    uint64_t onServer = onActor;
    for (std::size_t y = 0; y <= last; ++y)
    {
        onServer -= y > 0 ? model.layerFlop[y - 1] : 0;
        MultiActorCut& cut = cuts[y];
        cut.flop = onServer;
        const uint64_t moved = y < last ? cut.bytes + model.outputBytes[last] : 0;
        const double actorSeconds = SumLayers(actor.layerSeconds, 0, y)
                                        .value_or((onActor - onServer) / actor.flopPerSecond);
        const double serverSeconds = SumLayers(model.serverLayerSeconds, y, last)
                                         .value_or(onServer / model.serverFlopPerSecond);
        cut.responseSeconds = actorSeconds + serverSeconds + moved / actor.bytesPerSecond;
    }
    for (MultiActorCut& cut : cuts)
    {
        cut.reductionSeconds = cuts[last].responseSeconds - cut.responseSeconds;
    }
    return cuts;
}

std::vector<MultiActorCut>
ListUsefulMultiActorCuts(const MultiActorModel& model, const MultiActor& actor)
{
    const std::vector<MultiActorCut> cuts = ListMultiActorCuts(model, actor);
    // From y = K on, which takes nothing, every cut takes at least as many FLOP as those before it.
    // So it is needed if it saves more than all of them that take no more bytes.
    std::vector<MultiActorCut> useful;
    std::vector<const MultiActorCut*> best; // of those, by bytes and by what they save
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut)
    {
        auto next = best.begin();
        while (next != best.end() && (*next)->bytes <= cut->bytes)
        {
            ++next;
        }
        if (next != best.begin() && (*(next - 1))->reductionSeconds >= cut->reductionSeconds)
        {
            continue;
        }
        useful.push_back(*cut);
        auto last = next;
        while (last != best.end() && (*last)->reductionSeconds <= cut->reductionSeconds)
        {
            ++last;
        }
        best.insert(best.erase(next, last), &*cut);
    }
    std::sort(useful.begin(), useful.end(), [](const MultiActorCut& a, const MultiActorCut& b) {
        return a.reductionSeconds != b.reductionSeconds ? a.reductionSeconds > b.reductionSeconds
                                                        : a.cut < b.cut;
    });
    return useful;
}

} // namespace edgepipe
} // namespace ns3
