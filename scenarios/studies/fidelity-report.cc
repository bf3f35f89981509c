/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-study.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Cases named as the worst.
constexpr std::size_t WORST = 5;

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

} // namespace

void
FidelityStudy::Print() const
{
    Table table({"case",
                 "stages",
                 "network share",
                 "packet (s)",
                 "of single runs",
                 "flow (s)",
                 "difference",
                 "packet wall (s)",
                 "flow wall (s)",
                 "faster"});
    for (const auto& one : m_comparisons)
    {
        const auto seconds = [](const FidelityRun& run) {
            return run.isFinished ? Table::Rounded(run.iterationSeconds) : "stalled";
        };
        table.AddRow({one.options,
                      std::to_string(one.stages) + "/" + std::to_string(one.devices),
                      Table::Rounded(100 * one.GetNetworkShare(), 3) + " %",
                      seconds(one.packet),
                      one.packet.runs > 1 ? Table::Rounded(one.packet.lowestSeconds, 3) + " to " +
                                                Table::Rounded(one.packet.highestSeconds, 3)
                                          : "",
                      seconds(one.flow),
                      one.IsFinished() ? Percent(one.GetDifference()) : "-",
                      Table::Rounded(one.packet.wallSeconds, 3),
                      Table::Rounded(one.flow.wallSeconds, 3),
                      Table::Rounded(one.packet.wallSeconds / one.flow.wallSeconds, 3) + " x"});
    }
    table.Print(std::cout);
    PrintSummary();
    PrintWorst();
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
        return std::abs(a.GetDifference()) / a.GetLimit() >
               std::abs(b.GetDifference()) / b.GetLimit();
    });
    worst.resize(std::min(worst.size(), WORST));
    std::cout << "\nThe worst, by the share of their limit:\n";
    for (const auto& one : worst)
    {
        std::cout << "  " << Percent(one.GetDifference()) << "  " << one.options << "\n";
    }
}

void
FidelityStudy::Write() const
{
    Table results({"case",
                   "link",
                   "devices",
                   "stages",
                   "status",
                   "movedBytes",
                   "packetRuns",
                   "packetIterationSeconds",
                   "packetLowestSeconds",
                   "packetHighestSeconds",
                   "flowIterationSeconds",
                   "idealIterationSeconds",
                   "difference",
                   "limit",
                   "packetEvents",
                   "flowEvents"});
    Table costs({"case", "packetWallSeconds", "flowWallSeconds"});
    for (const auto& one : m_comparisons)
    {
        const bool finished = one.IsFinished();
        results.AddRow({one.options,
                        one.link,
                        std::to_string(one.devices),
                        std::to_string(one.stages),
                        finished ? "finished" : "stalled",
                        std::to_string(one.bytesMoved),
                        std::to_string(one.packet.runs),
                        Table::Exact(one.packet.iterationSeconds),
                        Table::Exact(one.packet.lowestSeconds),
                        Table::Exact(one.packet.highestSeconds),
                        Table::Exact(one.flow.iterationSeconds),
                        Table::Exact(one.idealSeconds),
                        finished ? Table::Exact(one.GetDifference()) : "",
                        Table::Exact(one.GetLimit()),
                        std::to_string(one.packet.events),
                        std::to_string(one.flow.events)});
        costs.AddRow({one.options,
                      Table::Exact(one.packet.wallSeconds),
                      Table::Exact(one.flow.wallSeconds)});
    }
    ResultsFolder folder(m_options.GetString("out"));
    folder.Write("results.csv", [&](std::ostream& os) { results.WriteCsv(os); });
    folder.Write("costs.csv", [&](std::ostream& os) { costs.WriteCsv(os); });
    folder.Commit();
    std::cout << "\nResults: " << m_options.GetString("out")
              << "/  results.csv (a row per case), costs.csv (wall-clock times)\n"
                 "Draw them: analysis/fidelity.py "
              << m_options.GetString("out")
              << "\n"
                 "A case again, with its timeline: ./ns3 run \"pipeline-training --fidelity=packet "
                 "--NAME=VALUE ...\"\n";
}

} // namespace edgepipe
} // namespace ns3
