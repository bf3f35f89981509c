/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-batch-shares-problem-json.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-multi-actor-problem-json.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-json.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-json.h"

#include <iostream>
#include <map>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/**
 * @param options of the command line
 * @param byDefault name of a planner
 * @return the planner asked for, or that one
 */
template <typename Planner>
Ptr<Planner>
FindPlanner(const ScenarioOptions& options, const std::string& byDefault)
{
    const std::string& name = options.GetString("planner");
    return FindByName<Planner>("--planner", name.empty() ? byDefault : name);
}

/**
 * @param options of the command line
 * @param name of an option that is true or false
 * @param reason why it must be false
 * @throws InputError if it is true
 */
void
RefuseOption(const ScenarioOptions& options, const std::string& name, const std::string& reason)
{
    if (options.GetBool(name))
    {
        options.Refuse(name, "false, since " + reason);
    }
}

/**
 * @param options of the command line
 * @param root the problem file
 * @return the answer
 */
std::string
PlanPipeline(const ScenarioOptions& options, const JsonField& root)
{
    const auto planner = FindPlanner<PipelinePlanner>(options, "exact");
    RefuseOption(options, "envelope", "a pipeline has none");
    RefuseOption(options, "pairs", "a pipeline has no actors");
    const auto problem = ReadPipelineProblem(root, options.GetString("problem"));
    const auto plan = planner->Plan(problem);
    return FormatPipelinePlan(problem,
                              plan,
                              planner->GetName(),
                              PipelineCostModel(problem).IterationSeconds(plan),
                              planner->GetDecisionSeconds());
}

/**
 * @param options of the command line
 * @param root the problem file
 * @return the answer
 */
std::string
PlanTwoWayCut(const ScenarioOptions& options, const JsonField& root)
{
    const auto planner = FindPlanner<TwoWayCutPlanner>(options, "qdmp");
    RefuseOption(options, "pairs", "a two-way cut has no actors");
    const auto problem = ReadTwoWayCutProblem(root, options.GetString("problem"));
    const auto plan = planner->Plan(problem);
    const double decisionSeconds = planner->GetDecisionSeconds();
    std::unique_ptr<TwoWayCutEnvelope> envelope;
    if (options.GetBool("envelope"))
    {
        envelope = planner->PlanEveryBandwidth(problem);
        if (!envelope)
        {
            RefuseOption(options, "envelope", "planner " + planner->GetName() + " has none");
        }
    }
    return FormatTwoWayCutPlan(problem, plan, planner->GetName(), decisionSeconds, envelope.get());
}

/**
 * @param options of the command line
 * @param root the problem file
 * @return the answer
 */
std::string
PlanBatchShares(const ScenarioOptions& options, const JsonField& root)
{
    const auto planner = FindPlanner<BatchSharesPlanner>(options, "bno");
    RefuseOption(options, "envelope", "batch shares have none");
    RefuseOption(options, "pairs", "batch shares have no actors");
    const auto problem = ReadBatchSharesProblem(root, options.GetString("problem"));
    return FormatBatchSharesPlan(planner->Plan(problem), planner->GetName());
}

/**
 * @param options of the command line
 * @param root the problem file
 * @return the answer
 */
std::string
PlanMultiActor(const ScenarioOptions& options, const JsonField& root)
{
    const auto planner = FindPlanner<MultiActorPlanner>(options, "defp");
    RefuseOption(options, "envelope", "actors have none");
    const auto problem = ReadMultiActorProblem(root, options.GetString("problem"));
    const auto plan = planner->Plan(problem);
    MultiActorPairs pairs;
    if (options.GetBool("pairs"))
    {
        if (!EvaluateMultiActor(problem, plan).isWithinBudgets)
        {
            RefuseOption(options, "pairs", "the plan exceeds a budget");
        }
        pairs = {MeasureMultiActorRest(problem, plan), planner->GetMessages()};
    }
    return FormatMultiActorPlan(problem,
                                plan,
                                planner->GetName(),
                                planner->GetDecisionSeconds(),
                                options.GetBool("pairs") ? &pairs : nullptr);
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("plan", [argc, argv] {
        ScenarioOptions options("plan",
                                "Plan without simulating: reads one problem, prints one plan as "
                                "JSON on standard output. Formats: "
                                "contrib/edgepipe/doc/formats.rst.");
        options.Add(
            "problem",
            "file with the problem, JSON; a pipeline, a two-way cut, batch shares or actors",
            "");
        options.Add(
            "planner",
            "of a pipeline, one of " + JoinNames<PipelinePlanner>() +
                " (exact unless given); of a two-way cut, one of " + JoinNames<TwoWayCutPlanner>() +
                " (qdmp unless given); of batch shares, one of " + JoinNames<BatchSharesPlanner>() +
                " (bno unless given); of actors, one of " + JoinNames<MultiActorPlanner>() +
                " (defp unless given)",
            "");
        options.Add("envelope",
                    "of a two-way cut by qdmp, print the best plan at every uplink bandwidth too",
                    "false");
        options.Add("pairs",
                    "of actors, print how many pairs of them would change the plan, and messages",
                    "false");
        options.Parse(argc, argv);
        if (options.GetString("problem").empty())
        {
            options.Refuse("problem", "a file");
        }
        const JsonField root = ReadJsonFile(options.GetString("problem"));
        const JsonField kind = root.GetField("problem");
        const std::map<std::string, decltype(&PlanPipeline)> plans{
            {"pipeline", PlanPipeline},
            {"two-way-cut", PlanTwoWayCut},
            {"batch-shares", PlanBatchShares},
            {"multi-actor", PlanMultiActor},
        };
        const auto plan = plans.find(kind.GetString());
        if (plan == plans.end())
        {
            kind.Fail("\"pipeline\", \"two-way-cut\", \"batch-shares\" or \"multi-actor\"");
        }
        std::cout << plan->second(options, root) << std::endl;
        return 0;
    });
}
