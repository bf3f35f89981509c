/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-study.h"

#include "lib/progress.h"
#include "lib/traces-option.h"
#include "runs/deployment.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/log.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeFidelityStudy");

namespace
{

/// Cases named as the worst.
constexpr std::size_t WORST = 5;
/// Draws of a setting before giving up.
constexpr uint32_t MOST_TRIES = 1000;
/// What drawn cases move at least: with less the network hardly matters. Bytes.
constexpr uint64_t LEAST_BYTES = 10000;
/// Responses of which a drawn case's figure is the mean at least: which of few end within the time
/// that is measured decides on their mean.
constexpr uint64_t LEAST_RESPONSES = 20;
/// What drawn cases move at most, bytes.
constexpr double WIRED_BYTES = 30e6;
constexpr double RADIO_BYTES = 10e6;

/// Said below a table whose rows are numbered.
constexpr const char* WHAT_ROWS_ARE = "What a row is stands in that row of results.csv.\n";

/**
 * @param one a case
 * @return its model
 */
std::string
GetModel(const FidelityComparison& one)
{
    const auto begin = (" " + one.options).find(" model=");
    const std::string rest = begin == std::string::npos ? "=" : one.options.substr(begin);
    const auto value = rest.find('=') + 1;
    return rest.substr(value, rest.find(' ') - value);
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
 * @param known what there is
 * @param options of the scenario
 * @param name of an option with some of it
 * @param chosen its values
 * @throws InputError naming the option if one is not among what there is
 */
void
CheckChoice(const std::vector<std::string>& known,
            const ScenarioOptions& options,
            const std::string& name,
            const std::vector<std::string>& chosen)
{
    for (const auto& one : chosen)
    {
        if (!std::count(known.begin(), known.end(), one))
        {
            options.Refuse(name, "some of " + JoinWords(known, ", ", " or "));
        }
    }
}

/**
 * @param one a case
 * @return what is known of it before it is run
 */
FidelityComparison
Describe(const FidelityCase& one)
{
    FidelityComparison comparison;
    comparison.options = one.GetText();
    comparison.workload = one.GetWorkload();
    comparison.link = one.GetNetwork().link;
    comparison.devices = one.GetDevices();
    comparison.stages = one.GetStages();
    return comparison;
}

/**
 * @param text options of a case
 * @return the command that runs it at packet level
 */
std::string
MakeCommand(const std::string& text)
{
    std::string workload = GetFidelityWorkloads().front();
    std::string command;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        if (word.rfind("workload=", 0) == 0)
        {
            workload = word.substr(word.find('=') + 1);
        }
        else
        {
            command += " --" + word;
        }
    }
    command = workload + command + " --fidelity=packet";
    for (const auto& [option, value] :
         {std::pair<std::string, uint64_t>("RngSeed", RngSeedManager::GetSeed()),
          std::pair<std::string, uint64_t>("RngRun", RngSeedManager::GetRun())})
    {
        command += value == 1 ? "" : " --" + option + "=" + std::to_string(value);
    }
    return "./ns3 run \"" + command + "\"";
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

FidelityStudy::FidelityStudy(ScenarioOptions& o)
    : Experiment(o)
{
    o.Bind("cases=lan,p2p,wifi", m_links)
        .Help("links to compare on: lan, p2p, wifi, separated by commas");
    o.Bind("case=").Help(
        "instead of the grid, one case: options of pipeline-training without their dashes, "
        "separated by blanks, or of workload=NAME, another scenario; empty: the grid");
    o.Rename("runs", "--seeds=NUMBER");
    o.Bind("seeds=5", m_runs, 1, 1000)
        .Help("of a case whose packets are random, such as on Wi-Fi, whose mean counts: with this "
              "run "
              "number and those that follow");
    o.Bind("quick=false", m_isQuick).Help("whether to run a few small cases only");
    o.Bind("random=0", m_random, 0, 1000000)
        .Help("instead of the grid, so many settings that are drawn; 0: the grid");
    o.Bind("seed=1", m_seed, 0, FidelityDraw::LARGEST_SEED).Help("of --random: tells draws apart");
    o.Bind("link=lan,p2p,wifi,3g,4g,lte,trace,mixed", m_drawnLinks)
        .Help("of --random: links, in turn: lan, p2p, wifi, 3g, 4g, lte, trace, or mixed, several "
              "of them in one network, whose cluster file is put into the folder clusters of "
              "--out");
    o.Bind("workload=pipeline-training,cooperative-inference,actor-learner,data-parallel",
           m_workloads)
        .Help("of --random: scenarios, in turn");
    o.Bind("planners=2", m_plannersPerSetting, 1, 100)
        .Help("of --random: how many meet each setting, for their order");
    o.Bind("max-bytes=0", m_mostBytes, 0, 1e12)
        .Help("of --random: most that a case moves, bytes; 0: 30 MB on wires, 10 MB elsewhere");
    o.Bind("max-time=120s", m_longest, NanoSeconds(1))
        .Help("of --random: longest that a case takes, simulated");
    o.Bind("traces=").Help(
        "folder of models, profiles, devices, clusters; empty: $EDGEPIPE_TRACES or traces");
    o.AddOut();
}

void
FidelityStudy::Read()
{
    std::vector<std::string> grid;
    for (const auto& [link, limit] : GetFidelityLimits())
    {
        grid.push_back(link);
    }
    CheckChoice(grid, m_options, "cases", m_links);
    CheckChoice(FidelityDraw::GetLinks(), m_options, "link", m_drawnLinks);
    CheckChoice(GetFidelityWorkloads(), m_options, "workload", m_workloads);
    if (!m_options.GetString("case").empty())
    {
        if (m_random > 0)
        {
            m_options.Refuse("case", "none where --random draws them");
        }
        m_cases.push_back(m_options.GetString("case"));
    }
    else if (m_random == 0)
    {
        ReadGrid();
    }
    const bool isMixed =
        m_random > 0 && std::count(m_drawnLinks.begin(), m_drawnLinks.end(), "mixed");
    if (isMixed && m_options.GetString("out").find_first_of(" \t\n") != std::string::npos)
    {
        m_options.Refuse("out", "a path without blanks, which stands among options of cases");
    }
}

void
FidelityStudy::ReadGrid()
{
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
        const auto at = (" " + text).find(" link=");
        if (at == std::string::npos)
        {
            throw InputError(path + ": found \"" + text + "\", expected link=... in it");
        }
        const std::string link = text.substr(at + 5, text.find(' ', at) - at - 5);
        if (std::count(m_links.begin(), m_links.end(), link) && (isQuick || !m_isQuick))
        {
            m_cases.push_back(text);
        }
    }
}

void
FidelityStudy::Simulate()
{
    const Stopwatch watch;
    if (m_random > 0)
    {
        SimulateDrawn();
    }
    else
    {
        SimulateGrid();
    }
    m_wallSeconds = watch.GetSeconds();
}

void
FidelityStudy::SimulateGrid()
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
    const auto one = FidelityCase::Make(text, m_options.GetString("traces"));
    FidelityComparison comparison = Describe(*one);
    comparison.options = text;
    const auto& limits = GetFidelityLimits();
    const auto limit = std::find_if(limits.begin(), limits.end(), [&](const auto& entry) {
        return entry.first == comparison.link;
    });
    comparison.limit =
        limit == limits.end() ? FindFidelityGoal(comparison.link).worst : limit->second;
    const uint32_t runs = one->IsRandom() ? m_runs : 1;
    comparison.packet = one->Run(one->GetNetwork("packet"), runs);
    comparison.flow = one->Run(one->GetNetwork("flow"), 1);
    NetworkOptions ideal;
    ideal.mtuBytes = one->GetNetwork().mtuBytes;
    ideal.bandwidthBitsPerSecond = 1e12;
    ideal.delay = Time();
    comparison.idealSeconds = one->Run(ideal, 1).seconds;
    return comparison;
}

