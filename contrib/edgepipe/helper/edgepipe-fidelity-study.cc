/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-fidelity-study.h"

#include "ns3/edgepipe-fidelity-cases.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-training-helper.h"
#include "ns3/edgepipe-progress.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-training-inputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Links in the order of tables, with the largest difference allowed on each.
const std::vector<std::pair<std::string, double>> LINKS{{"lan", 0.05},
                                                        {"p2p", 0.05},
                                                        {"wifi", 0.10}};
/// Cases named as the worst.
constexpr std::size_t WORST = 5;

/**
 * @param text options as in FidelityCase
 * @return names and values
 */
std::map<std::string, std::string>
Split(const std::string& text)
{
    std::map<std::string, std::string> values;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        const auto equals = std::min(word.find('='), word.size() - 1);
        values[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return values;
}

/**
 * @param share a share
 * @return it in percent, with its sign
 */
std::string
Percent(double share)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%+.2f %%", std::round(1e4 * share) / 100 + 0.0);
    return text;
}

/**
 * @param problem what the plan was made for
 * @param plan its plan
 * @param training how to run it
 * @param bytesMoved set to the payload of the run
 * @return what came of it
 */
FidelityRun
RunOnce(const PipelineProblem& problem,
        const PipelinePlan& plan,
        const PipelineTrainingOptions& training,
        uint64_t& bytesMoved)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto result = RunPipelineTraining(problem, plan, training);
    const double wall = std::chrono::duration<double>(Clock::now() - start).count();
    bytesMoved = result.bytesMoved;
    return {result.GetMeanIterationSeconds(), wall, result.events, result.finished};
}

} // namespace

