/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/cost-draws.h"
#include "lib/run-report.h"
#include "runs/progress.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-cost-draw.h"
#include "ns3/edgepipe-language-planner.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-cut.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-search.h"
#include "ns3/edgepipe-problem-json.h"
#include "ns3/edgepipe-representable-plan.h"
#include "ns3/edgepipe-two-way-cut-cost.h"
#include "ns3/edgepipe-two-way-cut-planner.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** What to plan and what to print. */
struct Question
{
    /**
     * @param name of an option
     * @param reason why it must have its default
     * @throws InputError if it has not
     */
    void Refuse(const std::string& name, const std::string& reason) const
    {
        const bool isNumber = name == "state-nodes" || name == "cost-draws";
        options.Expect(name,
                       !options.IsChanged(name),
                       (isNumber ? "0" : "false") + (", since " + reason));
    }

    /**
     * @param type of device, or a stand-in for one
     * @param draw number of the draw
     * @param times of devices of that type, s; multiplied by the draw's factor
     */
    template <typename... Times>
    void Draw(const std::string& type, uint32_t draw, Times&... times) const
    {
        const double factor = DrawFactor(type, PassKind::TRAINING, spread, draw);
        const auto multiply = [factor](auto& all) {
            for (double& seconds : all)
            {
                seconds *= factor;
            }
        };
        (multiply(times), ...);
    }

    const ScenarioOptions& options; //!< of the command line
    std::string planner{};          //!< its name; may be empty
    CostDrawOptions drawing{};      //!< how costs are drawn
    double spread{0};               //!< standard deviation of the logarithm of a type's factor
    uint64_t stateNodes{0};         //!< most problems FindRepresentablePlan solves; 0: skip
    bool hasEnvelope{false};        //!< whether to print the best plan at every bandwidth
    bool hasPairs{false};           //!< whether to print how many pairs would change the plan
    bool isChecking{false};         //!< whether only to look for mistakes
};

/** A plan. */
struct Answer
{
    nlohmann::ordered_json json; //!< the plan and its figures
    /// Duration by draw, s; 0: with nominal costs. Of this plan, or of one made anew.
    std::function<double(uint32_t, bool)> rank;
};

/**
 * Plan for a problem of one kind.
 *
 * @param asked what to plan and print
 * @param root the problem file
 * @param byDefault name of the planner, unless one is asked for
 * @param unfit options that make no sense for the kind, and why
 * @param describe adds figures of the plan to the answer, given the wall-clock time of planning, s
 * @param change draws the costs of a problem, by the draw's number
 * @param rank duration of a plan for a problem, s
 * @return the answer
 */
template <typename Problem, typename Planner, typename Describe, typename Change, typename Rank>
Answer
PlanFor(const Question& asked,
        const JsonField& root,
        const std::string& byDefault,
        const std::map<std::string, std::string>& unfit,
        Describe describe,
        Change change,
        Rank rank)
{
    const std::string name = asked.planner.empty() ? byDefault : asked.planner;
    const auto planner =
        FindByName<Planner>("--planner, for a " + root.GetField("problem").GetString(), name);
    for (const auto& [option, reason] : unfit)
    {
        asked.Refuse(option, reason);
    }
    const auto problem = ReadProblem<Problem>(root);
    if (asked.isChecking)
    {
        return {};
    }
    const Stopwatch stopwatch;
    const auto plan = planner->Plan(problem);
    const double seconds = stopwatch.GetSeconds();
    auto json = MakeAnswer(problem, plan, planner->GetName());
    describe(json, problem, planner, plan, seconds);
    return {json, [=](uint32_t draw, bool isAnew) {
                Problem drawn = problem;
                change(drawn, draw);
                // A new planner, so that a draw does not depend on earlier ones.
                return rank(drawn,
                            isAnew ? FindByName<Planner>("--planner", name)->Plan(drawn) : plan);
            }};
}

/**
 * @param asked what to plan and print
 * @param root the problem file
 * @return the answer
 */
