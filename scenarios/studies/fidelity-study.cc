/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-study.h"

#include "lib/pipeline-training-helper.h"
#include "lib/progress.h"
#include "lib/training-inputs.h"
#include "studies/fidelity-cases.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param text options as in FidelityCase
 * @return names and values
 * @throws InputError if a word is neither
 */
std::map<std::string, std::string>
Split(const std::string& text)
{
    std::map<std::string, std::string> values;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
        {
            throw InputError("found \"" + word + "\", expected NAME=VALUE");
        }
        values[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return values;
}

/**
 * @param problem what the plan was made for
 * @param plan its plan
 * @param training how to run it
 * @param runs how often, each with another run number
 * @param bytesMoved set to the payload of a run
 * @return what came of it
 */
FidelityRun
RunOften(const PipelineProblem& problem,
         const PipelinePlan& plan,
         const PipelineTrainingOptions& training,
         uint32_t runs,
         uint64_t& bytesMoved)
{
    using Clock = std::chrono::steady_clock;
    FidelityRun all;
    all.runs = runs;
    all.isFinished = true;
    const uint64_t firstRun = RngSeedManager::GetRun();
    const auto start = Clock::now();
    for (uint32_t run = 0; run < runs; ++run)
    {
        RngSeedManager::SetRun(firstRun + run);
        const auto result = RunPipelineTraining(problem, plan, training);
        const double seconds = result.GetMeanIterationSeconds();
        all.iterationSeconds += seconds / runs;
        all.lowestSeconds = run ? std::min(all.lowestSeconds, seconds) : seconds;
        all.highestSeconds = std::max(all.highestSeconds, seconds);
        all.events = result.events;
        all.isFinished = all.isFinished && result.finished;
        bytesMoved = result.bytesMoved;
    }
    RngSeedManager::SetRun(firstRun);
    all.wallSeconds = std::chrono::duration<double>(Clock::now() - start).count() / runs;
    return all;
}

} // namespace

const std::vector<std::pair<std::string, double>>&
GetFidelityLimits()
{
    static const std::vector<std::pair<std::string, double>> limits{{"lan", 0.05},
                                                                    {"p2p", 0.05},
                                                                    {"wifi", 0.10}};
    return limits;
}

double
FidelityComparison::GetLimit() const
{
    const auto& limits = GetFidelityLimits();
    const auto limit = std::find_if(limits.begin(), limits.end(), [this](const auto& entry) {
        return entry.first == link;
    });
    return limit->second;
}

double
FidelityComparison::GetDifference() const
{
    return IsFinished() ? flow.iterationSeconds / packet.iterationSeconds - 1 : 0;
}

double
FidelityComparison::GetNetworkShare() const
{
    return IsFinished() ? 1 - idealSeconds / packet.iterationSeconds : 0;
}

bool
FidelityComparison::IsFinished() const
{
    return packet.isFinished && flow.isFinished;
}

void
FidelityStudy::AddOptions(ScenarioOptions& options)
{
    options.Add("cases",
                "links to compare on: lan, p2p, wifi, separated by commas",
                "lan,p2p,wifi");
    options.Add("case",
                "instead of the grid, one case: options of pipeline-training without their dashes, "
                "separated by blanks; empty: the grid",
                "");
    options.Add("runs",
                "of a case on Wi-Fi at packet level, whose mean counts: with this run number and "
                "those that follow",
                "5");
    options.Add("quick", "whether to run a few small cases only", "false");
    options.Add("traces",
                "folder of models, profiles, devices, clusters; empty: $EDGEPIPE_TRACES or traces",
                "");
    options.Add("out", "folder for the results", "results/" + options.GetName());
}

FidelityStudy::FidelityStudy(const ScenarioOptions& options)
    : m_options(options),
      m_runs(options.GetUint("runs", 1, 1000))
{
    ResultsFolder(options.GetString("out")).Check();
    const auto links = options.GetList("cases");
    const auto& known = GetFidelityLimits();
    for (const auto& link : links)
    {
        if (std::none_of(known.begin(), known.end(), [&link](const auto& entry) {
                return entry.first == link;
            }))
        {
            options.Refuse("cases", "some of lan, p2p, wifi");
        }
    }
    const bool isQuick = options.GetBool("quick");
    if (!options.GetString("case").empty())
    {
        m_cases.push_back(options.GetString("case"));
        return;
    }
    for (const auto& one : GetFidelityCases())
    {
        if (std::count(links.begin(), links.end(), Split(one.options).at("link")) &&
            (one.isQuick || !isQuick))
        {
            m_cases.push_back(one.options);
        }
    }
}

void
FidelityStudy::Run()
{
    Progress progress;
    for (const auto& text : m_cases)
    {
        progress.Update(double(m_comparisons.size()) / m_cases.size(), text);
        try
        {
            m_comparisons.push_back(Compare(text));
        }
        catch (const InputError& error)
        {
            throw InputError("case \"" + text + "\": " + error.what());
        }
    }
}

FidelityComparison
FidelityStudy::Compare(const std::string& text) const
{
    ScenarioOptions options("fidelity", "");
    TrainingInputs::AddOptions(options);
    options.SetDefault("traces", m_options.GetString("traces"));
    options.SetDefault("out", m_options.GetString("out"));
    const auto known = options.GetAll();
    for (const auto& [name, value] : Split(text))
    {
        if (std::none_of(known.begin(), known.end(), [name = name](const auto& option) {
                return option.first == name;
            }))
        {
            throw InputError("\"" + name + "\" is no option of pipeline-training");
        }
        options.SetDefault(name, value);
    }
    const TrainingInputs inputs(options);
    const auto names = GetDeviceNames(inputs.cluster.devices);
    inputs.CheckNetwork(names);
    const auto problem = inputs.BuildProblem(inputs.cluster, inputs.FindPlannerBandwidth(names));
    FidelityComparison comparison;
    comparison.options = text;
    comparison.link = inputs.training.network.link;
    comparison.devices = names.size();
    const auto plan =
        FindByName<PipelinePlanner>("planner", inputs.planners.front())->Plan(problem);
    comparison.stages = plan.stages.size();

    PipelineTrainingOptions training = inputs.training;
    training.network.fidelity = "packet";
    comparison.packet = RunOften(problem,
                                 plan,
                                 training,
                                 comparison.link == "wifi" ? m_runs : 1,
                                 comparison.bytesMoved);
    training.network.fidelity = "flow";
    comparison.flow = RunOften(problem, plan, training, 1, comparison.bytesMoved);
    training.network.link = "lan";
    training.network.bandwidthBitsPerSecond = 1e12;
    training.network.bandwidthSteps.clear();
    training.network.delay = Time();
    uint64_t ignored = 0;
    comparison.idealSeconds = RunOften(problem, plan, training, 1, ignored).iterationSeconds;
    return comparison;
}

int
FidelityStudy::GetStatus() const
{
    return std::all_of(m_comparisons.begin(),
                       m_comparisons.end(),
                       [](const auto& one) { return one.IsFinished(); })
               ? 0
               : 3;
}

} // namespace edgepipe
} // namespace ns3
