/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/training-report.h"
#include "studies/pipeline-study.h"

#include "ns3/edgepipe-bubble-index.h"
#include "ns3/edgepipe-chrome-trace.h"
#include "ns3/edgepipe-pipeline-problem-json.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

double
PipelineStudy::GetIndex(const PipelineCase& one) const
{
    return GetBubbleIndex(m_problem,
                          one.plan,
                          one.result.GetMeanBubbleRate(),
                          one.result.GetMeanIterationSeconds());
}

std::string
PipelineStudy::GetName(const PipelineCase& one) const
{
    return one.planner + (one.helped && m_inputs.helps.size() > 1 ? " + help" : "");
}

void
PipelineStudy::Print() const
{
    PrintHeading(m_inputs,
                 FormatCount(m_names.size(), "device", "devices"),
                 m_problem.bandwidthBitsPerSecond);
    Table table({"planner",
                 "stages",
                 "predicted (s)",
                 "iteration (s)",
                 "prediction error",
                 "bubble rate",
                 "index (eq. 14)",
                 "bytes moved"});
    for (const auto& one : m_cases)
    {
        const auto& result = one.result;
        if (!one.problemWithPlan.empty())
        {
            table.AddRow({GetName(one), "-", "-", "no plan", "-", "-", "-", "-"});
            continue;
        }
        const double seconds = result.GetMeanIterationSeconds();
        const bool finished = result.finished;
        table.AddRow({GetName(one),
                      std::to_string(one.plan.stages.size()),
                      Table::Rounded(one.predictedSeconds),
                      finished ? Table::Rounded(seconds) : "stalled",
                      finished ? FormatPercent(one.predictedSeconds / seconds - 1) : "-",
                      finished ? FormatPercent(result.GetMeanBubbleRate()) : "-",
                      finished ? Table::Rounded(GetIndex(one), 3) : "-",
                      Table::Bytes(result.bytesMoved)});
    }
    table.Print(std::cout);
    PrintHelp();
    for (const auto& one : m_cases)
    {
        if (!one.problemWithPlan.empty())
        {
            std::cout << "\n" << one.problemWithPlan << "\n";
        }
    }
    PrintOrder();
    for (const auto& one : m_cases)
    {
        if (one.GetStatus() == "stalled")
        {
            std::cerr << m_inputs.GetOptions().GetName() << ": " << GetName(one)
                      << ": stalled, the run ends at "
                      << Table::Rounded(one.result.end.GetSeconds()) << " s; who waits for what:\n";
            for (const auto& line : one.result.diagnosis)
            {
                std::cerr << "  " << line << "\n";
            }
        }
    }
}

void
PipelineStudy::PrintHelp() const
{
    if (!m_inputs.helps.back())
    {
        return;
    }
    const std::string costs = m_inputs.GetOptions().GetString("adjacent-costs");
    std::cout << "\nHelp from idle neighbours (costs: " << costs << "):\n\n";
    Table table({"planner", "requests", "refused", "granted", "passes of a sample", "merges"});
    for (const auto& one : m_cases)
    {
        if (one.helped && one.result.finished)
        {
            const auto& help = one.result.assistance;
            table.AddRow({GetName(one),
                          std::to_string(help.requests),
                          std::to_string(help.refusals),
                          std::to_string(help.grants),
                          std::to_string(help.samples),
                          std::to_string(help.merges)});
        }
    }
    table.Print(std::cout);
}

void
PipelineStudy::PrintOrder() const
{
    bool compared = false;
    bool agree = true;
    for (std::size_t i = 0; i < m_cases.size(); ++i)
    {
        for (std::size_t j = 0; j < m_cases.size(); ++j)
        {
            const auto& a = m_cases[i];
            const auto& b = m_cases[j];
            if (a.helped != b.helped || !a.result.finished || !b.result.finished)
            {
                continue;
            }
            compared = true;
            const double simulatedA = a.result.GetMeanIterationSeconds();
            const double simulatedB = b.result.GetMeanIterationSeconds();
            if (a.predictedSeconds < b.predictedSeconds && simulatedA > simulatedB)
            {
                agree = false;
                std::cout << "\nThe orders disagree: " << GetName(a) << " is predicted to beat "
                          << GetName(b) << " (" << Table::Rounded(a.predictedSeconds) << " s to "
                          << Table::Rounded(b.predictedSeconds) << " s), but in the simulation "
                          << GetName(b) << " is faster (" << Table::Rounded(simulatedB) << " s to "
                          << Table::Rounded(simulatedA) << " s).\n";
            }
        }
    }
    if (compared && agree)
    {
        std::cout << "\nPrediction and simulation put the planners in the same order.\n";
    }
}

