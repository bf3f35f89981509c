/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-study.h"

#include "lib/progress.h"
#include "lib/traces-option.h"
#include "lib/training-inputs.h"
#include "runs/pipeline-training-helper.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Cases named as the worst.
constexpr std::size_t WORST = 5;

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
 * @param text options of a case, such as "model=alexnet link=p2p"
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
    FidelityRun all;
    all.runs = runs;
    all.isFinished = true;
    const uint64_t firstRun = RngSeedManager::GetRun();
    const Stopwatch watch;
    for (uint32_t run = 0; run < runs; ++run)
    {
        RngSeedManager::SetRun(firstRun + run);
        const auto result = RunPipelineTraining(problem, plan, training);
        const double seconds = result.GetMeanIterationSeconds();
        all.iterationSeconds += seconds / runs;
        all.lowestSeconds = run ? std::min(all.lowestSeconds, seconds) : seconds;
        all.highestSeconds = std::max(all.highestSeconds, seconds);
        all.events = result.events;
        if (!result.finished)
        {
            all.isFinished = false;
            all.end = result.end;
            all.diagnosis = result.diagnosis;
        }
        bytesMoved = result.bytesMoved;
    }
    RngSeedManager::SetRun(firstRun);
    all.wallSeconds = watch.GetSeconds() / runs;
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

FidelityStudy::FidelityStudy(ScenarioOptions& o)
    : Experiment(o)
{
    o.Bind("cases=lan,p2p,wifi", m_links)
        .Help("links to compare on: lan, p2p, wifi, separated by commas");
    o.Bind("case=").Help(
        "instead of the grid, one case: options of pipeline-training without their dashes, "
        "separated by blanks; empty: the grid");
    o.Bind("runs=5", m_runs, 1, 1000)
        .Help(
            "of a case on Wi-Fi at packet level, whose mean counts: with this run number and those "
            "that follow");
    o.Bind("quick=false", m_isQuick).Help("whether to run a few small cases only");
    o.Bind("traces=").Help(
        "folder of models, profiles, devices, clusters; empty: $EDGEPIPE_TRACES or traces");
    o.AddOut();
}

void
FidelityStudy::Read()
{
    for (const auto& link : m_links)
    {
        const auto& known = GetFidelityLimits();
        if (std::none_of(known.begin(), known.end(), [&link](const auto& entry) {
                return entry.first == link;
            }))
        {
            m_options.Refuse("cases", "some of lan, p2p, wifi");
        }
    }
    if (!m_options.GetString("case").empty())
    {
        m_cases.push_back(m_options.GetString("case"));
        return;
    }
    const std::string path = FindTracesFolder(m_options) + "/fidelity-cases.txt";
    std::ifstream file(path);
    if (!file)
    {
        throw InputError(path + ": cannot be read, expected the cases to run");
    }
    for (std::string line; std::getline(file, line);)
    {
        const bool isQuick = line.rfind("quick ", 0) == 0;
        const std::string text = line.substr(isQuick ? 6 : 0);
        if (text.empty() || text[0] == '#')
        {
            continue;
        }
        const auto values = Split(text);
        const auto link = values.find("link");
        if (link == values.end())
        {
            throw InputError(path + ": found \"" + text + "\", expected link=... in it");
        }
        if (std::count(m_links.begin(), m_links.end(), link->second) && (isQuick || !m_isQuick))
        {
            m_cases.push_back(text);
        }
    }
}

