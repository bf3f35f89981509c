/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/pipeline-study.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "lib/progress.h"
#include "lib/training-report.h"

#include "ns3/edgepipe-bubble-index.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-json.h"

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
 * @param c a case
 * @return whether there is a plan
 */
bool
HasPlan(const PipelineCase& c)
{
    return c.problemWithPlan.empty();
}

/**
 * @param c a case
 * @return finished, stalled or no-plan
 */
const char*
GetPipelineStatus(const PipelineCase& c)
{
    return !HasPlan(c) ? "no-plan" : c.result.finished ? "finished" : "stalled";
}

} // namespace

PipelineStudy::PipelineStudy(ScenarioOptions& options)
    : Experiment(options),
      m_inputs(options, true)
{
}

void
PipelineStudy::Read()
{
    m_inputs.Read();
    m_names = GetDeviceNames(m_inputs.cluster.devices);
    m_inputs.CheckNetwork(m_names);
    // What a recording holds comes first: the measurement may take long over a wrong one.
    if (!m_options.IsDryRun())
    {
        PrintRecordings(m_options, "", m_inputs.training.network);
    }
    m_problem = m_inputs.BuildProblem(m_inputs.cluster, m_inputs.FindPlannerBandwidth(m_names));
    PrintFlowErrors(m_options, "pipeline-training", m_inputs.training.network);
}

void
PipelineStudy::Simulate()
{
    const PipelineCostModel costs(m_problem);
    const double all = m_inputs.planners.size() * m_inputs.helps.size();
    for (const auto& name : m_inputs.planners)
    {
        PipelineCase one;
        one.planner = one.name = name;
        auto planner = FindByName<PipelinePlanner>("--planner", name);
        planner->TraceConnectWithoutContext(
            "Progress",
            Callback<void, double, const std::string&>([&](double, const std::string& what) {
                Follow(m_cases.size(), all, name + ": " + what);
            }));
        Follow(m_cases.size(), all, name + ": planning");
        try
        {
            one.plan = planner->Plan(m_problem);
            one.decisionSeconds = planner->GetDecisionSeconds();
            one.predictedSeconds = costs.IterationSeconds(one.plan);
            one.lowerBoundSeconds = planner->GetLowerBoundSeconds();
            for (const bool helped : m_inputs.helps)
            {
                one.helped = helped;
                one.name = name + (helped && m_inputs.helps.size() > 1 ? " + help" : "");
                auto training = m_inputs.training;
                training.adjacent.enabled = helped;
                const auto progress = Follow(m_cases.size(), all, name + ": simulating");
                const Stopwatch watch;
                one.result = RunPipelineTraining(m_problem, one.plan, training, progress);
                one.simulationSeconds = watch.GetSeconds();
                m_cases.push_back(one);
            }
        }
        catch (const PlannerFailure&)
        {
            throw;
        }
        catch (const InputError& error)
        {
            one.problemWithPlan = error.what();
            m_cases.push_back(one);
        }
    }
    if (std::none_of(m_cases.begin(), m_cases.end(), HasPlan))
    {
        throw InputError(
            m_cases.front().problemWithPlan +
            (m_inputs.training.schedule != "gpipe"
                 ? " (planners count the memory of the schedule gpipe, which keeps more)"
                 : ""));
    }
}

