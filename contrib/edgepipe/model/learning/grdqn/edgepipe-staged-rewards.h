/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGED_REWARDS_H
#define EDGEPIPE_STAGED_REWARDS_H

#include "ns3/edgepipe-staged-walk.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <utility>

namespace ns3::edgepipe
{

/** The constants of equations 2 to 8 of DGPAS; GrdqnPlanner's attributes say what each means. */
struct StagedConstants
{
    double kappa;            //!< of eq. 2
    double varsigma;         //!< of eq. 3
    double cutReward;        //!< r_c of eq. 2
    double cutPenalty;       //!< r'_c of eq. 2
    double continueReward;   //!< r_f of eq. 3
    double continuePenalty;  //!< r'_f of eq. 3
    double balanceThreshold; //!< T_balance of eq. 5
    double fitThreshold;     //!< below which eq. 8 takes a requirement to be met
    double fitReward;        //!< v of eq. 8
    double delayWeight;      //!< alpha of eq. 8
    double loadWeight;       //!< beta of eq. 8
};

/**
 * The rewards by which SDQN and GRDQN learn (DGPAS, equations 2 to 5 and 8).
 *
 * Unlike in the paper, C is not the stage's internal communication: it is what a split would cost.
 * W is seconds per micro-batch on the fastest device, F a device's speed relative to that one
 * (PipelineScales), C the seconds that the tensors of a cut take. Kappa, varsigma and fitThreshold
 * count in shares of the time a micro-batch takes if all devices work in proportion to their speed,
 * delays and loads of eq. 8 in times the slowest device takes for the whole model, and the variance
 * of eq. 4 is of stage times over their mean: so one set of constants serves fast and slow models.
 */
class StagedRewards
{
  public:
    /**
     * @param costModel the cost model of a valid problem; must outlive this object
     * @param constants of the equations
     */
    StagedRewards(const PipelineCostModel& costModel, const StagedConstants& constants);

    /**
     * @param kappa of eq. 2
     * @param varsigma of eq. 3
     */
    void SetThresholds(double kappa, double varsigma);

    /**
     * @param state of a walk over the layers
     * @return W_s over F_p, what eq. 2 compares with kappa, in the unit of kappa
     */
    double GetStageLength(const CutState& state) const;

    /**
     * @param state of a walk over the layers
     * @param isSplit whether the stage ends there
     * @return eq. 2 or eq. 3
     */
    double RewardCut(const CutState& state, bool isSplit) const;

    /**
     * @param division the stages
     * @return eq. 5
     */
    double RewardDivision(const PipelineDivision& division) const;

    /**
     * @param plan stages placed so far, the newest last
     * @return eq. 8
     */
    double RewardPlacing(const PipelinePlan& plan) const;

  private:
    /**
     * @param stage index of a stage
     * @return F_p of eq. 2 and 4
     */
    double GetStageSpeed(std::size_t stage) const;

    const PipelineCostModel& m_costModel; //!< the cost model
    StagedConstants m_constants;          //!< of the equations
    PipelineScales m_scales;              //!< of the problem
    double m_share;                       //!< unit of the thresholds, seconds
    double m_whole;                       //!< unit of the delays, seconds
    double m_leastSpeed;                  //!< that GetStageSpeed takes a device to have
};

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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STAGED_REWARDS_H */
