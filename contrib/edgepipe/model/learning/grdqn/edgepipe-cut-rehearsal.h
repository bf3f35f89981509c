/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_REHEARSAL_H
#define EDGEPIPE_CUT_REHEARSAL_H

#include "ns3/edgepipe-cut-walk.h"
#include "ns3/edgepipe-staged-rewards.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Chooses kappa and varsigma, which are inputs of algorithm 1 of DGPAS, for a problem.
 *
 * Every pair of a grid is tried by a rehearsal of algorithm 1 in which a table stands for SDQN: an
 * entry per state, so that layers whose states are equal share one, that follows the mean reward of
 * either action. The discount plays no part, as the next state does not depend on the action. What
 * counts is the plan that a quarter of the later walks without chance are at least as fast as: once
 * is luck, but what is often come by will be found again. The best pair is chosen, of equals by
 * that and by the walks' mean the middle one in the order of the grid.
 */
class CutRehearsal
{
  public:
    /** Says what plan a division leads to, seconds of an iteration. */
    using Judge = std::function<double(const PipelineDivision&)>;

    /**
     * @param walk over the layers; must outlive this object
     * @param rewards of the problem, whose thresholds are chosen; must outlive this object
     * @param seesStage whether the state tells the stage's length too, so that no table is needed
     */
    CutRehearsal(const CutWalk& walk, StagedRewards& rewards, bool seesStage);

    /**
     * Sets the thresholds of the rewards.
     *
     * @param kappa the only one to try; 0: a grid of them
     * @param varsigma likewise; where both are given nothing is tried
     * @param judge says how good a division is; asked once about each
     * @param random where exploration comes from
     * @return kappa and varsigma
     */
    std::pair<double, double> Choose(double kappa,
                                     double varsigma,
                                     const Judge& judge,
                                     const Ptr<UniformRandomVariable>& random);

  private:
    /**
     * @param random where exploration comes from
     * @return divisions that the later walks without chance came to
     */
    std::vector<PipelineDivision> Rehearse(const Ptr<UniformRandomVariable>& random) const;

    const CutWalk& m_walk;                   //!< over the layers
    StagedRewards& m_rewards;                //!< of the problem
    bool m_seesStage;                        //!< whether the state tells the stage's length
    std::vector<std::size_t> m_stateOfLayer; //!< index in the table
    std::size_t m_states;                    //!< entries of the table
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CUT_REHEARSAL_H */
