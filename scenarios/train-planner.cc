/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/progress.h"
#include "lib/scenario-options.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-exact-pipeline-planner.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <ctime>
#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** @return seconds of processor time that this process has taken */
double
GetProcessorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/**
 * @param options of the command line
 * @return the planner, set up
 */
Ptr<GrdqnPlanner>
MakePlanner(const ScenarioOptions& options)
{
    if (options.GetString("planner") != "grdqn")
    {
        options.Refuse("planner", "grdqn, the planner that learns");
    }
    auto planner = CreateObject<GrdqnPlanner>();
    const std::string& variant = options.GetString("variant");
    if (variant != "faithful" && variant != "improved")
    {
        options.Refuse("variant", "faithful or improved");
    }
    planner->SetAttribute("Variant", StringValue(variant));
    if (options.GetString("episodes") != "default")
    {
        const UintegerValue episodes(options.GetUint("episodes", 0, 10000000));
        for (const char* name : {"CutEpisodes", "PlaceEpisodes", "ImprovedEpisodes"})
        {
            planner->SetAttribute(name, episodes);
        }
    }
    return planner;
}

/**
 * @param problem a problem
 * @return the least iteration time that is possible, seconds; 0 when it takes too long to find
 */
double
FindExactSeconds(const PipelineProblem& problem)
{
    try
    {
        const auto plan = CreateObject<ExactPipelinePlanner>()->Plan(problem);
        return PipelineCostModel(problem).IterationSeconds(plan);
    }
    catch (const InputError&)
    {
        return 0;
    }
}

/** A problem that is trained for, or that what was learned is applied to. */
struct Case
{
    std::string model;       //!< its name
    std::string cluster;     //!< its name
    bool isSeen;             //!< whether it is trained for
    PipelineProblem problem; //!< the problem
};

/**
 * @param options of the command line
 * @param model names of models, separated by commas
 * @param cluster names of clusters, likewise
 * @param isSeen whether they are trained for
 * @param cases what every pair of them is added to, unless it is there
 */
void
AddCases(const ScenarioOptions& options,
         const std::string& model,
         const std::string& cluster,
         bool isSeen,
         std::vector<Case>& cases)
{
    ScenarioOptions lists = options;
    lists.SetDefault("model", model);
    lists.SetDefault("cluster", cluster);
    for (const auto& aModel : lists.GetList("model"))
    {
        for (const auto& aCluster : lists.GetList("cluster"))
        {
            ScenarioOptions one(options.GetName(), "");
            TrainingInputs inputs(one);
            one.TakeOver(options);
            one.SetDefault("model", aModel);
            one.SetDefault("cluster", aCluster);
            one.Apply();
            inputs.Read();
            const auto names = GetDeviceNames(inputs.cluster.devices);
            inputs.CheckNetwork(names);
            const bool isThere = std::any_of(cases.begin(), cases.end(), [&](const Case& other) {
                return other.model == inputs.graph.name && other.cluster == inputs.cluster.name;
            });
            if (!isThere)
            {
                const double bandwidth = inputs.FindPlannerBandwidth(names);
                cases.push_back({inputs.graph.name,
                                 inputs.cluster.name,
                                 isSeen,
                                 inputs.BuildProblem(inputs.cluster, bandwidth)});
            }
        }
    }
}

/**
 * @param cases some problems
 * @return those that are trained for, as tables name them
 */
std::string
JoinSeen(const std::vector<Case>& cases)
{
    std::string names;
    for (const Case& each : cases)
    {
        if (each.isSeen && ("+" + names + "+").find("+" + each.model + "+") == std::string::npos)
        {
            names += (names.empty() ? "" : "+") + each.model;
        }
    }
    return names;
}

/**
 * @param options of the command line
 * @return the problems, those that are trained for first
 */
