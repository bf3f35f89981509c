/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-cost.h"

#include "edgepipe-defp-pair.h"
#include "edgepipe-multi-actor-cut.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>

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

/** Running mean and variance of numbers. */
class Spread
{
  public:
    /** @param value the next number */
    void Add(double value)
    {
        ++m_count;
        const double before = value - m_mean;
        m_mean += before / m_count;
        m_squares += before * (value - m_mean);
    }

    /** @return the variance of all numbers so far */
    double GetVariance() const
    {
        return m_count > 0 ? m_squares / m_count : 0;
    }

  private:
    double m_count{0};   //!< of numbers
    double m_mean{0};    //!< of the numbers
    double m_squares{0}; //!< sum of squared deviations from it
};

} // namespace

MultiActorCost
EvaluateMultiActor(const MultiActorProblem& problem, const MultiActorPlan& plan)
{
    CheckCuts(problem, plan);
    MultiActorCost cost;
    Spread cuts;
    Spread reductions;
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < plan.cuts.size(); ++i)
    {
        const MultiActorCut cut = GetMultiActorCut(problem.model, problem.actors[i], plan.cuts[i]);
        cost.totalReductionSeconds += cut.reductionSeconds;
        cost.computeUsedFlop += cut.flop;
        bytes += cut.bytes;
        cuts.Add(static_cast<double>(cut.cut));
        reductions.Add(cut.reductionSeconds);
    }
    cost.cutVariance = cuts.GetVariance();
    cost.reductionVariance = reductions.GetVariance();
    cost.bandwidthUsedBytes = problem.budgets.delta * static_cast<double>(bytes);
    const MultiActorLimits limits = GetMultiActorLimits(problem.budgets);
    cost.isWithinBudgets = cost.computeUsedFlop <= limits.flop && bytes <= limits.bytes;
    return cost;
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
