/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/training-report.h"
#include "studies/scalability-study.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Lines about a case that did not finish; run.json has them all.
constexpr std::size_t SHOWN_REASONS = 8;

/**
 * @param counts rising numbers
 * @param singular what
 * @param plural what, when not one
 * @return such as "2 to 64 devices"
 */
std::string
FormatRange(const std::vector<uint32_t>& counts, const char* singular, const char* plural)
{
    const std::string last = FormatCount(counts.back(), singular, plural);
    return counts.front() == counts.back() ? last : std::to_string(counts.front()) + " to " + last;
}

/**
 * @param seconds wall-clock time
 * @return it for people
 */
std::string
FormatSeconds(double seconds)
{
    return seconds < 0.001 ? Table::Rounded(1e6 * seconds, 3) + " us"
           : seconds < 1   ? Table::Rounded(1e3 * seconds, 3) + " ms"
                           : Table::Rounded(seconds, 3) + " s";
}

/**
 * @param one a case
 * @return wall-clock microseconds of its simulation per message between devices; 0 without one
 */
double
GetMicrosecondsPerTransfer(const ScalabilityCase& one)
{
    return one.transfers > 0 ? 1e6 * one.simulationSeconds / one.transfers : 0;
}

/**
 * @param one a case
 * @return such as "exact, 64 devices, 2 pipelines"
 */
std::string
Name(const ScalabilityCase& one)
{
    return one.planner + ", " + FormatCount(one.devices, "device", "devices") +
           (one.pipelines > 1 ? ", " + std::to_string(one.pipelines) + " pipelines" : "");
}

} // namespace

void
ScalabilityStudy::Print() const
{
    PrintHeading(m_inputs,
                 FormatRange(m_devices, "device", "devices") + ", " +
                     FormatRange(m_pipelines, "pipeline", "pipelines"),
                 m_bandwidth);
    const bool isStrong = m_devices.size() > 1;
    const bool isWeak = m_pipelines.size() > 1;
    std::vector<std::string> columns{"planner", "devices"};
    const auto addIf = [&columns](bool is, const char* column) {
        if (is)
        {
            columns.push_back(column);
        }
    };
    addIf(isWeak, "pipelines");
    columns.insert(columns.end(), {"stages", "iteration (s)", "samples/s"});
    addIf(isStrong, "strong eff.");
    addIf(isWeak, "weak eff.");
    columns.insert(
        columns.end(),
        {"bubble rate", "planning", "simulation", "us/transfer", "events", "peak memory"});
    Table table(columns);
    for (const auto& one : m_cases)
    {
        const bool isFinished = one.IsFinished();
        const bool isPlanned = one.status != "no-plan";
        const auto known = [](bool is, const std::string& text) { return is ? text : "-"; };
        std::vector<std::string> cells{one.planner, std::to_string(one.devices)};
        if (isWeak)
        {
            cells.push_back(std::to_string(one.pipelines));
        }
        cells.push_back(known(isPlanned, std::to_string(one.stages)));
        cells.push_back(isFinished  ? Table::Rounded(one.iterationSeconds)
                        : isPlanned ? "stalled"
                                    : "no plan");
        cells.push_back(known(isFinished, Table::Rounded(one.samplesPerSecond)));
        if (isStrong)
        {
            cells.push_back(known(isFinished, FormatPercent(GetEfficiency(one, true))));
        }
        if (isWeak)
        {
            cells.push_back(known(isFinished, FormatPercent(GetEfficiency(one, false))));
        }
        cells.push_back(known(isFinished, FormatPercent(one.bubbleRate)));
        cells.push_back(FormatSeconds(one.decisionSeconds));
        cells.push_back(known(isPlanned, FormatSeconds(one.simulationSeconds)));
        cells.push_back(
            known(one.transfers > 0, Table::Rounded(GetMicrosecondsPerTransfer(one), 3)));
        cells.push_back(known(isPlanned, std::to_string(one.events)));
        cells.push_back(Table::Bytes(std::max(one.planningMemoryBytes, one.simulationMemoryBytes)));
        table.AddRow(std::move(cells));
    }
    table.Print(std::cout);
    PrintNotes();
    for (const auto& one : m_cases)
    {
        if (one.status != "stalled")
        {
            continue;
        }
        std::cerr << m_inputs.GetOptions().GetName() << ": " << Name(one)
                  << ": stalled, the run ends at " << Table::Rounded(one.simulatedSeconds)
                  << " s; who waits for what:\n";
        for (std::size_t i = 0; i < std::min(one.reasons.size(), SHOWN_REASONS); ++i)
        {
            std::cerr << "  " << one.reasons[i] << "\n";
        }
        if (one.reasons.size() > SHOWN_REASONS)
        {
            std::cerr << "  and " << one.reasons.size() - SHOWN_REASONS << " more lines\n";
        }
    }
}

