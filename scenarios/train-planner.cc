/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/progress.h"
#include "lib/run-report.h"
#include "lib/scenario-options.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-exact-pipeline-planner.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

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
    std::string model;               //!< its name
    std::string cluster;             //!< its name
    bool isSeen;                     //!< whether it is trained for
    PipelineProblem problem;         //!< the problem
    std::size_t stages{0};           //!< of the plan; 0: none fits
    double seconds{0};               //!< of an iteration, by the cost model
    double networksSeconds{0};       //!< the same without search
    double exactSeconds{0};          //!< the same of exact; 0 when that takes too long
    double decisionSeconds{0};       //!< wall-clock time
    uint64_t decisionEvaluations{0}; //!< plans looked at
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
    std::vector<std::string> names;
    for (const Case& each : cases)
    {
        if (each.isSeen && !std::count(names.begin(), names.end(), each.model))
        {
            names.push_back(each.model);
        }
    }
    return JoinWords(names, "+");
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
 * @param planner that learns
 * @param cases the problems
 * @param curves what a row per episode is added to
 * @return what was learned
 */
GrdqnCheckpoint
Train(const Ptr<GrdqnPlanner>& planner, const std::vector<Case>& cases, Sheet<GrdqnEpisode>& curves)
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
    Progress progress;
    return planner->Train(problems, [&](const GrdqnEpisode& episode, double done) {
        curves.Add(episode);
        progress.Update(done, episode.network + " episode " + std::to_string(episode.episode));
    });
}

/**
 * Plans by what was learned.
 *
 * @param planner set up to plan by a checkpoint
 * @param one a problem, whose figures are filled in
 * @throws InputError when no plan fits
 */
void
Apply(const Ptr<GrdqnPlanner>& planner, Case& one)
{
    const PipelineCostModel costModel(one.problem);
    const auto plan = planner->Plan(one.problem);
    one.decisionSeconds = planner->GetDecisionSeconds();
    one.decisionEvaluations = planner->GetDecisionEvaluations();
    one.seconds = costModel.IterationSeconds(plan);
    UintegerValue searchEvaluations;
    planner->GetAttribute("SearchEvaluations", searchEvaluations);
    planner->SetAttribute("SearchEvaluations", UintegerValue(0));
    one.networksSeconds = costModel.IterationSeconds(planner->Plan(one.problem));
    planner->SetAttribute("SearchEvaluations", searchEvaluations);
    one.exactSeconds = FindExactSeconds(one.problem);
    one.stages = plan.stages.size();
}

/**
 * @param options of the command line
 * @param variant of the planner
 * @param planner set up
 * @return the exit status
 */
