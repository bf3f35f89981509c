// SPDX-License-Identifier: GPL-2.0-only

#include "multi-actor-oracle.h"
#include "random-multi-actor.h"

#include "ns3/edgepipe-multi-actor-cost.h"

namespace
{

using Cuts = std::vector<std::size_t>;

/** @return the plan of a planner that is found by name */
MultiActorPlan
PlanBy(const std::string& name, const MultiActorProblem& problem)
{
    return FindByName<MultiActorPlanner>("planner", name)->Plan(problem);
}

/** @return what it is worth */
MultiActorCost
CostBy(const std::string& name, const MultiActorProblem& problem)
{
    return EvaluateMultiActor(problem, PlanBy(name, problem));
}

/** @return the same with scarce bytes, where the last layer of b gets its input for nothing */
MultiActorProblem
MakeScarceBytes()
{
    MultiActorProblem problem = MakeTwoActors();
    problem.model.outputBytes = {50, 0, 0};
    problem.budgets = {10000, 50, 1};
    return problem;
}

TEST(EdgepipeMultiActorPlanner, OffersWhatTakesNothingOfTheScarcerResourceFirst)
{
    const MultiActorProblem problem = MakeScarceBytes();
    EXPECT_EQ(PlanBy("ogreedy", problem).cuts, (Cuts{1, 1}));
    EXPECT_EQ(PlanBy("defp", problem).cuts, (Cuts{1, 0}));
}

/** A planner as someone else's module would add one; it takes all, or plans for nobody. */
class GreedierPlanner : public Named<GreedierPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "greedier"; //!< to be found by

    std::size_t m_actors{2}; //!< for how many it plans
    std::size_t m_cut{0};    //!< where they cut

  private:
    MultiActorPlan DoPlan(const MultiActorProblem&) override
    {
        return {Cuts(m_actors, m_cut)};
    }
};

NS_OBJECT_ENSURE_REGISTERED(GreedierPlanner);

TEST(EdgepipeMultiActorPlanner, IsFoundByNameAndItsPlanIsChecked)
{
    EXPECT_EQ(GetNames<MultiActorPlanner>(),
              (std::set<std::string>{"all-local",
                                     "all-server",
                                     "defp",
                                     "defp-as-printed",
                                     "greedier",
                                     "igreedy",
                                     "milp",
                                     "ogreedy"}));
    const auto planner = CreateObject<GreedierPlanner>();
    const auto plan = [&] { planner->Plan(MakeTwoActors()); };
    EXPECT_EQ(ErrorOf(plan), "planner greedier: the plan takes more than the budgets");
    planner->m_cut = 3;
    EXPECT_EQ(ErrorOf(plan),
              R"(planner greedier: actor "a" cuts after 3 layers, expected at most 2)");
    planner->m_actors = 0;
    EXPECT_EQ(ErrorOf(plan), "planner greedier: the plan cuts for 0 actors, expected 2");
}

Cuts
PlanWithin(const std::string& name, double budget, double delta)
{
    MultiActorProblem problem = MakeTwoActors();
    problem.budgets = {budget, budget, delta};
    return PlanBy(name, problem).cuts;
}

TEST(EdgepipeMultiActorPlanner, KeepsBudgetsOfZeroAndUsesThoseThatDoNotBind)
{
    for (const char* name : {"defp", "igreedy", "ogreedy"})
    {
        EXPECT_EQ(PlanWithin(name, 0, 1), (Cuts{2, 2})) << name;
    }
    for (const char* name : {"defp", "igreedy"})
    {
        EXPECT_EQ(PlanWithin(name, 1e300, 1e-200), (Cuts{0, 0})) << name;
    }
}

TEST(EdgepipeMilpSolver, SaysWhatToInstallWhereItIsMissing)
{
    if (EDGEPIPE_HAS_CBC)
    {
        GTEST_SKIP() << "this build has it";
    }
    EXPECT_EQ(ErrorOf([] { PlanBy("milp", MakeTwoActors()); }),
              "planner milp: this build is without COIN-OR CBC; install it (Debian: "
              "coinor-libcbc-dev) and configure with -DEDGEPIPE_CBC=ON");
}

/** Solves by COIN-OR CBC. */
class EdgepipeMilpPlanner : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!EDGEPIPE_HAS_CBC)
        {
            GTEST_SKIP() << "this build is without COIN-OR CBC";
        }
    }
};

TEST_F(EdgepipeMilpPlanner, KeepsBudgetsOfZeroAndUsesThoseThatDoNotBind)
{
    EXPECT_EQ(PlanBy("milp", MakeScarceBytes()).cuts, (Cuts{1, 0}));
    EXPECT_EQ(PlanWithin("milp", 0, 1), (Cuts{2, 2}));
    EXPECT_EQ(PlanWithin("milp", 1e300, 1e-200), (Cuts{0, 0}));
}

TEST_F(EdgepipeMilpPlanner, FindsTheBestOfAllPlans)
{
    std::size_t greedyIsWorse = 0;
    std::size_t zero = 0;
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        MultiActorProblem problem =
            RandomMultiActor::Make(seed, 2 + seed % 5, RandomMultiActor::ELASTIC, 2 + seed / 5 % 5);
        // So that few actors get anything at all.
        problem.budgets.computeFlop *= 3;
        problem.budgets.bandwidthBytes *= 3;
        const double best = MultiActorOracle(problem).FindMostReduction();
        EXPECT_NEAR(CostBy("milp", problem).totalReductionSeconds, best, 1e-9 * best)
            << "seed " << seed;
        greedyIsWorse += CostBy("igreedy", problem).totalReductionSeconds < 0.999 * best;
        zero += best == 0;
    }
    EXPECT_GT(greedyIsWorse, 60u);
    EXPECT_LT(zero, 40u);
}

