/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "papers/bno-table-study.h"

#include "ns3/edgepipe-results-folder.h"

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
 * @param values some figures, at least one
 * @return such as "0.81 to 1.2"
 */
std::string
Format(const std::vector<double>& values)
{
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const std::string low = Table::Rounded(*least, 3);
    const std::string high = Table::Rounded(*most, 3);
    return *most < 1.001 * *least ? low : low + " to " + high;
}

} // namespace

Table
BnoTableStudy::MakeTable() const
{
    Table table({"cluster",
                 "condition",
                 "model",
                 "shares",
                 "paper: weight update (ms)",
                 "weight update (ms)",
                 "exchange and step (ms)",
                 "iteration (ms)",
                 "samples per update",
                 "samples/s",
                 "over equal's"});
    for (const auto& one : m_cases)
    {
        const auto* equal = FindOther(one, "equal");
        table.AddRow({one.cluster,
                      one.condition,
                      one.model,
                      one.strategy + (one.isComplete ? "" : " (stalled)"),
                      one.paperMilliseconds > 0 ? Table::Rounded(one.paperMilliseconds) : "-",
                      Table::Rounded(1e3 * one.mean.nodeSeconds),
                      Table::Rounded(1e3 * one.mean.exchangeSeconds),
                      Table::Rounded(1e3 * one.mean.iterationSeconds),
                      Table::Rounded(one.samplesPerUpdate),
                      Table::Rounded(one.samplesPerSecond),
                      equal && equal->samplesPerSecond > 0
                          ? Table::Rounded(one.samplesPerSecond / equal->samplesPerSecond, 3)
                          : "-"});
    }
    return table;
}

std::vector<std::string>
BnoTableStudy::MakeFindings() const
{
    std::vector<std::string> lines;
    for (const auto& cluster : m_clusters)
    {
        for (const auto& condition : m_conditions)
        {
            for (const char* strategy : {"bno", "bno-normalized", "random", "optimal"})
            {
                std::vector<double> rates;
                std::vector<double> updates;
                std::vector<double> iterations;
                std::vector<double> batches;
                for (const auto& one : m_cases)
                {
                    const auto* equal = FindOther(one, "equal");
                    if (one.cluster == cluster.name && one.condition == condition &&
                        one.strategy == strategy && equal && equal->samplesPerSecond > 0)
                    {
                        rates.push_back(one.samplesPerSecond / equal->samplesPerSecond);
                        updates.push_back(one.mean.nodeSeconds / equal->mean.nodeSeconds);
                        iterations.push_back(one.mean.iterationSeconds /
                                             equal->mean.iterationSeconds);
                        batches.push_back(one.samplesPerUpdate / equal->samplesPerUpdate);
                    }
                }
                if (!rates.empty())
                {
                    lines.push_back(cluster.name + ", " + condition + ": " + strategy +
                                    " over equal shares: samples/s " + Format(rates) +
                                    ", samples per update " + Format(batches) + ", iteration " +
                                    Format(iterations) + ", weight update " + Format(updates));
                }
            }
        }
    }
    std::map<std::pair<std::string, std::string>, std::size_t> unchanged;
    for (const auto& one : m_cases)
    {
        if (!one.whyUnchanged.empty())
        {
            ++unchanged[{one.strategy, one.whyUnchanged}];
        }
    }
    for (const auto& [which, count] : unchanged)
    {
        const auto all =
            std::count_if(m_cases.begin(), m_cases.end(), [&which = which](const auto& one) {
                return one.strategy == which.first;
            });
        lines.push_back(which.first + ": shares never changed in " + std::to_string(count) +
                        " of " + FormatCount(all, "run", "runs") + ": " + which.second +
                        " (--update-every=" + m_options.GetString("update-every") +
                        ", --updates=" + m_options.GetString("updates") + ")");
    }
    double least = 0;
    for (const auto& one : m_cases)
    {
        if (one.paperMilliseconds > 0)
        {
            const double ratio = 1e3 * one.mean.exchangeSeconds / one.paperMilliseconds;
            least = least > 0 ? std::min(least, ratio) : ratio;
        }
    }
    if (least > 0)
    {
        lines.push_back("The paper's figures cannot be wall times of a weight update in ms: "
                        "exchange and step alone, without waiting, take at least " +
                        Table::Rounded(least, 3) + " times as long on the network assumed here");
    }
    return lines;
}

