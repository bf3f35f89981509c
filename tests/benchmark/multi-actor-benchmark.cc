// SPDX-License-Identifier: GPL-2.0-only
//
// What deciding a multi-actor cut costs: DefpPlanner against MilpPlanner in the same run, joining a
// game of 10,000 actors, a report of one of them, and how the decision's time grows with layers
// and actors.
//
//   multi-actor-benchmark                 every case; fails if a limit is exceeded
//   multi-actor-benchmark --short         less of it, for the tests

#include "measured-run.h"
#include "planner/multi-actor/random-multi-actor.h"

#include "ns3/edgepipe-defp-game.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-planner.h"

namespace
{

/// Least times that defp must be faster than milp at 200 actors.
constexpr double SPEEDUP_LIMIT = 100;
/// Most time of a join at 10,000 actors over that at 1,000.
constexpr double JOIN_LIMIT = 20;
/// Most time of a plan after one actor's report, over that of the first plan.
constexpr double REPORT_LIMIT = 0.3;
/// Most that the exponents of the growth may be, as in the paper's O(K^2 N^2).
constexpr double EXPONENT_LIMIT = 2.1;

/** @return seconds as text */
std::string
Format(double seconds)
{
    return Table::Rounded(seconds * 1e3) + " ms";
}

/// @return seconds of the decision, without what every planner does before and after it
double
TimeDecision(const Ptr<MultiActorPlanner>& planner,
             const MultiActorProblem& problem,
             MultiActorPlan& plan,
             std::size_t repeats)
{
    const double all = MeasureLeast([&] { plan = planner->Plan(problem); }, repeats);
    const auto check = [&] {
        ValidateMultiActorProblem(problem);
        EvaluateMultiActor(problem, plan);
    };
    return all - MeasureLeast(check, repeats);
}

/// Compares the two planners at 200 actors.
/// @param problems how many problems of each kind of server
/// @return whether defp is fast enough over all of them
bool
CompareWithMilp(std::size_t problems)
{
    Table table({"server", "seed", "layers", "defp", "milp", "times", "share of the best"});
    std::vector<double> speedups;
    double defpTotal = 0;
    double milpTotal = 0;
    for (const auto server : {RandomMultiActor::ELASTIC, RandomMultiActor::NON_ELASTIC})
    {
        for (uint64_t seed = 0; seed < problems; ++seed)
        {
            const MultiActorProblem problem = RandomMultiActor::Make(seed, 200, server);
            MultiActorPlan plan;
            MultiActorPlan best;
            const double defp =
                TimeDecision(FindByName<MultiActorPlanner>("planner", "defp"), problem, plan, 15);
            const double milp =
                TimeDecision(FindByName<MultiActorPlanner>("planner", "milp"), problem, best, 1);
            const double most = EvaluateMultiActor(problem, best).totalReductionSeconds;
            const double share = EvaluateMultiActor(problem, plan).totalReductionSeconds / most;
            defpTotal += defp;
            milpTotal += milp;
            speedups.push_back(milp / defp);
            table.AddRow({server == RandomMultiActor::ELASTIC ? "elastic" : "non-elastic",
                          std::to_string(seed),
                          std::to_string(problem.model.layerFlop.size()),
                          Format(defp),
                          Format(milp),
                          Table::Rounded(milp / defp),
                          Table::Rounded(share)});
        }
    }
    table.Print(std::cout);
    const auto [least, largest] = std::minmax_element(speedups.begin(), speedups.end());
    std::cout << "milp's time over defp's: " << Table::Rounded(*least) << " to "
              << Table::Rounded(*largest) << ", median " << Table::Rounded(GetMedian(speedups))
              << "\n";
    const double speedup = milpTotal / defpTotal;
    return CheckAtLeast("200 actors, milp's time for all over defp's", speedup, SPEEDUP_LIMIT);
}

/// @param seed of the problem; odd seeds have a network of 42 layers
/// @return the middle time of joins to a game of so many actors, seconds
double
TimeJoins(uint64_t seed, std::size_t count, std::size_t changes)
{
    const MultiActorProblem problem =
        RandomMultiActor::Make(seed, count + changes, RandomMultiActor::ELASTIC);
    DefpGame game(problem.model, GetMultiActorLimits(problem.budgets), {DefpRules{}.margin, 0, 0});
    for (std::size_t i = 0; i < count; ++i)
    {
        game.Join({problem.actors[i]});
    }
    // The first ones came by the short way.
    game.SetRules({});
    std::vector<double> joins;
    std::vector<double> leaves;
    for (std::size_t i = 0; i < changes; ++i)
    {
        joins.push_back(MeasureLeast([&] { game.Join({problem.actors[count + i]}); }, 1));
        leaves.push_back(MeasureLeast([&] { game.Leave(i * 97 % count); }, 1));
    }
    std::cout << problem.model.layerFlop.size() << " layers, " << count << " actors: join "
              << Format(GetMedian(joins)) << " in the middle, at most "
              << Format(*std::max_element(joins.begin(), joins.end())) << ", leave "
              << Format(GetMedian(leaves)) << ", at most "
              << Format(*std::max_element(leaves.begin(), leaves.end())) << "\n";
    return GetMedian(joins);
}

/// Times plans of 10,000 actors before and after one of them reports.
/// @return whether the report's takes little of the first one's time
bool
TimeReports()
{
    const auto problem = RandomMultiActor::Make(0, 10000, RandomMultiActor::ELASTIC);
    const auto planner = FindByName<MultiActorPlanner>("planner", "all-server");
    const double first = MeasureLeast([&] { planner->Plan(problem); }, 20);
    const double report = MeasureLeast([&] { planner->PlanChange(problem, {5000}); }, 20);
    return CheckAtMost("10,000 actors, a report's plan over the first",
                       report / first,
                       REPORT_LIMIT);
}

/// @return slope of values over others by least squares
double
FindSlope(const std::vector<double>& others, const std::vector<double>& values)
{
    const double mean = Mean(others);
    double products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < others.size(); ++i)
    {
        products += (others[i] - mean) * values[i];
        squares += (others[i] - mean) * (others[i] - mean);
    }
    return products / squares;
}

