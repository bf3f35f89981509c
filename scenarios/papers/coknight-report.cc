/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "papers/coknight-study.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param figure some figure
 * @param format makes text of a number
 * @return it as a table
 */
template <typename Format>
Table
MakeTable(const CoknightFigure& figure, Format format)
{
    std::vector<std::string> columns = figure.labels;
    columns.insert(columns.end(), figure.columns.begin(), figure.columns.end());
    Table table(columns);
    for (std::size_t i = 0; i < figure.keys.size(); ++i)
    {
        std::vector<std::string> cells = figure.keys[i];
        for (const double value : figure.values[i])
        {
            cells.push_back(format(value));
        }
        table.AddRow(cells);
    }
    return table;
}

/**
 * @param figure some figure
 * @return it for people
 */
Table
MakeRounded(const CoknightFigure& figure)
{
    return MakeTable(figure, [](double value) { return Table::Rounded(value); });
}

/**
 * @param comparison theirs beside ours
 * @return it as a table
 */
Table
MakeComparison(const std::vector<CoknightComparison>& comparison)
{
    Table table({"figure", "what", "theirs", "ours", "note"});
    for (const auto& one : comparison)
    {
        table.AddRow({std::to_string(one.figure), one.what, one.theirs, one.ours, one.note});
    }
    return table;
}

} // namespace

void
CoknightFigure::Add(std::vector<std::string> key, std::vector<double> row)
{
    keys.push_back(std::move(key));
    values.push_back(std::move(row));
}

std::vector<double>
CoknightFigure::Get(const std::string& column, const std::vector<std::string>& key) const
{
    const std::size_t at = std::find(columns.begin(), columns.end(), column) - columns.begin();
    std::vector<double> found;
    for (std::size_t i = 0; i < keys.size(); ++i)
    {
        if (std::equal(key.begin(), key.end(), keys[i].begin()))
        {
            found.push_back(values[i].at(at));
        }
    }
    return found;
}

void
CoknightStudy::Print() const
{
    std::cout << m_files.graph.name << ", server " << m_files.server.name << " ("
              << Table::Rounded(m_files.model.serverFlopPerSecond / 1e9)
              << " GFLOP/s); a step of the environment takes "
              << Table::Rounded(1e3 * m_environmentSeconds)
              << " ms, fitted so that 12 actors upload 12 MB/s\n";
    PrintLayerCosts(m_files.costs);
    for (const auto& [number, figure] : m_figures)
    {
        // By layer and by problem there is too much for a terminal.
        if (number != 6)
        {
            std::cout << "\nFigure " << number << ": " << figure.title << "\n";
            MakeRounded(figure).Print(std::cout);
        }
    }
    std::cout << "\nTheirs and ours:\n";
    for (const auto& one : m_comparison)
    {
        std::cout << "  figure " << one.figure << ", " << one.what << ": theirs " << one.theirs
                  << "; ours " << one.ours << (one.note.empty() ? "" : " (" + one.note + ")")
                  << "\n";
    }
}

std::string
CoknightStudy::FormatJson() const
{
    nlohmann::ordered_json json;
    json["environmentSeconds"] = m_environmentSeconds;
    json["requestsPerSecondOfAnActor"] = m_requestsPerSecond;
    json["serverFlopPerSecond"] = m_files.model.serverFlopPerSecond;
    for (const auto& [number, figure] : m_figures)
    {
        auto& entry = json["figures"][std::to_string(number)];
        entry["title"] = figure.title;
        entry["rows"] = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < figure.keys.size(); ++i)
        {
            nlohmann::ordered_json row;
            for (std::size_t k = 0; k < figure.labels.size(); ++k)
            {
                row[figure.labels[k]] = figure.keys[i][k];
            }
            for (std::size_t k = 0; k < figure.columns.size(); ++k)
            {
                row[figure.columns[k]] = figure.values[i][k];
            }
            entry["rows"].push_back(row);
        }
    }
    for (const auto& one : m_comparison)
    {
        json["comparison"].push_back({{"figure", one.figure},
                                      {"what", one.what},
                                      {"theirs", one.theirs},
                                      {"ours", one.ours},
                                      {"note", one.note}});
    }
    return json.dump(2) + "\n";
}

void
CoknightStudy::Write() const
{
    ResultsFolder folder(m_options.GetString("out"));
    for (const auto& [number, figure] : m_figures)
    {
        const Table table = MakeTable(figure, [](double value) { return Table::Exact(value); });
        folder.Write("figure-" + std::to_string(number) + ".csv",
                     [&table](std::ostream& os) { table.WriteCsv(os); });
    }
    folder.Write("coknight.md", [this](std::ostream& os) {
        os << "# Coknight: theirs and ours\n\n";
        MakeComparison(m_comparison).WriteMarkdown(os);
        for (const auto& [number, figure] : m_figures)
        {
            os << "\n## Figure " << number << ": " << figure.title << "\n\n";
            MakeRounded(figure).WriteMarkdown(os);
        }
    });
    folder.Write("coknight.json", [this](std::ostream& os) { os << FormatJson(); });
    folder.Write("run.json",
                 [this](std::ostream& os) { os << FormatRunFile(m_options, m_files.costs, "{}"); });
    folder.Commit();
    std::cout << "\nresults: " << folder.GetPath("coknight.md")
              << ", coknight.json, figure-*.csv, run.json\n\nTry next:\n"
                 "  analysis/coknight_figures.py "
              << m_options.GetString("out") << "     (draws them)\n";
}

} // namespace edgepipe
} // namespace ns3
