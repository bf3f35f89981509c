/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-bubble-index.h"

#include <cmath>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param cost of layers
 * @param first layer
 * @param last layer, inclusive
 * @return seconds for a micro-batch
 */
StagePass
Sum(const LayerSeconds& cost, std::size_t first, std::size_t last)
{
    const auto sum = [first, last](const std::vector<double>& seconds) {
        return std::accumulate(seconds.begin() + first, seconds.begin() + last + 1, 0.0);
    };
    return {sum(cost.forwardSeconds), sum(cost.backwardSeconds)};
}

} // namespace

std::vector<StagePass>
GetStagePasses(const PipelineProblem& problem, const PipelinePlan& plan)
{
    std::vector<StagePass> passes;
    for (const PipelineStage& stage : plan.stages)
    {
        passes.push_back(Sum(problem.costs.at(problem.devices[stage.device].type),
                             stage.firstLayer,
                             stage.lastLayer));
    }
    return passes;
}

double
GetHeterogeneity(const PipelineProblem& problem, const PipelinePlan& plan)
{
    std::vector<double> speeds;
    for (const PipelineStage& stage : plan.stages)
    {
        const StagePass all =
            Sum(problem.costs.at(problem.devices[stage.device].type), 0, problem.layers.size() - 1);
        speeds.push_back(1 / (all.forwardSeconds + all.backwardSeconds));
    }
    const double mean = std::accumulate(speeds.begin(), speeds.end(), 0.0) / speeds.size();
    double squares = 0;
    for (const double speed : speeds)
    {
        squares += (speed / mean - 1) * (speed / mean - 1);
    }
    return std::sqrt(squares / speeds.size());
}

double
GetBubbleArea(double bubbleSeconds, const std::vector<StagePass>& passes, double lambda)
{
    double area = bubbleSeconds;
    for (std::size_t r = 1; r <= passes.size(); ++r)
    {
        const auto& [forward, backward] = passes[r - 1];
        const double delay = lambda > 0 ? -std::expm1(-lambda * forward) / lambda : forward;
        area += (passes.size() - r) * (delay + std::log1p(backward));
    }
    return area;
}

double
GetBubbleIndex(const PipelineProblem& problem,
               const PipelinePlan& plan,
               double bubbleRate,
               double seconds,
               std::optional<double> lambda)
{
    const double stageSeconds = plan.stages.size() * seconds;
    return stageSeconds > 0 ? GetBubbleArea(bubbleRate * stageSeconds,
                                            GetStagePasses(problem, plan),
                                            lambda ? *lambda : GetHeterogeneity(problem, plan)) /
                                  stageSeconds
                            : 0;
}

std::optional<double>
GetTheta(const AssistanceCounts& assistance, double bubbleSeconds)
{
    return assistance.grants > 0 && bubbleSeconds > 0
               ? std::make_optional(1 -
                                    assistance.imbalanceSeconds / assistance.grants / bubbleSeconds)
               : std::nullopt;
}

std::optional<double>
GetTheoremBubbleSeconds(const AssistanceCounts& assistance, double bubbleSeconds)
{
    if (!(bubbleSeconds > 0))
    {
        return std::nullopt;
    }
    const double logShares = assistance.grants > 0 ? assistance.logImbalance -
                                                         assistance.grants * std::log(bubbleSeconds)
                                                   : 0;
    return bubbleSeconds * std::exp(logShares);
}

} // namespace edgepipe
} // namespace ns3
