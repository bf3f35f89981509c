/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/scalability-study.h"

#include "studies/count-list.h"
#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "lib/progress.h"
#include "lib/training-report.h"
#include "studies/fidelity-case.h"

#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"

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

using nlohmann::json;

/// Most devices of a case at flow level: some GB of memory.
constexpr uint32_t MAX_DEVICES = 1000000;
/// Most devices of a case at packet level: some seconds to build.
constexpr uint32_t MAX_PACKET_DEVICES = 10000;
/// Most devices of a chain at packet level: ns-3's routes along it take a minute.
constexpr uint32_t MAX_PACKET_CHAIN = 1000;

/**
 * @param counts rising numbers
 * @param singular what
 * @param plural what, when not one
 * @return such as "2 to 64 devices"
 */
std::string
FormatRange(const std::vector<uint32_t>& counts, const char* singular, const char* plural)
{
    const std::string last = FormatCount(counts.back(), singular, plural);
    return counts.front() == counts.back() ? last : std::to_string(counts.front()) + " to " + last;
}

/**
 * @param seconds wall-clock time
 * @return it for people
 */
std::string
FormatSeconds(double seconds)
{
    return seconds < 0.001 ? Table::Rounded(1e6 * seconds, 3) + " us"
           : seconds < 1   ? Table::Rounded(1e3 * seconds, 3) + " ms"
                           : Table::Rounded(seconds, 3) + " s";
}

/**
 * @param one a case
 * @return wall-clock microseconds of its simulation per message between devices, if there is one
 */
Cell
GetMicrosecondsPerTransfer(const ScalabilityCase& one)
{
    return When(one.transfers > 0, 1e6 * one.simulationSeconds / one.transfers);
}

/**
 * @param one a case
 * @return such as "exact, 64 devices, 2 pipelines"
 */
std::string
Name(const ScalabilityCase& one)
{
    return one.planner + ", " + FormatCount(one.devices, "device", "devices") +
           (one.pipelines > 1 ? ", " + std::to_string(one.pipelines) + " pipelines" : "");
}

} // namespace

bool
ScalabilityCase::IsFinished() const
{
    return status == "finished";
}

Cluster
MakeSite(const Cluster& cluster, uint32_t count)
{
    Cluster site = cluster;
    site.devices.clear();
    for (uint32_t i = 0; i < count; ++i)
    {
        site.devices.push_back(cluster.devices[i % cluster.devices.size()]);
        const std::size_t turn = i / cluster.devices.size();
        site.devices.back().name += turn > 0 ? "." + std::to_string(turn) : "";
    }
    return site;
}

std::vector<std::string>
NameDevices(const Cluster& site, uint32_t pipelines)
{
    std::vector<std::string> names;
    names.reserve(site.devices.size() * pipelines);
    for (uint32_t i = 0; i < pipelines; ++i)
    {
        const std::string prefix = i > 0 ? "site-" + std::to_string(i) + "/" : "";
        for (const auto& device : site.devices)
        {
            names.push_back(prefix + device.name);
        }
    }
    return names;
}

uint32_t
FindOutgrowth(const std::vector<ScalabilityCase>& cases)
{
    uint32_t from = 0;
    double count = 0;
    double sumX = 0;
    double sumY = 0;
    double sumXx = 0;
    double sumXy = 0;
    for (const auto& one : cases)
    {
        if (!one.IsFinished() || one.decisionSeconds <= 0 || one.simulationSeconds <= 0)
        {
            continue;
        }
        const double x = std::log(one.devices);
        const double y = std::log(one.decisionSeconds / one.simulationSeconds);
        from = y <= 0 ? 0 : from > 0 ? from : one.devices;
        count += 1;
        sumX += x;
        sumY += y;
        sumXx += x * x;
        sumXy += x * y;
    }
    // The slope's sign is that of the covariance.
    return count * sumXy > sumX * sumY && count * sumXx > sumX * sumX ? from : 0;
}

