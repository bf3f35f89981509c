/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-decider.h"

#include "ns3/edgepipe-ranges.h"

#include <cstdio>

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
        LayerSeconds& scaled = problem.costs[device.type];
        scaled = {scale(idle.forwardSeconds), scale(idle.backwardSeconds)};
        scaled.parts = Map(idle.parts, [&](const PartCost& part) -> PartCost {
            return {part.samples, scale(part.forwardSeconds), scale(part.backwardSeconds)};
        });
    }
    return problem;
}

namespace
{

/**
 * @param problem the problem
 * @param stage a stage
 * @return bytes of weights that it holds, by the layer that owns them
 */
std::map<std::size_t, uint64_t>
FindWeights(const PipelineProblem& problem, const PipelineStage& stage)
{
    std::map<std::size_t, uint64_t> weights;
    for (std::size_t layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
    {
        weights[layer] = problem.layers[layer].parameterBytes;
        for (const TiedWeights& tied : problem.layers[layer].tied)
        {
            weights[tied.layer] = std::max(weights[tied.layer], tied.bytes);
        }
    }
    return weights;
}

} // namespace

std::vector<LayerMove>
FindMoves(const PipelineProblem& problem, const PipelinePlan& before, const PipelinePlan& after)
{
    std::vector<const PipelineStage*> holder(problem.layers.size());
    std::map<std::size_t, std::map<std::size_t, uint64_t>> held; // weights by device
    for (const PipelineStage& stage : before.stages)
    {
        std::fill(holder.begin() + stage.firstLayer, holder.begin() + stage.lastLayer + 1, &stage);
        for (const StageReplica& replica : stage.GetReplicas(1))
        {
            held[replica.device] = FindWeights(problem, stage);
        }
    }
    std::vector<LayerMove> moves;
    for (const PipelineStage& stage : after.stages)
    {
        for (const auto& [layer, bytes] : FindWeights(problem, stage))
        {
            const auto holders = holder[layer]->GetReplicas(1);
            std::size_t sent = 0; // the devices that hold a layer send it in turn
            for (const auto& [device, samples] : stage.GetReplicas(1))
            {
                const uint64_t own = held[device][layer]; // a part of them where they are tied
                if (own < bytes)
                {
                    moves.push_back(
                        {layer, holders[sent++ % holders.size()].device, device, bytes - own});
                }
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
