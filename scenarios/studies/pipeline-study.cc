/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/pipeline-study.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/progress.h"
#include "lib/training-report.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-decider.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-json.h"
#include "ns3/edgepipe-pipeline-usage.h"

#include <algorithm>
#include <functional>
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

} // namespace

PipelineStudy::PipelineStudy(ScenarioOptions& options, const std::string& link)
    : Experiment(options),
      m_inputs(options, true)
{
    if (!link.empty())
    {
        SetUsualLink(options, m_inputs.training.network, link);
    }
}

void
PipelineStudy::Read()
{
    m_inputs.Read();
    const std::string planners = m_options.GetString("planner");
    m_plans = m_inputs.planners.size() - (planners == "all" ? GetNames<PipelinePlanner>().size()
                                                            : m_options.GetList("planner").size());
    if (m_inputs.replans.back() && m_plans > 1)
    {
        m_options.Refuse("plan", "one file with one plan, the first");
    }
    m_names = GetDeviceNames(m_inputs.cluster.devices);
    m_inputs.CheckNetwork(m_names);
    // What a recording holds comes first: the measurement may take long over a wrong one.
    if (!m_options.IsDryRun())
    {
        PrintRecordings(m_options, "", m_inputs.training.network);
    }
    m_problem = m_inputs.BuildProblem(m_inputs.cluster, m_inputs.FindPlannerBandwidth(m_names));
    m_inputs.AddDelays(m_problem);
    m_told = m_problem;
    if (!m_inputs.IsLoadOfPlan())
    {
        FindLoads({});
    }
    PrintFlowErrors(m_options, "pipeline-training", m_inputs.training.network);
}

void
PipelineStudy::Simulate()
{
    const auto& names = m_inputs.planners;
    const bool isFirst = m_inputs.replans.back() && m_plans > 0;
    const std::size_t deciders = names.size() - (isFirst ? 1 : 0);
    m_all = deciders * m_inputs.helps.size() * m_inputs.replans.size();
    for (std::size_t i = 0; i < deciders; ++i)
    {
        Compare(names[i], isFirst ? names.back() : names[i]);
    }
    if (std::none_of(m_cases.begin(), m_cases.end(), std::mem_fn(&PipelineCase::HasPlan)))
    {
        throw InputError(
            m_cases.front().problemWithPlan +
            (m_inputs.training.schedule != "gpipe"
                 ? " (planners count the memory of the schedule gpipe, which keeps more)"
                 : ""));
    }
}