double
FidelityComparison::GetLimit() const
{
    const auto limit = std::find_if(LINKS.begin(), LINKS.end(), [this](const auto& entry) {
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
    options.Add("quick", "whether to run a few small cases only", "false");
    options.Add("traces",
                "folder of models, profiles, devices, clusters; empty: $EDGEPIPE_TRACES or traces",
                "");
    options.Add("out", "folder for the results", "results/" + options.GetName());
}

FidelityStudy::FidelityStudy(const ScenarioOptions& options)
    : m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    const auto links = options.GetList("cases");
    for (const auto& link : links)
    {
        if (std::none_of(LINKS.begin(), LINKS.end(), [&link](const auto& entry) {
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
    comparison.packet = RunOnce(problem, plan, training, comparison.bytesMoved);
    training.network.fidelity = "flow";
    comparison.flow = RunOnce(problem, plan, training, comparison.bytesMoved);
    training.network.link = "lan";
    training.network.bandwidthBitsPerSecond = 1e12;
    training.network.bandwidthSteps.clear();
    training.network.delay = Time();
    uint64_t ignored = 0;
    comparison.idealSeconds = RunOnce(problem, plan, training, ignored).iterationSeconds;
    return comparison;
}

void
FidelityStudy::Print() const
{
    Table table({"case",
                 "stages",
                 "network share",
                 "packet (s)",
                 "flow (s)",
                 "difference",
                 "packet wall (s)",
                 "flow wall (s)",
                 "faster"});
    for (const auto& one : m_comparisons)
    {
        const auto seconds = [](const FidelityRun& run) {
            return run.isFinished ? Table::Rounded(run.iterationSeconds) : "stalled";
        };
        table.AddRow({one.options,
                      std::to_string(one.stages) + "/" + std::to_string(one.devices),
                      Table::Rounded(100 * one.GetNetworkShare(), 3) + " %",
                      seconds(one.packet),
                      seconds(one.flow),
                      one.IsFinished() ? Percent(one.GetDifference()) : "-",
                      Table::Rounded(one.packet.wallSeconds, 3),
                      Table::Rounded(one.flow.wallSeconds, 3),
                      Table::Rounded(one.packet.wallSeconds / one.flow.wallSeconds, 3) + " x"});
    }
    table.Print(std::cout);
    PrintSummary();
    PrintWorst();
}

void
FidelityStudy::PrintSummary() const
{
    Table table({"link",
                 "cases",
                 "limit",
                 "over it",
                 "largest",
                 "median",
                 "packet wall (s)",
                 "flow wall (s)",
                 "faster"});
    for (const auto& [link, limit] : LINKS)
    {
        std::vector<double> differences;
        double packet = 0;
        double flow = 0;
        std::size_t over = 0;
        std::size_t cases = 0;
        for (const auto& one : m_comparisons)
        {
            if (one.link != link)
            {
                continue;
            }
            ++cases;
            packet += one.packet.wallSeconds;
            flow += one.flow.wallSeconds;
            const double difference = std::abs(one.GetDifference());
            over += !one.IsFinished() || difference > limit;
            differences.push_back(difference);
        }
        if (cases == 0)
        {
            continue;
        }
        std::sort(differences.begin(), differences.end());
        const double median = (differences[(cases - 1) / 2] + differences[cases / 2]) / 2;
        const auto percent = [](double share) { return Table::Rounded(100 * share, 3) + " %"; };
        table.AddRow({link,
                      std::to_string(cases),
                      percent(limit),
                      std::to_string(over),
                      percent(differences.back()),
                      percent(median),
                      Table::Rounded(packet, 3),
                      Table::Rounded(flow, 3),
                      Table::Rounded(packet / flow, 3) + " x"});
    }
    std::cout << "\nDifferences of iteration time, flow against packet level:\n\n";
    table.Print(std::cout);
}

void
FidelityStudy::PrintWorst() const
{
    auto worst = m_comparisons;
    // As many limits as it is away, so that Wi-Fi and wires stand in one list.
    std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) {
        return std::abs(a.GetDifference()) / a.GetLimit() >
               std::abs(b.GetDifference()) / b.GetLimit();
    });
    worst.resize(std::min(worst.size(), WORST));
    std::cout << "\nThe worst, by the share of their limit:\n";
    for (const auto& one : worst)
    {
        std::cout << "  " << Percent(one.GetDifference()) << "  " << one.options << "\n";
    }
}

void
FidelityStudy::Write() const
{
    Table results({"case",
                   "link",
                   "devices",
                   "stages",
                   "status",
                   "movedBytes",
                   "packetIterationSeconds",
                   "flowIterationSeconds",
                   "idealIterationSeconds",
                   "difference",
                   "limit",
                   "packetEvents",
                   "flowEvents"});
    Table costs({"case", "packetWallSeconds", "flowWallSeconds"});
    for (const auto& one : m_comparisons)
    {
        const bool finished = one.IsFinished();
        results.AddRow({one.options,
                        one.link,
                        std::to_string(one.devices),
                        std::to_string(one.stages),
                        finished ? "finished" : "stalled",
                        std::to_string(one.bytesMoved),
                        Table::Exact(one.packet.iterationSeconds),
                        Table::Exact(one.flow.iterationSeconds),
                        Table::Exact(one.idealSeconds),
                        finished ? Table::Exact(one.GetDifference()) : "",
                        Table::Exact(one.GetLimit()),
                        std::to_string(one.packet.events),
                        std::to_string(one.flow.events)});
        costs.AddRow({one.options,
                      Table::Exact(one.packet.wallSeconds),
                      Table::Exact(one.flow.wallSeconds)});
    }
    ResultsFolder folder(m_options.GetString("out"));
    folder.Write("results.csv", [&](std::ostream& os) { results.WriteCsv(os); });
    folder.Write("costs.csv", [&](std::ostream& os) { costs.WriteCsv(os); });
    folder.Commit();
    std::cout << "\nResults: " << m_options.GetString("out")
              << "/  results.csv (a row per case), costs.csv (wall-clock times)\n"
                 "Draw them: analysis/fidelity.py "
              << m_options.GetString("out")
              << "\n"
                 "A case again, with its timeline: ./ns3 run \"pipeline-training --fidelity=packet "
                 "--NAME=VALUE ...\"\n";
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
