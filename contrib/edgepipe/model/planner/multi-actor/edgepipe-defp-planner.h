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
 * DEFP, the distributed algorithm of the paper that MultiActorProblem names: the actors join the
 * game of DefpGame one after the other.
 *
 * Where actors join and leave, one game goes on; any other plan is a game of its own.
 * What it has beyond algorithm 1 DefpAsPrintedPlanner lacks. ReplayPairs is for games that
 * go on (MakeGame); a plan is made without.
 */
class DefpPlanner : public Named<DefpPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::DefpPlanner"; //!< name of its TypeId
    static constexpr const char* NAME = "defp";                       //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    /** @return how games of this planner are played */
    virtual DefpRules GetRules() const;

    /**
     * @param problem whose model and budgets the game has; its actors do not matter
     * @return a game without players, by this planner's rules
     * @throws InputError when the model or the budgets are malformed
     */
    DefpGame MakeGame(const MultiActorProblem& problem) const;

    MultiActorPlan PlanJoin(const MultiActorProblem& problem) override;
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
     * The game that goes on changes.
     *
     * @param change what happens to it
     * @return the players' cuts after it
     */
    template <typename Change>
    MultiActorPlan GoOn(Change change);

    double m_margin;         //!< see ChooseDefpPair
    uint32_t m_reruns;       //!< see DefpRules
    uint32_t m_replayPairs;  //!< see DefpRules
    uint32_t m_settlePasses; //!< meetings of all with all after the last one joined, at most
    uint64_t m_messages{0};  //!< of the last plan
    std::vector<MultiActorRound> m_rounds; //!< of the last plan
    std::unique_ptr<DefpGame> m_game;      //!< that goes on, null before anybody has joined
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEFP_PLANNER_H */