void
FidelityStudy::SimulateDrawn()
{
    FidelityDraw draw(m_seed, FindTracesFolder(m_options));
    ResultsFolder clusters(m_options.GetString("out") + "/clusters");
    for (std::size_t setting = 0; setting < m_random; ++setting)
    {
        const std::string& link = m_drawnLinks[setting % m_drawnLinks.size()];
        const std::string& workload =
            m_workloads[setting / m_drawnLinks.size() % m_workloads.size()];
        const std::size_t before = m_comparisons.size();
        for (uint32_t tries = 0; m_comparisons.size() == before; ++tries)
        {
            if (tries == MOST_TRIES)
            {
                ++m_redrawn["given up: " + workload + " over " + link];
                break;
            }
            const std::string name = "mixed-" + std::to_string(setting) + ".json";
            const auto drawn =
                draw.Draw(workload, link, m_plannersPerSetting, clusters.GetPath(name));
            if (!drawn.cluster.empty())
            {
                clusters.Write(name, drawn.cluster);
                clusters.Commit();
            }
            for (const auto& planner : drawn.planners)
            {
                const std::string text = drawn.options + " " + planner;
                Follow(setting, m_random, text);
                FidelityComparison comparison;
                comparison.setting = setting;
                const std::string why = CompareDrawn(text, comparison);
                const bool isNew =
                    why.empty() &&
                    std::none_of(m_comparisons.begin() + before,
                                 m_comparisons.end(),
                                 [&](const auto& other) {
                                     return other.packet.seconds == comparison.packet.seconds &&
                                            other.flow.seconds == comparison.flow.seconds;
                                 });
                if (isNew)
                {
                    m_comparisons.push_back(std::move(comparison));
                }
                else
                {
                    ++m_redrawn[why.empty() ? "planned as by another planner" : why];
                }
            }
        }
    }
    if (m_comparisons.empty())
    {
        m_options.Refuse("max-bytes", "more, or a longer --max-time: no draw could be run");
    }
}