Answer
PlanPipeline(const Question& asked, const JsonField& root)
{
    return PlanFor<PipelineProblem, PipelinePlanner>(
        asked,
        root,
        "exact",
        {{"envelope", "a pipeline has none"}, {"pairs", "a pipeline has no actors"}},
        [&](auto& answer, const auto& problem, const auto& planner, const auto& plan, double took) {
            const PipelineCostModel model(problem);
            const double seconds = model.IterationSeconds(plan);
            const double bound = planner->GetLowerBoundSeconds();
            answer["iterationSeconds"] = seconds;
            if (bound > 0 && bound < seconds)
            {
                answer["lowerBoundSeconds"] = bound;
            }
            answer["decisionSeconds"] = planner->GetDecisionSeconds();
            if (planner->GetEvaluations() > 0)
            {
                answer["evaluations"] = planner->GetEvaluations();
                answer["preparationSeconds"] = std::max(0.0, took - planner->GetDecisionSeconds());
            }
            if (asked.stateNodes > 0)
            {
                const auto best = FindRepresentablePlan(model, asked.stateNodes);
                const auto placed = PlaceDivision(model, GetDivision(plan));
                answer["decomposition"] = {{"representableSeconds", best.seconds},
                                           {"representableBoundSeconds", best.lowerBoundSeconds},
                                           {"divisionSeconds", model.IterationSeconds(placed)}};
            }
        },
        [asked](auto& drawn, uint32_t draw) {
            for (auto& [type, cost] : drawn.costs)
            {
                asked.Draw(type,
                           draw,
                           cost.forwardSeconds,
                           cost.backwardSeconds,
                           cost.fixedSeconds);
                for (PartCost& part : cost.parts)
                {
                    asked.Draw(type, draw, part.forwardSeconds, part.backwardSeconds);
                }
            }
        },
        [](const auto& drawn, const auto& made) {
            return PipelineCostModel(drawn).IterationSeconds(made);
        });
}

/** @copydoc PlanPipeline */
Answer
PlanTwoWayCut(const Question& asked, const JsonField& root)
{
    return PlanFor<TwoWayCutProblem, TwoWayCutPlanner>(
        asked,
        root,
        "qdmp",
        {{"pairs", "a two-way cut has no actors"}, {"state-nodes", "a two-way cut has none"}},
        [&](auto& answer, const auto& problem, const auto& planner, const auto& plan, double) {
            const double decisionSeconds = planner->GetDecisionSeconds();
            const TwoWayCutCost cost = EvaluateTwoWayCut(problem, plan);
            answer["latencySeconds"] = cost.latencySeconds;
            answer["deviceSeconds"] = cost.deviceSeconds;
            answer["serverSeconds"] = cost.serverSeconds;
            answer["transferSeconds"] = cost.transferSeconds;
            if (problem.delaySeconds > 0)
            {
                answer["delaySeconds"] = cost.delaySeconds;
            }
            if (problem.objective == TwoWayCutObjective::THROUGHPUT)
            {
                answer["bottleneckSeconds"] = GetBottleneckSeconds(cost);
            }
            answer["uplinkBytes"] = cost.uplinkBytes;
            answer["decisionSeconds"] = decisionSeconds;
            if (!asked.hasEnvelope)
            {
                return;
            }
            const auto envelope = planner->PlanEveryBandwidth(problem);
            if (!envelope)
            {
                asked.Refuse("envelope", "planner " + planner->GetName() + " has none");
            }
            for (std::size_t i = 0; i < envelope->GetSegments(); ++i)
            {
                const TwoWayCutPlan& best = envelope->GetPlan(i);
                const TwoWayCutCost bestCost = EvaluateTwoWayCut(problem, best);
                answer["envelope"].push_back(
                    {{"fromUplinkBitsPerSecond", envelope->GetLowestBitsPerSecond(i)},
                     {"deviceLayers", ListLayers(problem, best, true)},
                     {"deviceSeconds", bestCost.deviceSeconds},
                     {"serverSeconds", bestCost.serverSeconds},
                     {"uplinkBytes", bestCost.uplinkBytes}});
            }
        },
        [asked](auto& drawn, uint32_t draw) {
            std::vector<double> device{1};
            std::vector<double> server{1};
            asked.Draw("device", draw, device);
            asked.Draw("server", draw, server);
            const auto multiply = [&](auto& layers) {
                for (auto& layer : layers.Edit())
                {
                    layer.deviceSeconds *= device.front();
                    layer.serverSeconds *= server.front();
                }
            };
            multiply(drawn.layers);
            multiply(drawn.isolated);
            multiply(drawn.predicted);
        },
        [](const auto& drawn, const auto& made) {
            const auto cost = EvaluateTwoWayCut(drawn, made);
            return drawn.objective == TwoWayCutObjective::LATENCY ? cost.latencySeconds
                                                                  : GetBottleneckSeconds(cost);
        });
}

/** @copydoc PlanPipeline */
Answer
PlanBatchShares(const Question& asked, const JsonField& root)
{
    const auto none = [](auto&&...) { return 0.0; };
    return PlanFor<BatchSharesProblem, BatchSharesPlanner>(
        asked,
        root,
        "bno",
        {{"envelope", "batch shares have none"},
         {"pairs", "batch shares have no actors"},
         {"state-nodes", "batch shares have none"},
         {"cost-draws", "batch shares are planned by measurements"}},
        none,
        none,
        none);
}

