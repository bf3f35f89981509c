/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/pipeline/pipeline-training-workload.h"

#include "ns3/edgepipe-job-recorder.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param problem a problem
 * @param stage of a plan for it
 * @return its device or, of a group, its devices with their samples: `a (8) + b..d (3 each)`
 */
std::string
DescribeDevices(const PipelineProblem& problem, const PipelineStage& stage)
{
    const auto& group = stage.group;
    std::string text = group.empty() ? problem.devices[stage.device].name : "";
    for (std::size_t first = 0, last = 0; first < group.size(); first = ++last)
    {
        while (last + 1 < group.size() && group[last + 1].samples == group[first].samples &&
               group[last + 1].device == group[last].device + 1)
        {
            ++last;
        }
        text += (first > 0 ? " + " : "") + problem.devices[group[first].device].name;
        text += last > first ? ".." + problem.devices[group[last].device].name : "";
        text += " (" + std::to_string(group[first].samples) + (last > first ? " each)" : ")");
    }
    return text;
}

/**
 * @param result of a pipeline
 * @return total time of plan changes, from decision to the weights in place
 */
Time
GetMigrationTime(const PipelineOutcome& result)
{
    return Sum(result.planChanges, [](auto& change) { return change.inForce - change.decided; });
}

/**
 * @param result of a pipeline
 * @return time that the training waited for decisions between iterations, without moves, s
 */
double
GetDecidingSeconds(const PipelineOutcome& result)
{
    return (result.GetTotal() - result.GetIterationTime() - GetMigrationTime(result)).GetSeconds();
}

/**
 * @param one a case
 * @param device of it
 * @return share of the finished iterations in which the device computed, 0 to 1
 */
double
GetUtilisation(const PipelineCase& one, const DeviceUse& device)
{
    const double total = Sum(one.GetIterationSeconds());
    return total > 0 ? device.busySeconds / total : 0;
}

} // namespace

std::vector<PlanPart>
PipelineTrainingWorkload::ListStages(const PipelinePlan& plan, const PipelineCase* one) const
{
    std::vector<PlanPart> parts;
    for (const auto& stage : plan.stages)
    {
        const std::string names = DescribeDevices(m_problem, stage);
        parts.push_back(MakeLayerPart(names, m_graph, [&](std::size_t layer) {
            return layer >= stage.firstLayer && layer <= stage.lastLayer;
        }));
        for (const auto& [device, samples] : stage.GetReplicas(m_setting.microBatchSamples))
        {
            if (!one || device >= one->devices.size())
            {
                continue;
            }
            // Of a group, the fullest memory and the busiest device.
            PlanPart& part = parts.back();
            const DeviceUse& use = one->devices[device];
            if (1.0 * use.peakMemoryBytes * part.capacityBytes >=
                1.0 * part.memoryBytes * use.memoryBytes)
            {
                part.memoryBytes = use.peakMemoryBytes;
                part.capacityBytes = use.memoryBytes;
            }
            if (one->planChanges.empty())
            {
                part.share = std::max(part.share.value_or(0), GetUtilisation(*one, use));
            }
        }
    }
    return parts;
}

CasePlan
PipelineTrainingWorkload::PlanOf(const PipelineCase& one) const
{
    CasePlan plan{one.name, {}, "finished iterations, in which the device computes"};
    const auto& changes = one.planChanges;
    if (!changes.empty())
    {
        plan.steps.push_back({"first", ListStages(one.plan)});
        plan.steps.push_back({"last", ListStages(changes.back().decision.plan, &one)});
    }
    else if (one.HasPlan())
    {
        plan.steps.push_back({"", ListStages(one.plan, &one)});
    }
    return plan;
}

