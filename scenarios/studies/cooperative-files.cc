/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "studies/cooperative-study.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"
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
 * @param time some time
 * @return it in seconds, for files
 */
std::string
Exact(const Time& time)
{
    return Table::Exact(time.GetSeconds());
}

/**
 * @param inputs what was run
 * @param cases what came of it
 * @return results.csv
 */
Table
MakeResults(const CooperativeInputs& inputs, const std::vector<CooperativeCase>& cases)
{
    Table table({"planner",
                 "model",
                 "deviceType",
                 "serverType",
                 "devices",
                 "link",
                 "network",
                 "fidelity",
                 "monitor",
                 "status",
                 "finishedFrames",
                 "droppedFrames",
                 "predictedLatencySeconds",
                 "unpredictedFrames",
                 "meanLatencySeconds",
                 "medianLatencySeconds",
                 "p95LatencySeconds",
                 "p99LatencySeconds",
                 "framesPerSecond",
                 "uplinkBytesPerFrame",
                 "downlinkBytesPerFrame",
                 "movedBytes",
                 "decisions",
                 "planChanges",
                 "simulatedSeconds",
                 "layerCostOrigins"});
    for (const auto& one : cases)
    {
        const auto& s = one.summary;
        const auto known = [&s](double value) { return s.finished > 0 ? Table::Exact(value) : ""; };
        const bool isPredicted = s.finished > s.unpredicted;
        table.AddRow({one.planner,
                      inputs.graph.name,
                      inputs.GetDeviceType(),
                      inputs.GetServerType(),
                      std::to_string(inputs.devices.size()),
                      inputs.run.network.link,
                      inputs.DescribeNetwork(),
                      inputs.run.network.fidelity,
                      inputs.run.monitor,
                      one.GetStatus(),
                      std::to_string(s.finished),
                      std::to_string(s.dropped),
                      isPredicted ? Table::Exact(s.predictedSeconds) : "",
                      std::to_string(s.unpredicted),
                      known(s.meanSeconds),
                      known(s.medianSeconds),
                      known(s.p95Seconds),
                      known(s.p99Seconds),
                      one.result.isComplete ? known(s.framesPerSecond) : "",
                      known(s.uplinkBytesPerFrame),
                      known(s.downlinkBytesPerFrame),
                      std::to_string(one.result.bytesMoved),
                      std::to_string(one.result.decisions),
                      std::to_string(s.planChanges),
                      Exact(one.result.end),
                      JoinOrigins(inputs.costs)});
    }
    return table;
}

/**
 * @param inputs what was run
 * @param cases what came of it
 * @return frames.csv
 */
Table
MakeFrames(const CooperativeInputs& inputs, const std::vector<CooperativeCase>& cases)
{
    Table table({"planner",
                 "device",
                 "frame",
                 "status",
                 "plan",
                 "arrivedSeconds",
                 "startedSeconds",
                 "computedSeconds",
                 "uploadedSeconds",
                 "servedSeconds",
                 "finishedSeconds",
                 "latencySeconds"});
    for (const auto& one : cases)
    {
        for (const auto& frame : one.result.frames)
        {
            const bool isFinished =
                !frame.isDropped && (one.result.isComplete || !frame.finished.IsZero());
            const auto known = [isFinished](const Time& time) {
                return isFinished ? Exact(time) : "";
            };
            table.AddRow({one.planner,
                          inputs.names[frame.device],
                          std::to_string(frame.frame),
                          frame.isDropped ? "dropped"
                          : isFinished    ? "finished"
                                          : "unfinished",
                          isFinished ? std::to_string(frame.plan) : "",
                          frame.hasArrived ? Exact(frame.arrived) : "",
                          known(frame.started),
                          known(frame.computed),
                          known(frame.uploaded),
                          known(frame.served),
                          known(frame.finished),
                          known(frame.finished - frame.arrived)});
        }
    }
    return table;
}

/**
 * @param inputs what was run
 * @param cases what came of it
 * @return plans.csv
 */
