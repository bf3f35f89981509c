/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-cut.h"

#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param seconds by layer; may be empty
 * @param begin first layer
 * @param end layer after the last one
 * @return their total; nothing if times by layer are unknown
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

/**
 * @param model the network
 * @param actor an actor
 * @param y layers that it runs
 * @return the cut, without reductionSeconds
 */
MultiActorCut
MakeCut(const MultiActorModel& model, const MultiActor& actor, std::size_t y)
{
    const std::size_t last = model.layerFlop.size();
    const auto sum = [&model](std::size_t begin, std::size_t end) {
        return std::accumulate(model.layerFlop.begin() + begin,
                               model.layerFlop.begin() + end,
                               uint64_t{0});
    };
    MultiActorCut cut{};
    cut.cut = y;
    cut.bytes = y < last ? model.outputBytes[y] : 0;
    cut.flop = sum(y, last);
    const uint64_t moved = y < last ? cut.bytes + model.outputBytes[last] : 0;
    const double actorSeconds =
        SumLayers(actor.layerSeconds, 0, y).value_or(sum(0, y) / actor.flopPerSecond);
    const double serverSeconds =
        SumLayers(model.serverLayerSeconds, y, last).value_or(cut.flop / model.serverFlopPerSecond);
    cut.responseSeconds = actorSeconds + serverSeconds + moved / actor.bytesPerSecond;
    return cut;
}

} // namespace

MultiActorCut
GetMultiActorCut(const MultiActorModel& model, const MultiActor& actor, std::size_t layers)
{
    MultiActorCut cut = MakeCut(model, actor, layers);
    cut.reductionSeconds =
        MakeCut(model, actor, model.layerFlop.size()).responseSeconds - cut.responseSeconds;
    return cut;
}

std::vector<MultiActorCut>
ListMultiActorCuts(const MultiActorModel& model, const MultiActor& actor)
{
    auto cuts = Map(CountUp(model.layerFlop.size() + 1),
                    [&](std::size_t y) { return MakeCut(model, actor, y); });
    const std::size_t last = model.layerFlop.size();
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
    // From y = K down, FLOP never decrease. So a cut is useful if it saves more than every cut
    // before it that takes no more bytes.
    std::vector<MultiActorCut> useful;
    std::vector<const MultiActorCut*> best; // Pareto front, ascending in bytes and savings
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

} // namespace ns3::edgepipe