std::vector<Case>
FindCases(const ScenarioOptions& options)
{
    std::vector<Case> cases;
    const std::string& model = options.GetString("model");
    const std::string& cluster = options.GetString("cluster");
    AddCases(options, model, cluster, true, cases);
    const std::string& unseenModel = options.GetString("unseen-model");
    const std::string& unseenCluster = options.GetString("unseen-cluster");
    if (!unseenModel.empty() || !unseenCluster.empty())
    {
        AddCases(options,
                 model + (unseenModel.empty() ? "" : "," + unseenModel),
                 cluster + (unseenCluster.empty() ? "" : "," + unseenCluster),
                 false,
                 cases);
    }
    return cases;
}

/**
 * @param options of the command line
 * @param planner that learns
 * @param cases the problems
 * @param curves what a row per episode is added to
 * @return what was learned
 */
GrdqnCheckpoint
Train(const ScenarioOptions& options,
      const Ptr<GrdqnPlanner>& planner,
      const std::vector<Case>& cases,
      Table& curves)
{
    std::vector<PipelineProblem> problems;
    std::size_t devices = 0;
    for (const Case& each : cases)
    {
        devices = std::max(devices, each.problem.devices.size());
        if (each.isSeen)
        {
            problems.push_back(each.problem);
        }
    }
    if (cases.size() > 1)
    {
        planner->SetAttribute("DeviceSlots", UintegerValue(devices));
    }
    const std::string names = JoinSeen(cases);
    Progress progress;
    return planner->Train(problems, [&](const GrdqnEpisode& episode, double done) {
        curves.AddRow({names,
                       options.GetString("variant"),
                       std::to_string(RngSeedManager::GetRun()),
                       episode.network,
                       std::to_string(episode.episode),
                       Table::Exact(episode.reward),
                       Table::Exact(episode.epsilon),
                       Table::Exact(episode.loss),
                       episode.iterationSeconds > 0 ? Table::Exact(episode.iterationSeconds) : ""});
        progress.Update(done, episode.network + " episode " + std::to_string(episode.episode));
    });
}

/**
 * Plans by what was learned.
 *
 * @param planner set up to plan by a checkpoint
 * @param one a problem
 * @param options of the command line
 * @param spent seconds of processor time of the training
 * @param training what a row is added to
 * @return what people are shown: stages, seconds with search, without, of exact, and of deciding
 * @throws InputError when no plan fits
 */
std::vector<std::string>
Apply(const Ptr<GrdqnPlanner>& planner,
      const Case& one,
      const ScenarioOptions& options,
      double spent,
      Table& training)
{
    const PipelineCostModel costModel(one.problem);
    const auto plan = planner->Plan(one.problem);
    const double decisionSeconds = planner->GetDecisionSeconds();
    const uint64_t decisionEvaluations = planner->GetDecisionEvaluations();
    const double seconds = costModel.IterationSeconds(plan);
    UintegerValue searchEvaluations;
    planner->GetAttribute("SearchEvaluations", searchEvaluations);
    planner->SetAttribute("SearchEvaluations", UintegerValue(0));
    const double networksSeconds = costModel.IterationSeconds(planner->Plan(one.problem));
    planner->SetAttribute("SearchEvaluations", searchEvaluations);
    const double exactSeconds = FindExactSeconds(one.problem);
    training.AddRow({one.model,
                     one.cluster,
                     one.isSeen ? "true" : "false",
                     options.GetString("variant"),
                     std::to_string(RngSeedManager::GetRun()),
                     Table::Exact(planner->GetTrainingSeconds()),
                     Table::Exact(spent),
                     std::to_string(planner->GetTrainingEvaluations()),
                     Table::Exact(decisionSeconds),
                     std::to_string(decisionEvaluations),
                     std::to_string(plan.stages.size()),
                     Table::Exact(seconds),
                     Table::Exact(networksSeconds),
                     exactSeconds > 0 ? Table::Exact(exactSeconds) : ""});
    const auto print = [](double value) { return Table::Rounded(value, 4); };
    return {std::to_string(plan.stages.size()),
            print(seconds),
            print(networksSeconds),
            exactSeconds > 0 ? print(exactSeconds) : "too large",
            print(1000 * decisionSeconds)};
}

