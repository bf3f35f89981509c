/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_REHEARSAL_H
#define EDGEPIPE_CUT_REHEARSAL_H

#include "edgepipe-staged-rewards.h"

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <utility>

namespace ns3
{
namespace edgepipe
{

/**
 * Chooses kappa and varsigma, which are inputs of algorithm 1 of DGPAS, for a problem, and sets
 * them in the rewards.
 *
 * Every pair of a grid is tried by a rehearsal of algorithm 1 in which a table stands for SDQN: an
 * entry per state, so that layers whose states are equal share one, that follows the mean reward of
 * either action. The discount plays no part, as the next state does not depend on the action. What
 * counts is the plan that a quarter of the later walks without chance are at least as fast as: once
 * is luck, but what is often come by will be found again. The best pair is chosen, of equals by
 * that and by the walks' mean the middle one in the order of the grid.
 *
 * @param walk over the layers
 * @param rewards of the problem, whose thresholds are chosen
 * @param seesStage whether the state tells the stage's length too, so that no table is needed
 * @param given kappa and varsigma; a positive one is the only one to try, and where both are
 *        nothing is tried
 * @param judge says what plan a division leads to, seconds of an iteration; asked once about each
 * @param random where exploration comes from
 * @return kappa and varsigma
 */
std::pair<double, double> ChooseThresholds(
    const StagedWalk& walk,
    StagedRewards& rewards,
    bool seesStage,
    std::pair<double, double> given,
    const std::function<double(const PipelineDivision&)>& judge,
    const Ptr<UniformRandomVariable>& random);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CUT_REHEARSAL_H */
