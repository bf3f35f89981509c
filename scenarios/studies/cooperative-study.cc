/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/cooperative-study.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/progress.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-two-way-cut-problem-json.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Changes of plan that are printed for a planner; plans.csv has them all.
constexpr std::size_t SHOWN_CHANGES = 12;

/**
 * @param c a case
 * @return finished or stalled
 */
const char*
GetCooperativeStatus(const CooperativeCase& c)
{
    return c.result.isComplete ? "finished" : "stalled";
}

/**
 * @param c a case
 * @return whether its frames were predicted
 */
bool
IsPredicted(const CooperativeCase& c)
{
    return c.summary.finished > c.summary.unpredicted;
}

} // namespace

CooperativeStudy::CooperativeStudy(ScenarioOptions& options, bool isReplay)
    : Experiment(options),
      m_inputs(options),
      m_isReplay(isReplay)
{
    if (isReplay)
    {
        // Branches that cuts can part, and tensors small enough for cuts inside.
        options.SetDefault("model", "alexnet_parallel");
        options.SetDefault("tensor-element-bytes", "1");
        options.SetDefault("planner", "qdmp,dads,neurosurgeon,edge-only,cloud-only");
        SetUsualLink(options, m_inputs.run.network, "trace");
        options.SetDefault("frame-rate", "2");
        options.SetDefault("frames", "800");
    }
}

void
CooperativeStudy::Read()
{
    if (m_isReplay)
    {
        SetUsualRecording(m_options, "lte-driving");
    }
    m_inputs.Read();
    PrintNetworkNotes(m_options, "cooperative-inference", m_inputs.run.network);
}

void
CooperativeStudy::Simulate()
{
    for (const auto& planner : m_inputs.planners)
    {
        CooperativeCase one;
        one.planner = planner;
        CooperativeInferenceOptions run = m_inputs.run;
        run.planner = planner;
        const auto progress =
            Follow(m_cases.size(), m_inputs.planners.size(), planner + ": simulating");
        const Stopwatch watch;
        one.result = RunCooperativeInference(m_inputs.devices, run, progress);
        one.simulationSeconds = watch.GetSeconds();
        one.summary =
            Summarise(m_inputs.devices, one.result, run.framesPerSecond * m_inputs.devices.size());
        m_cases.push_back(std::move(one));
    }
}

Sheet<CooperativeCase>
CooperativeStudy::MakeResults() const
{
    using Case = const CooperativeCase;
    using S = CooperativeSummary;
    const auto& in = m_inputs;
    const auto known = [](double S::*figure) {
        return [=](Case& c) { return When(c.summary.finished > 0, c.summary.*figure); };
    };
    // Figures of the frames that a stalled planner did finish are not comparable.
    const auto isFair = [](Case& c) { return c.result.isComplete; };
    auto further = MakeFailureColumns<CooperativeCase>(in.planners, [](Case& c) {
        return c.result.failures.count;
    });
    if (in.IsForThroughput())
    {
        further.push_back({"predictedFramesPerSecond",
                           "predicted frames/s",
                           known(&S::predictedFramesPerSecond),
                           FormatRounded,
                           isFair});
    }
    return MakeSheet<CooperativeCase>(
        {
            {"planner", "planner", &CooperativeCase::planner},
            {"model", in.graph.name},
            {"deviceType", in.GetDeviceTypes()},
            {"serverType", in.GetServerType()},
            {"devices", in.devices.size()},
            {"link", in.run.network.link},
            {"network", in.DescribeNetwork()},
            {"fidelity", in.run.network.fidelity},
            {"monitor", in.run.monitor},
            {"status", GetCooperativeStatus},
            {"finishedFrames", [](Case& c) { return c.summary.finished; }},
            {"droppedFrames", [](Case& c) { return c.summary.dropped; }},
            {"predictedLatencySeconds",
             "predicted (ms)",
             [](Case& c) { return When(IsPredicted(c), c.summary.predictedSeconds); },
             FormatMs,
             isFair},
            {"unpredictedFrames", [](Case& c) { return c.summary.unpredicted; }},
            {"meanLatencySeconds", known(&S::meanSeconds)},
            {"",
             "mean (ms)",
             [=](Case& c) { return c.result.isComplete ? known(&S::meanSeconds)(c) : "stalled"; },
             FormatMs},
            {"medianLatencySeconds", "median", known(&S::medianSeconds), FormatMs, isFair},
            {"p95LatencySeconds", "p95", known(&S::p95Seconds), FormatMs, isFair},
            {"p99LatencySeconds", "p99", known(&S::p99Seconds), FormatMs, isFair},
            {"framesPerSecond",
             "frames/s",
             [=](Case& c) { return isFair(c) ? known(&S::framesPerSecond)(c) : Cell(); },
             FormatRounded},
            {"", "dropped", [](Case& c) { return c.summary.dropped; }},
            {"uplinkBytesPerFrame", "up/frame", known(&S::uplinkBytesPerFrame), FormatBytes},
            {"downlinkBytesPerFrame", "down/frame", known(&S::downlinkBytesPerFrame), FormatBytes},
            {"movedBytes", [](Case& c) { return c.result.bytesMoved; }},
            {"decisions", [](Case& c) { return c.result.decisions; }},
            {"planChanges", "changes", [](Case& c) { return c.summary.planChanges; }},
            {"", "decision (us)", [](Case& c) { return c.summary.decisionSeconds; }, FormatUs},
            {"simulatedSeconds", [](Case& c) { return c.result.end; }},
            {"layerCostOrigins", JoinOrigins(in.costs)},
        },
        m_cases,
        further);
}

