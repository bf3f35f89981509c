/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/experiment.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
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

/// What training leaves in the results' folder.
constexpr const char* CHECKPOINT = "checkpoint.grdqn";
/// Every episode's reward, likewise.
constexpr const char* CURVES = "reward_curves.csv";

/**
 * @param planner name of a reference
 * @param problem a problem
 * @return iteration time of its plan, seconds; 0 when it has none or takes too long to find it
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
    double evenSeconds{0};           //!< the same of even; 0 when its plan does not fit
    double decisionSeconds{0};       //!< wall-clock time
    uint64_t decisionEvaluations{0}; //!< plans looked at
};

/**
 * @param options of the command line
 * @param model names of models, separated by commas
 * @param cluster names of clusters, likewise
 * @param isSeen whether they are trained for
 * @param cases what every pair of them is added to, unless it is there
 * @param costs what the layer costs of every pair are added to
 */
void
AddCases(const ScenarioOptions& options,
         const std::string& model,
         const std::string& cluster,
         bool isSeen,
         std::vector<Case>& cases,
         std::map<std::string, LayerCost>& costs)
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
                for (const auto& [type, cost] : inputs.costs)
                {
                    costs[inputs.graph.name + " on " + type] = cost;
                }
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
 * @param costs what the layer costs are added to
 * @return the problems, those that are trained for first
 */
std::vector<Case>
FindCases(const ScenarioOptions& options, std::map<std::string, LayerCost>& costs)
{
    std::vector<Case> cases;
    const std::string& model = options.GetString("model");
    const std::string& cluster = options.GetString("cluster");
    AddCases(options, model, cluster, true, cases, costs);
    const std::string& unseenModel = options.GetString("unseen-model");
    const std::string& unseenCluster = options.GetString("unseen-cluster");
    if (!unseenModel.empty() || !unseenCluster.empty())
    {
        AddCases(options,
                 model + (unseenModel.empty() ? "" : "," + unseenModel),
                 cluster + (unseenCluster.empty() ? "" : "," + unseenCluster),
                 false,
                 cases,
                 costs);
    }
    return cases;
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
    one.exactSeconds = FindSeconds("exact", one.problem);
    one.evenSeconds = FindSeconds("even", one.problem);
    one.stages = plan.stages.size();
}

