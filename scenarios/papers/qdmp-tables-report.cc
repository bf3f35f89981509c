/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-tables-study.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param format of printf, for one number
 * @param value the number
 * @return the text
 */
std::string
Format(const char* format, double value)
{
    char text[40];
    std::snprintf(text, sizeof(text), format, value);
    return text;
}

/**
 * @param one a comparison
 * @return theirs, ours and the difference, starred if it is to be explained
 */
std::string
FormatComparison(const QdmpComparison& one)
{
    const auto difference = one.GetDifference();
    const std::string text = Format("%.2f", one.theirs) + " " + Format("%.2f", one.ours);
    return !difference ? text
                       : text + Format(" %+.0f%%", std::round(100 * *difference) + 0.0) +
                             (std::abs(*difference) > QDMP_TOLERANCE ? "*" : "");
}

/**
 * @param pairs of planners
 * @return them, or a dash
 */
std::string
Join(const std::vector<std::string>& pairs)
{
    std::string text;
    for (const std::string& pair : pairs)
    {
        text += (text.empty() ? "" : ", ") + pair;
    }
    return text.empty() ? "-" : text;
}

/**
 * @param part of a whole
 * @param whole it
 * @return such as "11 of 12"
 */
std::string
FormatPart(std::size_t part, std::size_t whole)
{
    return std::to_string(part) + " of " + std::to_string(whole);
}

} // namespace

Table
QdmpTablesStudy::MakeCalibrationTable() const
{
    Table table({"model",
                 "layers",
                 "T_e (s)",
                 "T_c (s)",
                 "cloud-only off by (s)",
                 "device, times",
                 "server, times"});
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const CalibratedModel& model = m_outcome->GetModels()[i];
        table.AddRow({GetName(i),
                      std::to_string(model.problem.layers.size()),
                      Format("%.4f", model.deviceSeconds),
                      Format("%.4f", model.serverSeconds),
                      Format("%.4f", model.residualSeconds),
                      Table::Rounded(model.deviceFactor, 3),
                      Table::Rounded(model.serverFactor, 3)});
    }
    return table;
}

Table
QdmpTablesStudy::MakeGrid(const std::string& figure, const std::vector<std::string>& planners) const
{
    std::vector<std::string> columns{"model", "network"};
    columns.insert(columns.end(), planners.begin(), planners.end());
    Table table(columns);
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        for (const std::string& network : m_networks)
        {
            std::vector<std::string> cells{GetName(model), network};
            for (const std::string& planner : planners)
            {
                const auto found =
                    std::find_if(m_comparisons.begin(), m_comparisons.end(), [&](const auto& one) {
                        return one.figure == figure && one.model == model &&
                               one.network == network && one.planner == planner;
                    });
                if (found != m_comparisons.end())
                {
                    cells.push_back(FormatComparison(*found));
                }
            }
            if (cells.size() == columns.size())
            {
                table.AddRow(std::move(cells));
            }
        }
    }
    return table;
}

Table
QdmpTablesStudy::MakeDecisionTable() const
{
    Table table({"model", "layers", "on", "dads (s)", "qdmp (s)", "ratio"});
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const auto add =
            [&](const std::string& layers, const std::string& where, double dads, double qdmp) {
                table.AddRow({GetName(i),
                              layers,
                              where,
                              Table::Rounded(dads, 3),
                              Table::Rounded(qdmp, 3),
                              Table::Rounded(dads / qdmp, 3)});
            };
        const PublishedQdmpModel& model = m_published.models[i];
        for (const auto& [device, seconds] : model.decisionSeconds)
        {
            add(std::to_string(model.layers),
                "their " + device,
                seconds.at("dads"),
                seconds.at("qdmp"));
        }
        const std::string layers = std::to_string(m_outcome->GetModels()[i].problem.layers.size());
        const QdmpDecision& ours = m_decisions[i];
        add(layers, "here, Boykov-Kolmogorov", ours.dadsSeconds, ours.qdmpSeconds);
        add(layers, "here, Edmonds-Karp", ours.dadsEdmondsKarpSeconds, ours.qdmpSeconds);
    }
    return table;
}

Table
QdmpTablesStudy::MakeOrderTable() const
{
    std::vector<std::string> columns{"table", "model", "network"};
    for (const QdmpReading& reading : GetQdmpReadings())
    {
        columns.push_back("reversed, " + reading.name);
        columns.push_back("not the same, " + reading.name);
    }
    Table table(columns);
    const std::size_t readings = GetQdmpReadings().size();
    for (std::size_t i = 0; i + readings <= m_orders.size(); i += readings)
    {
        std::vector<std::string> cells{m_orders[i].figure,
                                       GetName(m_orders[i].model),
                                       m_orders[i].network};
        for (std::size_t k = i; k < i + readings; ++k)
        {
            cells.push_back(Join(m_orders[k].comparison.reversed));
            cells.push_back(FormatPart(m_orders[k].comparison.other.size(), 10));
        }
        table.AddRow(std::move(cells));
    }
    return table;
}