void
CooperativeStudy::PrintHeading() const
{
    const auto& run = m_inputs.run;
    std::cout << m_inputs.graph.name << ", "
              << FormatCount(m_inputs.devices.size(), "device", "devices") << " ("
              << m_inputs.GetDeviceTypes() << ") and a server (" << m_inputs.GetServerType()
              << "), " << m_inputs.DescribeNetwork() << " at " << run.network.fidelity
              << " level, monitor " << run.monitor << ", "
              << FormatCount(run.frames, "frame", "frames")
              << (m_inputs.devices.size() > 1 ? " each, " : ", ");
    if (run.framesPerSecond > 0)
    {
        std::cout << Table::Rounded(run.framesPerSecond) << " frames/s\n";
    }
    else
    {
        std::cout << "back to back, " << run.framesInFlight << " at a time\n";
    }
    PrintLayerCosts(m_inputs.costs);
    for (const auto& planner : {"dads", "neurosurgeon"})
    {
        if (!std::count(m_inputs.planners.begin(), m_inputs.planners.end(), planner))
        {
            continue;
        }
        std::cout << planner << " believes "
                  << (planner != std::string("dads")
                          ? "a regression over the models in the traces folder\n"
                      : m_inputs.devices.front().problem.isolated.empty()
                          ? "the same layer costs: none are known of layers alone\n"
                          : "the costs of layers alone\n");
    }
    std::cout << "predicted: a lone frame under its plan at the capacity there was when it began, "
                 "with the links' delay and without TCP's start-up; mean over frames\n";
    if (m_inputs.IsForThroughput())
    {
        std::cout
            << "plans are for throughput; predicted frames/s: 1 over the longest of computing "
               "on the device, moving, and computing on the server\n";
    }
    std::cout << "\n";
}

void
CooperativeStudy::Print() const
{
    PrintHeading();
    MakeResults().GetShown().Print(std::cout);
    std::vector<PredictedCase> compared;
    for (const auto& one : m_cases)
    {
        const auto& s = one.summary;
        PrintFailures(one.planner, one.result.failures);
        if (!one.result.isComplete)
        {
            std::cout << one.planner << ": stalled, " << s.finished + s.dropped << " of "
                      << FormatCount(one.result.frames.size(), "frame", "frames") << " ended\n";
            ReportStall(one.planner, one.result.end, one.result.diagnosis);
        }
        else if (s.unpredicted > 0)
        {
            std::cout << one.planner << ": the prediction leaves out " << s.unpredicted << " of "
                      << FormatCount(s.finished, "frame", "frames")
                      << ": they began while there was no bandwidth;\n  its order among the "
                         "planners is not checked\n";
        }
        else if (s.finished > 0 && m_inputs.IsForThroughput())
        {
            compared.push_back(
                {one.planner, 1 / s.predictedFramesPerSecond, 1 / s.framesPerSecond, 0});
        }
        else if (s.finished > 0)
        {
            compared.push_back({one.planner, s.predictedSeconds, s.meanSeconds, 0});
        }
    }
    PrintPartitions();
    const std::string unit = m_inputs.IsForThroughput() ? " ms a frame" : " ms";
    Note(DescribeOrder(compared, FormatMs, unit));
    Note(DescribeDistance(compared, ListUnknown(), FormatMs, unit));
    Note(DescribeReferences(compared, {"edge-only", "cloud-only"}, FormatMs, unit));
    if (m_isReplay)
    {
        PrintChanges();
    }
}

