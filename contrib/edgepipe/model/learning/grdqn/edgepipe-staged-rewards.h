/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGED_REWARDS_H
#define EDGEPIPE_STAGED_REWARDS_H

#include "ns3/edgepipe-staged-walk.h"

namespace ns3
{
namespace edgepipe
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
    bool countsSeconds;      //!< whether thresholds and delays are in seconds, and every F_p the
                             //!< slowest device's
};

/**
 * The rewards by which SDQN and GRDQN learn (DGPAS, equations 2 to 5 and 8).
 *
 * W is seconds per micro-batch on the fastest device, F a device's speed relative to that one
 * (PipelineScales), C the seconds that the tensors of a cut take. Kappa, varsigma and fitThreshold
 * count in shares of the time a micro-batch takes if all devices work in proportion to their speed,
 * delays and loads of eq. 8 in times the slowest device takes for the whole model, and the variance
 * of eq. 4 is of stage times over their mean: so one set of constants serves fast and slow models.
 * With countsSeconds all of these are in seconds, the variance in their squares, as in the authors'
 * scripts.
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

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_STAGED_REWARDS_H */