void
BnoTableStudy::Print() const
{
    MakeTable().Print(std::cout);
    std::cout << "\nPaper: " << m_source << "\n\n";
    for (const auto& line : MakeFindings())
    {
        std::cout << line << "\n";
    }
}

void
BnoTableStudy::Write() const
{
    Table results({"cluster",
                   "condition",
                   "model",
                   "shares",
                   "status",
                   "paperMilliseconds",
                   "weightUpdateSeconds",
                   "exchangeAndStepSeconds",
                   "iterationSeconds",
                   "samplesPerUpdate",
                   "samplesPerSecond"});
    Table stretches({"cluster",
                     "condition",
                     "model",
                     "shares",
                     "firstUpdate",
                     "updates",
                     "weightUpdateSeconds",
                     "exchangeAndStepSeconds",
                     "iterationSeconds"});
    for (const auto& one : m_cases)
    {
        results.AddRow({one.cluster,
                        one.condition,
                        one.model,
                        one.strategy,
                        one.isComplete ? "finished" : "stalled",
                        one.paperMilliseconds > 0 ? Table::Exact(one.paperMilliseconds) : "",
                        Table::Exact(one.mean.nodeSeconds),
                        Table::Exact(one.mean.exchangeSeconds),
                        Table::Exact(one.mean.iterationSeconds),
                        Table::Exact(one.samplesPerUpdate),
                        Table::Exact(one.samplesPerSecond)});
        for (const auto& stretch : one.stretches)
        {
            stretches.AddRow({one.cluster,
                              one.condition,
                              one.model,
                              one.strategy,
                              std::to_string(stretch.first),
                              std::to_string(stretch.count),
                              Table::Exact(stretch.nodeSeconds),
                              Table::Exact(stretch.exchangeSeconds),
                              Table::Exact(stretch.iterationSeconds)});
        }
    }
    nlohmann::ordered_json json;
    json["findings"] = MakeFindings();
    json["published"] = m_source;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"cluster", one.cluster},
                                     {"condition", one.condition},
                                     {"model", one.model},
                                     {"shares", one.strategy},
                                     {"weightUpdateSeconds", one.mean.nodeSeconds},
                                     {"exchangeAndStepSeconds", one.mean.exchangeSeconds},
                                     {"iterationSeconds", one.mean.iterationSeconds},
                                     {"samplesPerSecond", one.samplesPerSecond}};
        if (one.paperMilliseconds > 0)
        {
            entry["paperMilliseconds"] = one.paperMilliseconds;
        }
        json["cases"].push_back(entry);
    }
    ResultsFolder folder(m_options.GetString("out"));
    folder.Write("results.csv", [&](std::ostream& os) { results.WriteCsv(os); });
    folder.Write("stretches.csv", [&](std::ostream& os) { stretches.WriteCsv(os); });
    folder.Write("bno-table.md", [&](std::ostream& os) {
        os << "# Data-parallel training: the BNO paper and here\n\n";
        MakeTable().WriteMarkdown(os);
        os << "\nPaper: " << m_source << "\n\n";
        for (const auto& line : MakeFindings())
        {
            os << "- " << line << "\n";
        }
    });
    folder.Write("run.json", [&](std::ostream& os) {
        os << FormatRunFile(m_options,
                            {},
                            json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    });
    folder.Commit();
    std::cout << "\nResults: " << m_options.GetString("out")
              << "/  results.csv, stretches.csv (means of 100 updates), bno-table.md, run.json\n";
}

} // namespace edgepipe
} // namespace ns3
