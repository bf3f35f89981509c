/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-defp-planner.h"

#include "ns3/edgepipe-attributes.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(DefpPlanner);

TypeId
DefpPlanner::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("FairnessMargin",
             "Share of what two actors can save together that they give up to cut at layers "
             "closer together.",
             {&DefpPlanner::m_margin, 0.09, 0, 0.99})
        .Add("Reruns",
             "Most actors per change that meet all others again after losing something.",
             {&DefpPlanner::m_reruns, 4})
        .Add("ReplayPairs",
             "Approximate number of pairwise meetings that the server replays from the start of "
             "the game per change; 0: no replay. Affects only games with joins and leaves, not "
             "single plans.",
             {&DefpPlanner::m_replayPairs, 50000})
        .Add("SettlePasses",
             "Most passes in which every actor meets all others once all have joined; ends early "
             "when no pair changes its cuts.",
             {&DefpPlanner::m_settlePasses, 0});
}

DefpRules
DefpPlanner::GetRules() const
{
    DefpRules rules;
    rules.margin = m_margin;
    rules.mostReruns = m_reruns;
    rules.replayPairs = m_replayPairs;
    return rules;
}

DefpGame
DefpPlanner::MakeGame(const MultiActorProblem& problem) const
{
    return DefpGame(problem.model, problem.budgets, GetRules());
}

MultiActorPlan
DefpPlanner::DoPlan(const MultiActorProblem& problem)
{
    DefpRules rules = GetRules();
    rules.replayPairs = 0;
    DefpGame game(problem.model, problem.budgets, rules);
    game.Join(problem.actors);
    game.Settle(m_settlePasses);
    m_messages = game.GetMessages();
    m_rounds = game.TakeRounds();
    return game.GetPlan();
}

template <typename Change>
MultiActorPlan
DefpPlanner::GoOn(Change change)
{
    const uint64_t before = m_game->GetMessages();
    change();
    m_messages = m_game->GetMessages() - before;
    m_rounds = m_game->TakeRounds();
    return m_game->GetPlan();
}

MultiActorPlan
DefpPlanner::PlanJoin(const MultiActorProblem& problem, std::size_t newcomers)
{
    if (!m_game)
    {
        m_game = std::make_unique<DefpGame>(MakeGame(problem));
    }
    return GoOn([&] {
        m_game->SetBudgets(problem.budgets);
        m_game->Join({problem.actors.end() - newcomers, problem.actors.end()});
    });
}

MultiActorPlan
DefpPlanner::PlanLeave(const MultiActorProblem& problem, std::size_t index)
{
    return GoOn([&] {
        m_game->Leave(m_game->GetPlayers().at(index));
        m_game->SetBudgets(problem.budgets);
    });
}

MultiActorPlan
DefpPlanner::PlanChange(const MultiActorProblem& problem, const std::vector<std::size_t>& changed)
{
    return GoOn([&] {
        const auto players = m_game->GetPlayers();
        std::map<DefpGame::PlayerId, MultiActor> actors;
        for (const std::size_t index : changed)
        {
            actors[players.at(index)] = problem.actors.at(index);
        }
        m_game->Change(problem.model, actors);
    });
}

/**
 * Algorithm 1 of the paper cited at MultiActorProblem: DefpPlanner without margin, re-runs and
 * replays, whatever its attributes say.
 */
class DefpAsPrintedPlanner : public Named<DefpAsPrintedPlanner, DefpPlanner>
{
  public:
    static constexpr const char* TYPE =
        "ns3::edgepipe::DefpAsPrintedPlanner";             //!< name of its TypeId
    static constexpr const char* NAME = "defp-as-printed"; //!< for users

    DefpRules GetRules() const override
    {
        DefpRules rules;
        rules.margin = 0;
        rules.mostReruns = 0;
        rules.replayPairs = 0;
        return rules;
    }
};

NS_OBJECT_ENSURE_REGISTERED(DefpAsPrintedPlanner);

} // namespace ns3::edgepipe