std::vector<std::string>
CooperativeStudy::ListUnknown() const
{
    const auto& run = m_inputs.run;
    auto unknown = edgepipe::ListUnknown(run.network);
    const auto& devices = m_inputs.devices;
    if (!run.serverLoadTrace.empty() || run.serverLoadSteps.size() > 1 ||
        std::any_of(devices.begin(), devices.end(), [](const auto& device) {
            return !device.loadTrace.empty() || device.loadSteps.size() > 1;
        }))
    {
        unknown.emplace_back("load that changes");
    }
    if (run.framesPerSecond > 0 || run.framesInFlight > 1)
    {
        unknown.emplace_back("frames that wait for those before them");
    }
    if (devices.size() > 1)
    {
        unknown.emplace_back("other devices");
    }
    if (run.monitor == "probe")
    {
        unknown.emplace_back("probes");
    }
    if (run.startUp)
    {
        unknown.emplace_back("the start-up of transfers");
    }
    return unknown;
}

std::string
CooperativeStudy::Describe(const PlanRecord& plan) const
{
    return DescribeCut(m_inputs.devices[plan.device].problem, plan.plan);
}

void
CooperativeStudy::PrintPartitions() const
{
    std::cout << "\nplans, by share of time in force:\n";
    for (const auto& one : m_cases)
    {
        auto partitions = one.summary.partitions;
        std::stable_sort(partitions.begin(), partitions.end(), [](const auto& a, const auto& b) {
            return a.timeShare > b.timeShare;
        });
        for (const auto& partition : partitions)
        {
            std::cout << "  " << one.planner << ": " << FormatPercent(partition.timeShare) << "  "
                      << Describe(one.result.plans[partition.firstPlan]) << "\n";
        }
    }
}

void
CooperativeStudy::PrintChanges() const
{
    std::cout << "\nchanges of plan:\n";
    for (const auto& one : m_cases)
    {
        std::cout << "  " << one.planner << ": "
                  << (one.summary.planChanges > 0
                          ? FormatCount(one.summary.planChanges, "change", "changes")
                          : "none")
                  << "\n";
        std::size_t shown = 0;
        std::vector<std::size_t> last(m_inputs.devices.size(), one.summary.partitions.size());
        for (std::size_t i = 0; i < one.result.plans.size(); ++i)
        {
            const auto& plan = one.result.plans[i];
            const std::size_t partition = one.summary.partitionOfPlan[i];
            const bool isChange =
                last[plan.device] < one.summary.partitions.size() && last[plan.device] != partition;
            last[plan.device] = partition;
            if (!isChange || ++shown > SHOWN_CHANGES)
            {
                continue;
            }
            std::cout << "    " << Table::Rounded(plan.inForce.GetSeconds()) << " s, "
                      << (m_inputs.devices.size() > 1 ? m_inputs.names[plan.device] + ", " : "")
                      << "at " << Table::Rounded(plan.uplinkBitsPerSecond / 1e6)
                      << " Mbit/s: " << Describe(plan) << "\n";
        }
        if (shown > SHOWN_CHANGES)
        {
            std::cout << "    and " << shown - SHOWN_CHANGES << " more, see plans.csv\n";
        }
    }
}

