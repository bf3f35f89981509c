/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-decider.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// How much longer layers take on a device that cannot be used.
constexpr double UNUSABLE = 1e6;

/**
 * @param seconds of the layers
 * @param factor by which they take longer
 * @return seconds they take then
 */
std::vector<double>
Scale(std::vector<double> seconds, double factor)
{
    for (double& each : seconds)
    {
        each *= factor;
    }
    return seconds;
}

/**
 * @param plan a plan
 * @param layers how many there are
 * @return the device of each
 */
std::vector<std::size_t>
FindDevices(const PipelinePlan& plan, std::size_t layers)
{
    std::vector<std::size_t> devices(layers, 0);
    for (const auto& stage : plan.stages)
    {
        std::fill(devices.begin() + stage.firstLayer,
                  devices.begin() + stage.lastLayer + 1,
                  stage.device);
    }
    return devices;
}

} // namespace

PipelineProblem
ChangeProblem(const PipelineProblem& base, const PipelineState& state)
{
    PipelineProblem problem = base;
    problem.bandwidthBitsPerSecond = state.bandwidthBitsPerSecond;
    for (std::size_t i = 0; i < problem.devices.size(); ++i)
    {
        PipelineDevice& device = problem.devices[i];
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
        problem.costs[device.type] = {Scale(idle.forwardSeconds, factor),
                                      Scale(idle.backwardSeconds, factor)};
    }
    return problem;
}

std::vector<LayerMove>
FindMoves(const PipelineProblem& problem, const PipelinePlan& before, const PipelinePlan& after)
{
    const auto from = FindDevices(before, problem.layers.size());
    const auto to = FindDevices(after, problem.layers.size());
    std::vector<LayerMove> moves;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        if (from[i] != to[i] && problem.layers[i].parameterBytes > 0)
        {
            moves.push_back({i, from[i], to[i], problem.layers[i].parameterBytes});
        }
    }
    return moves;
}

double
PredictMoveSeconds(const std::vector<LayerMove>& moves,
                   double bandwidthBitsPerSecond,
                   bool sharesMedium)
{
    uint64_t total = 0;
    std::map<std::size_t, uint64_t> sent;
    std::map<std::size_t, uint64_t> received;
    uint64_t most = 0;
    for (const auto& move : moves)
    {
        total += move.bytes;
        sent[move.from] += move.bytes;
        received[move.to] += move.bytes;
        most = std::max({most, sent[move.from], received[move.to]});
    }
    return 8.0 * (sharesMedium ? total : most) / bandwidthBitsPerSecond;
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
    decision.moveSeconds =
        PredictMoveSeconds(decision.moves, state.bandwidthBitsPerSecond, terms.sharesMedium);
    decision.isWorthIt = (decision.oldSeconds - decision.newSeconds) * terms.horizonIterations >
                         decision.moveSeconds + decision.chargedSeconds;
    return decision;
}

} // namespace edgepipe
} // namespace ns3