void
FidelityStudy::Simulate()
{
    for (const auto& text : m_cases)
    {
        Follow(m_comparisons.size(), m_cases.size(), text);
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
    TrainingInputs inputs(options);
    options.SetDefault("traces", m_options.GetString("traces"));
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
    options.Apply();
    inputs.Read();
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

void
FidelityStudy::Print() const
{
    using Case = const FidelityComparison;
    const auto seconds = [](FidelityRun FidelityComparison::*run) {
        return [run](Case& c) {
            return (c.*run).isFinished ? Cell((c.*run).iterationSeconds) : Cell("stalled");
        };
    };
    const auto percent = [](double share) { return Table::Rounded(100 * share, 3) + " %"; };
    MakeSheet<FidelityComparison>(
        {
            {"", "case", [](Case& c) { return c.options; }},
            {"",
             "stages",
             [](Case& c) { return std::to_string(c.stages) + "/" + std::to_string(c.devices); }},
            {"", "network share", [=](Case& c) { return percent(c.GetNetworkShare()); }},
            {"", "packet (s)", seconds(&FidelityComparison::packet), FormatRounded},
            {"",
             "of single runs",
             [](Case& c) {
                 return c.packet.runs > 1 ? FormatShort(c.packet.lowestSeconds) + " to " +
                                                FormatShort(c.packet.highestSeconds)
                                          : "";
             }},
            {"", "flow (s)", seconds(&FidelityComparison::flow), FormatRounded},
            {"",
             "difference",
             [](Case& c) { return When(c.IsFinished(), c.GetDifference()); },
             Percent},
            {"", "packet wall (s)", [](Case& c) { return c.packet.wallSeconds; }, FormatShort},
            {"", "flow wall (s)", [](Case& c) { return c.flow.wallSeconds; }, FormatShort},
            {"",
             "faster",
             [](Case& c) { return FormatShort(c.packet.wallSeconds / c.flow.wallSeconds) + " x"; }},
        },
        m_comparisons)
        .GetShown()
        .Print(std::cout);
    PrintSummary();
    PrintWorst();
    for (const auto& one : m_comparisons)
    {
        for (const auto* run : {&one.packet, &one.flow})
        {
            if (!run->isFinished)
            {
                ReportStall(one.options + (run == &one.flow ? ", flow level" : ", packet level"),
                            run->end,
                            run->diagnosis);
            }
        }
    }
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
    for (const auto& [link, limit] : GetFidelityLimits())
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

std::string
FidelityStudy::Write(ResultsFolder& folder) const
{
    using Case = const FidelityComparison;
    const auto results = MakeSheet<FidelityComparison>(
        {
            {"case", [](Case& c) { return c.options; }},
            {"link", [](Case& c) { return c.link; }},
            {"devices", [](Case& c) { return c.devices; }},
            {"stages", [](Case& c) { return c.stages; }},
            {"status", [](Case& c) { return c.IsFinished() ? "finished" : "stalled"; }},
            {"movedBytes", [](Case& c) { return c.bytesMoved; }},
            {"packetRuns", [](Case& c) { return c.packet.runs; }},
            {"packetIterationSeconds", [](Case& c) { return c.packet.iterationSeconds; }},
            {"packetLowestSeconds", [](Case& c) { return c.packet.lowestSeconds; }},
            {"packetHighestSeconds", [](Case& c) { return c.packet.highestSeconds; }},
            {"flowIterationSeconds", [](Case& c) { return c.flow.iterationSeconds; }},
            {"idealIterationSeconds", [](Case& c) { return c.idealSeconds; }},
            {"difference", [](Case& c) { return When(c.IsFinished(), c.GetDifference()); }},
            {"limit", [](Case& c) { return c.GetLimit(); }},
            {"packetEvents", [](Case& c) { return c.packet.events; }},
            {"flowEvents", [](Case& c) { return c.flow.events; }},
        },
        m_comparisons);
    const auto costs = MakeSheet<FidelityComparison>(
        {
            {"case", [](Case& c) { return c.options; }},
            {"packetWallSeconds", [](Case& c) { return c.packet.wallSeconds; }},
            {"flowWallSeconds", [](Case& c) { return c.flow.wallSeconds; }},
        },
        m_comparisons);
    folder.Write("results.csv", results.GetFile());
    folder.Write("costs.csv", costs.GetFile());
    return "results.csv (a row per case), costs.csv (wall-clock times)\n"
           "Draw them: analysis/fidelity.py " +
           m_options.GetString("out") +
           "\nA case again, with its timeline: ./ns3 run \"pipeline-training --fidelity=packet "
           "--NAME=VALUE ...\"";
}

} // namespace edgepipe
} // namespace ns3
