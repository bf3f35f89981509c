/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-defp-step.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace edgepipe
{

std::vector<DefpStep>
ListDefpStepsBack(const std::vector<const DefpPlayer*>& players,
                  const MultiActorLimits& held,
                  const MultiActorLimits& limits)
{
    const double perFlop = held.flop > limits.flop ? 1.0 / held.flop : 0;
    const double perByte = held.bytes > limits.bytes ? 1.0 / held.bytes : 0;
    std::vector<DefpStep> steps;
    for (std::size_t i = 0; i < players.size(); ++i)
    {
        const DefpPlayer& player = *players[i];
        const MultiActorCut& now = player.Get();
        DefpStep cheapest{i, player.chosen, 0};
        for (std::size_t j = player.chosen + 1; j < player.cuts.size(); ++j)
        {
            const MultiActorCut& then = player.cuts[j];
            if (then.flop > now.flop || then.bytes > now.bytes)
            {
                continue;
            }
            const double freed =
                (now.flop - then.flop) * perFlop + (now.bytes - then.bytes) * perByte;
            const double cost = (now.reductionSeconds - then.reductionSeconds) / freed;
            if (freed > 0 && (cheapest.chosen == player.chosen || cost < cheapest.cost))
            {
                cheapest = {i, j, cost};
            }
        }
        if (cheapest.chosen != player.chosen)
        {
            steps.push_back(cheapest);
        }
    }
    std::sort(steps.begin(), steps.end(), [](const DefpStep& a, const DefpStep& b) {
        return std::tie(a.cost, a.player) < std::tie(b.cost, b.player);
    });
    return steps;
}

} // namespace edgepipe
} // namespace ns3
