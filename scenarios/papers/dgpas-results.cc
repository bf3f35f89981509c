/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "papers/dgpas-study.h"

#include "ns3/edgepipe-results-folder.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param value a number, if there is one
 * @return it for a file
 */
std::string
ExactIfAny(const std::optional<double>& value)
{
    return value ? Table::Exact(*value) : "";
}

/// Columns of an outcome.
const std::vector<std::string> OUTCOME_COLUMNS{"help",
                                               "status",
                                               "iterationSeconds",
                                               "bubbleRate",
                                               "bubbleIndex",
                                               "theta",
                                               "requests",
                                               "grants",
                                               "refusals",
                                               "helpedSamples",
                                               "movedBytes"};

/**
 * @param row gets the cells of OUTCOME_COLUMNS
 * @param help how idle devices helped
 * @param outcome of it
 * @param hasPlan whether there was a plan
 */
void
AddOutcome(std::vector<std::string>& row,
           const char* help,
           const DgpasOutcome& outcome,
           bool hasPlan)
{
    const auto known = [&outcome](double value) {
        return outcome.isFinished ? Table::Exact(value) : "";
    };
    row.insert(row.end(),
               {help,
                !hasPlan             ? "no-plan"
                : outcome.isFinished ? "finished"
                                     : "stalled",
                known(outcome.iterationSeconds),
                known(outcome.bubbleRate),
                known(outcome.index),
                ExactIfAny(outcome.theta),
                std::to_string(outcome.assistance.requests),
                std::to_string(outcome.assistance.grants),
                std::to_string(outcome.assistance.refusals),
                std::to_string(outcome.assistance.samples),
                std::to_string(outcome.movedBytes)});
}

/**
 * @param first columns
 * @return a table of these and OUTCOME_COLUMNS
 */
Table
MakeOutcomeTable(std::vector<std::string> first)
{
    first.insert(first.end(), OUTCOME_COLUMNS.begin(), OUTCOME_COLUMNS.end());
    return Table(std::move(first));
}

} // namespace

Table
DgpasStudy::MakeCaseRows() const
{
    Table table = MakeOutcomeTable(
        {"model", "network", "method", "run", "stages", "predictedIterationSeconds"});
    for (const DgpasCase& one : m_cases.GetAll())
    {
        const bool hasPlan = one.made.problemWithPlan.empty();
        for (const auto& [help, name] : DGPAS_HELPS)
        {
            std::vector<std::string> row{GetName(one.model),
                                         m_networks[one.network].name,
                                         m_methods[one.method].name,
                                         std::to_string(one.seed),
                                         std::to_string(one.made.plan.stages.size()),
                                         hasPlan ? Table::Exact(one.made.predictedSeconds) : ""};
            AddOutcome(row, name, one.outcomes.Get(help), hasPlan);
            table.AddRow(std::move(row));
        }
    }
    return table;
}

Table
DgpasStudy::MakeMeanRows() const
{
    Table table({"model",
                 "network",
                 "method",
                 "help",
                 "iterationSeconds",
                 "iterationSecondsHalfWidth",
                 "bubbleRate",
                 "bubbleRateHalfWidth"});
    for (std::size_t network = 0; network < m_networks.size(); ++network)
    {
        for (std::size_t model = 0; model < m_published.models.size(); ++model)
        {
            for (std::size_t method = 0; method < m_methods.size(); ++method)
            {
                for (const auto& [help, name] : DGPAS_HELPS)
                {
                    const auto seconds =
                        m_cases.Estimate(model, network, method, GetDgpasSeconds(help));
                    const DgpasHelp same = help; // C++17 lambdas cannot capture a binding
                    const auto rate =
                        m_cases.Estimate(model, network, method, [same](const DgpasCase& one) {
                            return one.outcomes.Get(same).bubbleRate;
                        });
                    if (seconds)
                    {
                        table.AddRow({GetName(model),
                                      m_networks[network].name,
                                      m_methods[method].name,
                                      name,
                                      Table::Exact(seconds->mean),
                                      Table::Exact(seconds->halfWidth),
                                      Table::Exact(rate->mean),
                                      Table::Exact(rate->halfWidth)});
                    }
                }
            }
        }
    }
    return table;
}

