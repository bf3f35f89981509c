/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-cost.h"

#include "edgepipe-defp-pair.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param problem a valid problem
 * @param plan a plan
 * @throws InputError when the plan lacks a valid cut for an actor
 */
void
CheckCuts(const MultiActorProblem& problem, const MultiActorPlan& plan)
{
    const std::size_t layers = problem.model.layerFlop.size();
    if (plan.cuts.size() != problem.actors.size())
    {
        throw InputError("the plan cuts for " + std::to_string(plan.cuts.size()) +
                         " actors, expected " + std::to_string(problem.actors.size()));
    }
    for (std::size_t i = 0; i < plan.cuts.size(); ++i)
    {
        if (plan.cuts[i] > layers)
        {
            throw InputError("actor " + QuoteForMessage(problem.actors[i].name) + " cuts after " +
                             std::to_string(plan.cuts[i]) + " layers, expected at most " +
                             std::to_string(layers));
        }
    }
}

} // namespace

MultiActorCost
MultiActorEvaluation::Evaluate(const MultiActorProblem& problem, const MultiActorPlan& plan)
{
    CheckCuts(problem, plan);
    const std::size_t actors = plan.cuts.size();
    m_cuts.resize(actors, {UNKNOWN, 0, 0, 0, 0});
    std::size_t kept = std::min(m_sums.size(), actors);
    for (std::size_t i = 0; i < actors; ++i)
    {
        if (m_cuts[i].cut != plan.cuts[i])
        {
            m_cuts[i] = GetMultiActorCut(problem.model, problem.actors[i], plan.cuts[i]);
            kept = std::min(kept, i);
        }
    }
    m_sums.resize(kept);
    const auto update = [](double& mean, double& squares, double value, double count) {
        const double before = value - mean;
        mean += before / count;
        squares += before * (value - mean);
    };
    Sums sums = m_sums.empty() ? Sums() : m_sums.back();
    for (std::size_t i = kept; i < actors; ++i)
    {
        const MultiActorCut& cut = m_cuts[i];
        sums.reductionSeconds += cut.reductionSeconds;
        sums.used = {sums.used.flop + cut.flop, sums.used.bytes + cut.bytes};
        update(sums.cutMean, sums.cutSquares, cut.cut, i + 1);
        update(sums.reductionMean, sums.reductionSquares, cut.reductionSeconds, i + 1);
        m_sums.push_back(sums);
    }
    const MultiActorLimits limits = GetMultiActorLimits(problem.budgets);
    return {sums.reductionSeconds,
            sums.cutSquares / std::max(actors, std::size_t{1}),
            sums.reductionSquares / std::max(actors, std::size_t{1}),
            sums.used.flop,
            problem.budgets.delta * static_cast<double>(sums.used.bytes),
            sums.used.flop <= limits.flop && sums.used.bytes <= limits.bytes};
}

MultiActorCost
EvaluateMultiActor(const MultiActorProblem& problem, const MultiActorPlan& plan)
{
    return MultiActorEvaluation().Evaluate(problem, plan);
}

std::vector<MultiActorLimits>
ListMultiActorUses(const MultiActorModel& model)
{
    // All layers on the actor take nothing.
    std::vector<MultiActorLimits> uses(model.outputBytes.size());
    for (std::size_t cut = model.layerFlop.size(); cut-- > 0;)
    {
        uses[cut] = {uses[cut + 1].flop + model.layerFlop[cut], model.outputBytes[cut]};
    }
    return uses;
}

bool
IsWithinMultiActorBudgets(const MultiActorProblem& problem, const MultiActorPlan& plan)
{
    CheckCuts(problem, plan);
    const std::vector<MultiActorLimits> uses = ListMultiActorUses(problem.model);
    MultiActorLimits used{};
    for (const std::size_t cut : plan.cuts)
    {
        used = {used.flop + uses[cut].flop, used.bytes + uses[cut].bytes};
    }
    const MultiActorLimits limits = GetMultiActorLimits(problem.budgets);
    return used.flop <= limits.flop && used.bytes <= limits.bytes;
}

MultiActorRest
MeasureMultiActorRest(const MultiActorProblem& problem, const MultiActorPlan& plan)
{
    if (!EvaluateMultiActor(problem, plan).isWithinBudgets)
    {
        throw InputError("the plan takes more than the budgets");
    }
    MultiActorLimits free = GetMultiActorLimits(problem.budgets);
    std::vector<DefpPlayer> players;
    for (std::size_t i = 0; i < plan.cuts.size(); ++i)
    {
        // The plan's cut need not be a useful one.
        DefpPlayer player{ListUsefulMultiActorCuts(problem.model, problem.actors[i]), 0};
        const MultiActorCut now = GetMultiActorCut(problem.model, problem.actors[i], plan.cuts[i]);
        const auto same =
            std::find_if(player.cuts.begin(), player.cuts.end(), [&](const auto& cut) {
                return cut.reductionSeconds <= now.reductionSeconds;
            });
        player.chosen = same - player.cuts.begin();
        if (same == player.cuts.end() || same->cut != now.cut)
        {
            player.cuts.insert(same, now);
        }
        free.flop -= now.flop;
        free.bytes -= now.bytes;
        players.push_back(std::move(player));
    }
    MultiActorRest rest;
    for (std::size_t i = 0; i < players.size(); ++i)
    {
        for (std::size_t j = 0; j < i; ++j)
        {
            const double gain = ChooseDefpPair(players[i], players[j], free, 0).gainSeconds;
            ++rest.pairs;
            rest.pairsThatGain += gain > 0;
            rest.largestGainSeconds = std::max(rest.largestGainSeconds, gain);
        }
    }
    return rest;
}

} // namespace ns3::edgepipe
