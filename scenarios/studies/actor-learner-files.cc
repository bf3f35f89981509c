/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "studies/actor-learner-study.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

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
 * @param isMeasured whether there is a figure
 * @param value it, if there is
 * @return it for files; empty if it was not measured
 */
std::string
Measured(bool isMeasured, double value)
{
    return isMeasured ? Table::Exact(value) : "";
}

/**
 * @param inputs what was run
 * @param cases what came of it
 * @return results.csv
 */
Table
MakeResults(const ActorLearnerInputs& inputs, const std::vector<ActorLearnerCase>& cases)
{
    const std::vector<std::string> columns{"planner",
                                           "status",
                                           "actors",
                                           "link",
                                           "fidelity",
                                           "requests",
                                           "requestsPerSecond",
                                           "meanResponseSeconds",
                                           "medianResponseSeconds",
                                           "p95ResponseSeconds",
                                           "p99ResponseSeconds",
                                           "predictedResponseSeconds",
                                           "queueSeconds",
                                           "inferenceShare",
                                           "trainingShare",
                                           "uplinkBytesPerSecond",
                                           "downlinkBytesPerSecond",
                                           "tensorBytes",
                                           "trajectoryBytes",
                                           "actionBytes",
                                           "parameterBytes",
                                           "jainIndex",
                                           "actorLagMean",
                                           "actorLagMost",
                                           "serverLagMean",
                                           "serverLagMost",
                                           "trainingLagMean",
                                           "trainingLagMost",
                                           "totalReductionSeconds",
                                           "cutVariance",
                                           "reductionVariance",
                                           "changes",
                                           "movedPerChange",
                                           "planMessages",
                                           "sentMessages",
                                           "stepsTakenIn",
                                           "updates"};
    Table table(columns);
    for (const auto& one : cases)
    {
        const auto& s = one.summary;
        if (one.GetStatus() == "refused")
        {
            std::vector<std::string> cells{one.planner,
                                           one.GetStatus(),
                                           std::to_string(inputs.run.actors.size()),
                                           inputs.run.network.link,
                                           inputs.run.network.fidelity};
            cells.resize(columns.size());
            table.AddRow(cells);
            continue;
        }
        table.AddRow({one.planner,
                      one.GetStatus(),
                      std::to_string(inputs.run.actors.size()),
                      inputs.run.network.link,
                      inputs.run.network.fidelity,
                      std::to_string(s.requests),
                      Measured(s.IsMeasured(), s.requestsPerSecond),
                      Measured(s.IsMeasured(), s.meanSeconds),
                      Measured(s.IsMeasured(), s.medianSeconds),
                      Measured(s.IsMeasured(), s.p95Seconds),
                      Measured(s.IsMeasured(), s.p99Seconds),
                      Measured(s.IsMeasured(), s.predictedSeconds),
                      Measured(s.IsMeasured(), s.queueSeconds),
                      Table::Exact(s.inferenceShare),
                      Table::Exact(s.trainingShare),
                      Table::Exact(s.uplinkBytesPerSecond),
                      Table::Exact(s.downlinkBytesPerSecond),
                      std::to_string(s.usage.tensorBytes),
                      std::to_string(s.usage.trajectoryBytes),
                      std::to_string(s.usage.actionBytes),
                      std::to_string(s.usage.parameterBytes),
                      Measured(s.IsMeasured(), s.fairness),
                      Measured(s.actorLag.steps > 0, s.actorLag.mean),
                      Measured(s.actorLag.steps > 0, s.actorLag.most),
                      Measured(s.serverLag.steps > 0, s.serverLag.mean),
                      Measured(s.serverLag.steps > 0, s.serverLag.most),
                      Measured(s.trainingLag.steps > 0, s.trainingLag.mean),
                      Measured(s.trainingLag.steps > 0, s.trainingLag.most),
                      Table::Exact(s.totalReductionSeconds),
                      Table::Exact(s.cutVariance),
                      Table::Exact(s.reductionVariance),
                      std::to_string(s.changes),
                      Table::Exact(s.movedPerChange),
                      std::to_string(s.planMessages),
                      std::to_string(s.sentMessages),
                      std::to_string(one.result.takenIn),
                      std::to_string(one.result.updates.size())});
    }
    return table;
}

/**
 * @param inputs what was run
 * @param cases what came of it
 * @return steps.csv
 */
Table
MakeSteps(const ActorLearnerInputs& inputs, const std::vector<ActorLearnerCase>& cases)
{
    Table table({"planner",
                 "actor",
                 "step",
                 "cut",
                 "begunSeconds",
                 "observedSeconds",
                 "computedSeconds",
                 "uploadedSeconds",
                 "servedSeconds",
                 "endedSeconds",
                 "responseSeconds",
                 "actorVersion",
                 "serverVersion",
                 "newestVersion"});
    const std::size_t all = inputs.run.model.layerFlop.size();
    for (const auto& one : cases)
    {
        for (const auto& step : one.result.steps)
        {
            const bool isServed = step.cut < all;
            table.AddRow({one.planner,
                          inputs.run.actors[step.actor].name,
                          std::to_string(step.step),
                          std::to_string(step.cut),
                          Exact(step.begun),
                          Exact(step.observed),
                          Exact(step.computed),
                          isServed ? Exact(step.uploaded) : "",
                          isServed ? Exact(step.served) : "",
                          Exact(step.ended),
                          Exact(step.ended - step.observed),
                          step.cut > 0 ? std::to_string(step.actorVersion) : "",
                          isServed ? std::to_string(step.serverVersion) : "",
                          std::to_string(step.newestVersion)});
        }
    }
    return table;
}

