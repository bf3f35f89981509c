/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-grdqn-planner.h"
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
        const UintegerValue episodes(options.GetUint("episodes", 1, 10000000));
        for (const char* name : {"CutEpisodes", "PlaceEpisodes", "ImprovedEpisodes"})
        {
            planner->SetAttribute(name, episodes);
        }
    }
    return planner;
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
    // Decide by what a user would load, not by what training left in memory.
    ResultsFolder results(options.GetString("out"));
    results.Write("reward_curves.csv", [&](std::ostream& os) { curves.WriteCsv(os); });
    results.Commit();
    const std::string file = results.GetPath("checkpoint.grdqn");
    WriteGrdqnCheckpoint(file, checkpoint);
    planner->SetAttribute("Checkpoint", StringValue(file));
    const auto plan = planner->Plan(problem);

    const auto print = [](double value) { return Table::Rounded(value, 4); };
    std::cout << inputs.graph.name << " on " << inputs.cluster.name << ", " << names.size()
              << " devices, grdqn " << options.GetString("variant") << ", seed "
              << RngSeedManager::GetSeed() << " run " << run << "\n"
              << "training  " << print(planner->GetTrainingSeconds()) << " s, "
              << print(after - before) << " s of processor time, "
              << planner->GetTrainingEvaluations() << " plans evaluated\n"
              << "decision  " << print(1000 * planner->GetDecisionSeconds())
              << " ms from the checkpoint, " << planner->GetDecisionEvaluations()
              << " plans evaluated\n"
              << "plan      " << plan.stages.size() << " stages, "
              << print(PipelineCostModel(problem).IterationSeconds(plan))
              << " s per iteration, predicted\n"
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
                    "to train each network, a number; default: what the planner's attributes say",
                    "default");
        options.Parse(argc, argv);
        return Run(options);
    });
}
