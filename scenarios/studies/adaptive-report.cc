/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/training-report.h"
#include "studies/adaptive-study.h"
#include "studies/cooperative-summary.h"

#include "ns3/edgepipe-chrome-trace.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-problem-json.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Changes of plan that are printed for a case; decisions.csv has them all.
constexpr std::size_t SHOWN_PLAN_CHANGES = 8;

/**
 * @param values some figures
 * @return their mean; 0 if there is none
 */
double
FindMean(const std::vector<double>& values)
{
    return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / values.size();
}

} // namespace

std::string
AdaptiveStudy::FormatPlan(const PipelinePlan& plan) const
{
    std::string text;
    for (const auto& stage : plan.stages)
    {
        text += (text.empty() ? "" : " > ") + m_problem.devices[stage.device].name + " " +
                std::to_string(stage.firstLayer) + "-" + std::to_string(stage.lastLayer);
    }
    return text;
}

void
AdaptiveStudy::Print() const
{
    PrintHeading(m_inputs,
                 FormatCount(m_names.size(), "device", "devices"),
                 m_problem.bandwidthBitsPerSecond);
    std::cout << "first plan (" << m_inputs.planners.front()
              << "), device and layers: " << FormatPlan(m_plan) << "\n";
    for (const auto& load : m_inputs.training.loads)
    {
        std::cout << "load: of " << load.device << " there is left ";
        if (load.trace.empty())
        {
            std::cout << Table::Rounded(100 * load.steps.back().value) << " % from "
                      << Table::Rounded(load.steps.back().time.GetSeconds()) << " s on\n";
        }
        else
        {
            std::cout << "what " << load.trace << " says\n";
        }
    }
    std::cout << "plans change when " << m_replan.monitor
              << " bandwidth or a device's speed has changed by more than "
              << Table::Rounded(100 * m_replan.threshold) << " % and that pays back within "
              << FormatCount(m_replan.horizon, "iteration", "iterations")
              << "\niteration: from its start to its end; all: with the moves in between\n\n";
    Table table({"case",
                 "mean iteration (s)",
                 "p95 (s)",
                 "last (s)",
                 "all (s)",
                 "decisions",
                 "plan changes",
                 "weights moved",
                 "moves (s)",
                 "samples helped"});
    for (const auto& one : m_cases)
    {
        const auto seconds = one.GetIterationSeconds();
        const bool finished = one.result.finished;
        const auto known = [finished](double value) {
            return finished ? Table::Rounded(value) : "-";
        };
        table.AddRow({one.name,
                      finished ? Table::Rounded(FindMean(seconds)) : "stalled",
                      known(FindPercentile(seconds, 0.95)),
                      known(seconds.empty() ? 0 : seconds.back()),
                      known(one.GetTotalSeconds()),
                      std::to_string(one.result.decisions.size()),
                      std::to_string(one.result.planChanges.size()),
                      Table::Bytes(one.GetMigratedBytes()),
                      Table::Rounded(one.GetMigrationSeconds()),
                      std::to_string(one.result.assistance.samples)});
    }
    table.Print(std::cout);
    PrintChanges();
}

void
AdaptiveStudy::PrintChanges() const
{
    for (const auto& one : m_cases)
    {
        const auto& changes = one.result.planChanges;
        for (std::size_t i = 0; i < changes.size() && i < SHOWN_PLAN_CHANGES; ++i)
        {
            const auto& change = changes[i];
            std::cout << (i == 0 ? "\n" : "") << one.name << ", "
                      << Table::Rounded(change.decided.GetSeconds()) << " s, iteration "
                      << change.iteration << ": " << FormatPlan(change.decision.plan) << " ("
                      << Table::Rounded(change.decision.oldSeconds) << " s to "
                      << Table::Rounded(change.decision.newSeconds) << " s predicted, "
                      << Table::Bytes(change.decision.moveBytes) << " in "
                      << Table::Rounded((change.inForce - change.decided).GetSeconds())
                      << " s, predicted " << Table::Rounded(change.decision.moveSeconds) << " s)\n";
        }
        if (changes.size() > SHOWN_PLAN_CHANGES)
        {
            std::cout << one.name << ": " << changes.size() - SHOWN_PLAN_CHANGES
                      << " more in decisions.csv\n";
        }
        if (!one.result.finished)
        {
            std::cerr << m_inputs.GetOptions().GetName() << ": " << one.name
                      << ": stalled, the run ends at "
                      << Table::Rounded(one.result.end.GetSeconds()) << " s; who waits for what:\n";
            for (const auto& line : one.result.diagnosis)
            {
                std::cerr << "  " << line << "\n";
            }
        }
    }
}

