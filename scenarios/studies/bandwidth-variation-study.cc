/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/bandwidth-variation-study.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "runs/cooperative-summary.h"

#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-two-way-cut-problem-json.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most bandwidths of a sweep.
constexpr uint32_t MAX_POINTS = 100000;
/// Smallest latency of a later planner's that is not the same as an earlier one's.
constexpr double MARGIN = 1e-9;

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

bool
BandwidthCase::IsFinished() const
{
    return status == "finished";
}

BandwidthVariationStudy::BandwidthVariationStudy(ScenarioOptions& o)
    : Experiment(o),
      m_inputs(o)
{
    o.SetDefault("planner", "cloud-only,dads,edge-only,neurosurgeon,qdmp");
    SetUsualLink(o, m_inputs.run.network, "p2p");
    o.SetDefault("monitor", "oracle");
    o.SetDefault("frames", "1");
    o.SetDefault("replan", "false");
    o.SetDefault("start-up", "false");
    o.Bind("from=0", m_from, 0)
        .Help("lowest bandwidth of the link, such as 500kbps; 0: nothing can be sent");
    o.Bind("to=15Mbps", m_to, 0).Help("highest, such as 15Mbps");
    o.Bind("step=500kbps", m_step, 1).Help("from one to the next, such as 500kbps");
}

void
BandwidthVariationStudy::Read()
{
    m_inputs.Read();
    m_planners = m_inputs.planners;
    if (!FindLinkType(m_inputs.run.network)->GetTraits().options.count("bandwidth"))
    {
        m_options.Refuse("link", "one whose bandwidth can be set, since it is swept");
    }
    for (const char* name : {"bandwidth", "trace", "trace-down", "cut"})
    {
        if (!m_options.GetString(name).empty())
        {
            m_options.Refuse(name, "nothing, since bandwidth is swept by --from, --to and --step");
        }
    }
    for (const auto& [name, value] : {std::pair{"devices", "1"}, {"in-flight", "1"}})
    {
        if (m_options.GetString(name) != value)
        {
            m_options.Refuse(name, std::string(value) + ", since frames are alone");
        }
    }
    if (m_inputs.devices.size() > 1)
    {
        m_options.Refuse("cluster", "one of a device and a server, since frames are alone");
    }
    if (m_inputs.run.framesPerSecond > 0)
    {
        m_options.Refuse("frame-rate", "0, since a frame begins when the one before has ended");
    }
    if (m_to.value < m_from.value)
    {
        m_options.Refuse("to", "at least the " + m_options.GetString("from") + " of --from");
    }
    const double steps = std::floor((m_to.value - m_from.value) / m_step.value + 1e-9);
    if (steps >= MAX_POINTS)
    {
        m_options.Refuse("step",
                         "one that makes at most " + std::to_string(MAX_POINTS) + " bandwidths");
    }
    for (uint32_t i = 0; i <= steps; ++i)
    {
        m_bandwidths.push_back(m_from.value + i * m_step.value);
    }
    if (m_bandwidths.back() <= 0)
    {
        m_options.Refuse("to", "a bandwidth above 0");
    }
    for (const char* reference : {"edge-only", "cloud-only"})
    {
        if (std::find(m_planners.begin(), m_planners.end(), reference) == m_planners.end())
        {
            m_planners.push_back(reference);
        }
    }
    PrintNetworkNotes(m_options, "cooperative-inference", m_inputs.run.network);
}

void
BandwidthVariationStudy::Simulate()
{
    const std::size_t all = m_bandwidths.size() * m_planners.size();
    for (const double bandwidth : m_bandwidths)
    {
        for (const auto& planner : m_planners)
        {
            Follow(m_cases.size(),
                   all,
                   planner + " at " + Table::Rounded(bandwidth / 1e6) + " Mbit/s");
            m_cases.push_back(SimulateCase(planner, bandwidth));
        }
    }
}

BandwidthCase
BandwidthVariationStudy::SimulateCase(const std::string& planner, double bitsPerSecond) const
{
    BandwidthCase one;
    one.planner = planner;
    one.bitsPerSecond = bitsPerSecond;
    if (bitsPerSecond == 0 && planner != "edge-only")
    {
        one.status = "no-link";
        return one;
    }
    CooperativeInferenceOptions run = m_inputs.run;
    run.planner = planner;
    // What sends nothing takes as long over any link.
    run.network.bandwidthBitsPerSecond = bitsPerSecond > 0 ? bitsPerSecond : m_bandwidths.back();
    run.network.downlinkBitsPerSecond = 0;
    const auto result = RunCooperativeInference(m_inputs.devices, run, {});
    const auto summary = Summarise(m_inputs.devices, result);
    one.status = result.isComplete ? "finished" : "stalled";
    one.diagnosis = result.diagnosis;
    one.end = result.end;
    if (result.plans.empty())
    {
        return one;
    }
    const PlanRecord& plan = result.plans.front();
    one.plan = plan.plan;
    one.toldBitsPerSecond = bitsPerSecond > 0 ? plan.uplinkBitsPerSecond : 0;
    const TwoWayCutProblem& problem = m_inputs.devices.front().problem;
    one.predictedSeconds = PredictFrame(problem,
                                        EvaluatePlan(problem, plan),
                                        plan.uplinkBitsPerSecond,
                                        plan.downlinkBitsPerSecond,
                                        result.delaySeconds.front())
                               ->latencySeconds;
    one.simulatedSeconds = summary.meanSeconds;
    one.uplinkBytes = plan.uplinkBytes;
    one.decisionSeconds = plan.decisionSeconds;
    return one;
}