ScalabilityStudy::ScalabilityStudy(ScenarioOptions& o)
    : Experiment(o),
      m_inputs(o)
{
    o.Bind("workload=pipeline-training")
        .Help("what is swept: " + JoinWords(GetFidelityWorkloads()) +
              "; each has options of its own");
    BindCounts(o, "devices=4", m_devices, MAX_DEVICES)
        .Help("of each site, such as 4,16 or 2,4,...,10000: the cluster's, repeated in turn");
    BindCounts(o, "pipelines=1,2,...,16", m_pipelines, MAX_DEVICES)
        .Help("sites side by side on one network, each training the model on its own devices, such "
              "as 1,2,4 or 1,2,...,64");
    o.SetDefault("planner", "even,dp,exact");
    // More devices for one pipeline soon change nothing: it has no more stages than layers.
    SetUsualLink(o, m_inputs.training.network, "wifi");
}

void
ScalabilityStudy::Read()
{
    m_inputs.Read();
    // The devices of the smallest case are in every case.
    const Cluster smallest = MakeSite(m_inputs.cluster, m_devices.front());
    m_inputs.CheckNetwork(NameDevices(smallest, m_pipelines.front()));
    const NetworkOptions& network = m_inputs.training.network;
    const uint32_t most = network.fidelity != "packet"                      ? MAX_DEVICES
                          : FindLinkType(network)->GetTraits().isForwarding ? MAX_PACKET_CHAIN
                                                                            : MAX_PACKET_DEVICES;
    if (static_cast<uint64_t>(m_devices.back()) * m_pipelines.back() > most)
    {
        m_options.Refuse(m_pipelines.back() > 1 ? "pipelines" : "devices",
                         "at most " + std::to_string(most) + " devices in all (" + network.link +
                             " at " + network.fidelity + " level), not " +
                             std::to_string(m_pipelines.back()) + " x " +
                             std::to_string(m_devices.back()));
    }
    PrintNetworkNotes(m_options, "pipeline-training", network);
    const uint32_t probed = std::max(m_devices.front(), std::min(2U, m_devices.back()));
    m_bandwidth = m_inputs.FindPlannerBandwidth(NameDevices(MakeSite(m_inputs.cluster, probed), 1));
    m_inputs.training.details = false;
}

void
ScalabilityStudy::Simulate()
{
    // Cases with twice the devices take about twice the time.
    double all = 0;
    for (const uint32_t devices : m_devices)
    {
        for (const uint32_t pipelines : m_pipelines)
        {
            all += 1.0 * devices * pipelines * m_inputs.planners.size();
        }
    }
    double done = 0;
    for (const auto& planner : m_inputs.planners)
    {
        for (const uint32_t devices : m_devices)
        {
            const Cluster site = MakeSite(m_inputs.cluster, devices);
            const std::string what = planner + ", " + std::to_string(devices) + " devices: ";
            Follow(done, all, what + "planning");
            ScalabilityCase planned{planner, devices, 0, "", {}};
            const PipelinePlan plan = Plan(site, planned);
            for (const uint32_t pipelines : m_pipelines)
            {
                ScalabilityCase one = planned;
                one.pipelines = pipelines;
                const double share = 1.0 * devices * pipelines;
                const auto follow = Follow(done, all, what + "simulating");
                if (!plan.stages.empty())
                {
                    SimulateCase(
                        site,
                        plan,
                        [&](double part) { follow(part * share); },
                        one);
                }
                done += share;
                m_cases.push_back(std::move(one));
            }
        }
    }
    const bool isAnyPlanned = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
        return one.status != "no-plan";
    });
    if (!isAnyPlanned)
    {
        throw InputError(m_cases.front().reasons.front());
    }
}

