/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "studies/bandwidth-variation-study.h"
#include "studies/cooperative-summary.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-two-way-cut-problem-json.h"

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
 * @param bitsPerSecond where something begins, if anywhere
 * @return it for people
 */
std::string
FormatFrom(const std::optional<double>& bitsPerSecond)
{
    return bitsPerSecond ? "from " + Table::Rounded(*bitsPerSecond / 1e6) + " Mbit/s on"
                         : "nowhere in this sweep";
}

} // namespace

void
BandwidthVariationStudy::Print() const
{
    const auto& network = m_inputs.run.network;
    std::cout << m_inputs.graph.name << ", a device (" << m_inputs.GetDeviceType()
              << ") and a server (" << m_inputs.GetServerType() << "), " << network.link << " at "
              << network.fidelity << " level, frames alone\n";
    PrintLayerCosts(m_inputs.costs);
    std::cout << "latency: simulated, ms (prediction error)\n\n";
    std::vector<std::string> columns{"Mbit/s"};
    columns.insert(columns.end(), m_planners.begin(), m_planners.end());
    const auto hasQdmp =
        std::find(m_planners.begin(), m_planners.end(), "qdmp") != m_planners.end();
    if (hasQdmp)
    {
        columns.insert(columns.end(), {"qdmp: x edge-only", "x cloud-only"});
    }
    Table table(columns);
    for (std::size_t i = 0; i < m_bandwidths.size(); ++i)
    {
        std::vector<std::string> cells{Table::Rounded(m_bandwidths[i] / 1e6)};
        for (const auto& planner : m_planners)
        {
            const BandwidthCase& one = Find(planner, i);
            cells.push_back(
                one.IsFinished()
                    ? Table::Rounded(1e3 * one.simulatedSeconds) + " (" +
                          FormatPercent(one.simulatedSeconds > 0
                                            ? one.predictedSeconds / one.simulatedSeconds - 1
                                            : 0) +
                          ")"
                    : one.status);
        }
        for (const char* reference : {"edge-only", "cloud-only"})
        {
            if (hasQdmp)
            {
                const auto speedUp = GetSpeedUp(Find("qdmp", i), reference);
                cells.push_back(speedUp ? Table::Rounded(*speedUp, 3) : "-");
            }
        }
        table.AddRow(std::move(cells));
    }
    table.Print(std::cout);
    PrintCrossovers();
    for (const auto& one : m_cases)
    {
        if (one.status == "stalled")
        {
            std::cerr << m_inputs.GetOptions().GetName() << ": " << one.planner << " at "
                      << Table::Rounded(one.bitsPerSecond / 1e6) << " Mbit/s: stalled"
                      << (one.diagnosis.empty() ? "" : ": " + one.diagnosis.front()) << "\n";
        }
    }
}

void
BandwidthVariationStudy::PrintCrossovers() const
{
    if (m_bandwidths.front() == 0)
    {
        std::cout << "\nno-link: at 0 Mbit/s nothing can be sent; only edge-only, which sends "
                     "nothing, has a latency.\n";
    }
    std::cout << "\ncloud-only beats edge-only: simulated " << FormatFrom(FindCloudBeatsEdge(true))
              << ", predicted " << FormatFrom(FindCloudBeatsEdge(false)) << "\n";
    for (const auto& planner : m_planners)
    {
        if (planner != "edge-only" && planner != "cloud-only")
        {
            std::cout << planner
                      << " sends all to the server: " << FormatFrom(FindAllOnServer(planner))
                      << "\n";
        }
    }
    if (m_inputs.graph.name == "resnet18")
    {
        std::cout << "paper (section 5.3, on its own devices, ResNet-18): cloud-only beats "
                     "edge-only from 2 Mbit/s on, qdmp sends all to the server from 12 Mbit/s "
                     "on\n";
    }
}

void
BandwidthVariationStudy::Write() const
{
    Table results({"planner",
                   "model",
                   "deviceType",
                   "serverType",
                   "link",
                   "fidelity",
                   "bandwidthBitsPerSecond",
                   "status",
                   "plannerUplinkBitsPerSecond",
                   "predictedLatencySeconds",
                   "simulatedLatencySeconds",
                   "speedUpOverEdgeOnly",
                   "speedUpOverCloudOnly",
                   "layersOnDevice",
                   "layers",
                   "cut",
                   "uplinkBytes",
                   "layerCostOrigins"});
    nlohmann::ordered_json run{{"link", m_inputs.run.network.link}};
    for (const auto& one : m_cases)
    {
        const auto& onDevice = one.plan.isOnDevice;
        const bool isPlanned = !onDevice.empty();
        const auto speedUp = [&](const char* reference) {
            const auto value = GetSpeedUp(one, reference);
            return value ? Table::Exact(*value) : "";
        };
        const auto ifPlanned = [&](const std::string& text) { return isPlanned ? text : ""; };
        results.AddRow(
            {one.planner,
             m_inputs.graph.name,
             m_inputs.GetDeviceType(),
             m_inputs.GetServerType(),
             m_inputs.run.network.link,
             m_inputs.run.network.fidelity,
             Table::Exact(one.bitsPerSecond),
             one.status,
             one.toldBitsPerSecond > 0 ? Table::Exact(one.toldBitsPerSecond) : "",
             ifPlanned(Table::Exact(one.predictedSeconds)),
             one.IsFinished() ? Table::Exact(one.simulatedSeconds) : "",
             speedUp("edge-only"),
             speedUp("cloud-only"),
             ifPlanned(std::to_string(std::count(onDevice.begin(), onDevice.end(), true))),
             std::to_string(m_inputs.problem.layers.size()),
             isPlanned ? DescribeCut(m_inputs.problem, one.plan) : "",
             ifPlanned(std::to_string(one.uplinkBytes)),
             JoinOrigins(m_inputs.costs)});
        run["decisionSeconds"][one.planner].push_back(one.decisionSeconds);
    }
    ResultsFolder folder(m_inputs.GetOptions().GetString("out"));
    folder.Write("results.csv", [&](std::ostream& os) { results.WriteCsv(os); });
    folder.Write("problem.json",
                 [this](std::ostream& os) { os << FormatTwoWayCutProblem(m_inputs.problem); });
    folder.Write("run.json", [&](std::ostream& os) {
        os << FormatRunFile(m_inputs.GetOptions(), m_inputs.costs, run.dump());
    });
    folder.Commit();
    std::cout << "\nResults: " << m_inputs.GetOptions().GetString("out")
              << "/  results.csv (a row per bandwidth and planner), problem.json, run.json\n";
}

} // namespace edgepipe
} // namespace ns3
