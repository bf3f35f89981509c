/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_COST_H
#define EDGEPIPE_MULTI_ACTOR_COST_H

#include "edgepipe-multi-actor-cut.h"
#include "edgepipe-multi-actor-problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::edgepipe
{

/** Value of a plan, by the three indicators of the paper's section 5.2.3, and its resource use. */
struct MultiActorCost
{
    double totalReductionSeconds{0}; //!< sum of u_i against all actors running all layers
    double cutVariance{0};           //!< variance of the cuts over the actors, layers^2
    double reductionVariance{0};     //!< variance of the reductions over the actors, s^2
    uint64_t computeUsedFlop{0};     //!< of R_c, FLOP
    double bandwidthUsedBytes{0};    //!< of R_b, bytes: delta times the bytes of tensors
    bool isWithinBudgets{true};      //!< whether both budgets are kept
};

/**
 * @param problem a valid problem
 * @param plan a plan
 * @return its value and resource use
 * @throws InputError when the plan lacks a valid cut for an actor
 */
MultiActorCost EvaluateMultiActor(const MultiActorProblem& problem, const MultiActorPlan& plan);

/**
 * @param model a valid model
 * @return what an actor takes of the budgets, by cut
 */
std::vector<MultiActorLimits> ListMultiActorUses(const MultiActorModel& model);

/**
 * @param problem a valid problem
 * @param plan who cuts where
 * @return whether both budgets are kept
 * @throws InputError as EvaluateMultiActor
 */
bool IsWithinMultiActorBudgets(const MultiActorProblem& problem, const MultiActorPlan& plan);

/** Evaluates successive plans; repeats only the work that a change makes necessary. */
class MultiActorEvaluation
{
  public:
    /** @param actor whose figures have changed since the last plan */
    void Forget(std::size_t actor)
    {
        m_cuts.at(actor).cut = UNKNOWN;
    }

    /** @param actor that was in the last plan and has left */
    void Remove(std::size_t actor)
    {
        m_cuts.erase(m_cuts.begin() + actor);
        m_sums.resize(std::min(m_sums.size(), actor));
    }

    /**
     * @param problem a valid problem
     * @param plan who cuts where
     * @return as EvaluateMultiActor
     * @throws InputError as EvaluateMultiActor
     */
    MultiActorCost Evaluate(const MultiActorProblem& problem, const MultiActorPlan& plan);

  private:
    /// A cut to be found anew.
    static constexpr auto UNKNOWN = std::numeric_limits<std::size_t>::max();

    /** Sums over the first actors. */
    struct Sums
    {
        double reductionSeconds{0}; //!< total
        MultiActorLimits used{};    //!< of the budgets
        double cutMean{0};          //!< mean cut
        double cutSquares{0};       //!< sum of squared deviations from it
        double reductionMean{0};    //!< mean reduction, s
        double reductionSquares{0}; //!< sum of squared deviations from it
    };

    std::vector<MultiActorCut> m_cuts; //!< of the last plan, by actor
    std::vector<Sums> m_sums;          //!< over its first, its first two, ... actors
};

/** How far a plan is from one that no pair of actors would change. */
struct MultiActorRest
{
    uint64_t pairs{0};            //!< pairs of actors
    uint64_t pairsThatGain{0};    //!< pairs that gain by sharing what they hold and what is free
    double largestGainSeconds{0}; //!< largest gain of a pair
};

/**
 * Lets every pair of actors choose anew, starting from the plan (ChooseDefpPair, no margin).
 *
 * @param problem a valid problem
 * @param plan a plan that keeps the budgets
 * @return how far it is from rest; takes time quadratic in the actors
 * @throws InputError as EvaluateMultiActor, and when the plan breaks a budget
 */
MultiActorRest MeasureMultiActorRest(const MultiActorProblem& problem, const MultiActorPlan& plan);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_COST_H */