const BandwidthCase&
BandwidthVariationStudy::Find(const std::string& planner, std::size_t point) const
{
    const auto first = m_cases.begin() + static_cast<std::ptrdiff_t>(point * m_planners.size());
    return *std::find_if(first, m_cases.end(), [&planner](const auto& one) {
        return one.planner == planner;
    });
}

std::optional<double>
BandwidthVariationStudy::GetSpeedUp(const BandwidthCase& one, const std::string& reference) const
{
    const auto point = static_cast<std::size_t>(&one - m_cases.data()) / m_planners.size();
    const BandwidthCase& other = Find(reference, point);
    if (!one.IsFinished() || !other.IsFinished() || one.simulatedSeconds <= 0)
    {
        return std::nullopt;
    }
    return other.simulatedSeconds / one.simulatedSeconds;
}

template <typename Holds>
std::optional<double>
BandwidthVariationStudy::FindFrom(Holds holds) const
{
    std::optional<double> from;
    for (std::size_t i = m_bandwidths.size(); i-- > 0 && holds(i);)
    {
        from = m_bandwidths[i];
    }
    return from;
}

std::optional<double>
BandwidthVariationStudy::FindAllOnServer(const std::string& planner) const
{
    return FindFrom([&](std::size_t i) {
        const BandwidthCase& one = Find(planner, i);
        return one.IsFinished() && IsAllOnServer(m_inputs.devices.front().problem, one.plan);
    });
}

std::optional<double>
BandwidthVariationStudy::FindCloudBeatsEdge(double BandwidthCase::*seconds) const
{
    return FindFrom([&](std::size_t i) {
        const BandwidthCase& edge = Find("edge-only", i);
        const BandwidthCase& cloud = Find("cloud-only", i);
        return edge.IsFinished() && cloud.IsFinished() &&
               cloud.*seconds < (1 - MARGIN) * edge.*seconds;
    });
}

void
BandwidthVariationStudy::Print() const
{
    const auto& network = m_inputs.run.network;
    std::cout << m_inputs.graph.name << ", a device (" << m_inputs.GetDeviceTypes()
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
            ReportStall(one.planner + " at " + Table::Rounded(one.bitsPerSecond / 1e6) + " Mbit/s",
                        one.end,
                        one.diagnosis);
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
    std::cout << "\ncloud-only beats edge-only: simulated "
              << FormatFrom(FindCloudBeatsEdge(&BandwidthCase::simulatedSeconds)) << ", predicted "
              << FormatFrom(FindCloudBeatsEdge(&BandwidthCase::predictedSeconds)) << "\n";
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

std::string
BandwidthVariationStudy::Write(ResultsFolder& folder) const
{
    using Case = const BandwidthCase;
    const auto& in = m_inputs;
    const auto isPlanned = [](Case& c) { return !c.plan.isOnDevice.empty(); };
    const auto results = MakeSheet<BandwidthCase>(
        {
            {"planner", &BandwidthCase::planner},
            {"model", in.graph.name},
            {"deviceType", in.GetDeviceTypes()},
            {"serverType", in.GetServerType()},
            {"link", in.run.network.link},
            {"fidelity", in.run.network.fidelity},
            {"bandwidthBitsPerSecond", &BandwidthCase::bitsPerSecond},
            {"status", &BandwidthCase::status},
            {"plannerUplinkBitsPerSecond",
             [](Case& c) { return When(c.toldBitsPerSecond > 0, c.toldBitsPerSecond); }},
            {"predictedLatencySeconds",
             [=](Case& c) { return When(isPlanned(c), c.predictedSeconds); }},
            {"simulatedLatencySeconds",
             [](Case& c) { return When(c.IsFinished(), c.simulatedSeconds); }},
            {"speedUpOverEdgeOnly", [this](Case& c) { return GetSpeedUp(c, "edge-only"); }},
            {"speedUpOverCloudOnly", [this](Case& c) { return GetSpeedUp(c, "cloud-only"); }},
            {"layersOnDevice",
             [=](Case& c) {
                 const auto& is = c.plan.isOnDevice;
                 return When(isPlanned(c), std::count(is.begin(), is.end(), true));
             }},
            {"layers", in.devices.front().problem.layers.size()},
            {"cut",
             [&](Case& c) {
                 return isPlanned(c) ? Cell(DescribeCut(in.devices.front().problem, c.plan))
                                     : Cell();
             }},
            {"uplinkBytes", [=](Case& c) { return When(isPlanned(c), c.uplinkBytes); }},
            {"layerCostOrigins", JoinOrigins(in.costs)},
        },
        m_cases);
    nlohmann::ordered_json run{{"link", in.run.network.link}};
    for (const auto& one : m_cases)
    {
        run["decisionSeconds"][one.planner].push_back(one.decisionSeconds);
    }
    folder.Write("results.csv", AddRunColumns(results.GetFile(), &in.run.network));
    folder.Write("problem.json", FormatProblem(in.devices.front().problem));
    folder.Write("run.json", FormatRunFile(m_options, in.costs, run));
    return "results.csv (a row per bandwidth and planner), problem.json, run.json";
}

} // namespace edgepipe
} // namespace ns3
