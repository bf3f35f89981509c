/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/adaptive-study.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/progress.h"
#include "lib/traces-option.h"
#include "lib/training-report.h"
#include "studies/cooperative-summary.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-json.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Changes of plan that are printed for a case; decisions.csv has them all.
constexpr std::size_t SHOWN_PLAN_CHANGES = 8;

/**
 * @param c a case
 * @return mean duration of its iterations, seconds; 0 if there is none
 */
double
GetMeanSeconds(const AdaptiveCase& c)
{
    const auto& all = c.iterationSeconds;
    return all.empty() ? 0 : std::accumulate(all.begin(), all.end(), 0.0) / all.size();
}

/**
 * @param c a case
 * @return from the first iteration's start to the last one's end, s; 0 without iterations
 */
double
GetTotalSeconds(const AdaptiveCase& c)
{
    const auto& all = c.result.iterations;
    return all.empty() ? 0 : (all.back().end - all.front().start).GetSeconds();
}

/**
 * @param c a case
 * @return what all changes of plan took, from decision to the weights in place, s
 */
double
GetMigrationSeconds(const AdaptiveCase& c)
{
    double seconds = 0;
    for (const auto& change : c.result.planChanges)
    {
        seconds += (change.inForce - change.decided).GetSeconds();
    }
    return seconds;
}

/**
 * @param c a case
 * @return weights that all changes of plan moved, bytes
 */
uint64_t
GetMigratedBytes(const AdaptiveCase& c)
{
    uint64_t bytes = 0;
    for (const auto& change : c.result.planChanges)
    {
        bytes += change.decision.moveBytes;
    }
    return bytes;
}

/**
 * @param c a case
 * @return decisions that came to nothing
 */
PlannerFailures
CountFailures(const AdaptiveCase& c)
{
    PlannerFailures failures;
    for (const auto& made : c.result.decisions)
    {
        const std::string& why = made.decision.problemWithPlan;
        failures.Add(PlannerFailures{why.empty() ? uint64_t{0} : uint64_t{1}, why});
    }
    return failures;
}

} // namespace

AdaptiveStudy::AdaptiveStudy(ScenarioOptions& o)
    : Experiment(o),
      m_inputs(o)
{
    AddAdaptiveOptions(o, m_inputs.training.load, m_replan, m_planning);
    o.Bind("sample-interval=500ms", m_inputs.training.conditionInterval, MilliSeconds(1))
        .Help("between two samples of bandwidth and load for the picture, above 0");
    o.Bind("timeline=true", m_hasTimeline).Help("whether to write timeline.json");
    o.SetDefault("model", "resnet18");
    o.SetDefault("cluster", "pi-lab");
    o.SetDefault("micro-batch-size", "8");
    o.SetDefault("iterations", "40");
    o.SetDefault("link", "trace");
    o.SetDefault("load", "slowest:0.4@200s");
    o.SetDefault("adjacent", "on");
}

void
AdaptiveStudy::Read()
{
    const bool isGiven =
        !m_options.GetString("trace").empty() || !m_options.GetString("bandwidth").empty();
    if (m_options.GetString("link") == "trace" && !isGiven)
    {
        m_options.SetDefault("trace", "lte-up");
        if (!m_options.IsChanged("trace-scale"))
        {
            m_options.SetDefault("trace-scale", "20");
            m_options.Apply();
        }
    }
    m_inputs.Read();
    const std::size_t plans = m_options.GetString("plan").empty() ? 0 : 1;
    if (plans > 0 && m_inputs.planners.size() > 2)
    {
        m_options.Refuse("plan", "one file with one plan, the first");
    }
    if (m_inputs.planners.size() != 1 + plans)
    {
        m_options.Refuse("planner", "one planner");
    }
    auto& training = m_inputs.training;
    training.details = m_hasTimeline;
    m_replan.fixedPlanningTime = m_planning.fixed;
    m_replan.planningScale = m_planning.kind == "measured" ? m_planning.scale : 0;
    m_names = GetDeviceNames(m_inputs.cluster.devices);
    m_inputs.CheckNetwork(m_names);
    std::vector<std::string> loaded = m_names;
    loaded.push_back("slowest"); // of a plan that is to be made
    ReadLoads(m_options, training.load, loaded, m_names.size());
    // What a recording holds comes first: the measurement may take long over a wrong one.
    if (!m_options.IsDryRun())
    {
        PrintRecordings(m_options, "", training.network);
    }
    m_problem = m_inputs.BuildProblem(m_inputs.cluster, m_inputs.FindPlannerBandwidth(m_names));
    PrintFlowErrors(m_options, "pipeline-training", training.network);
    m_plan = FindByName<PipelinePlanner>("--planner", m_inputs.planners.back())->Plan(m_problem);
    m_predictedSeconds = PipelineCostModel(m_problem).IterationSeconds(m_plan);
    training.loads = ReadLoads(m_options, training.load, m_problem, m_plan);
}