/**
 * @param options of the command line
 * @return the exit status
 */
int
Run(const ScenarioOptions& options)
{
    ResultsFolder results(options.GetString("out"));
    results.Check();
    const auto planner = MakePlanner(options);
    const auto cases = FindCases(options);
    Table curves({"model",
                  "variant",
                  "run",
                  "network",
                  "episode",
                  "reward",
                  "epsilon",
                  "loss",
                  "predictedIterationSeconds"});
    const std::string run = std::to_string(RngSeedManager::GetRun());
    const double before = GetProcessorSeconds();
    const GrdqnCheckpoint checkpoint = Train(options, planner, cases, curves);
    const double spent = GetProcessorSeconds() - before;
    results.Write("reward_curves.csv", curves);
    results.Commit();
    const std::string file = results.GetPath("checkpoint.grdqn");
    WriteGrdqnCheckpoint(file, checkpoint);
    // Decide by what a user would load, not by what training left in memory.
    planner->SetAttribute("Checkpoint", StringValue(file));
    const auto print = [](double value) { return Table::Rounded(value, 4); };
    std::cout << "grdqn " << options.GetString("variant") << ", seed " << RngSeedManager::GetSeed()
              << " run " << run << "\n"
              << "training  " << print(planner->GetTrainingSeconds()) << " s, " << print(spent)
              << " s of processor time, " << planner->GetTrainingEvaluations()
              << " plans evaluated, for " << JoinSeen(cases) << "\n";

    Table training({"model",
                    "cluster",
                    "seen",
                    "variant",
                    "run",
                    "trainingSeconds",
                    "processorSeconds",
                    "trainingEvaluations",
                    "decisionSeconds",
                    "decisionEvaluations",
                    "stages",
                    "predictedIterationSeconds",
                    "networksIterationSeconds",
                    "exactIterationSeconds"});
    Table shown({"model",
                 "cluster",
                 "trained for",
                 "devices",
                 "stages",
                 "s per iteration",
                 "without search",
                 "exact",
                 "decision ms"});
    for (const Case& each : cases)
    {
        std::vector<std::string> outcome{"none fits", "-", "-", "-", "-"};
        try
        {
            outcome = Apply(planner, each, options, spent, training);
        }
        catch (const InputError&)
        {
            // What the checkpoint is applied to need not fit; what it was trained for does.
            if (each.isSeen)
            {
                throw;
            }
        }
        std::vector<std::string> row{each.model,
                                     each.cluster,
                                     each.isSeen ? "yes" : "no",
                                     std::to_string(each.problem.devices.size())};
        row.insert(row.end(), outcome.begin(), outcome.end());
        shown.AddRow(row);
    }
    results.Write("training.csv", training);
    results.Commit();
    shown.Print(std::cout);
    std::cout << "written   " << file << ", " << results.GetPath("reward_curves.csv") << std::endl;
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("train-planner", [argc, argv] {
        ScenarioOptions options("train-planner",
                                "Train the planner grdqn for a model and a cluster, or for all "
                                "pairs of several, separated by commas; writes a checkpoint and "
                                "the reward of every episode.");
        const TrainingInputs declared(options);
        options.SetDefault("planner", "grdqn");
        options.Add("variant", "faithful: as the DGPAS paper; improved: beyond it", "improved");
        options.Add("episodes",
                    "to train each network, 0 for none; default: what the planner's attributes say",
                    "default");
        options.Add("unseen-model",
                    "models that are not trained for, to apply what was learned to; empty: none",
                    "");
        options.Add("unseen-cluster", "clusters that are not trained for, likewise", "");
        options.Parse(argc, argv);
        return Run(options);
    });
}