void
PipelineStudy::Compare(const std::string& name, const std::string& first)
{
    PipelineCase one;
    one.planner = one.name = name;
    one.firstPlanner = first;
    auto planner = FindByName<PipelinePlanner>("--planner", first);
    planner->TraceConnectWithoutContext(
        "Progress",
        Callback<void, double, const std::string&>([&](double, const std::string& what) {
            Follow(m_cases.size(), m_all, name + ": " + what);
        }));
    Follow(m_cases.size(), m_all, name + ": planning");
    try
    {
        one.plan = planner->Plan(m_told);
        if (m_inputs.training.shares.empty())
        {
            FindLoads(one.plan);
            one.plan = IsLoadedAtFirst() ? planner->Plan(m_told) : one.plan;
        }
        one.decisionSeconds = planner->GetDecisionSeconds();
        one.predictedSeconds = PipelineCostModel(m_told).IterationSeconds(one.plan);
        one.lowerBoundSeconds = planner->GetLowerBoundSeconds();
        const bool isOne = m_inputs.planners.size() == 1 || first != name;
        for (const bool helped : m_inputs.helps)
        {
            for (const bool isReplanned : m_inputs.replans)
            {
                one.helped = helped;
                one.isReplanned = isReplanned;
                one.name =
                    isOne && m_inputs.replans.size() > 1
                        ? one.GetAdaptation()
                        : name +
                              (isReplanned && m_inputs.replans.size() > 1 ? " + replanning" : "") +
                              (helped && m_inputs.helps.size() > 1 ? " + help" : "");
                one.planner = one.name == one.GetAdaptation() ? name : one.name;
                Train(one, name, Follow(m_cases.size(), m_all, one.name + ": simulating"));
                m_cases.push_back(one);
            }
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

void
PipelineStudy::FindLoads(const PipelinePlan& plan)
{
    m_inputs.FindLoads(m_problem, plan);
    m_told = ChangeProblem(m_problem, {m_inputs.training.shares, m_problem.bandwidthBitsPerSecond});
}

bool
PipelineStudy::IsLoadedAtFirst() const
{
    const auto& shares = m_inputs.training.shares;
    return std::any_of(shares.begin(), shares.end(), [](double share) { return share < 1; });
}

void
PipelineStudy::Train(PipelineCase& one,
                     const std::string& decider,
                     const std::function<void(double)>& progress) const
{
    auto training = m_inputs.training;
    training.adjacent.enabled = one.helped;
    if (one.isReplanned)
    {
        training.replan = m_inputs.replan;
        // A planner of its own, so that a case does not depend on those before it.
        training.replan.planner = FindByName<PipelinePlanner>("--planner", decider);
        training.replan.planner->Plan(m_told);
        // One that learns goes on with what it has learnt for the first problem.
        training.replan.planner->SetAttributeFailSafe("Retrain", BooleanValue(false));
    }
    const Stopwatch watch;
    one.result = RunPipelineTraining(m_problem, one.plan, training, progress);
    one.simulationSeconds = watch.GetSeconds();
}

std::string
PipelineStudy::FormatPlan(const PipelinePlan& plan) const
{
    std::string text;
    for (const auto& stage : plan.stages)
    {
        text += (text.empty() ? "" : " > ") + m_problem.devices[stage.device].name + " " +
                std::to_string(stage.firstLayer) + "-" + std::to_string(stage.lastLayer);
    }
    return text;
}

Sheet<PipelineCase>
PipelineStudy::MakeResults() const
{
    using Case = const PipelineCase;
    const auto& in = m_inputs;
    const auto isFinished = [](Case& c) { return c.result.finished; };
    const auto finished = [](Case& c, double value) { return When(c.result.finished, value); };
    // People are shown what matters where plans change, or where they do not.
    const bool changes = in.replans.back();
    const auto fixed = [=](const char* heading) { return changes ? "" : heading; };
    const auto changing = [=](const char* heading) { return changes ? heading : ""; };
    const auto getP95 = [](Case& c) { return FindPercentile(c.GetIterationSeconds(), 0.95); };
    const auto getLast = [](Case& c) {
        const auto all = c.GetIterationSeconds();
        return all.empty() ? 0 : all.back();
    };
    return MakeSheet<PipelineCase>(
        {
            {"case", changing("case"), &PipelineCase::GetAdaptation},
            {"planner",
             changes && in.planners.size() == 1 ? "" : "planner",
             &PipelineCase::planner},
            {"model", in.graph.name},
            {"cluster", in.cluster.name},
            {"link", in.training.network.link},
            {"fidelity", in.training.network.fidelity},
            {"schedule", in.training.schedule},
            {"help", [&](Case& c) { return When(c.helped, in.adjacentCosts); }},
            {"microBatches", m_problem.microBatches},
            {"microBatchSize", in.microBatchSize},
            {"iterations", [](Case& c) { return c.result.iterations.size(); }},
            {"status", &PipelineCase::GetStatus},
            {"stages",
             fixed("stages"),
             [](Case& c) { return c.plan.stages.size(); },
             nullptr,
             &PipelineCase::HasPlan},
            {"predictedIterationSeconds",
             fixed("predicted (s)"),
             [](Case& c) { return When(c.HasPlan(), c.predictedSeconds); },
             FormatRounded},
            {"iterationSeconds",
             [=](Case& c) { return finished(c, c.result.GetMeanIterationSeconds()); }},
            {"",
             changes ? "mean iteration (s)" : "iteration (s)",
             [](Case& c) {
                 return c.result.finished ? Cell(c.result.GetMeanIterationSeconds())
                                          : Cell(c.HasPlan() ? "stalled" : "no plan");
             },
             FormatRounded},
            {"",
             fixed("prediction error"),
             [](Case& c) {
                 const double seconds = c.result.GetMeanIterationSeconds();
                 return When(c.result.finished && seconds > 0, c.predictedSeconds / seconds - 1);
             },
             FormatPercent},
            {"idleRate",
             fixed("idle"),
             [=](Case& c) { return finished(c, c.result.GetMeanIdleRate()); },
             FormatPercent},
            {"bubbleRate",
             fixed("bubbles"),
             [=](Case& c) { return finished(c, c.result.GetMeanBubbleRate()); },
             FormatPercent},
            {"",
             fixed("DGPAS index"),
             [&](Case& c) {
                 return c.result.finished ? Cell(GetBubbleIndex(m_problem,
                                                                c.plan,
                                                                c.result.GetMeanBubbleRate(),
                                                                c.result.GetMeanIterationSeconds()))
                                          : Cell();
             },
             FormatShort},
            {"movedBytes",
             fixed("bytes moved"),
             [](Case& c) { return c.result.bytesMoved; },
             FormatBytes,
             &PipelineCase::HasPlan},
            {"layerCostOrigins", JoinOrigins(in.costs)},
            {"p95IterationSeconds", changing("p95 (s)"), getP95, FormatRounded, isFinished},
            {"lastIterationSeconds", changing("last (s)"), getLast, FormatRounded, isFinished},
            {"totalSeconds",
             changing("all (s)"),
             &PipelineCase::GetTotalSeconds,
             FormatRounded,
             isFinished},
            {"decisions", changing("decisions"), [](Case& c) { return c.result.decisions.size(); }},
            {"planChanges",
             changing("plan changes"),
             [](Case& c) { return c.result.planChanges.size(); }},
            {"migratedBytes",
             changing("weights moved"),
             &PipelineCase::GetMigratedBytes,
             FormatBytes},
            {"migrationSeconds",
             changing("moves (s)"),
             &PipelineCase::GetMigrationSeconds,
             FormatRounded},
            {"decidingSeconds",
             changing("deciding (s)"),
             &PipelineCase::GetDecidingSeconds,
             FormatRounded,
             isFinished},
            {"assistanceRequests", [](Case& c) { return c.result.assistance.requests; }},
            {"assistanceGrants", [](Case& c) { return c.result.assistance.grants; }},
            {"helpedSamples",
             changing("samples helped"),
             [](Case& c) { return c.result.assistance.samples; }},
        },
        m_cases,
        MakeFailureColumns<PipelineCase>(changes ? in.planners : std::vector<std::string>{},
                                         [](Case& c) { return c.GetFailures().count; }));
}

void
PipelineStudy::Print() const
{
    PrintHeading(m_inputs,
                 FormatCount(m_names.size(), "device", "devices"),
                 m_problem.bandwidthBitsPerSecond);
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
    if (IsLoadedAtFirst())
    {
        std::cout << "planners are told what there is left at 0 s\n";
    }
    PrintReplanning();
    MakeResults().GetShown().Print(std::cout);
    if (!m_inputs.replans.back())
    {
        PrintIdleLegend();
        std::cout
            << "DGPAS index: bubbles weighted by that paper's eq. 14, to compare plans; no share\n";
    }
    PrintHelp();
    std::vector<PredictedCase> compared;
    for (const auto& one : m_cases)
    {
        PrintChanges(one);
        if (!one.HasPlan())
        {
            std::cout << "\n" << one.problemWithPlan << "\n";
        }
        else if (!one.result.finished)
        {
            ReportStall(one.name, one.result.end, one.result.diagnosis);
        }
        else if (!one.isReplanned)
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
    Note(DescribeOrder(compared, FormatRounded, " s"));
    Note(DescribeDistance(compared, ListUnknown(), FormatRounded, " s"));
}

std::vector<std::string>
PipelineStudy::ListUnknown() const
{
    const auto& training = m_inputs.training;
    auto unknown = edgepipe::ListUnknown(training.network);
    if (std::any_of(training.loads.begin(),
                    training.loads.end(),
                    std::mem_fn(&DeviceLoad::IsChanging)))
    {
        unknown.emplace_back("load that changes");
    }
    if (!m_inputs.IsProbed())
    {
        unknown.emplace_back("what bandwidth there is but --planner-bandwidth");
    }
    if (!training.memoryBandwidthBytesPerSecond.empty())
    {
        unknown.emplace_back("weight updates");
    }
    if (training.schedule != "gpipe")
    {
        unknown.emplace_back("the schedule");
    }
    if (m_inputs.helps.back())
    {
        unknown.emplace_back("help between neighbours");
    }
    unknown.emplace_back("the start-up of transfers and the coordinator's messages");
    return unknown;
}

void
PipelineStudy::PrintReplanning() const
{
    const auto& replan = m_inputs.replan;
    if (!m_inputs.replans.back())
    {
        return;
    }
    for (const auto& one : m_cases)
    {
        if (one.HasPlan() && one.isReplanned == m_inputs.replans.front() &&
            one.helped == m_inputs.helps.front())
        {
            std::cout << "first plan (" << one.firstPlanner
                      << "), device and layers: " << FormatPlan(one.plan) << "\n";
        }
    }
    std::cout
        << "plans change when the bandwidth that monitor " << replan.monitor
        << " sees or a device's speed has changed by more than "
        << Table::Rounded(100 * replan.threshold) << " % and that pays back within "
        << FormatCount(replan.horizon, "iteration", "iterations")
        << "\niteration: from its start to its end; all: with moves and deciding, the time that "
           "the training waited for\ndecisions, in between\n\n";
}

void
PipelineStudy::PrintChanges(const PipelineCase& one) const
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
    if (one.isReplanned && IsOutsidePlanner(one.planner))
    {
        PrintFailures(one.name, one.GetFailures());
    }
}

void
PipelineStudy::PrintHelp() const
{
    using Case = const PipelineCase;
    if (!m_inputs.helps.back())
    {
        return;
    }
    if (m_inputs.adjacentCosts == "joint")
    {
        PrintSharing();
        return;
    }
    std::cout << "\nHelp from idle neighbours (costs: " << m_inputs.adjacentCosts << "):\n\n";
    Sheet<PipelineCase> help({
        {"", m_inputs.replans.back() ? "case" : "planner", &PipelineCase::name},
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

void
PipelineStudy::PrintSharing() const
{
    std::cout << "\nJoint help: samples of every micro-batch, or part of one, that cross a cut at "
                 "another layer\n\n";
    for (const auto& one : m_cases)
    {
        const auto& cuts = one.result.sharedCuts;
        for (std::size_t cut = 0; cut < cuts.size(); ++cut)
        {
            if (cuts[cut].samples > 0)
            {
                std::cout << "  " << one.name << ": " << cuts[cut].samples << " from stage " << cut
                          << " to " << cut + 1 << " before "
                          << m_problem.layers[cuts[cut].firstLayer].name << ", not "
                          << m_problem.layers[one.plan.stages[cut + 1].firstLayer].name << "\n";
            }
        }
        if (one.helped && one.HasPlan())
        {
            std::cout << "  " << one.name << ": decided in "
                      << FormatRounded(one.result.sharingSeconds)
                      << " s of the coordinator's device, before the first iteration\n";
        }
    }
}

std::string
PipelineStudy::Write(ResultsFolder& folder) const
{
    using Case = const PipelineCase;
    Sheet<PipelineCase, std::size_t> iterations({
        {"case", &PipelineCase::GetAdaptation},
        {"planner", &PipelineCase::planner},
        {"iteration", [](std::size_t i) { return i; }},
        {"startSeconds", [](Case& c, std::size_t i) { return c.result.iterations[i].start; }},
        {"iterationSeconds",
         [](Case& c, std::size_t i) {
             return c.result.iterations[i].end - c.result.iterations[i].start;
         }},
        {"idleRate", [](Case& c, std::size_t i) { return c.result.usage.idleRates[i]; }},
        {"bubbleRate", [](Case& c, std::size_t i) { return c.result.usage.bubbleRates[i]; }},
        {"helpedSamples",
         [](Case& c, std::size_t i) {
             return c.result.helpedSamples[i] - (i > 0 ? c.result.helpedSamples[i - 1] : 0);
         }},
    });
    using Device = const DeviceUse;
    const auto getUtilisation = [](Case& c, Device& d) {
        const auto all = c.GetIterationSeconds();
        const double total = std::accumulate(all.begin(), all.end(), 0.0);
        return total > 0 ? d.busySeconds / total : 0;
    };
    Sheet<PipelineCase, DeviceUse> devices({
        {"case", &PipelineCase::GetAdaptation},
        {"planner", &PipelineCase::planner},
        {"device", &DeviceUse::name},
        {"stage", [](Device& d) { return When(d.stage >= 0, d.stage); }},
        {"busySeconds", &DeviceUse::busySeconds},
        {"utilisation", getUtilisation},
        {"peakMemoryBytes", &DeviceUse::peakMemoryBytes},
        {"memoryBytes", &DeviceUse::memoryBytes},
    });
    // A decision, and the change that came of it, if one did.
    using Made = const PlanChange;
    using Change = const PlanChange* const;
    Sheet<PipelineCase, PlanChange, const PlanChange*> decisions({
        {"case", &PipelineCase::GetAdaptation},
        {"planner", &PipelineCase::planner},
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
    LinkSheet links(m_inputs.replans.back() ? "case" : "planner");
    for (const auto& one : m_cases)
    {
        const auto& result = one.result;
        for (std::size_t i = 0; i < result.iterations.size(); ++i)
        {
            iterations.Add(one, i);
        }
        devices.AddEach(one, result.devices);
        links.AddEach(one.name, result.links);
        auto change = result.planChanges.begin();
        for (const auto& made : result.decisions)
        {
            const bool isChange =
                change != result.planChanges.end() && change->iteration == made.iteration;
            decisions.Add(one, made, isChange ? &*change++ : nullptr);
        }
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_inputs.training.network));
    folder.Write("iterations.csv", iterations.GetFile());
    folder.Write("devices.csv", devices.GetFile());
    folder.Write("links.csv", links.GetFile());
    std::string more;
    if (m_inputs.replans.back())
    {
        folder.Write("decisions.csv", decisions.GetFile());
        more += "decisions.csv, ";
    }
    if (m_inputs.training.conditionInterval.IsStrictlyPositive())
    {
        WriteConditions(folder);
        more += "conditions.csv, loads.csv, ";
    }
    folder.Write("problem.json", FormatProblem(m_told));
    if (m_inputs.training.details)
    {
        folder.Write("timeline.json",
                     [this](std::ostream& os) { WriteTimeline(os, m_cases, m_names); });
        const bool isFull = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
            return one.result.timeline && one.result.timeline->GetEnd();
        });
        more += std::string("timeline.json (") +
                (isFull ? "the first million entries of a case; " : "") +
                "open it at https://ui.perfetto.dev), ";
    }
    folder.Write("run.json", FormatRun());
    return std::string("results.csv (a row per ") + (m_inputs.replans.back() ? "case" : "planner") +
           "), iterations.csv, devices.csv, links.csv,\n  " + more + "problem.json, run.json";
}

void
PipelineStudy::WriteConditions(ResultsFolder& folder) const
{
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
    folder.Write("conditions.csv", conditions);
    folder.Write("loads.csv", loads);
}

std::string
PipelineStudy::FormatRun() const
{
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"case", one.GetAdaptation()},
                                     {"planner", one.planner},
                                     {"status", one.GetStatus()}};
        if (!one.HasPlan())
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
                                   {"merges", help.merges},
                                   {"imbalanceSeconds", help.imbalanceSeconds},
                                   {"logImbalance", help.logImbalance}};
        }
        if (!one.result.sharedCuts.empty())
        {
            entry["sharing"] = {{"decisionSeconds", one.result.sharingSeconds},
                                {"cuts", nlohmann::ordered_json::array()}};
        }
        for (std::size_t cut = 0; cut < one.result.sharedCuts.size(); ++cut)
        {
            const auto& [layer, samples] = one.result.sharedCuts[cut];
            if (samples > 0)
            {
                entry["sharing"]["cuts"].push_back({{"cut", cut},
                                                    {"firstLayer", m_problem.layers[layer].name},
                                                    {"samples", samples}});
            }
        }
        entry["simulatedSeconds"] = one.result.end.GetSeconds();
        entry["events"] = one.result.events;
        entry["wallClock"] = {{"decisionSeconds", one.decisionSeconds},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    return FormatRunFile(m_inputs, m_problem.bandwidthBitsPerSecond, run);
}

} // namespace edgepipe
} // namespace ns3
