/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEFP_PLANNER_H
#define EDGEPIPE_DEFP_PLANNER_H

#include "edgepipe-defp-game.h"
#include "edgepipe-multi-actor-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * DEFP, the distributed algorithm of the paper that MultiActorProblem names: the actors join the
 * game of DefpGame one after the other.
 *
 * With FairnessMargin and Reruns at 0 it is algorithm 1 as printed. ReplayPairs is for games that
 * go on (MakeGame); a plan is made without.
 */
class DefpPlanner : public MultiActorPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

    /** @return how games of this planner are played */
    DefpRules GetRules() const;

    /**
     * @param problem whose model and budgets the game has; its actors do not matter
     * @return a game without players, by this planner's rules
     * @throws InputError when the model or the budgets are malformed
     */
    DefpGame MakeGame(const MultiActorProblem& problem) const;

    uint64_t GetMessages() const override;

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override;

    double m_margin;         //!< see ChooseDefpPair
    uint32_t m_reruns;       //!< see DefpRules
    uint32_t m_replayPairs;  //!< see DefpRules
    uint32_t m_settlePasses; //!< meetings of all with all after the last one joined, at most
    uint64_t m_messages{0};  //!< of the last plan
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DEFP_PLANNER_H */