void
AdaptiveStudy::Simulate()
{
    m_cases = {{"neither"}, {"replanning", true}};
    if (m_inputs.training.adjacent.enabled)
    {
        m_cases.push_back({"adjacent", false, true});
        m_cases.push_back({"both", true, true});
    }
    for (std::size_t i = 0; i < m_cases.size(); ++i)
    {
        auto& one = m_cases[i];
        PipelineTrainingOptions training = m_inputs.training;
        training.adjacent.enabled = one.isAssisted;
        if (one.isReplanned)
        {
            training.replan = m_replan;
            // A planner of its own, so that a case does not depend on those before it.
            const auto planner =
                FindByName<PipelinePlanner>("--planner", m_inputs.planners.front());
            planner->Plan(m_problem);
            // One that learns goes on with what it has learnt for the first problem.
            planner->SetAttributeFailSafe("Retrain", BooleanValue(false));
            training.replan.planner = planner;
        }
        const auto progress = Follow(i, m_cases.size(), one.name + ": simulating");
        const Stopwatch watch;
        one.result = RunPipelineTraining(m_problem, m_plan, training, progress);
        one.simulationSeconds = watch.GetSeconds();
        for (const auto& [start, end] : one.result.iterations)
        {
            one.iterationSeconds.push_back((end - start).GetSeconds());
        }
    }
}

std::string
AdaptiveStudy::FormatPlan(const PipelinePlan& plan) const
{
    std::string text;
    for (const auto& stage : plan.stages)
    {
        text += (text.empty() ? "" : " > ") + m_problem.devices[stage.device].name + " " +
                std::to_string(stage.firstLayer) + "-" + std::to_string(stage.lastLayer);
    }
    return text;
}

Sheet<AdaptiveCase>
AdaptiveStudy::MakeResults() const
{
    using Case = const AdaptiveCase;
    const auto& in = m_inputs;
    const auto getP95 = [](Case& c) { return FindPercentile(c.iterationSeconds, 0.95); };
    const auto getLast = [](Case& c) {
        return c.iterationSeconds.empty() ? 0 : c.iterationSeconds.back();
    };
    const auto isFinished = [](Case& c) { return c.result.finished; };
    return MakeSheet<AdaptiveCase>(
        {
            {"case", "case", &AdaptiveCase::name},
            {"planner", in.planners.front()},
            {"model", in.graph.name},
            {"cluster", in.cluster.name},
            {"link", in.training.network.link},
            {"fidelity", in.training.network.fidelity},
            {"status", [](Case& c) { return c.result.finished ? "finished" : "stalled"; }},
            {"iterations", [](Case& c) { return c.iterationSeconds.size(); }},
            {"meanIterationSeconds", GetMeanSeconds},
            {"",
             "mean iteration (s)",
             [](Case& c) { return c.result.finished ? Cell(GetMeanSeconds(c)) : Cell("stalled"); },
             FormatRounded},
            {"p95IterationSeconds", "p95 (s)", getP95, FormatRounded, isFinished},
            {"lastIterationSeconds", "last (s)", getLast, FormatRounded, isFinished},
            {"totalSeconds", "all (s)", GetTotalSeconds, FormatRounded, isFinished},
            {"decisions", "decisions", [](Case& c) { return c.result.decisions.size(); }},
            {"planChanges", "plan changes", [](Case& c) { return c.result.planChanges.size(); }},
            {"migratedBytes", "weights moved", GetMigratedBytes, FormatBytes},
            {"migrationSeconds", "moves (s)", GetMigrationSeconds, FormatRounded},
            {"assistanceRequests", [](Case& c) { return c.result.assistance.requests; }},
            {"assistanceGrants", [](Case& c) { return c.result.assistance.grants; }},
            {"helpedSamples",
             "samples helped",
             [](Case& c) { return c.result.assistance.samples; }},
            {"movedBytes", [](Case& c) { return c.result.bytesMoved; }},
            {"layerCostOrigins", JoinOrigins(in.costs)},
        },
        m_cases,
        MakeFailureColumns<AdaptiveCase>(in.planners,
                                         [](Case& c) { return CountFailures(c).count; }));
}