std::string
CooperativeStudy::Write(ResultsFolder& folder) const
{
    using Case = const CooperativeCase;
    using Frame = const FrameRecord;
    const auto isFinished = [](Case& c, Frame& f) {
        return !f.isDropped && (c.result.isComplete || !f.finished.IsZero());
    };
    const auto known = [isFinished](Time FrameRecord::*time) {
        return [=](Case& c, Frame& f) { return When(isFinished(c, f), f.*time); };
    };
    Sheet<CooperativeCase, FrameRecord> frames({
        {"planner", &CooperativeCase::planner},
        {"device", [&](Frame& f) { return m_inputs.names[f.device]; }},
        {"frame", &FrameRecord::frame},
        {"status",
         [=](Case& c, Frame& f) {
             return f.isDropped ? "dropped" : isFinished(c, f) ? "finished" : "unfinished";
         }},
        {"plan", [=](Case& c, Frame& f) { return When(isFinished(c, f), f.plan); }},
        {"arrivedSeconds", [](Frame& f) { return When(f.hasArrived, f.arrived); }},
        {"startedSeconds", known(&FrameRecord::started)},
        {"computedSeconds", known(&FrameRecord::computed)},
        {"uploadedSeconds", known(&FrameRecord::uploaded)},
        {"servedSeconds", known(&FrameRecord::served)},
        {"finishedSeconds", known(&FrameRecord::finished)},
        {"latencySeconds",
         [=](Case& c, Frame& f) { return When(isFinished(c, f), f.finished - f.arrived); }},
    });

    struct PlanRow
    {
        Case& of;                 //!< the case
        std::size_t index;        //!< among the case's plans
        const PlanRecord& record; //!< the plan
        TwoWayCutCost cost;       //!< at its bandwidth
    };

    using Plan = const PlanRow;
    const auto partition = [](Plan& p) { return p.of.summary.partitionOfPlan[p.index]; };
    Sheet<PlanRow> plans({
        {"planner", [](Plan& p) { return p.of.planner; }},
        {"device", [&](Plan& p) { return m_inputs.names[p.record.device]; }},
        {"plan", &PlanRow::index},
        {"partition", partition},
        {"decidedSeconds", [](Plan& p) { return p.record.decided; }},
        {"inForceSeconds", [](Plan& p) { return p.record.inForce; }},
        {"uplinkBitsPerSecond", [](Plan& p) { return p.record.uplinkBitsPerSecond; }},
        {"downlinkBitsPerSecond", [](Plan& p) { return p.record.downlinkBitsPerSecond; }},
        {"layersOnDevice",
         [](Plan& p) {
             const auto& is = p.record.plan.isOnDevice;
             return std::count(is.begin(), is.end(), true);
         }},
        {"layers", [](Plan& p) { return p.record.plan.isOnDevice.size(); }},
        {"cut", [&](Plan& p) { return Describe(p.record); }},
        {"uplinkBytes", [](Plan& p) { return p.record.uplinkBytes; }},
        {"downlinkBytes", [](Plan& p) { return p.cost.downlinkBytes; }},
        {"deviceSeconds", [](Plan& p) { return p.cost.deviceSeconds; }},
        {"serverSeconds", [](Plan& p) { return p.cost.serverSeconds; }},
        {"predictedLatencySeconds", [](Plan& p) { return p.record.predictedSeconds; }},
        {"predictedFramesPerSecond", [](Plan& p) { return PredictFramesPerSecond(p.cost); }},
        {"partitionTimeShare",
         [=](Plan& p) { return p.of.summary.partitions[partition(p)].timeShare; }},
    });
    using Bandwidth = const BandwidthRecord;
    Sheet<CooperativeCase, BandwidthRecord> bandwidths({
        {"planner", &CooperativeCase::planner},
        {"device", [&](Bandwidth& b) { return m_inputs.names[b.device]; }},
        {"seconds", &BandwidthRecord::time},
        {"estimatedUplinkBitsPerSecond", &BandwidthRecord::uplinkBitsPerSecond},
        {"availableUplinkBitsPerSecond", &BandwidthRecord::capacityBitsPerSecond},
    });
    LinkSheet links("planner");
    nlohmann::ordered_json run{{"link", m_inputs.run.network.link}};
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner},
                                     {"status", GetCooperativeStatus(one)}};
        if (!one.result.diagnosis.empty())
        {
            entry["diagnosis"] = one.result.diagnosis;
        }
        double longest = 0;
        for (std::size_t i = 0; i < one.result.plans.size(); ++i)
        {
            const PlanRecord& plan = one.result.plans[i];
            longest = std::max(longest, plan.decisionSeconds);
            TwoWayCutProblem problem = m_inputs.devices[plan.device].problem;
            problem.uplinkBitsPerSecond = plan.uplinkBitsPerSecond;
            problem.downlinkBitsPerSecond = plan.downlinkBitsPerSecond;
            plans.Add({one, i, plan, EvaluateTwoWayCut(problem, plan.plan)});
        }
        entry["wallClock"] = {{"meanDecisionSeconds", one.summary.decisionSeconds},
                              {"longestDecisionSeconds", longest},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
        frames.AddEach(one, one.result.frames);
        bandwidths.AddEach(one, one.result.bandwidths);
        links.AddEach(one.planner, one.result.links);
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_inputs.run.network));
    folder.Write("frames.csv", frames.GetFile());
    folder.Write("plans.csv", plans.GetFile());
    folder.Write("bandwidth.csv", bandwidths.GetFile());
    folder.Write("links.csv", links.GetFile());
    std::set<std::string> types;
    for (std::size_t i = 0; i < m_inputs.devices.size(); ++i)
    {
        if (types.insert(m_inputs.types[i]).second)
        {
            folder.Write("problem" + (i > 0 ? "-" + m_inputs.types[i] : "") + ".json",
                         FormatProblem(m_inputs.devices[i].problem));
        }
    }
    folder.Write("run.json", FormatRunFile(m_options, m_inputs.costs, run));
    return "results.csv (a row per planner), frames.csv, plans.csv, bandwidth.csv,\n"
           "  links.csv, problem.json (what the planners were asked), run.json";
}

} // namespace edgepipe
} // namespace ns3