void
ScalabilityStudy::PrintNotes() const
{
    for (const auto& planner : m_inputs.planners)
    {
        const auto cases = Select(planner, m_pipelines.front());
        for (std::size_t i = 0; i < cases.size(); ++i)
        {
            if (cases[i].status != "no-plan")
            {
                continue;
            }
            const std::size_t first = i;
            while (i + 1 < cases.size() && cases[i + 1].status == "no-plan")
            {
                ++i;
            }
            std::cout << "\n"
                      << FormatRange({cases[first].devices, cases[i].devices}, "device", "devices")
                      << ": " << cases[first].reasons.front() << "\n";
        }
    }
    bool isAnyOutgrown = false;
    for (const auto& planner : m_inputs.planners)
    {
        const auto cases = Select(planner, m_pipelines.front());
        const uint32_t from = FindOutgrowth(cases);
        if (from > 0)
        {
            isAnyOutgrown = true;
            const auto last = std::find_if(cases.rbegin(), cases.rend(), [](const auto& one) {
                return one.IsFinished();
            });
            std::cout << "\nplanner " << planner << ": planning outgrows simulation from "
                      << FormatCount(from, "device", "devices") << " on ("
                      << FormatSeconds(last->decisionSeconds) << " to "
                      << FormatSeconds(last->simulationSeconds) << " at " << last->devices
                      << ").\n";
        }
    }
    if (!isAnyOutgrown && m_devices.size() > 1)
    {
        std::cout << "\nPlanning keeps up: no planner takes longer than the simulation and grows "
                     "faster with the devices.\n";
    }
}

void
ScalabilityStudy::Write() const
{
    Table results({"planner",          "devices",
                   "pipelines",        "model",
                   "cluster",          "link",
                   "fidelity",         "schedule",
                   "microBatches",     "microBatchSize",
                   "iterations",       "status",
                   "stages",           "predictedIterationSeconds",
                   "iterationSeconds", "samplesPerSecond",
                   "strongEfficiency", "weakEfficiency",
                   "bubbleRate",       "movedBytes",
                   "transfers",        "events",
                   "simulatedSeconds", "layerCostOrigins"});
    Table costs({"planner",
                 "devices",
                 "pipelines",
                 "decisionSeconds",
                 "simulationSeconds",
                 "microsecondsPerTransfer",
                 "planningPeakMemoryBytes",
                 "simulationPeakMemoryBytes",
                 "planningOutgrowsFromDevices"});
    const auto& network = m_inputs.training.network;
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        const auto known = [](bool is, double value) { return is ? Table::Exact(value) : ""; };
        const bool isFinished = one.IsFinished();
        const bool isPlanned = one.status != "no-plan";
        const std::vector<std::string> key{one.planner,
                                           std::to_string(one.devices),
                                           std::to_string(one.pipelines)};
        std::vector<std::string> row = key;
        row.insert(row.end(),
                   {m_inputs.graph.name,
                    m_inputs.cluster.name,
                    network.link,
                    network.fidelity,
                    m_inputs.training.schedule,
                    std::to_string(m_inputs.microBatches),
                    std::to_string(m_inputs.microBatchSize),
                    std::to_string(m_inputs.training.iterations),
                    one.status,
                    std::to_string(one.stages),
                    known(isPlanned, one.predictedSeconds),
                    known(isFinished, one.iterationSeconds),
                    known(isFinished, one.samplesPerSecond),
                    known(isFinished, GetEfficiency(one, true)),
                    known(isFinished, GetEfficiency(one, false)),
                    known(isFinished, one.bubbleRate),
                    std::to_string(one.movedBytes),
                    std::to_string(one.transfers),
                    std::to_string(one.events),
                    known(isPlanned, one.simulatedSeconds),
                    JoinOrigins(m_inputs.costs)});
        results.AddRow(std::move(row));
        const uint32_t from = FindOutgrowth(Select(one.planner, one.pipelines));
        row = key;
        row.insert(row.end(),
                   {Table::Exact(one.decisionSeconds),
                    known(isPlanned, one.simulationSeconds),
                    known(one.transfers > 0, GetMicrosecondsPerTransfer(one)),
                    std::to_string(one.planningMemoryBytes),
                    isPlanned ? std::to_string(one.simulationMemoryBytes) : "",
                    from > 0 ? std::to_string(from) : ""});
        costs.AddRow(std::move(row));
        nlohmann::ordered_json entry{{"planner", one.planner},
                                     {"devices", one.devices},
                                     {"pipelines", one.pipelines},
                                     {"status", one.status}};
        if (!one.reasons.empty())
        {
            entry[isPlanned ? "diagnosis" : "reason"] = one.reasons;
        }
        run["cases"].push_back(entry);
    }
    ResultsFolder folder(m_inputs.GetOptions().GetString("out"));
    folder.Write("results.csv", [&](std::ostream& os) { results.WriteCsv(os); });
    folder.Write("costs.csv", [&](std::ostream& os) { costs.WriteCsv(os); });
    folder.Write("run.json", [&](std::ostream& os) {
        os << FormatRunFile(m_inputs,
                            m_bandwidth,
                            run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    });
    folder.Commit();
    std::cout
        << "\nResults: " << m_inputs.GetOptions().GetString("out")
        << "/  results.csv (a row per case), costs.csv (what the cases cost here), run.json\n";
}

} // namespace edgepipe
} // namespace ns3