/** Trains grdqn, and applies what it has learned. */
class PlannerTraining : public Experiment
{
  public:
    /** @param options of the scenario, to be parsed by Run */
    explicit PlannerTraining(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;
    RunCurves GetCurves() const override;

    /** @return what was learned */
    GrdqnCheckpoint Train();
    /** @return a row per problem, with what depends on the machine: training.csv */
    std::vector<Column<Case>> MakeColumns() const;
    /** @return a row per problem and planner: results.csv */
    Table MakeResults() const;

    const TrainingInputs m_inputs;            //!< options of the problems
    std::string m_variant;                    //!< of the planner
    std::string m_checkpoint;                 //!< what was learned, until the results are written
    std::optional<uint32_t> m_length;         //!< episodes to train each network
    Ptr<GrdqnPlanner> m_planner;              //!< that learns
    std::vector<Case> m_cases;                //!< the problems, those that are trained for first
    std::map<std::string, LayerCost> m_costs; //!< by model and device type
    std::vector<GrdqnEpisode> m_episodes;     //!< in their order
    double m_processorSeconds{0};             //!< that training took
};

PlannerTraining::PlannerTraining(ScenarioOptions& options)
    : Experiment(options),
      m_inputs(options)
{
    options.SetDefault("planner", "grdqn");
    options.Bind("variant=improved", m_variant, "faithful", "stage-aware", "improved")
        .Help("faithful: as the DGPAS paper; stage-aware: the same, told how long a stage is; "
              "improved: beyond the paper");
    options
        .Bind("episodes=default",
              [this] {
                  if (m_options.GetString("episodes") != "default")
                  {
                      m_options.Read("episodes", m_length, 0, 10000000);
                  }
              })
        .Help("to train each network, 0 for none; default: what the planner's attributes say");
    options.Bind("unseen-model=")
        .Help("models that are not trained for, to apply what was learned to; empty: none");
    options.Bind("unseen-cluster=").Help("clusters that are not trained for, likewise");
}

void
PlannerTraining::Read()
{
    if (m_options.GetString("planner") != "grdqn")
    {
        m_options.Refuse("planner", "grdqn, the planner that learns");
    }
    m_planner = CreateObject<GrdqnPlanner>();
    m_planner->SetAttribute("Variant", StringValue(m_variant));
    for (const char* name : {"CutEpisodes", "PlaceEpisodes", "ImprovedEpisodes"})
    {
        if (m_length)
        {
            m_planner->SetAttribute(name, UintegerValue(*m_length));
        }
    }
    m_cases = FindCases(m_options, m_costs);
}

GrdqnCheckpoint
PlannerTraining::Train()
{
    std::vector<PipelineProblem> problems;
    std::size_t devices = 0;
    for (const Case& each : m_cases)
    {
        devices = std::max(devices, each.problem.devices.size());
        if (each.isSeen)
        {
            problems.push_back(each.problem);
        }
    }
    if (m_cases.size() > 1)
    {
        m_planner->SetAttribute("DeviceSlots", UintegerValue(devices));
    }
    return m_planner->Train(problems, [this](const GrdqnEpisode& episode, double done) {
        m_episodes.push_back(episode);
        Follow(done, 1, episode.network + " episode " + std::to_string(episode.episode));
    });
}

void
PlannerTraining::Simulate()
{
    const double before = GetProcessorSeconds();
    const GrdqnCheckpoint checkpoint = Train();
    m_processorSeconds = GetProcessorSeconds() - before;
    const std::filesystem::path folder = m_options.GetString("out");
    std::filesystem::create_directories(folder);
    // It gets its name with the other results.
    m_checkpoint = folder / (CHECKPOINT + std::string(".tmp"));
    WriteGrdqnCheckpoint(m_checkpoint, checkpoint);
    // Decide by what a user would load, not by what training left in memory.
    m_planner->SetAttribute("Checkpoint", StringValue(m_checkpoint));
    for (Case& each : m_cases)
    {
        try
        {
            Apply(m_planner, each);
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
}

void
PlannerTraining::Print() const
{
    std::cout << "grdqn " << m_variant << ", seed " << RngSeedManager::GetSeed() << " run "
              << RngSeedManager::GetRun() << "\ntraining  "
              << FormatRounded(m_planner->GetTrainingSeconds()) << " s, "
              << FormatRounded(m_processorSeconds) << " s of processor time, "
              << m_planner->GetTrainingEvaluations() << " plans evaluated, for "
              << JoinSeen(m_cases) << "\n";
    MakeSheet(MakeColumns(), m_cases).GetShown().Print(std::cout);
}

std::vector<Column<Case>>
PlannerTraining::MakeColumns() const
{
    return {
        {"model", "model", &Case::model},
        {"cluster", "cluster", &Case::cluster},
        {"seen", [](const Case& c) { return c.isSeen ? "true" : "false"; }},
        {"", "trained for", [](const Case& c) { return c.isSeen ? "yes" : "no"; }},
        {"variant", m_variant},
        {"run", RngSeedManager::GetRun()},
        {"trainingSeconds", m_planner->GetTrainingSeconds()},
        {"processorSeconds", m_processorSeconds},
        {"trainingEvaluations", m_planner->GetTrainingEvaluations()},
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
}

Table
PlannerTraining::MakeResults() const
{
    using Reference = std::pair<std::string, double>;
    Sheet<Case, Reference> results({
        {"model", &Case::model},
        {"cluster", &Case::cluster},
        {"problem", [](const Case& c, const Reference&) { return c.isSeen ? "seen" : "unseen"; }},
        {"variant", m_variant},
        {"planner", &Reference::first},
        {"predictedIterationSeconds", &Reference::second},
    });
    for (const Case& each : m_cases)
    {
        for (const Reference& one : {Reference{"grdqn", each.seconds},
                                     Reference{"grdqn without search", each.networksSeconds},
                                     Reference{"exact", each.exactSeconds},
                                     Reference{"even", each.evenSeconds}})
        {
            if (one.second > 0)
            {
                results.Add(each, one);
            }
        }
    }
    return AddRunColumns(results.GetFile());
}

std::string
PlannerTraining::Write(ResultsFolder& folder) const
{
    using Episode = const GrdqnEpisode;
    const std::vector<Column<GrdqnEpisode>> curves{
        {"model", JoinSeen(m_cases)},
        {"variant", m_variant},
        {"run", RngSeedManager::GetRun()},
        {"network", &GrdqnEpisode::network},
        {"episode", &GrdqnEpisode::episode},
        {"reward", &GrdqnEpisode::reward},
        {"epsilon", &GrdqnEpisode::epsilon},
        {"loss", &GrdqnEpisode::loss},
        {"predictedIterationSeconds",
         [](Episode& e) { return When(e.iterationSeconds > 0, e.iterationSeconds); }},
    };
    std::vector<Case> fitting;
    std::copy_if(m_cases.begin(), m_cases.end(), std::back_inserter(fitting), [](const Case& c) {
        return c.stages > 0;
    });
    folder.Write("results.csv", MakeResults());
    folder.Write(CURVES, MakeSheet(curves, m_episodes).GetFile());
    folder.Write("training.csv", AddRunColumns(MakeSheet(MakeColumns(), fitting).GetFile()));
    folder.Write("run.json", FormatRunFile(m_options, m_costs, nlohmann::ordered_json::object()));
    // The page names it, and the next run drops what is not its own.
    std::ifstream checkpoint(m_checkpoint, std::ios::binary);
    folder.Write(CHECKPOINT, std::string(std::istreambuf_iterator<char>(checkpoint), {}));
    return "results.csv, reward_curves.csv, training.csv (with what it took),\n  run.json, and "
           "checkpoint.grdqn, for --ns3::edgepipe::GrdqnPlanner::Checkpoint=" +
           m_options.GetString("out") + "/" + CHECKPOINT;
}

RunCurves
PlannerTraining::GetCurves() const
{
    return {CURVES,
            "episode",
            {"reward", "loss", "predictedIterationSeconds", "epsilon"},
            {"network"}};
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
        return PlannerTraining(options).Run(argc, argv, "analysis/reward_curves.py");
    });
}
