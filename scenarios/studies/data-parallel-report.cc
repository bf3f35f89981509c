/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "studies/data-parallel-study.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param values whole numbers
 * @return them, separated by blanks
 */
std::string
Join(const std::vector<uint64_t>& values)
{
    std::string text;
    for (const uint64_t value : values)
    {
        text += (text.empty() ? "" : " ") + std::to_string(value);
    }
    return text;
}

/**
 * @param result of a run
 * @return the shares that were last in force, for people
 */
std::string
DescribeShares(const DataParallelResult& result)
{
    const uint32_t version = result.updates.empty() ? 0 : result.updates.back().version;
    const auto& samples = result.shares[version].samples;
    if (samples.size() <= 8)
    {
        return Join(samples);
    }
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
    return std::to_string(*least) + " to " + std::to_string(*most);
}

/**
 * @param result of a run
 * @param workers its workers
 * @return the mean of what they sent, and who sent most if anyone sent more, for people
 */
std::string
DescribeSent(const DataParallelResult& result, const std::vector<DataParallelNode>& workers)
{
    uint64_t sent = 0;
    uint64_t most = 0;
    std::size_t who = 0;
    for (std::size_t rank = 0; rank < workers.size(); ++rank)
    {
        const uint64_t own = result.nodes[rank].exchangeBytes + result.nodes[rank].controlBytes;
        sent += own;
        if (own > most)
        {
            most = own;
            who = rank;
        }
    }
    const std::string mean = Table::Bytes(sent / workers.size());
    const std::string largest = Table::Bytes(most);
    return largest == mean ? mean : mean + ", most " + largest + " (" + workers[who].name + ")";
}

/**
 * @param seconds some time
 * @return it in milliseconds, for people
 */
std::string
FormatMilliseconds(double seconds)
{
    return Table::Rounded(1e3 * seconds);
}

} // namespace

void
DataParallelStudy::Print() const
{
    const auto& run = m_inputs.run;
    std::cout << m_inputs.graph.name << " on " << m_inputs.cluster.name << ", "
              << FormatCount(m_inputs.nodes.size(), "worker", "workers") << ", link "
              << run.network.link << ", " << run.network.fidelity << " level, exchange "
              << run.exchange << ", base batch " << run.baseBatch << ", "
              << Table::Bytes(m_inputs.nodes.front().cost.parameterBytes) << " of gradients\n";
    PrintLayerCosts(m_inputs.costs);
    std::cout << "\n";
    Table table({"shares",
                 "updates",
                 "weight update (ms)",
                 "exchange and step (ms)",
                 "iteration (ms)",
                 "samples per update",
                 "samples/s",
                 "sent per worker, mean",
                 "share changes",
                 "last shares"});
    for (const auto& one : m_runs)
    {
        const auto mean = AverageAllUpdates(one.result.updates);
        const bool isFinished = one.result.isComplete;
        table.AddRow({one.planner,
                      std::to_string(one.result.updates.size()) + (isFinished ? "" : ", stalled"),
                      FormatMilliseconds(mean.nodeSeconds),
                      FormatMilliseconds(mean.exchangeSeconds),
                      FormatMilliseconds(mean.iterationSeconds),
                      Table::Rounded(one.result.GetSamplesPerUpdate()),
                      Table::Rounded(one.result.GetSamplesPerSecond()),
                      DescribeSent(one.result, m_inputs.nodes),
                      std::to_string(one.result.shares.size() - 1),
                      DescribeShares(one.result)});
    }
    table.Print(std::cout);
    std::cout << "\nweight update: from a worker's gradients to its new weights, mean over workers;"
                 " exchange and\nstep: the same without waiting for slower workers\n";
    PrintNotes();
    for (const auto& one : m_runs)
    {
        PrintMissing(one);
        if (!one.result.isComplete)
        {
            std::cerr << m_inputs.GetOptions().GetName() << ": " << one.planner
                      << ": stalled, the run ends at "
                      << Table::Rounded(one.result.end.GetSeconds()) << " s; who waits for what:\n";
            for (const auto& line : one.result.diagnosis)
            {
                std::cerr << "  " << line << "\n";
            }
        }
    }
}