Table
QdmpTablesStudy::MakeAgreementTable() const
{
    std::vector<std::string> columns{"device", "server", "tensor bytes", "set-up", "spreads"};
    for (const std::string table : {"table 2", "table 3"})
    {
        for (const QdmpReading& reading : GetQdmpReadings())
        {
            columns.push_back(table + " " + reading.name);
            columns.push_back("near");
        }
    }
    Table table(columns);
    for (const QdmpAgreement& one : m_agreements)
    {
        const QdmpAssumptions& a = one.assumptions;
        std::vector<std::string> cells{a.device,
                                       a.server,
                                       std::to_string(a.tensorBytes),
                                       a.setUpShare > 0 ? Format("%g", a.setUpShare) : "measured",
                                       Table::Rounded(one.deviceSpread, 3) + " " +
                                           Table::Rounded(one.serverSpread, 3)};
        for (const auto& counts : one.counts)
        {
            cells.push_back(FormatPart(counts.ordered, counts.cells) + ", " +
                            std::to_string(counts.same));
            cells.push_back(FormatPart(counts.near, counts.figures));
        }
        table.AddRow(std::move(cells));
    }
    return table;
}

std::vector<QdmpTablesStudy::Section>
QdmpTablesStudy::MakeSections() const
{
    const std::string how =
        "theirs, ours, difference; * above " + Format("%.0f", 100 * QDMP_TOLERANCE) + " %";
    std::vector<Section> sections{
        {"Calibration",
         "from the edge-only and cloud-only columns of table 2; factors over the layer times of " +
             m_assumptions.device + " and " + m_assumptions.server,
         MakeCalibrationTable(),
         true},
        {"Table 2, latency in seconds",
         how,
         MakeGrid("table2",
                  {"cloud-only", "edge-only", "neurosurgeon", "dads", "dads-with-input", "qdmp"}),
         true},
        {"Table 3, throughput in frames per second",
         how,
         MakeGrid("table3",
                  {"cloud-only",
                   "cloud-only-serial",
                   "edge-only",
                   "neurosurgeon",
                   "dads",
                   "dads-with-input",
                   "qdmp"}),
         true},
        {"Table 6, Mibit sent per frame by qdmp", how, MakeGrid("table6", {"qdmp"}), true},
        {"Tables 1 and 4, decision time",
         "ours are medians of " + std::to_string(m_repeats) + " on this machine",
         MakeDecisionTable(),
         true},
        {"Figure 7, latency gain over edge-only",
         how,
         MakeGrid("figure7", {"cloud-only", "qdmp"}),
         false},
        {"Figure 8, latency gain over edge-only",
         how,
         MakeGrid("figure8", {"neurosurgeon", "dads", "dads-with-input", "qdmp"}),
         false},
        {"Figure 9, throughput gain over edge-only",
         how,
         MakeGrid("figure9", {"cloud-only", "cloud-only-serial", "qdmp"}),
         false},
        {"Figure 10, throughput gain over edge-only",
         how,
         MakeGrid("figure10", {"neurosurgeon", "dads", "dads-with-input", "qdmp"}),
         false}};
    if (m_sweep)
    {
        Table table({"ResNet-18", "theirs (Mbit/s)", "ours (Mbit/s)"});
        table.AddRow({"cloud-only beats edge-only above",
                      "2",
                      Format("%.2f", m_sweep->cloudBeatsEdgeBitsPerSecond / 1e6)});
        table.AddRow({"qdmp leaves all to the cloud above",
                      "12",
                      Format("%.2f", m_sweep->allCloudBitsPerSecond / 1e6)});
        sections.push_back({"Figure 11, what the paper says of it; the curve is in figure11.csv",
                            "",
                            table,
                            true});
    }
    sections.push_back({"Order of the planners",
                        "pairs that we order otherwise than the paper; of 10 pairs, those whose "
                        "order or tie differs in the digits printed",
                        MakeOrderTable(),
                        true});
    sections.push_back({"What other assumptions would give",
                        "cells of tables 2 and 3 without a reversed pair, then those with every "
                        "order and tie the same in print; near: figures within " +
                            Format("%.0f", 100 * QDMP_TOLERANCE) +
                            " %; spreads: of the models' factors on device and server, largest "
                            "over smallest",
                        MakeAgreementTable(),
                        true});
    return sections;
}

void
QdmpTablesStudy::Print() const
{
    for (const Section& section : MakeSections())
    {
        if (section.isShort && section.table.GetRows() > 0)
        {
            std::cout << section.title << (section.note.empty() ? "" : " (" + section.note + ")")
                      << ":\n\n";
            section.table.Print(std::cout);
            std::cout << "\n";
        }
    }
    const auto name = [this](const QdmpCell& cell) {
        return cell.planner + ", " + GetName(cell.model) + ", " + cell.network;
    };
    for (const QdmpCell* cell : m_outcome->FindBetterThanQdmp(false))
    {
        std::cout << "More frames/s than qdmp, which minimises latency: " << name(*cell) << "\n";
    }
    for (const QdmpCell* cell : m_outcome->FindBetterThanQdmp(true))
    {
        std::cerr << m_options.GetName() << ": faster than qdmp: " << name(*cell) << "\n";
    }
}

} // namespace edgepipe
} // namespace ns3
