/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_COST_H
#define EDGEPIPE_MULTI_ACTOR_COST_H

#include "edgepipe-multi-actor-problem.h"

#include <cstdint>

namespace ns3::edgepipe
{

/** What a plan is worth and takes: the three indicators of the paper's section 5.2.3, and usage. */
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
 * @param plan who cuts where
 * @return what it is worth and takes
 * @throws InputError when the plan does not say where every actor cuts
 */
MultiActorCost EvaluateMultiActor(const MultiActorProblem& problem, const MultiActorPlan& plan);

/** How far a plan is from one that no two actors would change between them. */
struct MultiActorRest
{
    uint64_t pairs{0};            //!< of actors
    uint64_t pairsThatGain{0};    //!< that would save more by sharing what both hold and is free
    double largestGainSeconds{0}; //!< most that one of them would save more
};

/**
 * Lets every two actors choose anew from where the plan has them (ChooseDefpPair, no margin).
 *
 * @param problem a valid problem
 * @param plan a plan that keeps the budgets
 * @return how far it is from rest; takes time quadratic in the actors
 * @throws InputError as EvaluateMultiActor, and when the plan breaks a budget
 */
MultiActorRest MeasureMultiActorRest(const MultiActorProblem& problem, const MultiActorPlan& plan);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_COST_H */
