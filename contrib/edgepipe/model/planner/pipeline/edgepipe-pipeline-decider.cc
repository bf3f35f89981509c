/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-decider.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace ns3::edgepipe
{

namespace
{

/// Slowdown of layers on an unusable device.
constexpr double UNUSABLE = 1e6;

} // namespace

PipelineProblem
ChangeProblem(const PipelineProblem& base, const PipelineState& state)
{
    PipelineProblem problem = base;
    problem.bandwidthBitsPerSecond = state.bandwidthBitsPerSecond;
    for (std::size_t i = 0; i < problem.devices.size(); ++i)
    {
        PipelineDevice& device = problem.devices[i];
        if (!state.uplinks.empty())
        {
            device.uplinkBitsPerSecond = state.uplinks[i];
            device.downlinkBitsPerSecond = state.downlinks[i];
        }
        char share[16];
        std::snprintf(share, sizeof(share), "%.2g", state.shares[i]);
        const double rounded = std::strtod(share, nullptr);
        if (rounded >= 1)
        {
            continue;
        }
        const LayerSeconds& idle = base.costs.at(device.type);
        const double factor = rounded > 0 ? 1 / rounded : UNUSABLE;
        device.memoryBytes = rounded > 0 ? device.memoryBytes : 0;
        device.type += std::string(", share ") + share;
        const auto scale = [factor](std::vector<double> seconds) {
            for (double& each : seconds)
            {
                each *= factor;
            }
            return seconds;
        };
        problem.costs[device.type] = {scale(idle.forwardSeconds), scale(idle.backwardSeconds)};
    }
    return problem;
}

std::vector<LayerMove>
FindMoves(const PipelineProblem& problem, const PipelinePlan& before, const PipelinePlan& after)
{
    std::vector<std::size_t> from(problem.layers.size(), 0);
    for (const auto& [device, first, last] : before.stages)
    {
        std::fill(from.begin() + first, from.begin() + last + 1, device);
    }
    std::vector<LayerMove> moves;
    for (const auto& [device, first, last] : after.stages)
    {
        for (std::size_t layer = first; layer <= last; ++layer)
        {
            const uint64_t bytes = problem.layers[layer].parameterBytes;
            if (from[layer] != device && bytes > 0)
            {
                moves.push_back({layer, from[layer], device, bytes});
            }
        }
    }
    return moves;
}

double
PredictMoveSeconds(const PipelineCostModel& costs,
                   const std::vector<LayerMove>& moves,
                   bool sharesMedium)
{
    std::map<double, uint64_t> atRate;
    std::map<std::size_t, uint64_t> sent;
    std::map<std::size_t, uint64_t> received;
    double delay = 0;
    for (const auto& move : moves)
    {
        delay = std::max(delay, costs.GetDelaySeconds(move.from, move.to));
        atRate[costs.GetBitsPerSecond(move.from, move.to)] += move.bytes;
        sent[move.from] += move.bytes;
        received[move.to] += move.bytes;
    }
    double seconds = 0;
    if (sharesMedium)
    {
        for (const auto& [rate, bytes] : atRate)
        {
            seconds += 8.0 * bytes / rate;
        }
        return seconds + delay;
    }
    for (const auto& [device, bytes] : sent)
    {
        seconds = std::max(seconds, 8.0 * bytes / costs.GetUplink(device));
    }
    for (const auto& [device, bytes] : received)
    {
        seconds = std::max(seconds, 8.0 * bytes / costs.GetDownlink(device));
    }
    return seconds + delay;
}

PipelineDecision
DecidePipeline(const PipelineProblem& base,
               const PipelineState& state,
               const PipelinePlan& current,
               PipelinePlanner& planner,
               const ReplanTerms& terms)
{
    const PipelineProblem problem = ChangeProblem(base, state);
    const PipelineCostModel costs(problem);
    PipelineDecision decision;
    decision.oldSeconds = costs.IterationSeconds(current);
    decision.plan = current;
    decision.newSeconds = decision.oldSeconds;
    planner.SetState({{state.seconds, current, state.devices}});
    try
    {
        decision.plan = planner.Plan(problem);
        decision.newSeconds = costs.IterationSeconds(decision.plan);
    }
    catch (const InputError& error)
    {
        decision.problemWithPlan = error.what();
    }
    decision.chargedSeconds =
        terms.chargedSeconds + terms.chargedScale * planner.GetDecisionSeconds();
    decision.moves = FindMoves(problem, current, decision.plan);
    for (const auto& move : decision.moves)
    {
        decision.moveBytes += move.bytes;
    }
    decision.moveSeconds = PredictMoveSeconds(costs, decision.moves, terms.sharesMedium);
    decision.isWorthIt = (decision.oldSeconds - decision.newSeconds) * terms.horizonIterations >
                         decision.moveSeconds + decision.chargedSeconds;
    return decision;
}

} // namespace ns3::edgepipe