std::string
FidelityStudy::CompareDrawn(const std::string& text, FidelityComparison& comparison) const
{
    try
    {
        const auto one = FidelityCase::Make(text, m_options.GetString("traces"));
        const std::size_t setting = comparison.setting;
        comparison = Describe(*one);
        comparison.setting = setting;
        const FidelityGoal& goal = FindFidelityGoal(comparison.link);
        comparison.limit = goal.worst;
        const double most = m_mostBytes > 0        ? m_mostBytes
                            : goal.name == "wired" ? WIRED_BYTES
                                                   : RADIO_BYTES;
        const uint32_t runs = one->IsRandom() ? m_runs : 1;
        comparison.flow = one->Run(one->GetNetwork("flow"), runs);
        if (comparison.flow.bytesMoved > most)
        {
            return "moved too many bytes";
        }
        if (comparison.flow.bytesMoved < LEAST_BYTES)
        {
            return "moved next to nothing";
        }
        if (comparison.flow.responses < LEAST_RESPONSES)
        {
            return "answered few requests";
        }
        if (comparison.flow.end > m_longest)
        {
            return "took too long";
        }
        comparison.packet = one->Run(one->GetNetwork("packet"), runs);
        return comparison.flow.isFinished || comparison.packet.isFinished ? "" : "stalled";
    }
    catch (const InputError& error)
    {
        NS_LOG_INFO(text << ": " << error.what());
        return "refused";
    }
    catch (const SimulatorError& error)
    {
        NS_LOG_INFO(text << ": " << error.what());
        return "made ns-3 give up";
    }
}