void
AdaptiveStudy::Print() const
{
    PrintHeading(m_inputs,
                 FormatCount(m_names.size(), "device", "devices"),
                 m_problem.bandwidthBitsPerSecond);
    std::cout << "first plan (" << m_inputs.planners.back()
              << "), device and layers: " << FormatPlan(m_plan) << "\n";
    for (const auto& load : m_inputs.training.loads)
    {
        std::cout << "load: of " << load.device << " there is left ";
        if (load.trace.empty())
        {
            std::cout << Table::Rounded(100 * load.steps.back().value) << " % from "
                      << Table::Rounded(load.steps.back().time.GetSeconds()) << " s on\n";
        }
        else
        {
            std::cout << "what " << load.trace << " says\n";
        }
    }
    std::cout << "plans change when " << m_replan.monitor
              << " bandwidth or a device's speed has changed by more than "
              << Table::Rounded(100 * m_replan.threshold) << " % and that pays back within "
              << FormatCount(m_replan.horizon, "iteration", "iterations")
              << "\niteration: from its start to its end; all: with the moves in between\n\n";
    MakeResults().GetShown().Print(std::cout);
    PrintChanges();
}

void
AdaptiveStudy::PrintChanges() const
{
    for (const auto& one : m_cases)
    {
        const auto& changes = one.result.planChanges;
        for (std::size_t i = 0; i < changes.size() && i < SHOWN_PLAN_CHANGES; ++i)
        {
            const auto& change = changes[i];
            std::cout << (i == 0 ? "\n" : "") << one.name << ", "
                      << Table::Rounded(change.decided.GetSeconds()) << " s, iteration "
                      << change.iteration << ": " << FormatPlan(change.decision.plan) << " ("
                      << Table::Rounded(change.decision.oldSeconds) << " s to "
                      << Table::Rounded(change.decision.newSeconds) << " s predicted, "
                      << Table::Bytes(change.decision.moveBytes) << " in "
                      << Table::Rounded((change.inForce - change.decided).GetSeconds())
                      << " s, predicted " << Table::Rounded(change.decision.moveSeconds) << " s)\n";
        }
        if (changes.size() > SHOWN_PLAN_CHANGES)
        {
            std::cout << one.name << ": " << changes.size() - SHOWN_PLAN_CHANGES
                      << " more in decisions.csv\n";
        }
        if (IsOutsidePlanner(m_inputs.planners.front()))
        {
            PrintFailures(one.name, CountFailures(one));
        }
        if (!one.result.finished)
        {
            ReportStall(one.name, one.result.end, one.result.diagnosis);
        }
    }
}

