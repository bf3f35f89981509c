/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-tables-study.h"

#include "ns3/edgepipe-results-folder.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param value a number
 * @return it for a file; nothing if it is infinite
 */
std::string
FormatFinite(double value)
{
    return std::isfinite(value) ? Table::Exact(value) : "";
}

} // namespace

Table
QdmpTablesStudy::MakeSweepRows() const
{
    Table table({"uplinkBitsPerSecond",
                 "edgeOnlySeconds",
                 "cloudOnlySeconds",
                 "qdmpSeconds",
                 "speedupOverEdgeOnly",
                 "speedupOverCloudOnly"});
    for (const QdmpSweepPoint& point : m_sweep->points)
    {
        table.AddRow({Table::Exact(point.uplinkBitsPerSecond),
                      Table::Exact(m_sweep->edgeSeconds),
                      FormatFinite(point.cloudSeconds),
                      Table::Exact(point.qdmpSeconds),
                      Table::Exact(m_sweep->edgeSeconds / point.qdmpSeconds),
                      FormatFinite(point.cloudSeconds / point.qdmpSeconds)});
    }
    return table;
}

Table
QdmpTablesStudy::MakeOrderRows() const
{
    Table table({"table", "model", "network", "reading", "agrees", "reversed", "other"});
    const auto join = [](const std::vector<std::string>& pairs) {
        std::string text;
        for (const std::string& pair : pairs)
        {
            text += (text.empty() ? "" : " ") + pair;
        }
        return text;
    };
    for (const QdmpOrder& one : m_orders)
    {
        table.AddRow({one.figure,
                      GetName(one.model),
                      one.network,
                      one.reading,
                      one.comparison.reversed.empty() ? "yes" : "no",
                      join(one.comparison.reversed),
                      join(one.comparison.other)});
    }
    return table;
}

Table
QdmpTablesStudy::MakeAgreementRows() const
{
    Table table({"device",
                 "server",
                 "tensorBytes",
                 "setUpShare",
                 "deviceSpread",
                 "serverSpread",
                 "table",
                 "reading",
                 "cells",
                 "ordered",
                 "same",
                 "figures",
                 "near"});
    const auto& readings = GetQdmpReadings();
    for (const QdmpAgreement& one : m_agreements)
    {
        const QdmpAssumptions& a = one.assumptions;
        for (std::size_t i = 0; i < one.counts.size(); ++i)
        {
            const auto& counts = one.counts[i];
            table.AddRow({a.device,
                          a.server,
                          std::to_string(a.tensorBytes),
                          Table::Exact(a.setUpShare),
                          Table::Exact(one.deviceSpread),
                          Table::Exact(one.serverSpread),
                          i < readings.size() ? "table2" : "table3",
                          readings[i % readings.size()].name,
                          std::to_string(counts.cells),
                          std::to_string(counts.ordered),
                          std::to_string(counts.same),
                          std::to_string(counts.figures),
                          std::to_string(counts.near)});
        }
    }
    return table;
}

Table
QdmpTablesStudy::MakeDecisionRows() const
{
    Table table({"model", "origin", "planner", "seconds"});
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const auto add =
            [&](const std::string& origin, const std::string& planner, double seconds) {
                table.AddRow({GetName(i), origin, planner, Table::Exact(seconds)});
            };
        for (const auto& [device, seconds] : m_published.models[i].decisionSeconds)
        {
            add("paper, " + device, "dads", seconds.at("dads"));
            add("paper, " + device, "qdmp", seconds.at("qdmp"));
        }
        add("here, Boykov-Kolmogorov", "dads", m_decisions[i].dadsSeconds);
        add("here, Edmonds-Karp", "dads", m_decisions[i].dadsEdmondsKarpSeconds);
        add("here", "qdmp", m_decisions[i].qdmpSeconds);
    }
    return table;
}

std::string
QdmpTablesStudy::MakeJson() const
{
    using Json = nlohmann::ordered_json;
    Json root;
    for (const auto& [option, value] : m_options.GetAll())
    {
        root["options"][option] = value;
    }
    root["published"] = m_published.source;
    root["networks"] = m_networks;
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const CalibratedModel& calibrated = m_outcome->GetModels()[i];
        Json model{{"name", GetName(i)},
                   {"file", m_published.models[i].file},
                   {"deviceSeconds", calibrated.deviceSeconds},
                   {"serverSeconds", calibrated.serverSeconds},
                   {"residualSeconds", calibrated.residualSeconds},
                   {"deviceFactor", calibrated.deviceFactor},
                   {"serverFactor", calibrated.serverFactor}};
        for (const DnnLayer& layer : calibrated.graph.layers)
        {
            model["layers"].push_back(
                {{"name", layer.name}, {"operator", layer.operatorName}, {"inputs", layer.inputs}});
        }
        for (const std::string& network : m_networks)
        {
            model["qdmpOnDevice"][network] = m_outcome->Find(i, network, "qdmp")->plan.isOnDevice;
        }
        root["models"].push_back(model);
    }
    if (m_sweep)
    {
        root["figure11"] = {
            {"cloudBeatsEdgeBitsPerSecond", FormatFinite(m_sweep->cloudBeatsEdgeBitsPerSecond)},
            {"allCloudBitsPerSecond", FormatFinite(m_sweep->allCloudBitsPerSecond)}};
    }
    return root.dump(1) + "\n";
}

void
QdmpTablesStudy::Write() const
{
    Table results({"figure", "model", "network", "planner", "unit", "paper", "ours", "difference"});
    for (const QdmpComparison& one : m_comparisons)
    {
        const auto difference = one.GetDifference();
        results.AddRow({one.figure,
                        GetName(one.model),
                        one.network,
                        one.planner,
                        one.unit,
                        Table::Exact(one.theirs),
                        Table::Exact(one.ours),
                        difference ? Table::Exact(*difference) : ""});
    }
    ResultsFolder folder(m_options.GetString("out"));
    const auto csv = [&folder](const std::string& name, const Table& table) {
        folder.Write(name, [&table](std::ostream& os) { table.WriteCsv(os); });
    };
    csv("results.csv", results);
    csv("order.csv", MakeOrderRows());
    csv("assumptions.csv", MakeAgreementRows());
    csv("costs.csv", MakeDecisionRows());
    if (m_sweep)
    {
        csv("figure11.csv", MakeSweepRows());
    }
    folder.Write("run.json", [this](std::ostream& os) { os << MakeJson(); });
    folder.Write("tables.md", [this](std::ostream& os) {
        os << "# The QDMP paper beside ours\n\n" << m_published.source << "\n";
        for (const Section& section : MakeSections())
        {
            os << "\n## " << section.title << "\n\n"
               << (section.note.empty() ? "" : section.note + "\n\n");
            section.table.WriteMarkdown(os);
        }
    });
    folder.Commit();
    std::cout << "\nResults: " << m_options.GetString("out")
              << "/  tables.md (all tables), results.csv (a row per figure), run.json (the plans)\n"
                 "Draw them: analysis/qdmp_tables.py "
              << m_options.GetString("out") << "\n";
}

} // namespace edgepipe
} // namespace ns3
