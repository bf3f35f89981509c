/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-cut.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

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
    const double localSeconds = onActor / actor.flopPerSecond;
    uint64_t onServer = onActor;
    for (std::size_t y = 0; y <= last; ++y)
    {
        onServer -= y > 0 ? model.layerFlop[y - 1] : 0;
        MultiActorCut& cut = cuts[y];
        cut.flop = onServer;
        const uint64_t moved = y < last ? cut.bytes + model.outputBytes[last] : 0;
        cut.responseSeconds = (onActor - onServer) / actor.flopPerSecond +
                              onServer / model.serverFlopPerSecond + moved / actor.bytesPerSecond;
        cut.reductionSeconds = localSeconds - cut.responseSeconds;
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