/**
 * @param inputs what was run
 * @param cases what came of it
 * @return usage.csv
 */
Table
MakeUsage(const ActorLearnerInputs& inputs, const std::vector<ActorLearnerCase>& cases)
{
    Table table({"planner",
                 "fromSeconds",
                 "inferenceShare",
                 "trainingShare",
                 "tensorBytes",
                 "trajectoryBytes",
                 "actionBytes",
                 "parameterBytes",
                 "controlBytes",
                 "servedRequests"});
    const double span = inputs.run.span.GetSeconds();
    for (const auto& one : cases)
    {
        for (std::size_t i = 0; i < one.result.spans.size(); ++i)
        {
            const ServerUsage& use = one.result.spans[i];
            table.AddRow({one.planner,
                          Table::Exact(i * span),
                          Table::Exact(use.inferenceSeconds / span),
                          Table::Exact(use.trainingSeconds / span),
                          std::to_string(use.tensorBytes),
                          std::to_string(use.trajectoryBytes),
                          std::to_string(use.actionBytes),
                          std::to_string(use.parameterBytes),
                          std::to_string(use.controlBytes),
                          std::to_string(use.requests)});
        }
    }
    return table;
}

/**
 * @param inputs what was run
 * @param cases what came of it
 * @return changes.csv
 */
Table
MakeChanges(const ActorLearnerInputs& inputs, const std::vector<ActorLearnerCase>& cases)
{
    Table table({"planner",
                 "seconds",
                 "actor",
                 "change",
                 "actors",
                 "moved",
                 "messages",
                 "totalReductionSeconds",
                 "cutVariance",
                 "reductionVariance",
                 "usedFlop",
                 "budgetFlop",
                 "usedBytes",
                 "budgetBytes"});
    for (const auto& one : cases)
    {
        for (const auto& change : one.result.changes)
        {
            table.AddRow({one.planner,
                          Exact(change.time),
                          inputs.run.actors[change.actor].name,
                          change.isJoin ? "join" : "leave",
                          std::to_string(change.actors),
                          std::to_string(change.moved),
                          std::to_string(change.messages),
                          Table::Exact(change.totalReductionSeconds),
                          Table::Exact(change.cutVariance),
                          Table::Exact(change.reductionVariance),
                          std::to_string(change.used.flop),
                          std::to_string(change.limits.flop),
                          std::to_string(change.used.bytes),
                          std::to_string(change.limits.bytes)});
        }
    }
    return table;
}

} // namespace

std::string
ActorLearnerStudy::FormatRun() const
{
    nlohmann::ordered_json more;
    const auto& run = m_inputs.run;
    more["serverFlopPerSecond"] = run.model.serverFlopPerSecond;
    more["updateSeconds"] = run.updateSeconds;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry;
        entry["planner"] = one.planner;
        entry["status"] = one.GetStatus();
        entry["begunSteps"] = one.result.begun;
        entry["endedSteps"] = one.result.steps.size();
        entry["servedRequests"] = one.result.served;
        entry["movedBytes"] = one.result.bytesMoved;
        entry["decisionSeconds"] = one.result.decisionSeconds;
        entry["simulatedSeconds"] = one.result.end.GetSeconds();
        entry["waits"] = one.result.waits;
        if (one.GetStatus() == "refused")
        {
            for (auto& value : entry.items())
            {
                // Nothing was simulated: these would be zeros that nobody measured.
                if (value.key() != "planner" && value.key() != "status")
                {
                    value.value() = nullptr;
                }
            }
        }
        entry["refusal"] = one.refusal;
        entry["diagnosis"] = one.result.diagnosis;
        for (const auto& link : one.result.links)
        {
            entry["links"][link.name] = link.bytes;
        }
        more["cases"].push_back(entry);
    }
    return FormatRunFile(m_inputs.GetOptions(), m_inputs.files.costs, more.dump());
}

void
ActorLearnerStudy::Write() const
{
    ResultsFolder folder(m_inputs.GetOptions().GetString("out"));
    const std::vector<std::pair<std::string, Table>> tables{
        {"results.csv", MakeResults(m_inputs, m_cases)},
        {"usage.csv", MakeUsage(m_inputs, m_cases)},
        {"steps.csv", MakeSteps(m_inputs, m_cases)},
        {"changes.csv", MakeChanges(m_inputs, m_cases)}};
    for (const auto& each : tables)
    {
        folder.Write(each.first, [&each](std::ostream& os) { each.second.WriteCsv(os); });
    }
    folder.Write("run.json", [this](std::ostream& os) { os << FormatRun(); });
    folder.Commit();
    std::cout << "\nresults: " << folder.GetPath("results.csv")
              << " (figures), usage.csv (server and links over time), steps.csv, changes.csv "
                 "(joins and leaves), run.json\n";
}

} // namespace edgepipe
} // namespace ns3
