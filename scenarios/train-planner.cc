/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/pipeline/pipeline-training-workload.h"

#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <ctime>
#include <filesystem>
#include <fstream>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** @return processor time of this process so far, seconds */
double
GetProcessorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The trained networks, in the results' folder.
constexpr const char* CHECKPOINT = "checkpoint.grdqn";
/// Every episode's reward, in the results' folder.
constexpr const char* CURVES = "reward_curves.csv";

/**
 * @param planner name of a reference
 * @param problem a problem
 * @return iteration time of its plan, seconds; 0 if it finds none or would take too long
 */
double
FindSeconds(const std::string& planner, const PipelineProblem& problem)
{
    try
    {
        const auto plan = FindByName<PipelinePlanner>("planner", planner)->Plan(problem);
        return PipelineCostModel(problem).IterationSeconds(plan);
    }
    catch (const InputError&)
    {
        return 0;
    }
}

/** The plan of the trained planner for the problem that it was trained for. */
struct Decision
{
    std::string model;               //!< its name
    std::string cluster;             //!< its name
    std::size_t devices;             //!< of the cluster
    std::size_t stages{0};           //!< of the plan
    double seconds{0};               //!< of an iteration, by the cost model
    double networksSeconds{0};       //!< the same, without search
    double exactSeconds{0};          //!< the same, of exact; 0 if that takes too long
    double evenSeconds{0};           //!< the same, of even; 0 if its plan does not fit
    double decisionSeconds{0};       //!< wall-clock time
    uint64_t decisionEvaluations{0}; //!< plans evaluated
};

/** Trains grdqn, and plans with the trained networks. */
class PlannerTraining : public Experiment
{
  public:
    /** @param options of the scenario, to be parsed by Run */
    explicit PlannerTraining(ScenarioOptions& options)
        : Experiment(options),
          m_workload(CreateObject<PipelineTrainingWorkload>())
    {
        m_workload->Declare(options, false);
        options.AddOut();
        options.SetDefault("planner", "grdqn-improved")
            .Help(
                "grdqn: as the DGPAS paper, with thresholds and weights chosen by the cost model; "
                "grdqn-as-printed: the same without that choice; grdqn-stage-aware: grdqn, with "
                "the stage's length in the state; grdqn-improved: beyond the paper");
        options.Rename("variant", "--planner=grdqn, grdqn-improved, ...");
        options
            .Bind("episodes=default",
                  [this] {
                      if (m_options.GetString("episodes") != "default")
                      {
                          m_options.Read("episodes", m_length.emplace(), 0, 10000000);
                      }
                  })
            .Help("episodes to train each network; 0: none; default: the planner's attributes");
    }

  private:
    void Read() override
    {
        const std::string& name = m_options.GetString("planner");
        m_planner = DynamicCast<GrdqnPlanner>(FindByName<PipelinePlanner>("--planner", name));
        m_options.Expect("planner",
                         m_planner != nullptr,
                         "one of grdqn, grdqn-as-printed, grdqn-improved and grdqn-stage-aware");
        for (const char* name : {"CutEpisodes", "PlaceEpisodes", "ImprovedEpisodes"})
        {
            if (m_length)
            {
                m_planner->SetAttribute(name, UintegerValue(*m_length));
            }
        }
        m_workload->ReadAll();
    }

    void Simulate() override
    {
        const PipelineProblem& problem = m_workload->GetProblem();
        const double before = GetProcessorSeconds();
        const auto checkpoint =
            m_planner->Train(problem, [this](const GrdqnEpisode& episode, double done) {
                m_episodes.push_back(episode);
                Follow(done, 1, episode.network + " episode " + std::to_string(episode.episode));
            });
        m_processorSeconds = GetProcessorSeconds() - before;
        const std::filesystem::path folder = m_options.GetString("out");
        std::filesystem::create_directories(folder);
        // It is renamed together with the other results.
        m_checkpoint = folder / (CHECKPOINT + std::string(".tmp"));
        WriteGrdqnCheckpoint(m_checkpoint, checkpoint);
        // Plan from the checkpoint, as a user would, not from the networks in memory.
        m_planner->SetAttribute("Checkpoint", StringValue(m_checkpoint));
        const PipelineCostModel costModel(problem);
        const auto plan = m_planner->Plan(problem);
        m_decision = {m_workload->GetGraph().name,
                      m_workload->GetCluster().name,
                      problem.devices.size()};
        m_decision.stages = plan.stages.size();
        m_decision.seconds = costModel.IterationSeconds(plan);
        m_decision.decisionSeconds = m_planner->GetDecisionSeconds();
        m_decision.decisionEvaluations = m_planner->GetDecisionEvaluations();
        m_planner->SetAttribute("SearchEvaluations", UintegerValue(0));
        m_decision.networksSeconds = costModel.IterationSeconds(m_planner->Plan(problem));
        m_decision.exactSeconds = FindSeconds("exact", problem);
        m_decision.evenSeconds = FindSeconds("even", problem);
    }