TEST_F(EdgepipeMilpPlanner, RefusesWhatItCannotProveInTime)
{
    const auto planner = FindByName<MultiActorPlanner>("planner", "milp");
    planner->SetAttribute("TimeLimit", DoubleValue(0.001));
    EXPECT_EQ(
        ErrorOf([&] { planner->Plan(RandomMultiActor::Make(6, 1000, RandomMultiActor::ELASTIC)); }),
        "planner milp: found no proven optimum within 0.001 s");
}

/** What planners make of many problems. */
class EdgepipeDefpPlanner : public testing::TestWithParam<RandomMultiActor::Server>
{
  protected:
    /** Means over problems. */
    struct Mean
    {
        double share{0};       //!< of the best total reduction
        double cutVariance{0}; //!< of the plans
    };

    static constexpr std::size_t PROBLEMS = 40; //!< how many

    /** @return problem `seed`, of 10 to 60 actors */
    static MultiActorProblem MakeProblem(uint64_t seed)
    {
        return RandomMultiActor::Make(seed, 10 + seed * 7 % 51, GetParam());
    }

    /** Adds what a plan is worth to the means of its planner. */
    void Add(const std::string& name, const MultiActorCost& cost, const MultiActorCost& best)
    {
        EXPECT_TRUE(cost.isWithinBudgets) << name;
        EXPECT_LE(cost.totalReductionSeconds, best.totalReductionSeconds * (1 + 1e-9)) << name;
        Mean& mean = m_means[name];
        mean.share += (best.totalReductionSeconds > 0
                           ? cost.totalReductionSeconds / best.totalReductionSeconds
                           : 1) /
                      PROBLEMS;
        mean.cutVariance += cost.cutVariance / PROBLEMS;
    }

    std::map<std::string, Mean> m_means; //!< by planner
};

TEST_P(EdgepipeDefpPlanner, IsCloseToTheBestPlanAndCutsAlike)
{
    if (!EDGEPIPE_HAS_CBC)
    {
        GTEST_SKIP() << "this build is without COIN-OR CBC, which finds the best";
    }
    for (uint64_t seed = 0; seed < PROBLEMS; ++seed)
    {
        const MultiActorProblem problem = MakeProblem(seed);
        const MultiActorCost best = CostBy("milp", problem);
        Add("milp", best, best);
        Add("igreedy", CostBy("igreedy", problem), best);
        Add("ogreedy", CostBy("ogreedy", problem), best);

        const auto planner = FindByName<MultiActorPlanner>("planner", "defp");
        Add("defp", EvaluateMultiActor(problem, planner->Plan(problem)), best);
        planner->SetAttribute("FairnessMargin", DoubleValue(0));
        Add("defp without margin", EvaluateMultiActor(problem, planner->Plan(problem)), best);
        planner->SetAttribute("Reruns", UintegerValue(0));
        const auto printed = EvaluateMultiActor(problem, planner->Plan(problem));
        Add("defp as printed", printed, best);
        EXPECT_EQ(CostBy("defp-as-printed", problem).totalReductionSeconds,
                  printed.totalReductionSeconds);
    }
    EXPECT_GE(m_means["defp"].share, 0.98);
    EXPECT_LE(m_means["defp"].cutVariance, m_means["milp"].cutVariance);
    for (const char* name : {"igreedy", "ogreedy", "defp as printed"})
    {
        EXPECT_LT(m_means[name].share, m_means["defp"].share) << name;
    }
}

TEST_P(EdgepipeDefpPlanner, ComesToRestWhenAllMeetAgain)
{
    const auto planner = FindByName<MultiActorPlanner>("planner", "defp");
    planner->SetAttribute("FairnessMargin", DoubleValue(0));
    std::size_t pairsThatGain = 0;
    for (uint64_t seed = 0; seed < PROBLEMS; ++seed)
    {
        const MultiActorProblem problem = MakeProblem(seed);
        planner->SetAttribute("SettlePasses", UintegerValue(0));
        pairsThatGain += MeasureMultiActorRest(problem, planner->Plan(problem)).pairsThatGain;
        planner->SetAttribute("SettlePasses", UintegerValue(20));
        const MultiActorRest rest = MeasureMultiActorRest(problem, planner->Plan(problem));
        EXPECT_EQ(rest.pairsThatGain, 0u) << "seed " << seed;
        EXPECT_EQ(rest.largestGainSeconds, 0) << "seed " << seed;
    }
    EXPECT_GT(pairsThatGain, 0u);
}

INSTANTIATE_TEST_SUITE_P(Servers,
                         EdgepipeDefpPlanner,
                         testing::Values(RandomMultiActor::ELASTIC, RandomMultiActor::NON_ELASTIC),
                         [](const auto& info) {
                             return std::string(info.param == RandomMultiActor::ELASTIC
                                                    ? "Elastic"
                                                    : "NonElastic");
                         });

} // namespace