/// Fits the decision's time by a power of the layers times a power of the actors. All counts of one
/// go with all of the other, so each power is fitted alone.
/// @return whether both powers are within the paper's
bool
FitGrowth(std::size_t mostActors)
{
    Table table({"layers", "actors", "defp"});
    std::vector<double> logs;
    std::vector<double> logLayers;
    std::vector<double> logActors;
    for (const std::size_t layers : {4, 8, 16, 32, 64})
    {
        for (std::size_t actors = 100; actors <= mostActors; actors *= 2)
        {
            const auto planner = FindByName<MultiActorPlanner>("planner", "defp");
            double seconds = 0;
            for (uint64_t seed = 0; seed < 3; ++seed)
            {
                const auto problem =
                    RandomMultiActor::Make(seed, actors, RandomMultiActor::ELASTIC, layers);
                seconds += MeasureLeast([&] { planner->Plan(problem); }, 3) / 3;
            }
            table.AddRow({std::to_string(layers), std::to_string(actors), Format(seconds)});
            logs.push_back(std::log(seconds));
            logLayers.push_back(std::log(layers));
            logActors.push_back(std::log(actors));
        }
    }
    table.Print(std::cout);
    const double power = FindSlope(logLayers, logs);
    const double actorPower = FindSlope(logActors, logs);
    const double factor =
        std::exp(Mean(logs) - power * Mean(logLayers) - actorPower * Mean(logActors));
    std::cout << "defp takes " << Table::Rounded(factor * 1e9) << " ns * K^"
              << Table::Rounded(power) << " * N^" << Table::Rounded(actorPower)
              << "; the paper's bound is K^2 * N^2\n";
    const bool ok = CheckAtMost("growth with layers, exponent", power, EXPONENT_LIMIT);
    return CheckAtMost("growth with actors, exponent", actorPower, EXPONENT_LIMIT) && ok;
}

} // namespace

int
main(int argc, char* argv[])
{
    const bool isShort = IsShort(argc, argv);
    bool ok = !EDGEPIPE_HAS_CBC || CompareWithMilp(isShort ? 6 : 10);
    for (uint64_t seed = 0; seed < (isShort ? 1 : 2); ++seed)
    {
        const double few = TimeJoins(seed, 1000, isShort ? 50 : 200);
        const double many = TimeJoins(seed, 10000, isShort ? 50 : 200);
        ok = CheckAtMost("a join at 10,000 actors over one at 1,000", many / few, JOIN_LIMIT) && ok;
    }
    ok = TimeReports() && ok;
    ok = FitGrowth(isShort ? 400 : 1600) && ok;
    return ok ? 0 : 1;
}
