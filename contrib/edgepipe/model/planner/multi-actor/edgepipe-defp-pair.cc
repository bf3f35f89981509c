/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-defp-pair.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/// Relative difference that may be due to rounding.
constexpr double ROUNDING = 1e-12;

/** @return how many layers lie between two cuts */
std::size_t
GetDistance(const MultiActorCut& a, const MultiActorCut& b)
{
    return std::max(a.cut, b.cut) - std::min(a.cut, b.cut);
}

/**
 * Visits pairs of cuts that fit.
 *
 * @param first cuts of the first player, largest saving first
 * @param second cuts of the second player, in the same order
 * @param both what the two may take together
 * @param floor seconds that a pair must save to be visited; may rise during the visits
 * @param visit called with both indices and the seconds they save
 */
template <typename Visit>
void
ForEachPair(const std::vector<MultiActorCut>& first,
            const std::vector<MultiActorCut>& second,
            const MultiActorLimits& both,
            const double& floor,
            Visit visit)
{
    for (std::size_t j = 0; j < second.size(); ++j)
    {
        const MultiActorCut& mine = second[j];
        if (first.front().reductionSeconds + mine.reductionSeconds < floor)
        {
            return;
        }
        if (mine.flop > both.flop || mine.bytes > both.bytes)
        {
            continue;
        }
        const MultiActorLimits left{both.flop - mine.flop, both.bytes - mine.bytes};
        for (std::size_t i = 0; i < first.size(); ++i)
        {
            const double seconds = first[i].reductionSeconds + mine.reductionSeconds;
            if (seconds < floor)
            {
                break;
            }
            if (first[i].flop <= left.flop && first[i].bytes <= left.bytes)
            {
                visit(i, j, seconds);
            }
        }
    }
}

} // namespace

DefpPair
ChooseDefpPair(const DefpPlayer& first,
               const DefpPlayer& second,
               const MultiActorLimits& free,
               double margin)
{
    const MultiActorCut& a = first.Get();
    const MultiActorCut& b = second.Get();
    const MultiActorLimits both{free.flop + a.flop + b.flop, free.bytes + a.bytes + b.bytes};
    const double before = a.reductionSeconds + b.reductionSeconds;
    DefpPair best{first.chosen, second.chosen, 0};
    double most = before;
    double floor = before * (1 + ROUNDING);
    ForEachPair(first.cuts,
                second.cuts,
                both,
                floor,
                [&](std::size_t i, std::size_t j, double seconds) {
                    if (seconds > most)
                    {
                        best = {i, j, seconds - before};
                        most = seconds;
                        floor = seconds;
                    }
                });
    if (most == before || margin == 0)
    {
        return best;
    }

    const double enough = std::max(before * (1 + ROUNDING), most * (1 - margin));
    std::size_t closest = GetDistance(first.cuts[best.first], second.cuts[best.second]);
    if (before >= most * (1 - margin) && GetDistance(a, b) < closest)
    {
        best = {first.chosen, second.chosen, 0};
        closest = GetDistance(a, b);
    }
    ForEachPair(first.cuts,
                second.cuts,
                both,
                enough,
                [&](std::size_t i, std::size_t j, double seconds) {
                    const std::size_t distance = GetDistance(first.cuts[i], second.cuts[j]);
                    const double gain = seconds - before;
                    if (distance < closest || (distance == closest && gain > best.gainSeconds))
                    {
                        best = {i, j, gain};
                        closest = distance;
                    }
                });
    return best;
}

} // namespace ns3::edgepipe
