/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/progress.h"
#include "lib/scenario-options.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-batch-shares-problem-json.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-multi-actor-problem-json.h"
#include "ns3/edgepipe-pipeline-box-search.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-json.h"
#include "ns3/edgepipe-representable-plan.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-json.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** What is asked. */
struct Question
{
    /**
     * @param byDefault name of a planner
     * @return the planner asked for, or that one
     */
    template <typename Planner>
    Ptr<Planner> FindPlanner(const std::string& byDefault) const
    {
        return FindByName<Planner>("--planner", planner.empty() ? byDefault : planner);
    }

    /**
     * @param name of an option that is true or false
     * @param reason why it must be false
     * @throws InputError if it is true
     */
    void Refuse(const std::string& name, const std::string& reason) const
    {
        if (name == "envelope" ? hasEnvelope : hasPairs)
        {
            options.Refuse(name, "false, since " + reason);
        }
    }

    const ScenarioOptions& options; //!< of the command line
    std::string planner{};          //!< its name; may be empty
    uint64_t stateNodes{0};         //!< problems to solve for what SDQN's state can say
    bool hasEnvelope{false};        //!< whether to print plans at every bandwidth
    bool hasPairs{false};           //!< whether to print how many pairs would change the plan
};

/**
 * @param asked what is
 * @param root the problem file
 * @return the answer
 */
std::string
PlanPipeline(const Question& asked, const JsonField& root)
{
    const auto planner = asked.FindPlanner<PipelinePlanner>("exact");
    asked.Refuse("envelope", "a pipeline has none");
    asked.Refuse("pairs", "a pipeline has no actors");
    const auto problem = ReadProblem<PipelineProblem>(root);
    asked.options.EndDryRun();
    const Stopwatch stopwatch;
    const auto plan = planner->Plan(problem);
    const double preparation = stopwatch.GetSeconds() - planner->GetDecisionSeconds();
    const PipelineCostModel model(problem);
    const double seconds = model.IterationSeconds(plan);
    const double bound = planner->GetLowerBoundSeconds();
    auto answer = nlohmann::ordered_json::parse(FormatPipelinePlan(problem,
                                                                   plan,
                                                                   planner->GetName(),
                                                                   seconds,
                                                                   planner->GetDecisionSeconds(),
                                                                   bound < seconds ? bound : 0));
    if (planner->GetEvaluations() > 0)
    {
        answer["evaluations"] = planner->GetEvaluations();
        answer["preparationSeconds"] = std::max(0.0, preparation);
    }
    if (asked.stateNodes > 0)
    {
        const auto best = FindRepresentablePlan(model, asked.stateNodes);
        const auto placed = PlaceDivision(model, GetDivision(plan));
        answer["decomposition"] = {{"representableSeconds", best.seconds},
                                   {"representableBoundSeconds", best.lowerBoundSeconds},
                                   {"divisionSeconds", model.IterationSeconds(placed)}};
    }
    return answer.dump();
}

/** @copydoc PlanPipeline */
std::string
PlanTwoWayCut(const Question& asked, const JsonField& root)
{
    const auto planner = asked.FindPlanner<TwoWayCutPlanner>("qdmp");
    asked.Refuse("pairs", "a two-way cut has no actors");
    const auto problem = ReadProblem<TwoWayCutProblem>(root);
    asked.options.EndDryRun();
    const auto plan = planner->Plan(problem);
    const double decisionSeconds = planner->GetDecisionSeconds();
    std::unique_ptr<TwoWayCutEnvelope> envelope;
    if (asked.hasEnvelope)
    {
        envelope = planner->PlanEveryBandwidth(problem);
        if (!envelope)
        {
            asked.Refuse("envelope", "planner " + planner->GetName() + " has none");
        }
    }
    return FormatTwoWayCutPlan(problem, plan, planner->GetName(), decisionSeconds, envelope.get());
}

