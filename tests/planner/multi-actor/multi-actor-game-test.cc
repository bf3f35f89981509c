// SPDX-License-Identifier: GPL-2.0-only

#include "random-multi-actor.h"

#include "ns3/edgepipe-defp-game.h"
#include "ns3/edgepipe-multi-actor-cost.h"

namespace
{

/** A game, and who plays it. */
class PlayedGame
{
  public:
    /** @param problem whose model and budgets it has; nobody plays yet */
    explicit PlayedGame(const MultiActorProblem& problem)
        : m_problem(problem),
          m_game(problem.model, GetMultiActorLimits(problem.budgets), {})
    {
        m_problem.actors.clear();
    }

    void Join(const std::vector<MultiActor>& actors)
    {
        m_game.Join(actors);
        m_problem.actors.insert(m_problem.actors.end(), actors.begin(), actors.end());
    }

    void Leave(std::size_t index)
    {
        m_game.Leave(index);
        m_problem.actors.erase(m_problem.actors.begin() + index);
    }

    void SetBudgets(const MultiActorBudgets& budgets)
    {
        m_problem.budgets = budgets;
        m_game.SetLimits(GetMultiActorLimits(budgets));
    }

    /** @return what those that play now would have to plan */
    const MultiActorProblem& GetProblem() const
    {
        return m_problem;
    }

    /** @return what it is worth, worked out from nothing but the cuts */
    MultiActorCost GetCost() const
    {
        return EvaluateMultiActor(m_problem, m_game.GetPlan());
    }

    std::size_t GetPlayers() const
    {
        return m_problem.actors.size();
    }

    DefpGame& GetGame()
    {
        return m_game;
    }

    /** @return the cuts of those that play now */
    std::vector<std::size_t> GetCuts() const
    {
        return m_game.GetPlan().cuts;
    }