void
FidelityStudy::Print() const
{
    if (m_random > 0)
    {
        PrintDrawn();
    }
    else
    {
        PrintGrid();
        PrintSummary();
        PrintWorst();
    }
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
FidelityStudy::PrintGrid() const
{
    using Case = const FidelityComparison;
    const auto seconds = [](FidelityRun FidelityComparison::*run) {
        return [run](Case& c) {
            return (c.*run).isFinished ? Cell((c.*run).seconds) : Cell("stalled");
        };
    };
    const auto percent = [](double share) { return Table::Rounded(100 * share, 3) + " %"; };
    MakeSheet<FidelityComparison>(
        {
            {"", "row", [this](Case& c) { return 1 + (&c - m_comparisons.data()); }},
            {"", "model", GetModel},
            {"", "link", [](Case& c) { return c.link; }},
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
            {"",
             "faster",
             [](Case& c) { return FormatShort(c.packet.wallSeconds / c.flow.wallSeconds) + " x"; }},
        },
        m_comparisons)
        .GetShown()
        .Print(std::cout);
    std::cout << WHAT_ROWS_ARE
              << "stages: of so many devices; network share: of packets' time, what wires of 1 "
                 "Tbit/s would save;\nfaster: wall-clock time of packets over that of flows\n";
}

void
FidelityStudy::PrintDrawn() const
{
    using Case = const FidelityComparison;
    const auto spread = [](Case& c) {
        return c.packet.runs > 1 ? FormatShort(c.packet.lowestSeconds) + " to " +
                                       FormatShort(c.packet.highestSeconds)
                                 : "";
    };
    MakeSheet<FidelityComparison>(
        {
            {"", "row", [this](Case& c) { return 1 + (&c - m_comparisons.data()); }},
            {"", "setting", [](Case& c) { return c.setting; }},
            {"", "workload", [](Case& c) { return c.workload; }},
            {"", "model", GetModel},
            {"", "link", [](Case& c) { return c.link; }},
            {"",
             "packet (s)",
             [](Case& c) { return c.packet.isFinished ? Cell(c.packet.seconds) : Cell("stalled"); },
             FormatRounded},
            {"", "of single runs", spread},
            {"",
             "flow (s)",
             [](Case& c) { return c.flow.isFinished ? Cell(c.flow.seconds) : Cell("stalled"); },
             FormatRounded},
            {"",
             "difference",
             [](Case& c) { return When(c.IsFinished(), c.GetDifference()); },
             Percent},
            {"", "moved", [](Case& c) { return c.flow.bytesMoved; }, FormatBytes},
        },
        m_comparisons)
        .GetShown()
        .Print(std::cout);
    std::cout << WHAT_ROWS_ARE << "\nDraws that were not compared:";
    for (const auto& [why, count] : m_redrawn)
    {
        std::cout << " " << count << " " << why << (why == m_redrawn.rbegin()->first ? "" : ",");
    }
    std::cout << (m_redrawn.empty() ? " none" : "") << "\n";
    PrintFidelityErrors(m_comparisons);
    PrintWorst();
    std::cout << "\n"
              << m_comparisons.size() << " cases took " << FormatShort(m_wallSeconds) << " s.\n";
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
        return std::abs(a.GetDifference()) / a.limit > std::abs(b.GetDifference()) / b.limit;
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
            {"command", [](Case& c) { return MakeCommand(c.options); }},
            {"workload", [](Case& c) { return c.workload; }},
            {"setting", [](Case& c) { return c.setting; }},
            {"link", [](Case& c) { return c.link; }},
            {"devices", [](Case& c) { return c.devices; }},
            {"stages", [](Case& c) { return c.stages; }},
            {"status", [](Case& c) { return c.IsFinished() ? "finished" : "stalled"; }},
            {"movedBytes", [](Case& c) { return c.flow.bytesMoved; }},
            {"packetRuns", [](Case& c) { return c.packet.runs; }},
            {"packetIterationSeconds", [](Case& c) { return c.packet.seconds; }},
            {"packetFirstSeconds", [](Case& c) { return c.packet.firstSeconds; }},
            {"packetLowestSeconds", [](Case& c) { return c.packet.lowestSeconds; }},
            {"packetHighestSeconds", [](Case& c) { return c.packet.highestSeconds; }},
            {"flowIterationSeconds", [](Case& c) { return c.flow.seconds; }},
            {"idealIterationSeconds", [](Case& c) { return c.idealSeconds; }},
            {"difference", [](Case& c) { return When(c.IsFinished(), c.GetDifference()); }},
            {"limit", [](Case& c) { return c.limit; }},
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
    folder.Write("results.csv", AddRunColumns(results.GetFile()));
    folder.Write("costs.csv", costs.GetFile());
    folder.Write("run.json", FormatRunFile(m_options, {}, nlohmann::ordered_json::object()));
    return "results.csv (a row per case), costs.csv (wall-clock times), run.json\n"
           "Draw them: analysis/fidelity.py " +
           m_options.GetString("out") +
           "\nA case again, with its timeline: its command in results.csv";
}

} // namespace edgepipe
} // namespace ns3