void
PipelineTrainingWorkload::Fill(const PipelineCase& c, CellTable& row) const
{
    // Printed columns depend on whether plans may change.
    const bool changes = m_replans.back();
    const auto fixed = [=](const char* heading) { return changes ? "" : heading; };
    const auto changing = [=](const char* heading) { return changes ? heading : ""; };
    const auto finished = [&](double value) { return When(c.finished, value); };
    const std::vector<double> all = c.GetIterationSeconds();
    const double mean = c.GetMeanIterationSeconds();
    const Cell shown = c.finished ? Cell(mean) : Cell(c.HasPlan() ? "stalled" : "no plan");
    const Cell error = When(c.finished && mean > 0, c.predictedSeconds / mean - 1);
    const double bubbles = c.GetMeanBubbleRate();
    const double index = c.finished ? GetBubbleIndex(m_problem, c.plan, bubbles, mean) : 0;
    const double total = c.GetTotal().GetSeconds();
    const uint64_t moved = Sum(c.planChanges, [](auto& one) { return one.decision.moveBytes; });
    row.Add("case", c.GetAdaptation(), changing("case"));
    row.Add("planner", c.planner, changes && m_planners.size() == 1 ? "" : "planner");
    row.Add("model", m_graph.name);
    row.Add("cluster", m_cluster.name);
    row.Add("link", m_network.GetLinkName());
    row.Add("fidelity", m_network.fidelity);
    row.Add("schedule", m_setting.schedule);
    row.Add("help", When(c.helped, m_adjacentCosts));
    row.Add("microBatches", m_problem.microBatches);
    row.Add("microBatchSize", m_setting.microBatchSamples);
    row.Add("iterations", c.iterations.size());
    row.Add("status", c.GetStatus());
    row.Add("stages", c.plan.stages.size(), fixed("stages"), nullptr, c.HasPlan());
    row.Add("predictedIterationSeconds",
            When(c.HasPlan(), c.predictedSeconds),
            fixed("predicted (s)"),
            FormatRounded);
    row.Add("iterationSeconds", finished(mean));
    row.Add("", shown, changes ? "mean iteration (s)" : "iteration (s)", FormatRounded);
    row.Add("", error, fixed("prediction error"), FormatPercent);
    row.Add("idleRate", finished(c.GetMeanIdleRate()), fixed("idle"), FormatPercent);
    row.Add("bubbleRate", finished(bubbles), fixed("bubbles"), FormatPercent);
    row.Add("", finished(index), fixed("DGPAS index"), FormatShort);
    row.Add("movedBytes",
            c.finished ? c.bytesMoved / c.iterations.size() : 0,
            fixed("bytes/iteration"),
            FormatBytes,
            c.finished);
    row.Add("layerCostOrigins", JoinOrigins(m_costs));
    row.Add("p95IterationSeconds",
            finished(FindPercentile(all, 0.95)),
            changing("p95 (s)"),
            FormatRounded);
    row.Add("lastIterationSeconds",
            finished(all.empty() ? 0 : all.back()),
            changing("last (s)"),
            FormatRounded);
    row.Add("totalSeconds", finished(total), changing("all (s)"), FormatRounded);
    row.Add("decisions", c.decisions.size(), changing("decisions"));
    row.Add("planChanges", c.planChanges.size(), changing("plan changes"));
    row.Add("migratedBytes", moved, changing("weights moved"), FormatBytes);
    row.Add("migrationSeconds", GetMigrationTime(c), changing("moves (s)"), FormatRounded);
    row.Add("decidingSeconds",
            GetDecidingSeconds(c),
            changing("deciding (s)"),
            FormatRounded,
            c.finished);
    row.Add("assistanceRequests", c.assistance.requests);
    row.Add("assistanceGrants", c.assistance.grants);
    row.Add("helpedSamples", c.assistance.samples, changing("samples helped"));
    if (changes)
    {
        AddFailures(c, row);
    }
}