Table
MakePlans(const CooperativeInputs& inputs, const std::vector<CooperativeCase>& cases)
{
    Table table({"planner",
                 "device",
                 "plan",
                 "partition",
                 "decidedSeconds",
                 "inForceSeconds",
                 "uplinkBitsPerSecond",
                 "downlinkBitsPerSecond",
                 "layersOnDevice",
                 "layers",
                 "cut",
                 "uplinkBytes",
                 "downlinkBytes",
                 "deviceSeconds",
                 "serverSeconds",
                 "predictedLatencySeconds",
                 "predictedFramesPerSecond",
                 "partitionTimeShare"});
    for (const auto& one : cases)
    {
        for (std::size_t i = 0; i < one.result.plans.size(); ++i)
        {
            const auto& plan = one.result.plans[i];
            const std::size_t partition = one.summary.partitionOfPlan[i];
            TwoWayCutProblem problem = inputs.problem;
            problem.uplinkBitsPerSecond = plan.uplinkBitsPerSecond;
            problem.downlinkBitsPerSecond = plan.downlinkBitsPerSecond;
            const TwoWayCutCost cost = EvaluateTwoWayCut(problem, plan.plan);
            const auto& isOnDevice = plan.plan.isOnDevice;
            table.AddRow({one.planner,
                          inputs.names[plan.device],
                          std::to_string(i),
                          std::to_string(partition),
                          Exact(plan.decided),
                          Exact(plan.inForce),
                          Table::Exact(plan.uplinkBitsPerSecond),
                          Table::Exact(plan.downlinkBitsPerSecond),
                          std::to_string(std::count(isOnDevice.begin(), isOnDevice.end(), true)),
                          std::to_string(isOnDevice.size()),
                          DescribeCut(problem, plan.plan),
                          std::to_string(plan.uplinkBytes),
                          std::to_string(cost.downlinkBytes),
                          Table::Exact(cost.deviceSeconds),
                          Table::Exact(cost.serverSeconds),
                          Table::Exact(plan.predictedSeconds),
                          Table::Exact(PredictFramesPerSecond(cost)),
                          Table::Exact(one.summary.partitions[partition].timeShare)});
        }
    }
    return table;
}

} // namespace

std::string
CooperativeStudy::FormatRun() const
{
    nlohmann::ordered_json run{{"link", m_inputs.run.network.link}};
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner}, {"status", one.GetStatus()}};
        if (!one.result.diagnosis.empty())
        {
            entry["diagnosis"] = one.result.diagnosis;
        }
        double longest = 0;
        for (const auto& plan : one.result.plans)
        {
            longest = std::max(longest, plan.decisionSeconds);
        }
        entry["wallClock"] = {{"meanDecisionSeconds", one.summary.decisionSeconds},
                              {"longestDecisionSeconds", longest},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    return FormatRunFile(m_inputs.GetOptions(),
                         m_inputs.costs,
                         run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void
CooperativeStudy::Write() const
{
    Table bandwidths({"planner",
                      "device",
                      "seconds",
                      "estimatedUplinkBitsPerSecond",
                      "availableUplinkBitsPerSecond"});
    Table links({"planner", "link", "sentBytes"});
    for (const auto& one : m_cases)
    {
        for (const auto& record : one.result.bandwidths)
        {
            bandwidths.AddRow(
                {one.planner,
                 m_inputs.names[record.device],
                 Exact(record.time),
                 Table::Exact(record.uplinkBitsPerSecond),
                 record.capacityBitsPerSecond ? Table::Exact(*record.capacityBitsPerSecond) : ""});
        }
        for (const auto& link : one.result.links)
        {
            links.AddRow({one.planner, link.name, std::to_string(link.bytes)});
        }
    }
    ResultsFolder folder(m_inputs.GetOptions().GetString("out"));
    const auto write = [&folder](const char* name, const Table& table) {
        folder.Write(name, [&table](std::ostream& os) { table.WriteCsv(os); });
    };
    write("results.csv", MakeResults(m_inputs, m_cases));
    write("frames.csv", MakeFrames(m_inputs, m_cases));
    write("plans.csv", MakePlans(m_inputs, m_cases));
    write("bandwidth.csv", bandwidths);
    write("links.csv", links);
    folder.Write("problem.json",
                 [this](std::ostream& os) { os << FormatTwoWayCutProblem(m_inputs.problem); });
    folder.Write("run.json", [this](std::ostream& os) { os << FormatRun(); });
    folder.Commit();
    std::cout << "\nResults: " << m_inputs.GetOptions().GetString("out")
              << "/  results.csv (a row per planner), frames.csv, plans.csv, bandwidth.csv,\n"
                 "  links.csv, problem.json (what the planners were asked), run.json\n";
}

} // namespace edgepipe
} // namespace ns3