/** @copydoc PlanPipeline */
Answer
PlanMultiActor(const Question& asked, const JsonField& root)
{
    return PlanFor<MultiActorProblem, MultiActorPlanner>(
        asked,
        root,
        "defp",
        {{"envelope", "actors have none"}, {"state-nodes", "actors have none"}},
        [&](auto& answer, const auto& problem, const auto& planner, const auto& plan, double) {
            const MultiActorCost cost = EvaluateMultiActor(problem, plan);
            answer["totalReductionSeconds"] = cost.totalReductionSeconds;
            answer["cutVariance"] = cost.cutVariance;
            answer["reductionVariance"] = cost.reductionVariance;
            answer["computeUsedFlop"] = cost.computeUsedFlop;
            answer["bandwidthUsedBytes"] = cost.bandwidthUsedBytes;
            answer["decisionSeconds"] = planner->GetDecisionSeconds();
            if (!asked.hasPairs)
            {
                return;
            }
            if (!cost.isWithinBudgets)
            {
                asked.Refuse("pairs", "the plan exceeds a budget");
            }
            const MultiActorRest rest = MeasureMultiActorRest(problem, plan);
            answer["pairs"] = {{"all", rest.pairs},
                               {"thatGain", rest.pairsThatGain},
                               {"largestGainSeconds", rest.largestGainSeconds},
                               {"messages", planner->GetMessages()}};
        },
        [asked](auto& drawn, uint32_t draw) {
            std::vector<double> speed{1 / drawn.model.serverFlopPerSecond};
            asked.Draw("server", draw, speed, drawn.model.serverLayerSeconds);
            drawn.model.serverFlopPerSecond = 1 / speed.front();
            for (auto& actor : drawn.actors)
            {
                // Actors of equal speed are of one type.
                const std::string type = Table::Exact(actor.flopPerSecond);
                speed.front() = 1 / actor.flopPerSecond;
                asked.Draw(type, draw, speed, actor.layerSeconds);
                actor.flopPerSecond = 1 / speed.front();
            }
        },
        [](const auto& drawn, const auto& made) {
            return Mean(Map(CountUp(drawn.actors.size()), [&](std::size_t i) {
                return GetMultiActorCut(drawn.model, drawn.actors[i], made.cuts[i]).responseSeconds;
            }));
        });
}

/** @copydoc PlanPipeline */
Answer
PlanLanguageModel(const Question& asked, const JsonField& root)
{
    return PlanFor<LanguageProblem, LanguagePlanner>(
        asked,
        root,
        "by-speed",
        {{"envelope", "a language model has none"},
         {"pairs", "a language model has no actors"},
         {"state-nodes", "a language model has none"}},
        [](auto& answer, const auto& problem, const auto& planner, const auto& plan, double) {
            const LanguagePlanCost cost = GetLanguagePlanCost(problem, plan);
            answer["latencySeconds"] = cost.latencySeconds;
            answer["periodSeconds"] = cost.periodSeconds;
            answer["fits"] = cost.fits;
            answer["decisionSeconds"] = planner->GetDecisionSeconds();
        },
        [asked](auto& drawn, uint32_t draw) {
            for (LanguageNode& node : drawn.nodes)
            {
                // Nodes of equal speed are of one type.
                std::vector<double> seconds{node.layerSeconds, node.headSeconds};
                asked.Draw(Table::Exact(node.layerSeconds), draw, seconds);
                node.layerSeconds = seconds.front();
                node.headSeconds = seconds.back();
            }
        },
        [](const auto& drawn, const auto& made) {
            return GetLanguagePlanCost(drawn, made).latencySeconds;
        });
}

/**
 * Print the answers to one problem, with their durations over draws of the costs.
 *
 * @param answers to print
 * @param drawing how costs are drawn
 */