Sheet<PipelineCase>
PipelineStudy::MakeResults() const
{
    using Case = const PipelineCase;
    const auto& in = m_inputs;
    const auto finished = [](Case& c, double value) { return When(c.result.finished, value); };
    return MakeSheet<PipelineCase>(
        {
            {"planner", "planner", &PipelineCase::name},
            {"model", in.graph.name},
            {"cluster", in.cluster.name},
            {"link", in.training.network.link},
            {"fidelity", in.training.network.fidelity},
            {"schedule", in.training.schedule},
            {"help", [&](Case& c) { return When(c.helped, in.adjacentCosts); }},
            {"microBatches", m_problem.microBatches},
            {"microBatchSize", in.microBatchSize},
            {"iterations", [](Case& c) { return c.result.iterations.size(); }},
            {"status", GetPipelineStatus},
            {"stages", "stages", [](Case& c) { return c.plan.stages.size(); }, nullptr, HasPlan},
            {"predictedIterationSeconds",
             "predicted (s)",
             [](Case& c) { return When(HasPlan(c), c.predictedSeconds); },
             FormatRounded},
            {"iterationSeconds",
             [=](Case& c) { return finished(c, c.result.GetMeanIterationSeconds()); }},
            {"",
             "iteration (s)",
             [](Case& c) {
                 return c.result.finished ? Cell(c.result.GetMeanIterationSeconds())
                                          : Cell(HasPlan(c) ? "stalled" : "no plan");
             },
             FormatRounded},
            {"",
             "prediction error",
             [=](Case& c) {
                 return finished(c, c.predictedSeconds / c.result.GetMeanIterationSeconds() - 1);
             },
             FormatPercent},
            {"idleRate",
             "idle",
             [=](Case& c) { return finished(c, c.result.GetMeanIdleRate()); },
             FormatPercent},
            {"bubbleRate",
             "bubbles",
             [=](Case& c) { return finished(c, c.result.GetMeanBubbleRate()); },
             FormatPercent},
            {"",
             "DGPAS index",
             [&](Case& c) {
                 return c.result.finished ? Cell(GetBubbleIndex(m_problem,
                                                                c.plan,
                                                                c.result.GetMeanBubbleRate(),
                                                                c.result.GetMeanIterationSeconds()))
                                          : Cell();
             },
             FormatShort},
            {"movedBytes",
             "bytes moved",
             [](Case& c) { return c.result.bytesMoved; },
             FormatBytes,
             HasPlan},
            {"layerCostOrigins", JoinOrigins(in.costs)},
        },
        m_cases);
}

void
PipelineStudy::Print() const
{
    PrintHeading(m_inputs,
                 FormatCount(m_names.size(), "device", "devices"),
                 m_problem.bandwidthBitsPerSecond);
    MakeResults().GetShown().Print(std::cout);
    PrintIdleLegend();
    std::cout
        << "DGPAS index: bubbles weighted by that paper's eq. 14, to compare plans; no share\n";
    PrintHelp();
    std::vector<PredictedCase> compared;
    for (const auto& one : m_cases)
    {
        if (!HasPlan(one))
        {
            std::cout << "\n" << one.problemWithPlan << "\n";
        }
        else if (!one.result.finished)
        {
            ReportStall(one.name, one.result.end, one.result.diagnosis);
        }
        else
        {
            compared.push_back(
                {one.name, one.predictedSeconds, one.result.GetMeanIterationSeconds(), one.helped});
        }
        if (one.lowerBoundSeconds > 0 && one.lowerBoundSeconds < one.predictedSeconds)
        {
            std::cout << "\n"
                      << one.name << ": stopped before its plan was proved the best; no plan is "
                      << "predicted to take less than " << FormatRounded(one.lowerBoundSeconds)
                      << " s\n";
        }
    }
    PrintOrder(compared, FormatRounded, " s");
}

void
PipelineStudy::PrintHelp() const
{
    using Case = const PipelineCase;
    if (!m_inputs.helps.back())
    {
        return;
    }
    std::cout << "\nHelp from idle neighbours (costs: " << m_inputs.adjacentCosts << "):\n\n";
    Sheet<PipelineCase> help({
        {"", "planner", &PipelineCase::name},
        {"", "requests", [](Case& c) { return c.result.assistance.requests; }},
        {"", "tasks that refused", [](Case& c) { return c.result.assistance.refusals; }},
        {"", "tasks that granted", [](Case& c) { return c.result.assistance.grants; }},
        {"", "passes of a sample", [](Case& c) { return c.result.assistance.samples; }},
        {"", "merges", [](Case& c) { return c.result.assistance.merges; }},
    });
    for (const auto& one : m_cases)
    {
        if (one.helped && one.result.finished)
        {
            help.Add(one);
        }
    }
    help.GetShown().Print(std::cout);
    std::cout << "a request stands until what the idle device waits for is sent: none, one or "
                 "several of its neighbour's\ntasks answer it; passes of a sample: forward or "
                 "backward through a stage, by helpers; merges: of their gradients\n";
}