std::string
PipelineTrainingWorkload::Write(ResultsFolder& folder) const
{
    WriteRun(folder, MakeResults().GetFile(), DescribeRun());
    using Case = const PipelineCase;
    WriteParts<std::size_t>(
        folder,
        "iterations.csv",
        [](Case& c) { return CountUp(c.iterations.size()); },
        {{"iteration", [](std::size_t i) { return i; }},
         {"startSeconds", [](Case& c, std::size_t i) { return c.iterations[i].start; }},
         {"iterationSeconds",
          [](Case& c, std::size_t i) { return c.iterations[i].end - c.iterations[i].start; }},
         {"idleRate", [](Case& c, std::size_t i) { return c.usage.idleRates[i]; }},
         {"bubbleRate", [](Case& c, std::size_t i) { return c.usage.bubbleRates[i]; }},
         {"helpedSamples", [](Case& c, std::size_t i) {
              return c.helpedSamples[i] - (i > 0 ? c.helpedSamples[i - 1] : 0);
          }}});
    WriteParts<DeviceUse>(
        folder,
        "devices.csv",
        &PipelineCase::devices,
        {{"device", &DeviceUse::name},
         {"stage", [](const DeviceUse& d) { return When(d.stage >= 0, d.stage); }},
         {"busySeconds", &DeviceUse::busySeconds},
         {"utilisation", GetUtilisation},
         {"peakMemoryBytes", &DeviceUse::peakMemoryBytes},
         {"memoryBytes", &DeviceUse::memoryBytes}});
    const bool changes = m_replans.back();
    WriteLinks(folder, {{changes ? "case" : "planner", &PipelineCase::name}});
    std::string more;
    if (changes)
    {
        using Made = const PlanChange;
        const auto find = [](Case& c, Made& made) {
            return FindIf(c.planChanges,
                          [&](Made& one) { return one.iteration == made.iteration; });
        };
        WriteParts<PlanChange>(
            folder,
            "decisions.csv",
            &PipelineCase::decisions,
            {{"iteration", &PlanChange::iteration},
             {"isChanged", [=](Case& c, Made& m) { return find(c, m) != nullptr; }},
             {"decidedSeconds", &PlanChange::decided},
             {"inForceSeconds",
              [=](Case& c, Made& m) { return find(c, m) ? Cell(find(c, m)->inForce) : Cell(); }},
             {"bandwidthBitsPerSecond", [](Made& m) { return m.state.bandwidthBitsPerSecond; }},
             {"oldPredictedSeconds", [](Made& m) { return m.decision.oldSeconds; }},
             {"newPredictedSeconds", [](Made& m) { return m.decision.newSeconds; }},
             {"predictedMigrationSeconds", [](Made& m) { return m.decision.moveSeconds; }},
             {"chargedSeconds", [](Made& m) { return m.decision.chargedSeconds; }},
             {"movedLayers", [](Made& m) { return m.decision.moves.size(); }},
             {"movedBytes", [](Made& m) { return m.decision.moveBytes; }},
             {"plan", [this](Made& m) { return FormatParts(ListStages(m.decision.plan)); }},
             {"reason", [](Made& m) { return m.decision.problemWithPlan; }}});
        more += "decisions.csv, ";
    }
    if (m_setting.conditionInterval.IsStrictlyPositive())
    {
        Table conditions({"seconds", "bandwidthBitsPerSecond"});
        Table loads({"seconds", "device", "share"});
        // The samples of the case that took longest reach furthest.
        for (const auto& sample : MaxBy(m_cases, &PipelineCase::end).conditions)
        {
            const std::string seconds = Table::Exact(sample.time.GetSeconds());
            conditions.AddRow(
                {seconds, When(sample.bitsPerSecond > 0, sample.bitsPerSecond).GetText()});
            for (std::size_t i = 0; i < sample.shares.size(); ++i)
            {
                loads.AddRow({seconds, m_setting.loads[i].device, Table::Exact(sample.shares[i])});
            }
        }
        folder.Write("conditions.csv", conditions);
        folder.Write("loads.csv", loads);
        more += "conditions.csv, loads.csv, ";
    }
    folder.Write("problem.json", FormatProblem(m_told));
    if (m_setting.details)
    {
        folder.Write("timeline.json", [this](std::ostream& os) {
            ChromeTraceWriter writer(os);
            for (const auto& one : m_cases)
            {
                if (one.timeline)
                {
                    writer.AddCase(one.name, m_names, *one.timeline, LabelPipelineTag);
                }
            }
            writer.Finish();
        });
        const bool isFull =
            AnyOf(m_cases, [](const auto& one) { return one.timeline && one.timeline->GetEnd(); });
        more += std::string("timeline.json (") +
                (isFull ? "the first million entries of a case; " : "") +
                "open it at https://ui.perfetto.dev), ";
    }
    return std::string("results.csv (a row per ") + (m_replans.back() ? "case" : "planner") +
           "), iterations.csv, devices.csv, links.csv,\n  " + more + "problem.json, run.json";
}

nlohmann::ordered_json
PipelineTrainingWorkload::DescribeRun() const
{
    nlohmann::ordered_json run{{"link", m_network.GetLinkName()},
                               {"plannerBandwidthBitsPerSecond", m_problem.bandwidthBitsPerSecond}};
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"case", one.GetAdaptation()},
                                     {"planner", one.planner},
                                     {"status", one.GetStatus()}};
        if (!one.HasPlan())
        {
            entry["reason"] = one.problemWithPlan;
        }
        if (!one.diagnosis.empty())
        {
            entry["diagnosis"] = one.diagnosis;
        }
        if (one.helped)
        {
            const auto& help = one.assistance;
            entry["assistance"] = {{"checkpoints", help.checkpoints},
                                   {"requests", help.requests},
                                   {"grants", help.grants},
                                   {"refusals", help.refusals},
                                   {"samples", help.samples},
                                   {"merges", help.merges},
                                   {"imbalanceSeconds", help.imbalanceSeconds},
                                   {"logImbalance", help.logImbalance}};
        }
        if (!one.sharedCuts.empty())
        {
            entry["sharing"] = {{"decisionSeconds", one.sharingSeconds},
                                {"cuts", nlohmann::ordered_json::array()}};
        }
        for (std::size_t cut = 0; cut < one.sharedCuts.size(); ++cut)
        {
            const auto& [layer, samples] = one.sharedCuts[cut];
            if (samples > 0)
            {
                entry["sharing"]["cuts"].push_back({{"cut", cut},
                                                    {"firstLayer", m_problem.layers[layer].name},
                                                    {"samples", samples}});
            }
        }
        entry["simulatedSeconds"] = one.end.GetSeconds();
        entry["events"] = one.events;
        entry["wallClock"] = {{"decisionSeconds", one.planningSeconds},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    return run;
}

} // namespace ns3::edgepipe