    void Print() const override
    {
        std::cout << m_planner->GetName() << ", seed " << RngSeedManager::GetSeed() << " run "
                  << RngSeedManager::GetRun() << "\ntraining  "
                  << FormatRounded(m_planner->GetTrainingSeconds()) << " s, "
                  << FormatRounded(m_processorSeconds) << " s of processor time, "
                  << m_planner->GetTrainingEvaluations() << " plans evaluated, for "
                  << m_decision.model << "\n";
        MakeTraining().GetShown().Print(std::cout);
    }

    std::string Write(ResultsFolder& folder) const override
    {
        using Episode = const GrdqnEpisode;
        const std::vector<Column<GrdqnEpisode>> curves{
            {"model", m_decision.model},
            {"variant", m_planner->GetVariant()},
            {"run", RngSeedManager::GetRun()},
            {"network", &GrdqnEpisode::network},
            {"episode", &GrdqnEpisode::episode},
            {"reward", &GrdqnEpisode::reward},
            {"epsilon", &GrdqnEpisode::epsilon},
            {"loss", &GrdqnEpisode::loss},
            {"predictedIterationSeconds",
             [](Episode& e) { return When(e.iterationSeconds > 0, e.iterationSeconds); }},
        };
        const std::string name = m_planner->GetName();
        CellTable results;
        for (const auto& [planner, seconds] :
             {std::pair{name, m_decision.seconds},
              {name + " without search", m_decision.networksSeconds},
              {"exact", m_decision.exactSeconds},
              {"even", m_decision.evenSeconds}})
        {
            if (seconds > 0)
            {
                results.Begin();
                results.Add("model", m_decision.model);
                results.Add("cluster", m_decision.cluster);
                results.Add("variant", m_planner->GetVariant());
                results.Add("planner", planner);
                results.Add("predictedIterationSeconds", seconds);
            }
        }
        folder.Write("results.csv", AddRunColumns(results.GetFile()));
        folder.Write(CURVES, MakeSheet(curves, m_episodes).GetFile());
        folder.Write("training.csv", AddRunColumns(MakeTraining().GetFile()));
        folder.Write("run.json",
                     FormatRunFile(m_options,
                                   m_workload->GetLayerCosts(),
                                   nlohmann::ordered_json::object()));
        // Write it with the results, so that the page lists it and a later run removes it.
        std::ifstream checkpoint(m_checkpoint, std::ios::binary);
        folder.Write(CHECKPOINT, std::string(std::istreambuf_iterator<char>(checkpoint), {}));
        return "results.csv, reward_curves.csv, training.csv (with what it took),\n  run.json, and "
               "checkpoint.grdqn, for --planner=" +
               m_planner->GetName() +
               " --ns3::edgepipe::GrdqnPlanner::Checkpoint=" + m_options.GetString("out") + "/" +
               CHECKPOINT;
    }

    RunCurves GetCurves() const override
    {
        return {CURVES,
                "episode",
                {"reward", "loss", "predictedIterationSeconds", "epsilon"},
                {"network"}};
    }

    /** @return training.csv, which has what depends on the machine */
    CellTable MakeTraining() const
    {
        const Decision& d = m_decision;
        const bool isExact = d.exactSeconds > 0;
        CellTable row;
        row.Begin();
        row.Add("model", d.model, "model");
        row.Add("cluster", d.cluster, "cluster");
        row.Add("variant", m_planner->GetVariant());
        row.Add("run", RngSeedManager::GetRun());
        row.Add("trainingSeconds", m_planner->GetTrainingSeconds());
        row.Add("processorSeconds", m_processorSeconds);
        row.Add("trainingEvaluations", m_planner->GetTrainingEvaluations());
        row.Add("decisionSeconds", d.decisionSeconds);
        row.Add("decisionEvaluations", d.decisionEvaluations);
        row.Add("", d.devices, "devices");
        row.Add("stages", d.stages, "stages");
        row.Add("predictedIterationSeconds", d.seconds, "iteration (s)", FormatRounded);
        row.Add("networksIterationSeconds", d.networksSeconds, "without search (s)", FormatRounded);
        row.Add("exactIterationSeconds", When(isExact, d.exactSeconds));
        row.Add("", isExact ? Cell(d.exactSeconds) : "too large", "exact (s)", FormatRounded);
        row.Add("", d.decisionSeconds, "decision (ms)", FormatMs);
        return row;
    }

    Ptr<PipelineTrainingWorkload> m_workload; //!< to train for
    std::string m_checkpoint;                 //!< path until the results are written
    std::optional<uint32_t> m_length;         //!< episodes to train each network
    Ptr<GrdqnPlanner> m_planner;              //!< to be trained
    Decision m_decision;                      //!< its plan
    std::vector<GrdqnEpisode> m_episodes;     //!< in order
    double m_processorSeconds{0};             //!< of training
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunExperiment<PlannerTraining>("train-planner",
                                          "Train grdqn, or a variant, for a model and a cluster; "
                                          "writes a checkpoint and the reward of every episode.",
                                          argc,
                                          argv,
                                          "analysis/reward_curves.py");
}