void
DataParallelStudy::PrintNotes() const
{
    const auto isOther = [this](const auto& one) {
        return std::any_of(
            one.result.updates.begin(),
            one.result.updates.end(),
            [this](const auto& update) { return update.samples != m_inputs.run.baseBatch; });
    };
    std::string others;
    std::map<std::string, std::string> unchanged;
    for (const auto& one : m_runs)
    {
        if (isOther(one))
        {
            others += (others.empty() ? "" : ", ") + one.planner;
        }
        const std::string why =
            ExplainUnchangedShares(one.planner, one.result, m_inputs.run.updateInterval);
        if (!why.empty())
        {
            unchanged[why] += (unchanged[why].empty() ? "" : ", ") + one.planner;
        }
    }
    if (!others.empty())
    {
        std::cout << others << ": shares do not add up to the base batch of "
                  << m_inputs.run.baseBatch
                  << " unless --normalize=true: samples/s compares different work\n";
    }
    for (const auto& [why, who] : unchanged)
    {
        std::cout << who << ": shares never changed: " << why
                  << " (--update-interval=" << m_inputs.GetOptions().GetString("update-interval")
                  << ")\n";
    }
}

void
DataParallelStudy::PrintMissing(const DataParallelRun& run) const
{
    for (uint32_t rank = 0; rank < m_inputs.nodes.size(); ++rank)
    {
        std::vector<MissingMetrics> own;
        for (const auto& missing : run.result.missing)
        {
            if (missing.rank == rank)
            {
                own.push_back(missing);
            }
        }
        if (own.empty())
        {
            continue;
        }
        std::cout << "warning: " << run.planner << ": metrics of " << m_inputs.nodes[rank].name
                  << " were missing"
                  << (own.size() > 1 ? " " + std::to_string(own.size()) + " times" : "")
                  << "; they last came at " << Table::Rounded(own.front().since.GetSeconds())
                  << " s" << (own.size() > 1 ? " before the first" : "")
                  << "; shares did not change without them";
        if (own.back().until.IsZero())
        {
            std::cout << "; they still were at the end"
                      << (own.size() > 1
                              ? ", after " + Table::Rounded(own.back().since.GetSeconds()) + " s"
                              : "");
        }
        std::cout << "\n";
    }
}