std::string
AdaptiveStudy::FormatRun() const
{
    nlohmann::ordered_json run;
    run["firstPlan"] = FormatPlan(m_plan);
    run["predictedIterationSeconds"] = m_predictedSeconds;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"case", one.name},
                                     {"status", one.result.finished ? "finished" : "stalled"}};
        for (std::size_t i = 0; i < one.result.iterations.size(); ++i)
        {
            const auto& [start, end] = one.result.iterations[i];
            entry["iterations"].push_back({{"startSeconds", start.GetSeconds()},
                                           {"iterationSeconds", (end - start).GetSeconds()}});
        }
        if (!one.result.diagnosis.empty())
        {
            entry["diagnosis"] = one.result.diagnosis;
        }
        entry["simulatedSeconds"] = one.result.end.GetSeconds();
        entry["events"] = one.result.events;
        entry["wallClock"] = {{"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    // Names may hold what is no UTF-8.
    return FormatRunFile(m_inputs,
                         m_problem.bandwidthBitsPerSecond,
                         run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void
AdaptiveStudy::Write() const
{
    Table results({"case",
                   "planner",
                   "model",
                   "cluster",
                   "link",
                   "fidelity",
                   "status",
                   "iterations",
                   "meanIterationSeconds",
                   "p95IterationSeconds",
                   "lastIterationSeconds",
                   "totalSeconds",
                   "decisions",
                   "planChanges",
                   "migratedBytes",
                   "migrationSeconds",
                   "assistanceRequests",
                   "assistanceGrants",
                   "helpedSamples",
                   "movedBytes",
                   "layerCostOrigins"});
    Table iterations(
        {"case", "iteration", "startSeconds", "iterationSeconds", "bubbleRate", "helpedSamples"});
    Table decisions({"case",
                     "iteration",
                     "isChanged",
                     "decidedSeconds",
                     "inForceSeconds",
                     "bandwidthBitsPerSecond",
                     "oldPredictedSeconds",
                     "newPredictedSeconds",
                     "predictedMigrationSeconds",
                     "chargedSeconds",
                     "movedLayers",
                     "movedBytes",
                     "plan",
                     "reason"});
    for (const auto& one : m_cases)
    {
        const auto& result = one.result;
        const auto seconds = one.GetIterationSeconds();
        results.AddRow({one.name,
                        m_inputs.planners.front(),
                        m_inputs.graph.name,
                        m_inputs.cluster.name,
                        m_inputs.training.network.link,
                        m_inputs.training.network.fidelity,
                        result.finished ? "finished" : "stalled",
                        std::to_string(seconds.size()),
                        Table::Exact(FindMean(seconds)),
                        Table::Exact(FindPercentile(seconds, 0.95)),
                        Table::Exact(seconds.empty() ? 0 : seconds.back()),
                        Table::Exact(one.GetTotalSeconds()),
                        std::to_string(result.decisions.size()),
                        std::to_string(result.planChanges.size()),
                        std::to_string(one.GetMigratedBytes()),
                        Table::Exact(one.GetMigrationSeconds()),
                        std::to_string(result.assistance.requests),
                        std::to_string(result.assistance.grants),
                        std::to_string(result.assistance.samples),
                        std::to_string(result.bytesMoved),
                        JoinOrigins(m_inputs.costs)});
        for (std::size_t i = 0; i < seconds.size(); ++i)
        {
            const uint64_t before = i > 0 ? result.helpedSamples[i - 1] : 0;
            iterations.AddRow({one.name,
                               std::to_string(i),
                               Table::Exact(result.iterations[i].start.GetSeconds()),
                               Table::Exact(seconds[i]),
                               Table::Exact(result.usage.bubbleRates[i]),
                               std::to_string(result.helpedSamples[i] - before)});
        }
        auto change = result.planChanges.begin();
        for (const auto& made : result.decisions)
        {
            const bool isChange =
                change != result.planChanges.end() && change->iteration == made.iteration;
            const auto& decision = made.decision;
            decisions.AddRow({one.name,
                              std::to_string(made.iteration),
                              isChange ? "1" : "0",
                              Table::Exact(made.decided.GetSeconds()),
                              isChange ? Table::Exact(change->inForce.GetSeconds()) : "",
                              Table::Exact(made.state.bandwidthBitsPerSecond),
                              Table::Exact(decision.oldSeconds),
                              Table::Exact(decision.newSeconds),
                              Table::Exact(decision.moveSeconds),
                              Table::Exact(decision.chargedSeconds),
                              std::to_string(decision.moves.size()),
                              std::to_string(decision.moveBytes),
                              FormatPlan(decision.plan),
                              decision.problemWithPlan});
            change += isChange ? 1 : 0;
        }
    }
    Table conditions({"seconds", "bandwidthBitsPerSecond"});
    Table loads({"seconds", "device", "share"});
    for (const auto& sample : FindLongest().result.conditions)
    {
        const std::string seconds = Table::Exact(sample.time.GetSeconds());
        conditions.AddRow(
            {seconds, sample.bitsPerSecond > 0 ? Table::Exact(sample.bitsPerSecond) : ""});
        for (std::size_t i = 0; i < sample.shares.size(); ++i)
        {
            loads.AddRow(
                {seconds, m_inputs.training.loads[i].device, Table::Exact(sample.shares[i])});
        }
    }

    ResultsFolder folder(m_inputs.GetOptions().GetString("out"));
    const auto write = [&folder](const std::string& name, const Table& table) {
        folder.Write(name, [&](std::ostream& os) { table.WriteCsv(os); });
    };
    write("results.csv", results);
    write("iterations.csv", iterations);
    write("decisions.csv", decisions);
    write("conditions.csv", conditions);
    write("loads.csv", loads);
    folder.Write("problem.json",
                 [this](std::ostream& os) { os << FormatPipelineProblem(m_problem); });
    if (m_inputs.training.details)
    {
        folder.Write("timeline.json", [&](std::ostream& os) {
            ChromeTraceWriter writer(os);
            for (const auto& one : m_cases)
            {
                writer.AddCase(one.name, m_names, *one.result.timeline, LabelPipelineTag);
            }
            writer.Finish();
        });
    }
    folder.Write("run.json", [&](std::ostream& os) { os << FormatRun(); });
    folder.Commit();
    std::cout << "\nResults: " << m_inputs.GetOptions().GetString("out")
              << "/  results.csv (a row per case), iterations.csv, decisions.csv, conditions.csv,\n"
                 "  loads.csv, problem.json, run.json"
              << (m_inputs.training.details
                      ? ", timeline.json (open it at https://ui.perfetto.dev)\n"
                      : "\n");
}

} // namespace edgepipe
} // namespace ns3