  private:
    MultiActorProblem m_problem; //!< of those that play now
    DefpGame m_game;             //!< the game
};

/** @return a planner that has not planned yet */
Ptr<MultiActorPlanner>
MakeDefp()
{
    return FindByName<MultiActorPlanner>("planner", "defp");
}

TEST(EdgepipeDefpGame, FollowsJoinsLeavesAndBudgetsByHand)
{
    using Cuts = std::vector<std::size_t>;
    const MultiActorProblem problem = MakeTwoActors();
    PlayedGame game(problem);
    EXPECT_EQ(game.GetCuts(), Cuts());
    game.Join({problem.actors[0]});
    EXPECT_EQ(game.GetCuts(), Cuts({0}));
    EXPECT_EQ(game.GetCost().computeUsedFlop, 300u);
    EXPECT_EQ(game.GetCost().bandwidthUsedBytes, 50);
    EXPECT_EQ(game.GetGame().GetMessages(), 2u); // nobody but the server to ask

    game.Join({problem.actors[1]});
    EXPECT_EQ(game.GetCuts(), Cuts({2, 0}));
    EXPECT_EQ(game.GetGame().GetMessages(), 10u); // b asks and meets a; then a does and meets b

    game.SetBudgets({500, 100, 1});
    EXPECT_EQ(game.GetCuts(), Cuts({1, 0})); // 200 FLOP more are free
    game.SetBudgets({200, 100, 1});
    EXPECT_EQ(game.GetCuts(), Cuts({2, 1})); // 1.55 s for 200 FLOP; b saves 3.55 s by them

    game.Leave(1);
    EXPECT_EQ(game.GetCuts(), Cuts({1}));
    game.Leave(0);
    EXPECT_EQ(game.GetCuts(), Cuts());
    EXPECT_TRUE(game.GetGame().Settle(3));
    game.Join({problem.actors[0]});
    EXPECT_EQ(game.GetCuts(), Cuts({1})); // all is free again
}

TEST(EdgepipeDefpGame, FollowsLinksAndSpeedsByHand)
{
    MultiActorProblem problem = MakeTwoActors();
    const auto defp = MakeDefp();
    const std::vector<MultiActor> all = std::exchange(problem.actors, {});
    const auto expectRounds = [&](const std::vector<std::size_t>& actors) {
        ASSERT_EQ(defp->GetRounds().size(), actors.size());
        for (std::size_t i = 0; i < actors.size(); ++i)
        {
            EXPECT_EQ(defp->GetRounds()[i].actor, actors[i]);
            EXPECT_EQ(defp->GetRounds()[i].actors, problem.actors.size());
        }
        EXPECT_EQ(defp->GetMessages(), 2 * actors.size() * problem.actors.size());
    };
    problem.actors.push_back(all[0]);
    EXPECT_EQ(defp->PlanJoin(problem, 1).cuts, (std::vector<std::size_t>{0}));
    expectRounds({0});
    problem.actors.push_back(all[1]);
    EXPECT_EQ(defp->PlanJoin(problem, 1).cuts, (std::vector<std::size_t>{2, 0}));

    // All of b on the server takes 11.3 s now, its second layer 7.2 s, none 6 s: a gets all.
    problem.actors[1].bytesPerSecond = 5;
    EXPECT_EQ(defp->PlanChange(problem, {1}).cuts, (std::vector<std::size_t>{0, 2}));
    expectRounds({1});
    // Of a: 2.95 s without a layer, 2.85 s with one and 3 s with both.
    problem.model.serverFlopPerSecond = 125;
    problem.actors[1].bytesPerSecond = 100;
    problem.actors[1].flopPerSecond = 300;
    EXPECT_EQ(defp->PlanChange(problem, {0, 1}).cuts, (std::vector<std::size_t>{1, 2}));
    // By layers that cost a 1 s and 9 s, the server 1 s and 5 s, a saves 3.75 s by the second and
    // 3.45 s by both.
    problem.actors[0].layerSeconds = {1, 9};
    problem.model.serverLayerSeconds = {1, 5};
    EXPECT_EQ(defp->PlanChange(problem, {0, 1}).cuts, (std::vector<std::size_t>{1, 2}));
    EXPECT_NEAR(EvaluateMultiActor(problem, {{1, 2}}).totalReductionSeconds, 3.75, 1e-12);
    EXPECT_NEAR(EvaluateMultiActor(problem, {{0, 2}}).totalReductionSeconds, 3.45, 1e-12);
    // Back to where it began, from the other side.
    problem.actors = all;
    problem.model = MakeTwoActors().model;
    EXPECT_EQ(defp->PlanChange(problem, {0, 1}).cuts, (std::vector<std::size_t>{2, 0}));
}

TEST(EdgepipeDefpGame, KeepsBudgetsWhateverLinksAndSpeedsDo)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        auto problem = RandomMultiActor::Make(seed, 15, RandomMultiActor::ELASTIC);
        const auto actors = std::exchange(problem.actors, {});
        const auto defp = MakeDefp();
        for (const MultiActor& actor : actors)
        {
            problem.actors.push_back(actor);
            defp->PlanJoin(problem, 1);
        }
        RandomMultiActor random(seed + 1000);
        double least = 1;
        for (std::size_t change = 0; change < 60; ++change)
        {
            const std::size_t index = random.GetDraws().Integer(0, actors.size() - 1);
            const std::string name = problem.actors[index].name;
            problem.actors[index] = random.MakeActor(index);
            problem.actors[index].name = name;
            const auto plan = defp->PlanChange(problem, {index});
            const auto cost = EvaluateMultiActor(problem, plan);
            EXPECT_TRUE(cost.isWithinBudgets);
            const auto afresh = EvaluateMultiActor(problem, MakeDefp()->Plan(problem));
            least = std::min(least, cost.totalReductionSeconds / afresh.totalReductionSeconds);
        }
        EXPECT_GT(least, 0.9) << "seed " << seed;
    }
}