int
Run(const ScenarioOptions& options, const std::string& variant, const Ptr<GrdqnPlanner>& planner)
{
    ResultsFolder results(options.GetString("out"));
    results.Check();
    auto cases = FindCases(options);
    const std::string seen = JoinSeen(cases);
    const uint64_t run = RngSeedManager::GetRun();
    using Episode = const GrdqnEpisode;
    Sheet<GrdqnEpisode> curves({
        {"model", seen},
        {"variant", variant},
        {"run", run},
        {"network", &GrdqnEpisode::network},
        {"episode", &GrdqnEpisode::episode},
        {"reward", &GrdqnEpisode::reward},
        {"epsilon", &GrdqnEpisode::epsilon},
        {"loss", &GrdqnEpisode::loss},
        {"predictedIterationSeconds",
         [](Episode& e) { return When(e.iterationSeconds > 0, e.iterationSeconds); }},
    });
    const double before = GetProcessorSeconds();
    const GrdqnCheckpoint checkpoint = Train(planner, cases, curves);
    const double spent = GetProcessorSeconds() - before;
    results.Write("reward_curves.csv", curves.GetFile());
    results.Write("run.json", FormatRunFile(options, {}, nlohmann::ordered_json::object()));
    results.Commit();
    const std::string file = results.GetPath("checkpoint.grdqn");
    WriteGrdqnCheckpoint(file, checkpoint);
    // Decide by what a user would load, not by what training left in memory.
    planner->SetAttribute("Checkpoint", StringValue(file));
    std::cout << "grdqn " << variant << ", seed " << RngSeedManager::GetSeed() << " run " << run
              << "\n"
              << "training  " << FormatRounded(planner->GetTrainingSeconds()) << " s, "
              << FormatRounded(spent) << " s of processor time, "
              << planner->GetTrainingEvaluations() << " plans evaluated, for " << seen << "\n";
    std::vector<Case> fitting;
    for (Case& each : cases)
    {
        try
        {
            Apply(planner, each);
            fitting.push_back(each);
        }
        catch (const InputError&)
        {
            // What the checkpoint is applied to need not fit; what it was trained for does.
            if (each.isSeen)
            {
                throw;
            }
        }
    }
    const std::vector<Column<Case>> columns{
        {"model", "model", &Case::model},
        {"cluster", "cluster", &Case::cluster},
        {"seen", [](const Case& c) { return c.isSeen ? "true" : "false"; }},
        {"", "trained for", [](const Case& c) { return c.isSeen ? "yes" : "no"; }},
        {"variant", variant},
        {"run", run},
        {"trainingSeconds", planner->GetTrainingSeconds()},
        {"processorSeconds", spent},
        {"trainingEvaluations", planner->GetTrainingEvaluations()},
        {"decisionSeconds", &Case::decisionSeconds},
        {"decisionEvaluations", &Case::decisionEvaluations},
        {"", "devices", [](const Case& c) { return c.problem.devices.size(); }},
        {"stages", &Case::stages},
        {"",
         "stages",
         [](const Case& c) { return c.stages > 0 ? Cell(c.stages) : Cell("none fits"); }},
        {"predictedIterationSeconds", &Case::seconds},
        {"",
         "iteration (s)",
         [](const Case& c) { return When(c.stages > 0, c.seconds); },
         FormatRounded},
        {"networksIterationSeconds", &Case::networksSeconds},
        {"",
         "without search (s)",
         [](const Case& c) { return When(c.stages > 0, c.networksSeconds); },
         FormatRounded},
        {"exactIterationSeconds",
         [](const Case& c) { return When(c.exactSeconds > 0, c.exactSeconds); }},
        {"",
         "exact (s)",
         [](const Case& c) {
             return c.exactSeconds > 0 ? Cell(c.exactSeconds) : When(c.stages > 0, "too large");
         },
         FormatRounded},
        {"",
         "decision (ms)",
         [](const Case& c) { return When(c.stages > 0, c.decisionSeconds); },
         FormatMs},
    };
    results.Write("training.csv", AddRunColumns(MakeSheet(columns, fitting).GetFile()));
    results.Commit();
    MakeSheet(columns, cases).GetShown().Print(std::cout);
    std::cout << "written   " << file << ", " << results.GetPath("reward_curves.csv")
              << "\n\nTry next:\n  analysis/reward_curves.py " << options.GetString("out")
              << "     (draws how it learned)" << std::endl;
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
        std::string variant;
        std::optional<uint32_t> episodes;
        options.Bind("variant=improved", variant, "faithful", "stage-aware", "improved")
            .Help("faithful: as the DGPAS paper; stage-aware: the same, told how long a stage is; "
                  "improved: beyond the paper");
        options
            .Bind("episodes=default",
                  [&] {
                      if (options.GetString("episodes") != "default")
                      {
                          options.Read("episodes", episodes, 0, 10000000);
                      }
                  })
            .Help("to train each network, 0 for none; default: what the planner's attributes say");
        options.Bind("unseen-model=")
            .Help("models that are not trained for, to apply what was learned to; empty: none");
        options.Bind("unseen-cluster=").Help("clusters that are not trained for, likewise");
        options.Parse(argc, argv);
        if (options.GetString("planner") != "grdqn")
        {
            options.Refuse("planner", "grdqn, the planner that learns");
        }
        const auto planner = CreateObject<GrdqnPlanner>();
        planner->SetAttribute("Variant", StringValue(variant));
        for (const char* name : {"CutEpisodes", "PlaceEpisodes", "ImprovedEpisodes"})
        {
            if (episodes)
            {
                planner->SetAttribute(name, UintegerValue(*episodes));
            }
        }
        options.EndDryRun();
        return Run(options, variant, planner);
    });
}
