/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-defp-game.h"
#include "edgepipe-multi-actor-planner.h"

#include "ns3/edgepipe-attributes.h"

#include <memory>

namespace ns3::edgepipe
{

/**
 * DEFP, the distributed algorithm of the paper cited at MultiActorProblem: actors join a DefpGame
 * one after the other.
 *
 * PlanJoin, PlanLeave and PlanChange continue one game; Plan plays a new one. DefpAsPrintedPlanner
 * lacks the extensions to algorithm 1. ReplayPairs affects continued games only.
 */
class DefpPlanner : public Named<DefpPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "defp"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        const DefpRules usual;
        return Attributes(tid)
            .Add("FairnessMargin",
                 "Share of what two actors can save together that they give up to cut at layers "
                 "closer together.",
                 {&DefpPlanner::m_margin, usual.margin, 0, 0.99})
            .Add("Reruns",
                 "Most actors per change that meet all others again after losing something.",
                 {&DefpPlanner::m_reruns, usual.mostReruns})
            .Add("ReplayPairs",
                 "Approximate number of pairwise meetings that the server replays from the start "
                 "of the game per change; 0: no replay. Affects only games with joins and leaves, "
                 "not single plans.",
                 {&DefpPlanner::m_replayPairs, usual.replayPairs})
            .Add("SettlePasses",
                 "Most passes in which every actor meets all others once all have joined; ends "
                 "early when no pair changes its cuts.",
                 {&DefpPlanner::m_settlePasses, 0});
    }

    MultiActorPlan PlanJoin(const MultiActorProblem& problem, std::size_t newcomers) override
    {
        ValidateJoined(problem, newcomers);
        if (!m_game)
        {
            m_game = MakeGame(problem, GetRules());
        }
        return GoOn([&] {
            m_game->SetLimits(GetMultiActorLimits(problem.budgets));
            m_game->Join({problem.actors.end() - newcomers, problem.actors.end()});
        });
    }

    MultiActorPlan PlanLeave(const MultiActorProblem& problem, std::size_t index) override
    {
        ValidateMultiActorBudgets(problem.budgets);
        return GoOn([&] {
            m_game->Leave(index);
            m_game->SetLimits(GetMultiActorLimits(problem.budgets));
        });
    }

    MultiActorPlan PlanChange(const MultiActorProblem& problem,
                              const std::vector<std::size_t>& changed) override
    {
        ValidateActors(problem, changed);
        return GoOn([&] { m_game->Change(problem.model, problem.actors, changed); });
    }

    uint64_t GetMessages() const override
    {
        return m_messages;
    }

    std::vector<MultiActorRound> GetRounds() const override
    {
        return m_rounds;
    }

  private:
    /** @return rules of this planner's games */
    virtual DefpRules GetRules() const
    {
        return {m_margin, m_reruns, m_replayPairs};
    }

    /**
     * @param problem gives the model and budgets
     * @param rules of the game
     * @return a game without players
     */
    static std::unique_ptr<DefpGame> MakeGame(const MultiActorProblem& problem,
                                              const DefpRules& rules)
    {
        return std::make_unique<DefpGame>(problem.model,
                                          GetMultiActorLimits(problem.budgets),
                                          rules);
    }

    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        DefpRules rules = GetRules();
        rules.replayPairs = 0;
        const auto game = MakeGame(problem, rules);
        game->Join(problem.actors);
        game->Settle(m_settlePasses);
        m_messages = game->GetMessages();
        m_rounds = game->TakeRounds();
        return game->GetPlan();
    }

    /**
     * Changes the continued game.
     *
     * @param change makes the change
     * @return the players' cuts after it
     */
    template <typename Change>
    MultiActorPlan GoOn(Change change)
    {
        const uint64_t before = m_game->GetMessages();
        change();
        m_messages = m_game->GetMessages() - before;
        m_rounds = m_game->TakeRounds();
        return m_game->GetPlan();
    }

    double m_margin;                       //!< see ChooseDefpPair
    uint32_t m_reruns;                     //!< see DefpRules
    uint32_t m_replayPairs;                //!< see DefpRules
    uint32_t m_settlePasses;               //!< most passes of DefpGame::Settle after all joined
    uint64_t m_messages{0};                //!< of the last plan
    std::vector<MultiActorRound> m_rounds; //!< of the last plan
    std::unique_ptr<DefpGame> m_game;      //!< continued game, null before the first join
};

NS_OBJECT_ENSURE_REGISTERED(DefpPlanner);

/**
 * Algorithm 1 of the paper cited at MultiActorProblem: DefpPlanner without margin, re-runs and
 * replays, whatever its attributes say.
 */
class DefpAsPrintedPlanner : public Named<DefpAsPrintedPlanner, DefpPlanner>
{
  public:
    static constexpr const char* NAME = "defp-as-printed"; //!< for users

  private:
    DefpRules GetRules() const override
    {
        return {0, 0, 0};
    }
};

NS_OBJECT_ENSURE_REGISTERED(DefpAsPrintedPlanner);

} // namespace ns3::edgepipe