PipelinePlan
ScalabilityStudy::Plan(const Cluster& site, ScalabilityCase& one) const
{
    const auto report = ChildProcess::Run([&] {
        PipelineProblem problem = m_inputs.BuildProblem(site, m_bandwidth);
        m_inputs.AddDelays(problem);
        const auto planner = FindByName<PipelinePlanner>("--planner", one.planner);
        json found;
        const Stopwatch watch;
        try
        {
            const PipelinePlan plan = planner->Plan(problem);
            found["decisionSeconds"] = planner->GetDecisionSeconds();
            found["predictedSeconds"] = PipelineCostModel(problem).IterationSeconds(plan);
            for (const auto& stage : plan.stages)
            {
                found["stages"].push_back({stage.device, stage.firstLayer, stage.lastLayer});
            }
        }
        catch (const InputError& error)
        {
            found["decisionSeconds"] = watch.GetSeconds();
            found["reason"] = error.what();
        }
        return found.dump(-1, ' ', false, json::error_handler_t::replace);
    });
    const json found = json::parse(report.text);
    one.planningMemoryBytes = report.peakMemoryBytes;
    one.decisionSeconds = found["decisionSeconds"];
    PipelinePlan plan;
    if (found.count("reason"))
    {
        one.status = "no-plan";
        one.reasons = {found["reason"]};
        return plan;
    }
    one.predictedSeconds = found["predictedSeconds"];
    one.stages = found["stages"].size();
    for (const auto& stage : found["stages"])
    {
        plan.stages.push_back({stage[0], stage[1], stage[2]});
    }
    return plan;
}

void
ScalabilityStudy::SimulateCase(const Cluster& site,
                               const PipelinePlan& plan,
                               const std::function<void(double)>& progress,
                               ScalabilityCase& one) const
{
    const auto report = ChildProcess::Run([&] {
        const PipelineProblem problem = m_inputs.BuildProblem(site, m_bandwidth);
        const auto names = NameDevices(site, one.pipelines);
        std::vector<PipelineOnNetwork> pipelines;
        for (uint32_t i = 0; i < one.pipelines; ++i)
        {
            pipelines.push_back({&problem, &plan, i * one.devices});
        }
        const Stopwatch watch;
        const auto result = RunSideBySide(pipelines, names, m_inputs.training, progress);
        const double seconds = watch.GetSeconds();
        bool isFinished = true;
        double iteration = 0;
        double samples = 0;
        double bubbles = 0;
        double idle = 0;
        for (const auto& outcome : result.pipelines)
        {
            const double mean = outcome.GetMeanIterationSeconds();
            isFinished &= outcome.finished;
            iteration += mean / one.pipelines;
            bubbles += outcome.GetMeanBubbleRate() / one.pipelines;
            idle += outcome.GetMeanIdleRate() / one.pipelines;
            // Work that takes no time has no throughput to speak of.
            samples += mean > 0 ? 1.0 * m_inputs.microBatches * m_inputs.microBatchSize / mean : 0;
        }
        json found{{"finished", isFinished},
                   {"diagnosis", result.diagnosis},
                   {"movedBytes", result.bytesMoved},
                   {"transfers", result.transfers},
                   {"events", result.events},
                   {"simulatedSeconds", result.end.GetSeconds()},
                   {"simulationSeconds", seconds}};
        if (isFinished)
        {
            found["iterationSeconds"] = iteration;
            found["samplesPerSecond"] = samples;
            found["bubbleRate"] = bubbles;
            found["idleRate"] = idle;
        }
        return found.dump(-1, ' ', false, json::error_handler_t::replace);
    });
    const json found = json::parse(report.text);
    one.simulationMemoryBytes = report.peakMemoryBytes;
    one.status = found["finished"] ? "finished" : "stalled";
    one.reasons = found["diagnosis"].get<std::vector<std::string>>();
    one.movedBytes = found["movedBytes"];
    one.transfers = found["transfers"];
    one.events = found["events"];
    one.simulatedSeconds = found["simulatedSeconds"];
    one.simulationSeconds = found["simulationSeconds"];
    one.iterationSeconds = found.value("iterationSeconds", 0.0);
    one.samplesPerSecond = found.value("samplesPerSecond", 0.0);
    one.bubbleRate = found.value("bubbleRate", 0.0);
    one.idleRate = found.value("idleRate", 0.0);
}

double
ScalabilityStudy::GetEfficiency(const ScalabilityCase& one, bool isStrong) const
{
    if (!one.IsFinished())
    {
        return 0;
    }
    for (const auto& base : m_cases)
    {
        const bool isRow = isStrong ? base.pipelines == one.pipelines : base.devices == one.devices;
        if (isRow && base.planner == one.planner && base.IsFinished())
        {
            const double units =
                isStrong ? 1.0 * one.devices / base.devices : 1.0 * one.pipelines / base.pipelines;
            return base.samplesPerSecond > 0 ? one.samplesPerSecond / base.samplesPerSecond / units
                                             : 0;
        }
    }
    return 0;
}