TEST(EdgepipeDefpGame, GoesOnInAPlannerThatIsToldOfJoinsAndLeaves)
{
    const auto problem = RandomMultiActor::Make(3, 20, RandomMultiActor::ELASTIC, 5);
    PlayedGame game(problem);
    const auto defp = MakeDefp();
    uint64_t messages = 0;
    const auto join = [&](const MultiActor& actor) {
        game.SetBudgets(problem.budgets);
        game.Join({actor});
        EXPECT_EQ(defp->PlanJoin(game.GetProblem(), 1).cuts, game.GetCuts());
        messages += defp->GetMessages();
    };
    const auto leave = [&](std::size_t index) {
        game.Leave(index);
        game.SetBudgets(problem.budgets);
        EXPECT_EQ(defp->PlanLeave(game.GetProblem(), index).cuts, game.GetCuts());
        messages += defp->GetMessages();
    };
    for (const MultiActor& actor : problem.actors)
    {
        join(actor);
    }
    leave(3);
    leave(0);
    join(problem.actors[0]);
    EXPECT_EQ(messages, game.GetGame().GetMessages());
    while (game.GetPlayers() > 0)
    {
        leave(0);
    }
    EXPECT_EQ(messages, game.GetGame().GetMessages());
    join(problem.actors[5]);
}

TEST(EdgepipeDefpGame, PlansOnceForActorsThatJoinTogether)
{
    auto problem = RandomMultiActor::Make(4, 20, RandomMultiActor::ELASTIC);
    const std::vector<MultiActor> actors = problem.actors;
    const auto defp = MakeDefp();
    const auto afresh = MakeDefp();
    PlayedGame game(problem);
    problem.actors.resize(15);
    EXPECT_EQ(defp->PlanJoin(problem, 15).cuts, afresh->Plan(problem).cuts);
    EXPECT_EQ(defp->GetMessages(), afresh->GetMessages());
    game.Join(problem.actors);
    problem.budgets.computeFlop *= 1.2;
    problem.actors = actors;
    game.SetBudgets(problem.budgets);
    game.Join({actors.begin() + 15, actors.end()});
    EXPECT_EQ(defp->PlanJoin(problem, 5).cuts, game.GetCuts());
    problem.actors.back().flopPerSecond = 0;
    EXPECT_THROW(defp->PlanJoin(problem, 1), InputError);
}

TEST(EdgepipeDefpGame, ActorsAlikeMeetAsAlgorithmOneSays)
{
    for (uint64_t seed = 0; seed < 20; ++seed)
    {
        auto problem = RandomMultiActor::Make(seed, 60, RandomMultiActor::ELASTIC);
        for (std::size_t i = 3; i < problem.actors.size(); ++i)
        {
            const std::string name = std::exchange(problem.actors[i], problem.actors[i % 3]).name;
            problem.actors[i].name = name;
        }
        MultiActorLimits free = GetMultiActorLimits(problem.budgets);
        std::vector<DefpPlayer> players;
        for (const MultiActor& actor : problem.actors)
        {
            const auto cuts = ListUsefulMultiActorCuts(problem.model, actor);
            DefpPlayer me{cuts, players.empty() ? FindBestResponse(cuts, free) : cuts.size() - 1};
            free = {free.flop - me.Get().flop, free.bytes - me.Get().bytes};
            for (DefpPlayer& other : players)
            {
                const DefpPair pair = ChooseDefpPair(other, me, free, 0);
                free = {free.flop + other.Get().flop + me.Get().flop,
                        free.bytes + other.Get().bytes + me.Get().bytes};
                other.chosen = pair.first;
                me.chosen = pair.second;
                free = {free.flop - other.Get().flop - me.Get().flop,
                        free.bytes - other.Get().bytes - me.Get().bytes};
            }
            players.push_back(me);
        }
        const auto plan =
            FindByName<MultiActorPlanner>("planner", "defp-as-printed")->Plan(problem);
        for (std::size_t i = 0; i < players.size(); ++i)
        {
            ASSERT_EQ(plan.cuts[i], players[i].Get().cut) << "seed " << seed << ", actor " << i;
        }
    }
}

