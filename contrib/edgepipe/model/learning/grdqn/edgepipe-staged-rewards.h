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

/** The constants of equations 2 to 8 of DGPAS; see the attributes of GrdqnPlanner. */
struct StagedConstants
{
    double kappa;            //!< of eq. 2
    double varsigma;         //!< of eq. 3
    double cutReward;        //!< r_c of eq. 2
    double cutPenalty;       //!< r'_c of eq. 2
    double continueReward;   //!< r_f of eq. 3
    double continuePenalty;  //!< r'_f of eq. 3
    double balanceThreshold; //!< T_balance of eq. 5
    double fitThreshold;     //!< up to which eq. 8 counts a requirement as met
    double fitReward;        //!< v of eq. 8
    double delayWeight;      //!< alpha of eq. 8
    double loadWeight;       //!< beta of eq. 8
};

/**
 * The rewards of SDQN and GRDQN (DGPAS, equations 2 to 5 and 8).
 *
 * Unlike in the paper, C is the cost of a split, not the stage's internal communication. W is
 * seconds per micro-batch on the fastest device, F a device's speed relative to that one
 * (PipelineScales), C the transfer seconds of a cut's tensors. All units are relative, so one set
 * of constants serves fast and slow models: kappa, varsigma and fitThreshold to the time of a
 * micro-batch if all devices work in proportion to their speed, delays and loads of eq. 8 to the
 * slowest device's time for the whole model, and stage times in the variance of eq. 4 to their
 * mean.
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
     * @return W_s / F_p, which eq. 2 compares with kappa, in the unit of kappa
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
    double m_leastSpeed;                  //!< lower limit of GetStageSpeed
};

/**
 * Chooses kappa and varsigma, inputs of algorithm 1 of DGPAS, for a problem, and sets them in the
 * rewards.
 *
 * Every pair of a grid is tried in a rehearsal of algorithm 1 with a table in place of SDQN: for
 * every state, shared by layers with equal ones, it tracks the mean reward of either action. The
 * discount plays no part, since the next state does not depend on the action. A pair is judged by
 * the first quartile of the iteration times of the later greedy walks: a single fast plan may be
 * luck, but a frequent one will be found again. Ties are broken by the mean of the walks, then in
 * favour of the middle pair in grid order.
 *
 * @param walk over the layers
 * @param rewards rewards of the problem; the thresholds are set
 * @param seesStage whether the state has the stage's length too, so that no table is needed
 * @param given kappa and varsigma; a positive value is kept, 0 is to be chosen
 * @param judge returns the iteration seconds of a division; called once for each
 * @param random source of exploration
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