std::string
DataParallelStudy::FormatRun() const
{
    nlohmann::ordered_json run;
    for (const auto& one : m_runs)
    {
        nlohmann::ordered_json entry{{"shares", one.planner}, {"status", one.GetStatus()}};
        entry["missingMetrics"] = nlohmann::ordered_json::array();
        for (const auto& missing : one.result.missing)
        {
            nlohmann::ordered_json each{{"worker", m_inputs.nodes[missing.rank].name},
                                        {"sinceSeconds", missing.since.GetSeconds()}};
            if (!missing.until.IsZero())
            {
                each["untilSeconds"] = missing.until.GetSeconds();
            }
            entry["missingMetrics"].push_back(each);
        }
        if (!one.result.diagnosis.empty())
        {
            entry["diagnosis"] = one.result.diagnosis;
        }
        entry["simulatedSeconds"] = one.result.end.GetSeconds();
        entry["events"] = one.result.events;
        entry["wallClock"] = {{"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    return FormatRunFile(m_inputs.GetOptions(),
                         m_inputs.costs,
                         run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void
DataParallelStudy::Write() const
{
    const auto exact = [](const Time& time) { return Table::Exact(time.GetSeconds()); };
    Table results({"shares",
                   "model",
                   "cluster",
                   "workers",
                   "link",
                   "fidelity",
                   "exchange",
                   "baseBatch",
                   "status",
                   "updates",
                   "weightUpdateSeconds",
                   "exchangeAndStepSeconds",
                   "iterationSeconds",
                   "samplesPerUpdate",
                   "samplesPerSecond",
                   "shareChanges",
                   "layerCostOrigins"});
    Table stretches({"shares",
                     "firstUpdate",
                     "updates",
                     "weightUpdateSeconds",
                     "exchangeAndStepSeconds",
                     "iterationSeconds"});
    Table updates({"shares",
                   "update",
                   "version",
                   "samples",
                   "startSeconds",
                   "firstComputedSeconds",
                   "lastComputedSeconds",
                   "endSeconds",
                   "weightUpdateSeconds"});
    Table shares({"shares", "version", "decidedSeconds", "firstUpdate", "worker", "samples"});
    Table workers({"shares",
                   "worker",
                   "samples",
                   "computeSeconds",
                   "exchangeBytes",
                   "controlBytes",
                   "peakMemoryBytes",
                   "memoryBytes"});
    Table links({"shares", "link", "sentBytes"});
    for (const auto& one : m_runs)
    {
        const auto& r = one.result;
        const auto mean = AverageAllUpdates(r.updates);
        results.AddRow({one.planner,
                        m_inputs.graph.name,
                        m_inputs.cluster.name,
                        std::to_string(m_inputs.nodes.size()),
                        m_inputs.run.network.link,
                        m_inputs.run.network.fidelity,
                        m_inputs.run.exchange,
                        std::to_string(m_inputs.run.baseBatch),
                        one.GetStatus(),
                        std::to_string(r.updates.size()),
                        Table::Exact(mean.nodeSeconds),
                        Table::Exact(mean.exchangeSeconds),
                        Table::Exact(mean.iterationSeconds),
                        Table::Exact(r.GetSamplesPerUpdate()),
                        Table::Exact(r.GetSamplesPerSecond()),
                        std::to_string(r.shares.size() - 1),
                        JoinOrigins(m_inputs.costs)});
        for (const auto& stretch : AverageUpdates(r.updates))
        {
            stretches.AddRow({one.planner,
                              std::to_string(stretch.first),
                              std::to_string(stretch.count),
                              Table::Exact(stretch.nodeSeconds),
                              Table::Exact(stretch.exchangeSeconds),
                              Table::Exact(stretch.iterationSeconds)});
        }
        for (std::size_t i = 0; i < r.updates.size(); ++i)
        {
            const auto& update = r.updates[i];
            updates.AddRow({one.planner,
                            std::to_string(i),
                            std::to_string(update.version),
                            std::to_string(update.samples),
                            exact(update.start),
                            exact(update.firstComputed),
                            exact(update.lastComputed),
                            exact(update.end),
                            Table::Exact(update.nodeSeconds)});
        }
        for (std::size_t version = 0; version < r.shares.size(); ++version)
        {
            const auto& record = r.shares[version];
            for (std::size_t rank = 0; rank < record.samples.size(); ++rank)
            {
                shares.AddRow({one.planner,
                               std::to_string(version),
                               exact(record.decided),
                               record.isInForce ? std::to_string(record.iteration) : "",
                               m_inputs.nodes[rank].name,
                               std::to_string(record.samples[rank])});
            }
        }
        for (std::size_t rank = 0; rank < r.nodes.size(); ++rank)
        {
            workers.AddRow({one.planner,
                            m_inputs.nodes[rank].name,
                            std::to_string(r.nodes[rank].samples),
                            Table::Exact(r.nodes[rank].computeSeconds),
                            std::to_string(r.nodes[rank].exchangeBytes),
                            std::to_string(r.nodes[rank].controlBytes),
                            std::to_string(r.peakMemoryBytes[rank]),
                            std::to_string(m_inputs.nodes[rank].memoryBytes)});
        }
        for (const auto& link : r.links)
        {
            links.AddRow({one.planner, link.name, std::to_string(link.bytes)});
        }
    }
    ResultsFolder folder(m_inputs.GetOptions().GetString("out"));
    for (const auto& [name, table] : {std::pair("results.csv", &results),
                                      std::pair("stretches.csv", &stretches),
                                      std::pair("updates.csv", &updates),
                                      std::pair("shares.csv", &shares),
                                      std::pair("workers.csv", &workers),
                                      std::pair("links.csv", &links)})
    {
        folder.Write(name, [&table = *table](std::ostream& os) { table.WriteCsv(os); });
    }
    folder.Write("run.json", [this](std::ostream& os) { os << FormatRun(); });
    folder.Commit();
    std::cout << "\nResults: " << m_inputs.GetOptions().GetString("out")
              << "/  results.csv (a row per planner), stretches.csv (means of 100 updates),\n"
                 "  updates.csv, shares.csv, workers.csv, links.csv, run.json\n";
}

} // namespace edgepipe
} // namespace ns3
