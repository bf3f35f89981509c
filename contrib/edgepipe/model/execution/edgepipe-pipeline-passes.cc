/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-passes.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>

namespace ns3::edgepipe
{

std::vector<PipelinePass>
OrderPasses(const PipelineSchedule& schedule, uint32_t stages, uint32_t microBatches)
{
    const std::size_t all = std::size_t{2} * stages * microBatches;
    const auto getNumber = [microBatches](std::size_t stage, bool isBackward, uint32_t microBatch) {
        return (2 * stage + isBackward) * microBatches + microBatch;
    };
    const auto steps = Map(CountUp(stages),
                           [&](uint32_t i) { return schedule.GetSteps(i, stages, microBatches); });
    std::vector<bool> isThere(all + 1, false); // by number of an input
    for (uint32_t m = 0; m < microBatches; ++m)
    {
        isThere[getNumber(0, false, m)] = true;
        isThere[getNumber(stages - 1, true, m)] = true;
    }
    std::vector<PipelinePass> passes;
    std::vector<std::size_t> ended(stages, 0);
    for (std::size_t before = all; passes.size() < all;)
    {
        NS_ABORT_MSG_IF(passes.size() == before,
                        "schedule " << schedule.GetName() << ": a stage waits for itself");
        before = passes.size();
        for (std::size_t i = 0; i < stages; ++i)
        {
            for (; ended[i] < steps[i].size(); ++ended[i])
            {
                const auto& [backward, microBatch] = steps[i][ended[i]];
                const std::size_t input = getNumber(i, backward, microBatch);
                if (!isThere[input])
                {
                    break;
                }
                const std::size_t next = backward ? i - 1 : i + 1;
                const std::size_t output =
                    next < stages ? getNumber(next, backward, microBatch) : all;
                passes.push_back({i, backward, input, output});
                isThere[output] = true;
            }
        }
    }
    return passes;
}

uint32_t
FindMostHeld(const std::vector<PipelineStep>& steps)
{
    uint32_t held = 0;
    uint32_t most = 0;
    for (const auto& step : steps)
    {
        held += step.backward ? -1 : 1;
        most = std::max(most, held);
    }
    return most;
}

std::vector<uint32_t>
CountForwards(const std::vector<PipelineStep>& steps)
{
    std::vector<uint32_t> counts(steps.size() / 2);
    uint32_t forwards = 0;
    for (const auto& step : steps)
    {
        ++forwards;
        if (step.backward)
        {
            counts[step.microBatch] = forwards - 1;
            forwards = 0;
        }
    }
    return counts;
}

} // namespace ns3::edgepipe