void
PrintDrawn(const std::vector<Answer>& answers, const CostDrawOptions& drawing)
{
    const auto list = [&](uint32_t draw, bool isAnew) {
        return Map(answers, [=](const Answer& answer) { return answer.rank(draw, isAnew); });
    };
    const auto draws = CostDraws::Simulate(
        drawing.draws,
        [&](uint32_t draw) {
            CostDraw found{list(draw, drawing.plans == "anew")};
            if (drawing.FindsRegrets())
            {
                found.regrets = CostDraws::FindRegrets(found.ranks, list(draw, true));
            }
            return found;
        },
        [](double) {});
    const auto names =
        Map(answers, [](const Answer& one) { return one.json["planner"].get<std::string>(); });
    const CostDraws all{names, list(0, false), draws, ""};
    for (std::size_t i = 0; i < answers.size(); ++i)
    {
        auto json = answers[i].json;
        auto& drawn = json["costDraws"];
        drawn["draws"] = drawing.draws;
        const auto add = [&](const std::string& what, auto value) {
            const auto ends = CostDraws::FindInterval(Map(draws, value));
            drawn["low" + what] = ends[0];
            drawn["median" + what] = ends[1];
            drawn["high" + what] = ends[2];
        };
        add("Seconds", [i](const CostDraw& draw) { return draw.ranks[i]; });
        if (drawing.FindsRegrets())
        {
            add("Regret", [i](const CostDraw& draw) { return draw.regrets[i]; });
        }
        drawn["betterShare"] = nlohmann::ordered_json::object();
        for (std::size_t other = 0; other < answers.size(); ++other)
        {
            if (other != i)
            {
                drawn["betterShare"][names[other]] = all.GetShare(i, other);
            }
        }
        std::cout << DumpInLine(json) << std::endl;
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("plan", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("plan",
                                "Plan without simulating: reads problems and prints one plan for "
                                "each problem and planner, a line of JSON each, on standard "
                                "output. Formats: contrib/edgepipe/doc/reference/problems.rst.");
        Question asked{options};
        std::vector<std::string> files;
        std::vector<std::string> planners{""};
        options.Bind("problem=", files)
            .Help("JSON files with problems, separated by commas: a pipeline, a two-way cut, "
                  "batch shares, actors or a language model");
        options
            .Bind("planner=",
                  [&] {
                      if (!options.GetString("planner").empty())
                      {
                          planners = options.GetList("planner");
                      }
                  })
            .Help("for a pipeline, one of " + JoinNames<PipelinePlanner>() +
                  " (default exact); for a two-way cut, one of " + JoinNames<TwoWayCutPlanner>() +
                  " (default qdmp); for batch shares, one of " + JoinNames<BatchSharesPlanner>() +
                  " (default bno); for actors, one of " + JoinNames<MultiActorPlanner>() +
                  " (default defp); for a language model, one of " + JoinNames<LanguagePlanner>() +
                  " (default by-speed); several separated by commas");
        options.Bind("envelope=false", asked.hasEnvelope)
            .Help("for a two-way cut by qdmp, also print the best plan at every uplink bandwidth");
        options.Bind("state-nodes=0", asked.stateNodes, 0, 1000000000)
            .Help("for a pipeline, also print the iteration time of the plan's cuts when placed "
                  "best, and of the best plan that SDQN's state can represent, solving at most "
                  "this many subproblems; 0: neither");
        options.Bind("pairs=false", asked.hasPairs)
            .Help("for actors, also print how many pairs would change the plan, and the messages "
                  "that planning took");
        asked.drawing.Declare(options);
        options.Bind("cost-spread=0", asked.spread, 0, 2)
            .Help("in draws: standard deviation of the logarithm of the factor on all times of a "
                  "device type, such as 0.2");
        options.Parse(argc, argv);
        options.Expect("cost-spread",
                       (asked.drawing.draws > 0) == (asked.spread > 0),
                       "above 0 with --cost-draws, and 0 without");
        const std::map<std::string, decltype(&PlanPipeline)> plans{
            {"pipeline", PlanPipeline},
            {"two-way-cut", PlanTwoWayCut},
            {"batch-shares", PlanBatchShares},
            {"multi-actor", PlanMultiActor},
            {"language-model", PlanLanguageModel},
        };
        const auto roots = Map(files, ReadJsonFile);
        const auto answer = [&](const JsonField& root) {
            const JsonField kind = root.GetField("problem");
            const auto plan = plans.find(kind.GetString());
            if (plan == plans.end())
            {
                kind.Fail("\"pipeline\", \"two-way-cut\", \"batch-shares\", \"multi-actor\" or "
                          "\"language-model\"");
            }
            std::vector<Answer> answers;
            for (const auto& planner : planners)
            {
                asked.planner = planner;
                answers.push_back(plan->second(asked, root));
                if (!asked.isChecking && asked.drawing.draws == 0)
                {
                    std::cout << DumpInLine(answers.back().json) << std::endl;
                }
            }
            return answers;
        };
        asked.isChecking = true;
        std::for_each(roots.begin(), roots.end(), answer);
        options.EndDryRun();
        asked.isChecking = false;
        for (const auto& root : roots)
        {
            const auto answers = answer(root);
            if (asked.drawing.draws > 0)
            {
                PrintDrawn(answers, asked.drawing);
            }
        }
        return 0;
    });
}