std::vector<ScalabilityCase>
ScalabilityStudy::Select(const std::string& planner, uint32_t pipelines) const
{
    std::vector<ScalabilityCase> cases;
    std::copy_if(m_cases.begin(), m_cases.end(), std::back_inserter(cases), [&](const auto& one) {
        return one.planner == planner && one.pipelines == pipelines;
    });
    return cases;
}

Sheet<ScalabilityCase>
ScalabilityStudy::MakeResults() const
{
    using Case = const ScalabilityCase;
    const auto& in = m_inputs;
    const bool isStrong = m_devices.size() > 1;
    const bool isWeak = m_pipelines.size() > 1;
    const auto isPlanned = [](Case& c) { return c.status != "no-plan"; };
    const auto finished = [](double ScalabilityCase::*figure) {
        return [figure](Case& c) { return When(c.IsFinished(), c.*figure); };
    };
    const auto efficiency = [this](bool strong) {
        return [=](Case& c) { return When(c.IsFinished(), GetEfficiency(c, strong)); };
    };
    const auto percent = [](double ratio) { return FormatShort(100 * ratio) + " %"; };
    return MakeSheet<ScalabilityCase>(
        {
            {"planner", "planner", &ScalabilityCase::planner},
            {"devices", "devices", &ScalabilityCase::devices},
            {"pipelines", isWeak ? "pipelines" : "", &ScalabilityCase::pipelines},
            {"model", in.graph.name},
            {"cluster", in.cluster.name},
            {"link", in.training.network.link},
            {"fidelity", in.training.network.fidelity},
            {"schedule", in.training.schedule},
            {"microBatches", in.microBatches},
            {"microBatchSize", in.microBatchSize},
            {"iterations", in.training.iterations},
            {"status", &ScalabilityCase::status},
            {"stages", "stages", &ScalabilityCase::stages, nullptr, isPlanned},
            {"predictedIterationSeconds",
             [=](Case& c) { return When(isPlanned(c), c.predictedSeconds); }},
            {"iterationSeconds", finished(&ScalabilityCase::iterationSeconds)},
            {"",
             "iteration (s)",
             [=](Case& c) {
                 return c.IsFinished() ? Cell(c.iterationSeconds)
                        : isPlanned(c) ? Cell("stalled")
                                       : Cell("no plan");
             },
             FormatRounded},
            {"samplesPerSecond",
             "samples/s",
             finished(&ScalabilityCase::samplesPerSecond),
             FormatRounded},
            {"strongEfficiency", isStrong ? "strong eff." : "", efficiency(true), percent},
            {"weakEfficiency", isWeak ? "weak eff." : "", efficiency(false), percent},
            {"idleRate", "idle", finished(&ScalabilityCase::idleRate), FormatPercent},
            {"bubbleRate", "bubbles", finished(&ScalabilityCase::bubbleRate), FormatPercent},
            {"movedBytes", &ScalabilityCase::movedBytes},
            {"transfers", &ScalabilityCase::transfers},
            {"", "planning", &ScalabilityCase::decisionSeconds, FormatSeconds},
            {"", "simulation", &ScalabilityCase::simulationSeconds, FormatSeconds, isPlanned},
            {"", "us/transfer", GetMicrosecondsPerTransfer, FormatShort},
            {"events", "events", &ScalabilityCase::events, nullptr, isPlanned},
            {"simulatedSeconds", [=](Case& c) { return When(isPlanned(c), c.simulatedSeconds); }},
            {"",
             "peak memory",
             [](Case& c) { return std::max(c.planningMemoryBytes, c.simulationMemoryBytes); },
             FormatBytes},
            {"layerCostOrigins", JoinOrigins(in.costs)},
        },
        m_cases);
}