Table
DgpasStudy::MakeComparisonRows() const
{
    Table table({"model",
                 "method",
                 "help",
                 "row",
                 "paperSeconds",
                 "oursSeconds",
                 "oursHalfWidth",
                 "paperOverDgpas",
                 "oursOverFaithful",
                 "oursOverImproved"});
    for (const DgpasComparison& one : m_table3)
    {
        table.AddRow({GetName(one.model),
                      m_methods[one.method].name,
                      DGPAS_HELPS[static_cast<std::size_t>(one.help)].second,
                      one.row,
                      ExactIfAny(one.theirs),
                      Table::Exact(one.ours.mean),
                      Table::Exact(one.ours.halfWidth),
                      ExactIfAny(one.theirRatio),
                      ExactIfAny(one.toFaithful),
                      ExactIfAny(one.toImproved)});
    }
    return table;
}

Table
DgpasStudy::MakePointRows(const std::vector<DgpasPoint>& points, const std::string& condition) const
{
    Table table = MakeOutcomeTable({"model", "method", "run", condition});
    for (const DgpasPoint& point : points)
    {
        for (const auto& [help, name] : DGPAS_HELPS)
        {
            std::vector<std::string> row{GetName(point.model),
                                         point.method,
                                         std::to_string(point.seed),
                                         Table::Exact(point.x)};
            AddOutcome(row, name, point.outcomes.Get(help), true);
            table.AddRow(std::move(row));
        }
    }
    return table;
}

Table
DgpasStudy::MakeCostRows() const
{
    Table table({"model",
                 "network",
                 "method",
                 "run",
                 "evaluations",
                 "isTrained",
                 "preparationSeconds",
                 "decisionSeconds"});
    for (const DgpasCase& one : m_cases.GetAll())
    {
        table.AddRow({GetName(one.model),
                      m_networks[one.network].name,
                      m_methods[one.method].name,
                      std::to_string(one.seed),
                      std::to_string(one.made.evaluations),
                      one.made.isTrained ? "yes" : "no",
                      Table::Exact(one.made.preparationSeconds),
                      Table::Exact(one.made.decisionSeconds)});
    }
    return table;
}

std::string
DgpasStudy::MakeJson() const
{
    const auto reduction = [this](const std::string& variant) -> nlohmann::ordered_json {
        const auto found = GetDgpasReduction(m_published, m_methods, m_table3, variant);
        return found ? nlohmann::ordered_json(*found) : nlohmann::ordered_json();
    };
    nlohmann::ordered_json run{
        {"published", m_published.source},
        {"trainingTimeReduction",
         {{"paperTable3", m_published.GetTableReduction()},
          {"paperAbstract", m_published.trainingTimeReduction},
          {"faithful", reduction(DGPAS_FAITHFUL)},
          {"improved", reduction(DGPAS_IMPROVED)}}},
        {"bubbleRateReduction", {{"paperAbstract", m_published.bubbleRateReduction}}}};
    for (const auto& [help, name] : DGPAS_HELPS)
    {
        if (const auto decrease = GetBubbleDecrease(m_miniPoints, {}, {}, help))
        {
            run["bubbleRateReduction"][name] = *decrease;
        }
    }
    return FormatRunFile(m_options,
                         m_settings.begin()->second->GetInputs().costs,
                         run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void
DgpasStudy::Write() const
{
    ResultsFolder folder(m_options.GetString("out"));
    const auto csv = [&folder](const std::string& name, const Table& table) {
        folder.Write(name, [&table](std::ostream& os) { table.WriteCsv(os); });
    };
    csv("results.csv", MakeCaseRows());
    csv("means.csv", MakeMeanRows());
    csv("table3.csv", MakeComparisonRows());
    csv("figure11.csv", MakePointRows(m_miniPoints, "miniBatches"));
    csv("micro_batches.csv", MakePointRows(m_microPoints, "microBatches"));
    csv("bandwidth.csv", MakePointRows(m_bandwidths, "bitsPerSecond"));
    csv("costs.csv", MakeCostRows());
    folder.Write("run.json", [this](std::ostream& os) { os << MakeJson(); });
    folder.Write("tables.md", [this](std::ostream& os) {
        os << "# The DGPAS paper beside ours\n\n" << m_published.source << "\n";
        for (const Section& section : MakeSections())
        {
            os << "\n## " << section.title << "\n\n" << section.note << "\n\n";
            section.table.WriteMarkdown(os);
        }
    });
    folder.Commit();
    std::cout << "\nResults: " << m_options.GetString("out")
              << "/  tables.md (all tables), results.csv (a row per plan and help), means.csv,\n"
                 "  table3.csv, figure11.csv, micro_batches.csv, bandwidth.csv, costs.csv, "
                 "run.json\n"
                 "Draw them: analysis/dgpas_testbed.py "
              << m_options.GetString("out") << "\n";
}

} // namespace edgepipe
} // namespace ns3