std::string
PipelineStudy::FormatRun() const
{
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", GetName(one)}, {"status", one.GetStatus()}};
        if (!one.problemWithPlan.empty())
        {
            entry["reason"] = one.problemWithPlan;
        }
        for (const auto& stage : one.plan.stages)
        {
            entry["stages"].push_back({{"device", m_problem.devices[stage.device].name},
                                       {"firstLayer", m_problem.layers[stage.firstLayer].name},
                                       {"lastLayer", m_problem.layers[stage.lastLayer].name}});
        }
        if (!one.result.diagnosis.empty())
        {
            entry["diagnosis"] = one.result.diagnosis;
        }
        if (one.helped)
        {
            const auto& help = one.result.assistance;
            entry["assistance"] = {{"checkpoints", help.checkpoints},
                                   {"requests", help.requests},
                                   {"grants", help.grants},
                                   {"refusals", help.refusals},
                                   {"samples", help.samples},
                                   {"merges", help.merges}};
        }
        entry["simulatedSeconds"] = one.result.end.GetSeconds();
        entry["events"] = one.result.events;
        entry["wallClock"] = {{"decisionSeconds", one.decisionSeconds},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    // Names may hold what is no UTF-8.
    return FormatRunFile(m_inputs,
                         m_problem.bandwidthBitsPerSecond,
                         run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void
PipelineStudy::Write() const
{
    Table results({"planner",
                   "model",
                   "cluster",
                   "link",
                   "fidelity",
                   "schedule",
                   "help",
                   "microBatches",
                   "microBatchSize",
                   "iterations",
                   "status",
                   "stages",
                   "predictedIterationSeconds",
                   "iterationSeconds",
                   "bubbleRate",
                   "movedBytes",
                   "layerCostOrigins"});
    Table iterations({"planner", "iteration", "startSeconds", "iterationSeconds", "bubbleRate"});
    Table devices({"planner",
                   "device",
                   "stage",
                   "busySeconds",
                   "utilisation",
                   "peakMemoryBytes",
                   "memoryBytes"});
    Table links({"planner", "link", "sentBytes"});
    for (const auto& one : m_cases)
    {
        const auto& result = one.result;
        const bool planned = one.problemWithPlan.empty();
        const auto known = [](bool is, double value) { return is ? Table::Exact(value) : ""; };
        results.AddRow({GetName(one),
                        m_inputs.graph.name,
                        m_inputs.cluster.name,
                        m_inputs.training.network.link,
                        m_inputs.training.network.fidelity,
                        m_inputs.training.schedule,
                        one.helped ? m_inputs.GetOptions().GetString("adjacent-costs") : "",
                        std::to_string(m_problem.microBatches),
                        m_inputs.GetOptions().GetString("micro-batch-size"),
                        std::to_string(result.iterations.size()),
                        one.GetStatus(),
                        std::to_string(one.plan.stages.size()),
                        known(planned, one.predictedSeconds),
                        known(result.finished, result.GetMeanIterationSeconds()),
                        known(result.finished, result.GetMeanBubbleRate()),
                        std::to_string(result.bytesMoved),
                        JoinOrigins(m_inputs.costs)});
        double total = 0;
        for (std::size_t i = 0; i < result.iterations.size(); ++i)
        {
            const auto& [start, end] = result.iterations[i];
            total += (end - start).GetSeconds();
            iterations.AddRow({GetName(one),
                               std::to_string(i),
                               Table::Exact(start.GetSeconds()),
                               Table::Exact((end - start).GetSeconds()),
                               Table::Exact(result.usage.bubbleRates[i])});
        }
        for (const auto& device : result.devices)
        {
            devices.AddRow({GetName(one),
                            device.name,
                            device.stage < 0 ? "" : std::to_string(device.stage),
                            Table::Exact(device.busySeconds),
                            Table::Exact(total > 0 ? device.busySeconds / total : 0),
                            std::to_string(device.peakMemoryBytes),
                            std::to_string(device.memoryBytes)});
        }
        for (const auto& link : result.links)
        {
            links.AddRow({GetName(one), link.name, std::to_string(link.bytes)});
        }
    }

    ResultsFolder folder(m_inputs.GetOptions().GetString("out"));
    folder.Write("results.csv", [&](std::ostream& os) { results.WriteCsv(os); });
    folder.Write("iterations.csv", [&](std::ostream& os) { iterations.WriteCsv(os); });
    folder.Write("devices.csv", [&](std::ostream& os) { devices.WriteCsv(os); });
    folder.Write("links.csv", [&](std::ostream& os) { links.WriteCsv(os); });
    folder.Write("problem.json",
                 [this](std::ostream& os) { os << FormatPipelineProblem(m_problem); });
    folder.Write("timeline.json", [&](std::ostream& os) {
        ChromeTraceWriter writer(os);
        for (const auto& one : m_cases)
        {
            if (one.result.timeline)
            {
                writer.AddCase(GetName(one), m_names, *one.result.timeline, LabelPipelineTag);
            }
        }
        writer.Finish();
    });
    folder.Write("run.json", [&](std::ostream& os) { os << FormatRun(); });
    folder.Commit();
    std::cout << "\nResults: " << m_inputs.GetOptions().GetString("out")
              << "/  results.csv (a row per planner), iterations.csv, devices.csv, links.csv,\n"
                 "  timeline.json (open it at https://ui.perfetto.dev), problem.json, run.json\n";
}

} // namespace edgepipe
} // namespace ns3