TEST(EdgepipeDefpGame, PlannersWithoutAGamePlanAnew)
{
    MultiActorProblem problem = MakeTwoActors();
    const auto planner = FindByName<MultiActorPlanner>("planner", "igreedy");
    const MultiActorPlan plan = planner->Plan(problem);
    EXPECT_EQ(planner->PlanJoin(problem, 1).cuts, plan.cuts);
    EXPECT_EQ(planner->PlanLeave(problem, 0).cuts, plan.cuts);
    problem.actors[1].bytesPerSecond = -1;
    EXPECT_EQ(planner->PlanChange(problem, {0}).cuts, plan.cuts); // only what changed is checked
    EXPECT_THROW(planner->PlanChange(problem, {1}), InputError);
    problem.actors.clear();
    EXPECT_TRUE(planner->PlanLeave(problem, 1).cuts.empty());
}

TEST(EdgepipeDefpGame, RefusesWhatIsMalformed)
{
    MultiActorProblem problem = MakeTwoActors();
    problem.actors = {{"slow", 0, 1}};
    EXPECT_EQ(ErrorOf([&] { MakeDefp()->PlanJoin(problem, 1); }),
              R"(actor "slow", flopPerSecond: found 0, expected a number above 0)");
    problem = MakeTwoActors();
    const auto defp = MakeDefp();
    defp->PlanJoin(problem, 2);
    problem.actors.pop_back();
    problem.budgets = {-1, 0, 1};
    EXPECT_EQ(ErrorOf([&] { defp->PlanLeave(problem, 1); }),
              "computeBudgetFlop: found -1, expected a number of at least 0");
    problem = MakeTwoActors();
    problem.model.layerFlop.clear();
    EXPECT_EQ(ErrorOf([&] { MakeDefp()->PlanJoin(problem, 2); }),
              "layerFlop: found no layer, expected at least one");
}

/** Lets actors come and go 500 times, and asks how the plan compares with planning afresh. */
using EdgepipeDefpChurn = testing::TestWithParam<RandomMultiActor::Server>;

TEST_P(EdgepipeDefpChurn, KeepsThePlanFeasibleAndCloseToPlanningAfresh)
{
    const bool isElastic = GetParam() == RandomMultiActor::ELASTIC;
    for (uint64_t seed = 0; seed < 16; ++seed)
    {
        RandomMultiActor random(1000 + seed);
        const std::size_t usual = 15 + seed % 5 * 15;
        const MultiActorProblem problem = RandomMultiActor::Make(seed, usual, GetParam());
        PlayedGame game(problem);
        for (std::size_t change = 1; change <= 500; ++change)
        {
            const std::size_t players = game.GetPlayers();
            if (players == 0 || random.GetDraws().Unit() * 2 * usual > players)
            {
                game.Join({random.MakeActor(change)});
            }
            else
            {
                game.Leave(random.GetDraws().Integer(0, players - 1));
            }
            if (isElastic)
            {
                MultiActorBudgets budgets = problem.budgets;
                budgets.computeFlop *= game.GetPlayers() / static_cast<double>(usual);
                budgets.bandwidthBytes *= game.GetPlayers() / static_cast<double>(usual);
                game.SetBudgets(budgets);
            }
            if (game.GetPlayers() == 0)
            {
                continue;
            }
            const MultiActorCost cost = game.GetCost();
            ASSERT_TRUE(cost.isWithinBudgets) << "seed " << seed << ", change " << change;
            if (change % 50 == 0)
            {
                const MultiActorProblem now = game.GetProblem();
                const double afresh =
                    EvaluateMultiActor(now, MakeDefp()->Plan(now)).totalReductionSeconds;
                const double share = afresh > 0 ? cost.totalReductionSeconds / afresh : 1;
                EXPECT_GE(share, 0.97) << "seed " << seed << ", change " << change << ", "
                                       << game.GetPlayers() << " players";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Servers,
                         EdgepipeDefpChurn,
                         testing::Values(RandomMultiActor::ELASTIC, RandomMultiActor::NON_ELASTIC),
                         [](const auto& info) {
                             return std::string(info.param == RandomMultiActor::ELASTIC
                                                    ? "Elastic"
                                                    : "NonElastic");
                         });

} // namespace
