/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "papers/dgpas-format.h"
#include "papers/dgpas-study.h"

#include <map>

namespace ns3
{
namespace edgepipe
{

Table
DgpasStudy::MakeModelTable(const std::string& first) const
{
    std::vector<std::string> columns{first};
    for (const auto& model : m_published.models)
    {
        columns.push_back(model.name);
    }
    return Table(columns);
}

Table
DgpasStudy::MakeTable3(const std::function<std::string(const DgpasComparison&)>& format) const
{
    Table table = MakeModelTable("method (row of table 3)");
    std::map<std::pair<std::size_t, DgpasHelp>, std::vector<std::string>> rows;
    for (const DgpasComparison& one : m_table3)
    {
        auto& row = rows[{one.method, one.help}];
        if (row.empty())
        {
            row.assign(m_published.models.size() + 1, "no plan");
            row[0] = m_methods[one.method].name +
                     (one.help == DgpasHelp::NONE
                          ? ""
                          : std::string(" + ") + DGPAS_HELPS[static_cast<int>(one.help)].second) +
                     (one.row.empty() ? "" : " (" + one.row + ")");
        }
        row[one.model + 1] = format(one);
    }
    for (const auto& [key, row] : rows)
    {
        table.AddRow(row);
    }
    return table;
}

Table
DgpasStudy::MakeAverageTable() const
{
    Table table({"on average", "theirs", "ours, grdqn faithful", "ours, grdqn improved"});
    const auto reduction = [this](const std::string& variant) {
        return FormatShareIfAny(GetDgpasReduction(m_published, m_methods, m_table3, variant));
    };
    table.AddRow({"less time than the planners of table 3, from its cells",
                  FormatPercent(m_published.GetTableReduction()),
                  reduction(DGPAS_FAITHFUL),
                  reduction(DGPAS_IMPROVED)});
    table.AddRow({"the same, as the abstract says it",
                  FormatPercent(m_published.trainingTimeReduction),
                  "",
                  ""});
    const auto average = [this](const std::function<std::optional<double>(std::size_t)>& find) {
        std::vector<double> values;
        for (std::size_t model = 0; model < m_published.models.size(); ++model)
        {
            if (const auto value = find(model))
            {
                values.push_back(*value);
            }
        }
        return FormatShareIfAny(FindMean(values));
    };
    const auto toExact = [&](const std::string& variant) {
        return average([&](std::size_t model) {
            const auto seconds = [&](const std::string& method) {
                return m_cases.Estimate(model,
                                        0,
                                        FindMethod(method),
                                        GetDgpasSeconds(DgpasHelp::NONE));
            };
            const auto exact = seconds("exact");
            const auto ours = seconds(variant);
            return exact && ours ? std::make_optional(ours->mean / exact->mean - 1) : std::nullopt;
        });
    };
    table.AddRow({"more time than exact", "-", toExact(DGPAS_FAITHFUL), toExact(DGPAS_IMPROVED)});
    for (const DgpasHelp help : {DgpasHelp::IDEAL, DgpasHelp::FULL})
    {
        const auto gain = [&](const std::string& variant) {
            return average([&](std::size_t model) {
                const auto mean =
                    m_cases.Estimate(model, 0, FindMethod(variant), [help](const DgpasCase& one) {
                        return one.outcomes.GetGain(help);
                    });
                return mean ? std::make_optional(mean->mean) : std::nullopt;
            });
        };
        const auto theirs = average([this](std::size_t model) {
            const auto* assisted = m_published.Find("DGPAS_Co");
            return assisted ? std::make_optional(1 - assisted->seconds[model] /
                                                         m_published.GetDgpas().seconds[model])
                            : std::nullopt;
        });
        table.AddRow({std::string("less time with help, ") +
                          DGPAS_HELPS[static_cast<std::size_t>(help)].second,
                      theirs,
                      gain(DGPAS_FAITHFUL),
                      gain(DGPAS_IMPROVED)});
    }
    return table;
}

Table
DgpasStudy::MakeOrderTable() const
{
    Table table({"model", "grdqn", "pairs", "reversed", "which"});
    for (const DgpasOrder& one : m_orders)
    {
        std::string which;
        for (const std::string& pair : one.reversed)
        {
            which += (which.empty() ? "" : ", ") + pair;
        }
        table.AddRow({GetName(one.model),
                      one.variant,
                      std::to_string(one.pairs),
                      std::to_string(one.reversed.size()),
                      which.empty() ? "-" : which});
    }
    return table;
}

Table
DgpasStudy::MakeFigure12() const
{
    Table table({"model",
                 "grdqn",
                 "DGPAS",
                 "DGPAS_Co, ideal",
                 "DGPAS_Co, full",
                 "Seq1F1B",
                 "less by Co, theirs",
                 "ideal",
                 "full"});
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        for (const char* variant : {"faithful", "improved"})
        {
            const auto ours = [&](const std::string& method, DgpasHelp help) {
                return m_cases.Estimate(model,
                                        0,
                                        FindMethod(method + variant),
                                        GetDgpasSeconds(help));
            };
            const auto alone = ours("grdqn-", DgpasHelp::NONE);
            const auto ideal = ours("grdqn-", DgpasHelp::IDEAL);
            const auto full = ours("grdqn-", DgpasHelp::FULL);
            const auto split = ours("seq1f1b-", DgpasHelp::NONE);
            const auto cell = [&](const char* row, const std::optional<MeanInterval>& mean) {
                const auto* theirs = m_published.Find(row);
                return (theirs ? Table::Rounded(theirs->seconds[model]) : "-") + " / " +
                       (mean ? Table::Rounded(mean->mean) : "-");
            };
            if (!alone)
            {
                continue;
            }
            const auto* theirs = m_published.Find("DGPAS_Co");
            table.AddRow({GetName(model),
                          variant,
                          cell("DGPAS", alone),
                          cell("DGPAS_Co", ideal),
                          cell("DGPAS_Co", full),
                          cell("Seq1F1B", split),
                          theirs ? FormatPercent(1 - theirs->seconds[model] /
                                                         m_published.GetDgpas().seconds[model])
                                 : "-",
                          FormatPercent(1 - ideal->mean / alone->mean),
                          FormatPercent(1 - full->mean / alone->mean)});
        }
    }
    return table;
}

} // namespace edgepipe
} // namespace ns3