/** @copydoc PlanPipeline */
std::string
PlanBatchShares(const Question& asked, const JsonField& root)
{
    const auto planner = asked.FindPlanner<BatchSharesPlanner>("bno");
    asked.Refuse("envelope", "batch shares have none");
    asked.Refuse("pairs", "batch shares have no actors");
    const auto problem = ReadProblem<BatchSharesProblem>(root);
    asked.options.EndDryRun();
    return FormatBatchSharesPlan(problem, planner->Plan(problem), planner->GetName());
}

/** @copydoc PlanPipeline */
std::string
PlanMultiActor(const Question& asked, const JsonField& root)
{
    const auto planner = asked.FindPlanner<MultiActorPlanner>("defp");
    asked.Refuse("envelope", "actors have none");
    const auto problem = ReadProblem<MultiActorProblem>(root);
    asked.options.EndDryRun();
    const auto plan = planner->Plan(problem);
    MultiActorPairs pairs;
    if (asked.hasPairs)
    {
        if (!EvaluateMultiActor(problem, plan).isWithinBudgets)
        {
            asked.Refuse("pairs", "the plan exceeds a budget");
        }
        pairs = {MeasureMultiActorRest(problem, plan), planner->GetMessages()};
    }
    return FormatMultiActorPlan(problem,
                                plan,
                                planner->GetName(),
                                planner->GetDecisionSeconds(),
                                asked.hasPairs ? &pairs : nullptr);
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("plan", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options(
            "plan",
            "Plan without simulating: reads problems, prints a plan of each by each planner "
            "as JSON, a line each, on standard output. Formats: "
            "contrib/edgepipe/doc/reference/problems.rst.");
        Question asked{options};
        std::vector<std::string> files;
        std::vector<std::string> planners{""};
        options.Bind("problem=", files)
            .Help(
                "files with problems, JSON, separated by commas; a pipeline, a two-way cut, batch "
                "shares or actors");
        options
            .Bind("planner=",
                  [&] {
                      if (!options.GetString("planner").empty())
                      {
                          options.Read("planner", planners);
                      }
                  })
            .Help("of a pipeline, one of " + JoinNames<PipelinePlanner>() +
                  " (exact unless given); of a two-way cut, one of " +
                  JoinNames<TwoWayCutPlanner>() + " (qdmp unless given); of batch shares, one of " +
                  JoinNames<BatchSharesPlanner>() + " (bno unless given); of actors, one of " +
                  JoinNames<MultiActorPlanner>() +
                  " (defp unless given); several separated by commas");
        options.Bind("envelope=false", asked.hasEnvelope)
            .Help("of a two-way cut by qdmp, print the best plan at every uplink bandwidth too");
        options.Bind("state-nodes=0", asked.stateNodes, 0, 1000000000)
            .Help("of a pipeline, print what the best placement of the plan's cuts takes, and the "
                  "best plan that SDQN's state can say, for which so many problems are solved; 0: "
                  "neither");
        options.Bind("pairs=false", asked.hasPairs)
            .Help("of actors, print how many pairs of them would change the plan, and messages");
        options.Parse(argc, argv);
        const std::map<std::string, decltype(&PlanPipeline)> plans{
            {"pipeline", PlanPipeline},
            {"two-way-cut", PlanTwoWayCut},
            {"batch-shares", PlanBatchShares},
            {"multi-actor", PlanMultiActor},
        };
        for (const auto& file : files)
        {
            const JsonField root = ReadJsonFile(file);
            const JsonField kind = root.GetField("problem");
            const auto plan = plans.find(kind.GetString());
            if (plan == plans.end())
            {
                kind.Fail("\"pipeline\", \"two-way-cut\", \"batch-shares\" or \"multi-actor\"");
            }
            for (const auto& planner : planners)
            {
                asked.planner = planner;
                std::cout << plan->second(asked, root) << std::endl;
            }
        }
        return 0;
    });
}