void
ScalabilityStudy::Print() const
{
    PrintHeading(m_inputs,
                 FormatRange(m_devices, "device", "devices") + ", " +
                     FormatRange(m_pipelines, "pipeline", "pipelines"),
                 m_bandwidth);
    MakeResults().GetShown().Print(std::cout);
    const auto explain = [](const char* name, const char* what) {
        std::cout << name << " eff.: samples/s for each of its " << what
                  << ", over those with the fewest\n";
    };
    if (m_devices.size() > 1)
    {
        explain("strong", "devices");
        std::cout << "no more devices have a stage than " << m_inputs.graph.name << " has layers, "
                  << m_inputs.graph.layers.size() << "\n";
    }
    if (m_pipelines.size() > 1)
    {
        explain("weak", "pipelines");
    }
    PrintIdleLegend();
    std::cout << "planning to peak memory: what the case cost on this machine\n";
    PrintNotes();
    for (const auto& one : m_cases)
    {
        if (one.status == "stalled")
        {
            ReportStall(Name(one), Seconds(one.simulatedSeconds), one.reasons);
        }
    }
}

void
ScalabilityStudy::PrintNotes() const
{
    for (const auto& planner : m_inputs.planners)
    {
        const auto cases = Select(planner, m_pipelines.front());
        for (std::size_t i = 0; i < cases.size(); ++i)
        {
            if (cases[i].status != "no-plan")
            {
                continue;
            }
            const std::size_t first = i;
            while (i + 1 < cases.size() && cases[i + 1].status == "no-plan")
            {
                ++i;
            }
            std::cout << "\n"
                      << FormatRange({cases[first].devices, cases[i].devices}, "device", "devices")
                      << ": " << cases[first].reasons.front() << "\n";
        }
    }
    bool isAnyOutgrown = false;
    for (const auto& planner : m_inputs.planners)
    {
        const auto cases = Select(planner, m_pipelines.front());
        const uint32_t from = FindOutgrowth(cases);
        if (from > 0)
        {
            isAnyOutgrown = true;
            const auto last = std::find_if(cases.rbegin(), cases.rend(), [](const auto& one) {
                return one.IsFinished();
            });
            std::cout << "\nplanner " << planner << ": planning outgrows simulation from "
                      << FormatCount(from, "device", "devices") << " on ("
                      << FormatSeconds(last->decisionSeconds) << " to "
                      << FormatSeconds(last->simulationSeconds) << " at " << last->devices
                      << ").\n";
        }
    }
    if (!isAnyOutgrown && m_devices.size() > 1)
    {
        std::cout << "\nPlanning keeps up: no planner takes longer than the simulation and grows "
                     "faster with the devices.\n";
    }
}

std::string
ScalabilityStudy::Write(ResultsFolder& folder) const
{
    using Case = const ScalabilityCase;
    const auto isPlanned = [](Case& c) { return c.status != "no-plan"; };
    const auto costs = MakeSheet<ScalabilityCase>(
        {
            {"planner", &ScalabilityCase::planner},
            {"devices", &ScalabilityCase::devices},
            {"pipelines", &ScalabilityCase::pipelines},
            {"decisionSeconds", &ScalabilityCase::decisionSeconds},
            {"simulationSeconds", [=](Case& c) { return When(isPlanned(c), c.simulationSeconds); }},
            {"microsecondsPerTransfer", GetMicrosecondsPerTransfer},
            {"planningPeakMemoryBytes", &ScalabilityCase::planningMemoryBytes},
            {"simulationPeakMemoryBytes",
             [=](Case& c) { return When(isPlanned(c), c.simulationMemoryBytes); }},
            {"planningOutgrowsFromDevices",
             [this](Case& c) {
                 const uint32_t from = FindOutgrowth(Select(c.planner, c.pipelines));
                 return When(from > 0, from);
             }},
        },
        m_cases);
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner},
                                     {"devices", one.devices},
                                     {"pipelines", one.pipelines},
                                     {"status", one.status}};
        if (!one.reasons.empty())
        {
            entry[isPlanned(one) ? "diagnosis" : "reason"] = one.reasons;
        }
        run["cases"].push_back(entry);
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_inputs.training.network));
    folder.Write("costs.csv", costs.GetFile());
    folder.Write("run.json", FormatRunFile(m_inputs, m_bandwidth, run));
    return "results.csv (a row per case), costs.csv (what the cases cost here), run.json";
}

} // namespace edgepipe
} // namespace ns3
