/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEFP_PLANNER_H
#define EDGEPIPE_DEFP_PLANNER_H

#include "edgepipe-defp-game.h"
#include "edgepipe-multi-actor-planner.h"

#include <memory>

namespace ns3::edgepipe
{

/**
 * DEFP, the distributed algorithm of the paper cited at MultiActorProblem: actors join a DefpGame
 * one after the other.
 *
 * PlanJoin, PlanLeave and PlanChange continue one game; Plan plays a new one. DefpAsPrintedPlanner
 * lacks the extensions to algorithm 1. ReplayPairs affects continued games (MakeGame) only.
 */
class DefpPlanner : public Named<DefpPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::DefpPlanner"; //!< name of its TypeId
    static constexpr const char* NAME = "defp";                       //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    /** @return rules of this planner's games */
    virtual DefpRules GetRules() const;

    /**
     * @param problem gives the model and budgets; its actors are ignored
     * @return a game without players, with this planner's rules
     * @throws InputError when the model or the budgets are malformed
     */
    DefpGame MakeGame(const MultiActorProblem& problem) const;

    MultiActorPlan PlanJoin(const MultiActorProblem& problem, std::size_t newcomers) override;
    MultiActorPlan PlanLeave(const MultiActorProblem& problem, std::size_t index) override;
    MultiActorPlan PlanChange(const MultiActorProblem& problem,
                              const std::vector<std::size_t>& changed) override;

    uint64_t GetMessages() const override
    {
        return m_messages;
    }

    std::vector<MultiActorRound> GetRounds() const override
    {
        return m_rounds;
    }

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override;

    /**
     * Changes the continued game.
     *
     * @param change makes the change
     * @return the players' cuts after it
     */
    template <typename Change>
    MultiActorPlan GoOn(Change change);

    double m_margin;                       //!< see ChooseDefpPair
    uint32_t m_reruns;                     //!< see DefpRules
    uint32_t m_replayPairs;                //!< see DefpRules
    uint32_t m_settlePasses;               //!< most passes of DefpGame::Settle after all joined
    uint64_t m_messages{0};                //!< of the last plan
    std::vector<MultiActorRound> m_rounds; //!< of the last plan
    std::unique_ptr<DefpGame> m_game;      //!< continued game, null before the first join
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEFP_PLANNER_H */