std::string
PipelineStudy::Write(ResultsFolder& folder) const
{
    using Case = const PipelineCase;
    Sheet<PipelineCase, std::size_t> iterations({
        {"planner", &PipelineCase::name},
        {"iteration", [](std::size_t i) { return i; }},
        {"startSeconds", [](Case& c, std::size_t i) { return c.result.iterations[i].start; }},
        {"iterationSeconds",
         [](Case& c, std::size_t i) {
             return c.result.iterations[i].end - c.result.iterations[i].start;
         }},
        {"bubbleRate", [](Case& c, std::size_t i) { return c.result.usage.bubbleRates[i]; }},
    });
    using Device = const DeviceUse;
    const auto getUtilisation = [](Case& c, Device& d) {
        double total = 0;
        for (const auto& [start, end] : c.result.iterations)
        {
            total += (end - start).GetSeconds();
        }
        return total > 0 ? d.busySeconds / total : 0;
    };
    Sheet<PipelineCase, DeviceUse> devices({
        {"planner", &PipelineCase::name},
        {"device", &DeviceUse::name},
        {"stage", [](Device& d) { return When(d.stage >= 0, d.stage); }},
        {"busySeconds", &DeviceUse::busySeconds},
        {"utilisation", getUtilisation},
        {"peakMemoryBytes", &DeviceUse::peakMemoryBytes},
        {"memoryBytes", &DeviceUse::memoryBytes},
    });
    LinkSheet links("planner");
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        for (std::size_t i = 0; i < one.result.iterations.size(); ++i)
        {
            iterations.Add(one, i);
        }
        devices.AddEach(one, one.result.devices);
        links.AddEach(one.name, one.result.links);
        nlohmann::ordered_json entry{{"planner", one.name}, {"status", GetPipelineStatus(one)}};
        if (!HasPlan(one))
        {
            entry["reason"] = one.problemWithPlan;
        }
        for (const auto& stage : one.plan.stages)
        {
            entry["stages"].push_back({{"device", m_problem.devices[stage.device].name},
                                       {"firstLayer", m_problem.layers[stage.firstLayer].name},
                                       {"lastLayer", m_problem.layers[stage.lastLayer].name}});
        }
        if (!one.result.diagnosis.empty())
        {
            entry["diagnosis"] = one.result.diagnosis;
        }
        if (one.helped)
        {
            const auto& help = one.result.assistance;
            entry["assistance"] = {{"checkpoints", help.checkpoints},
                                   {"requests", help.requests},
                                   {"grants", help.grants},
                                   {"refusals", help.refusals},
                                   {"samples", help.samples},
                                   {"merges", help.merges}};
        }
        entry["simulatedSeconds"] = one.result.end.GetSeconds();
        entry["events"] = one.result.events;
        entry["wallClock"] = {{"decisionSeconds", one.decisionSeconds},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_inputs.training.network));
    folder.Write("iterations.csv", iterations.GetFile());
    folder.Write("devices.csv", devices.GetFile());
    folder.Write("links.csv", links.GetFile());
    folder.Write("problem.json", FormatPipelineProblem(m_problem));
    folder.Write("timeline.json",
                 [this](std::ostream& os) { WriteTimeline(os, m_cases, m_names); });
    folder.Write("run.json", FormatRunFile(m_inputs, m_problem.bandwidthBitsPerSecond, run));
    return "results.csv (a row per planner), iterations.csv, devices.csv, links.csv,\n"
           "  timeline.json (open it at https://ui.perfetto.dev), problem.json, run.json";
}

} // namespace edgepipe
} // namespace ns3
