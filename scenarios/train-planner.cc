/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-exact-pipeline-planner.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-progress.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-scenario-options.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-training-inputs.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

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

/**
 * @param options of the command line
 * @return the exit status
 */
int
Run(const ScenarioOptions& options)
{
    const auto planner = MakePlanner(options);
    const TrainingInputs inputs(options);
    const auto names = GetDeviceNames(inputs.cluster.devices);
    inputs.CheckNetwork(names);
    const auto problem = inputs.BuildProblem(inputs.cluster, inputs.FindPlannerBandwidth(names));

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
    GrdqnCheckpoint checkpoint;
    {
        Progress progress;
        checkpoint = planner->Train(problem, [&](const GrdqnEpisode& episode, double done) {
            curves.AddRow(
                {inputs.graph.name,
                 options.GetString("variant"),
                 run,
                 episode.network,
                 std::to_string(episode.episode),
                 Table::Exact(episode.reward),
                 Table::Exact(episode.epsilon),
                 Table::Exact(episode.loss),
                 episode.iterationSeconds > 0 ? Table::Exact(episode.iterationSeconds) : ""});
            progress.Update(done, episode.network + " episode " + std::to_string(episode.episode));
        });
    }
    const double after = GetProcessorSeconds();
    ResultsFolder results(options.GetString("out"));
    results.Write("reward_curves.csv", [&](std::ostream& os) { curves.WriteCsv(os); });
    results.Commit();
    const std::string file = results.GetPath("checkpoint.grdqn");
    WriteGrdqnCheckpoint(file, checkpoint);
    // Decide by what a user would load, not by what training left in memory.
    planner->SetAttribute("Checkpoint", StringValue(file));
    const auto plan = planner->Plan(problem);
    const double decisionSeconds = planner->GetDecisionSeconds();
    const uint64_t decisionEvaluations = planner->GetDecisionEvaluations();
    const PipelineCostModel costModel(problem);
    const double seconds = costModel.IterationSeconds(plan);
    planner->SetAttribute("SearchEvaluations", UintegerValue(0));
    const double networksSeconds = costModel.IterationSeconds(planner->Plan(problem));
    const double exactSeconds = FindExactSeconds(problem);

    Table training({"model",
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
    training.AddRow({inputs.graph.name,
                     options.GetString("variant"),
                     run,
                     Table::Exact(planner->GetTrainingSeconds()),
                     Table::Exact(after - before),
                     std::to_string(planner->GetTrainingEvaluations()),
                     Table::Exact(decisionSeconds),
                     std::to_string(decisionEvaluations),
                     std::to_string(plan.stages.size()),
                     Table::Exact(seconds),
                     Table::Exact(networksSeconds),
                     exactSeconds > 0 ? Table::Exact(exactSeconds) : ""});
    results.Write("training.csv", [&](std::ostream& os) { training.WriteCsv(os); });
    results.Commit();

    const auto print = [](double value) { return Table::Rounded(value, 4); };
    std::cout << inputs.graph.name << " on " << inputs.cluster.name << ", " << names.size()
              << " devices, grdqn " << options.GetString("variant") << ", seed "
              << RngSeedManager::GetSeed() << " run " << run << "\n"
              << "training  " << print(planner->GetTrainingSeconds()) << " s, "
              << print(after - before) << " s of processor time, "
              << planner->GetTrainingEvaluations() << " plans evaluated\n"
              << "decision  " << print(1000 * decisionSeconds) << " ms from the checkpoint, "
              << decisionEvaluations << " plans evaluated\n"
              << "plan      " << plan.stages.size() << " stages, " << print(seconds)
              << " s per iteration, predicted; without search " << print(networksSeconds) << " s";
    if (exactSeconds > 0)
    {
        std::cout << "; exact " << print(exactSeconds) << " s";
    }
    std::cout << "\n"
              << "written   " << file << ", " << results.GetPath("reward_curves.csv") << std::endl;
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("train-planner", [argc, argv] {
        ScenarioOptions options("train-planner",
                                "Train the planner grdqn for a model and a cluster; writes a "
                                "checkpoint and the reward of every episode.");
        TrainingInputs::AddOptions(options);
        options.SetDefault("planner", "grdqn");
        options.Add("variant", "faithful: as the DGPAS paper; improved: beyond it", "improved");
        options.Add("episodes",
                    "to train each network, 0 for none; default: what the planner's attributes say",
                    "default");
        options.Parse(argc, argv);
        return Run(options);
    });
}