std::string
AdaptiveStudy::Write(ResultsFolder& folder) const
{
    using Case = const AdaptiveCase;
    Sheet<AdaptiveCase, std::size_t> iterations({
        {"case", &AdaptiveCase::name},
        {"iteration", [](std::size_t i) { return i; }},
        {"startSeconds", [](Case& c, std::size_t i) { return c.result.iterations[i].start; }},
        {"iterationSeconds", [](Case& c, std::size_t i) { return c.iterationSeconds[i]; }},
        {"bubbleRate", [](Case& c, std::size_t i) { return c.result.usage.bubbleRates[i]; }},
        {"helpedSamples",
         [](Case& c, std::size_t i) {
             return c.result.helpedSamples[i] - (i > 0 ? c.result.helpedSamples[i - 1] : 0);
         }},
    });
    // A decision, and the change that came of it, if one did.
    using Made = const PlanChange;
    using Change = const PlanChange* const;
    Sheet<AdaptiveCase, PlanChange, const PlanChange*> decisions({
        {"case", &AdaptiveCase::name},
        {"iteration", &PlanChange::iteration},
        {"isChanged", [](Change& change) { return change != nullptr; }},
        {"decidedSeconds", &PlanChange::decided},
        {"inForceSeconds", [](Change& change) { return change ? Cell(change->inForce) : Cell(); }},
        {"bandwidthBitsPerSecond", [](Made& m) { return m.state.bandwidthBitsPerSecond; }},
        {"oldPredictedSeconds", [](Made& m) { return m.decision.oldSeconds; }},
        {"newPredictedSeconds", [](Made& m) { return m.decision.newSeconds; }},
        {"predictedMigrationSeconds", [](Made& m) { return m.decision.moveSeconds; }},
        {"chargedSeconds", [](Made& m) { return m.decision.chargedSeconds; }},
        {"movedLayers", [](Made& m) { return m.decision.moves.size(); }},
        {"movedBytes", [](Made& m) { return m.decision.moveBytes; }},
        {"plan", [&](Made& m) { return FormatPlan(m.decision.plan); }},
        {"reason", [](Made& m) { return m.decision.problemWithPlan; }},
    });
    nlohmann::ordered_json run;
    run["firstPlan"] = FormatPlan(m_plan);
    run["predictedIterationSeconds"] = m_predictedSeconds;
    for (const auto& one : m_cases)
    {
        const auto& result = one.result;
        nlohmann::ordered_json entry{{"case", one.name},
                                     {"status", result.finished ? "finished" : "stalled"}};
        for (std::size_t i = 0; i < result.iterations.size(); ++i)
        {
            iterations.Add(one, i);
            entry["iterations"].push_back(
                {{"startSeconds", result.iterations[i].start.GetSeconds()},
                 {"iterationSeconds", one.iterationSeconds[i]}});
        }
        auto change = result.planChanges.begin();
        for (const auto& made : result.decisions)
        {
            const bool isChange =
                change != result.planChanges.end() && change->iteration == made.iteration;
            decisions.Add(one, made, isChange ? &*change++ : nullptr);
        }
        if (!result.diagnosis.empty())
        {
            entry["diagnosis"] = result.diagnosis;
        }
        entry["simulatedSeconds"] = result.end.GetSeconds();
        entry["events"] = result.events;
        entry["wallClock"] = {{"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    Table conditions({"seconds", "bandwidthBitsPerSecond"});
    Table loads({"seconds", "device", "share"});
    // The samples of the case that took longest reach furthest.
    const auto& longest =
        *std::max_element(m_cases.begin(), m_cases.end(), [](const auto& a, const auto& b) {
            return a.result.end < b.result.end;
        });
    for (const auto& sample : longest.result.conditions)
    {
        const std::string seconds = Table::Exact(sample.time.GetSeconds());
        conditions.AddRow(
            {seconds, When(sample.bitsPerSecond > 0, sample.bitsPerSecond).GetText()});
        for (std::size_t i = 0; i < sample.shares.size(); ++i)
        {
            loads.AddRow(
                {seconds, m_inputs.training.loads[i].device, Table::Exact(sample.shares[i])});
        }
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_inputs.training.network));
    folder.Write("iterations.csv", iterations.GetFile());
    folder.Write("decisions.csv", decisions.GetFile());
    folder.Write("conditions.csv", conditions);
    folder.Write("loads.csv", loads);
    folder.Write("problem.json", FormatPipelineProblem(m_problem));
    if (m_hasTimeline)
    {
        folder.Write("timeline.json",
                     [this](std::ostream& os) { WriteTimeline(os, m_cases, m_names); });
    }
    folder.Write("run.json", FormatRunFile(m_inputs, m_problem.bandwidthBitsPerSecond, run));
    return std::string("results.csv (a row per case), iterations.csv, decisions.csv, "
                       "conditions.csv,\n  loads.csv, problem.json, run.json") +
           (m_hasTimeline ? ", timeline.json (open it at https://ui.perfetto.dev)" : "");
}

} // namespace edgepipe
} // namespace ns3
