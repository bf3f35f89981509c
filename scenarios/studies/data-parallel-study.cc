/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/data-parallel-study.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "lib/outside-planners.h"
#include "lib/progress.h"

#include "ns3/edgepipe-batch-shares-problem-json.h"
#include "ns3/edgepipe-join-words.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param updates finished ones
 * @param first index of the first
 * @param count how many
 * @return means over them
 */
UpdateStretch
Average(const std::vector<WeightUpdateRecord>& updates, std::size_t first, std::size_t count)
{
    UpdateStretch stretch{first, count};
    for (std::size_t i = first; i < first + count; ++i)
    {
        stretch.nodeSeconds += updates[i].nodeSeconds / count;
        stretch.exchangeSeconds += updates[i].exchangeSeconds / count;
        stretch.iterationSeconds += updates[i].GetIterationSeconds() / count;
    }
    return stretch;
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
        return JoinWords(samples, " ");
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
 * @param run a run
 * @return finished or stalled
 */
const char*
GetDataParallelStatus(const DataParallelRun& run)
{
    return run.result.isComplete ? "finished" : "stalled";
}

} // namespace

std::vector<UpdateStretch>
AverageUpdates(const std::vector<WeightUpdateRecord>& updates)
{
    std::vector<UpdateStretch> stretches;
    for (std::size_t first = 0; first < updates.size(); first += UPDATES_PER_STRETCH)
    {
        stretches.push_back(
            Average(updates, first, std::min(UPDATES_PER_STRETCH, updates.size() - first)));
    }
    return stretches;
}

UpdateStretch
AverageAllUpdates(const std::vector<WeightUpdateRecord>& updates)
{
    return Average(updates, 0, updates.size());
}

std::string
ExplainUnchangedShares(const std::string& planner,
                       const DataParallelResult& result,
                       Time updateInterval)
{
    // Equal shares are those that every run begins with.
    if (planner == "equal" || result.updates.empty() || result.updates.back().version > 0)
    {
        return "";
    }
    if (result.shares.size() > 1)
    {
        return "those decided came too late for any update";
    }
    if (result.plans > 0)
    {
        return "";
    }
    return result.end < updateInterval ? "no report was due before the end"
                                       : "not every worker had reported before the end";
}

DataParallelStudy::DataParallelStudy(ScenarioOptions& options)
    : Experiment(options),
      m_inputs(options)
{
}

void
DataParallelStudy::Read()
{
    m_inputs.Read();
    PrintNetworkNotes(m_options, "data-parallel", m_inputs.run.network);
    if (m_inputs.run.control)
    {
        PrintRecordings(m_options, "control: ", *m_inputs.run.control);
    }
}

void
DataParallelStudy::Simulate()
{
    for (const auto& planner : m_inputs.planners)
    {
        DataParallelRun one;
        one.planner = planner;
        DataParallelOptions run = m_inputs.run;
        run.planner = planner;
        const auto progress =
            Follow(m_runs.size(), m_inputs.planners.size(), planner + ": simulating");
        const Stopwatch watch;
        one.result = RunDataParallel(m_inputs.nodes, run, progress);
        one.simulationSeconds = watch.GetSeconds();
        one.mean = AverageAllUpdates(one.result.updates);
        m_runs.push_back(std::move(one));
    }
}

Sheet<DataParallelRun>
DataParallelStudy::MakeResults() const
{
    using Case = const DataParallelRun;
    using M = UpdateStretch;
    using R = DataParallelResult;
    const auto& in = m_inputs;
    const auto mean = [](double M::*figure) { return [=](Case& r) { return r.mean.*figure; }; };
    const auto result = [](double (R::*get)() const) {
        return [=](Case& r) { return (r.result.*get)(); };
    };
    auto further = MakeFailureColumns<DataParallelRun>(in.planners, [](Case& r) {
        return r.result.failures.count;
    });
    if (!in.run.monitor.empty())
    {
        further.push_back({"monitor", in.run.monitor});
        further.push_back({"decisions", "decisions", [](Case& r) { return r.result.plans; }});
    }
    return MakeSheet<DataParallelRun>(
        {
            {"planner", "planner", &DataParallelRun::planner},
            {"model", in.graph.name},
            {"cluster", in.cluster.name},
            {"workers", in.nodes.size()},
            {"link", in.run.network.link},
            {"fidelity", in.run.network.fidelity},
            {"exchange", in.run.exchange},
            {"baseBatch", in.run.baseBatch},
            {"status", GetDataParallelStatus},
            {"updates", [](Case& r) { return r.result.updates.size(); }},
            {"",
             "updates",
             [](Case& r) {
                 return std::to_string(r.result.updates.size()) +
                        (r.result.isComplete ? "" : ", stalled");
             }},
            {"weightUpdateSeconds", "weight update (ms)", mean(&M::nodeSeconds), FormatMs},
            {"exchangeAndStepSeconds",
             "exchange and step (ms)",
             mean(&M::exchangeSeconds),
             FormatMs},
            {"iterationSeconds", "iteration (ms)", mean(&M::iterationSeconds), FormatMs},
            {"samplesPerUpdate",
             "samples per update",
             result(&R::GetSamplesPerUpdate),
             FormatRounded},
            {"samplesPerSecond", "samples/s", result(&R::GetSamplesPerSecond), FormatRounded},
            {"",
             "sent per worker, mean",
             [&](Case& r) { return DescribeSent(r.result, in.nodes); }},
            {"shareChanges", "share changes", [](Case& r) { return r.result.shares.size() - 1; }},
            {"", "last shares", [](Case& r) { return DescribeShares(r.result); }},
            {"layerCostOrigins", JoinOrigins(in.costs)},
        },
        m_runs,
        further);
}

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
    MakeResults().GetShown().Print(std::cout);
    std::cout << "\nweight update: from a worker's gradients to its new weights, mean over workers;"
                 " exchange and\nstep: the same without waiting for slower workers\n";
    PrintNotes();
    for (const auto& one : m_runs)
    {
        PrintPresence(one);
        PrintMissing(one);
        PrintFailures(one.planner, one.result.failures);
        if (!one.result.isComplete)
        {
            ReportStall(one.planner, one.result.end, one.result.diagnosis);
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
                  << " (--update-interval=" << m_options.GetString("update-interval") << ")\n";
    }
}

void
DataParallelStudy::PrintPresence(const DataParallelRun& run) const
{
    for (uint32_t rank = 0; rank < m_inputs.nodes.size(); ++rank)
    {
        const auto& node = m_inputs.nodes[rank];
        for (const bool isJoin : {true, false})
        {
            const Time asked = isJoin ? node.join : node.leave;
            if (asked.IsZero())
            {
                continue;
            }
            const auto& all = run.result.shares;
            const auto change = std::find_if(all.begin(), all.end(), [&](const auto& shares) {
                return shares.isInForce && shares.decided >= asked &&
                       (shares.samples[rank] > 0) == isJoin;
            });
            std::cout << run.planner << ": " << node.name << " asked to "
                      << (isJoin ? "join" : "leave") << " at " << FormatRounded(asked.GetSeconds())
                      << " s; "
                      << (change == all.end()
                              ? "the training ended before"
                              : (isJoin ? "it works from update " : "it is gone from update ") +
                                    std::to_string(change->iteration) + " on, decided at " +
                                    FormatRounded(change->decided.GetSeconds()) + " s")
                      << "\n";
        }
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
DataParallelStudy::Write(ResultsFolder& folder) const
{
    using Case = const DataParallelRun;
    Sheet<DataParallelRun, UpdateStretch> stretches({
        {"planner", &DataParallelRun::planner},
        {"firstUpdate", &UpdateStretch::first},
        {"updates", &UpdateStretch::count},
        {"weightUpdateSeconds", &UpdateStretch::nodeSeconds},
        {"exchangeAndStepSeconds", &UpdateStretch::exchangeSeconds},
        {"iterationSeconds", &UpdateStretch::iterationSeconds},
    });
    Sheet<DataParallelRun, std::size_t, WeightUpdateRecord> updates({
        {"planner", &DataParallelRun::planner},
        {"update", [](std::size_t i) { return i; }},
        {"version", &WeightUpdateRecord::version},
        {"samples", &WeightUpdateRecord::samples},
        {"startSeconds", &WeightUpdateRecord::start},
        {"firstComputedSeconds", &WeightUpdateRecord::firstComputed},
        {"lastComputedSeconds", &WeightUpdateRecord::lastComputed},
        {"endSeconds", &WeightUpdateRecord::end},
        {"weightUpdateSeconds", &WeightUpdateRecord::nodeSeconds},
    });
    // By version and worker.
    using Index = std::size_t;
    Sheet<DataParallelRun, std::size_t, std::size_t> shares({
        {"planner", [](Case& r, Index, Index) { return r.planner; }},
        {"version", [](Case&, Index version, Index) { return version; }},
        {"decidedSeconds", [](Case& r, Index v, Index) { return r.result.shares[v].decided; }},
        {"firstUpdate",
         [](Case& r, Index v, Index) {
             return When(r.result.shares[v].isInForce, r.result.shares[v].iteration);
         }},
        {"worker", [&](Case&, Index, Index rank) { return m_inputs.nodes[rank].name; }},
        {"samples", [](Case& r, Index v, Index rank) { return r.result.shares[v].samples[rank]; }},
    });
    Sheet<DataParallelRun, std::size_t> workers({
        {"planner", &DataParallelRun::planner},
        {"worker", [&](Case&, Index rank) { return m_inputs.nodes[rank].name; }},
        {"samples", [](Case& r, Index rank) { return r.result.nodes[rank].samples; }},
        {"computeSeconds", [](Case& r, Index rank) { return r.result.nodes[rank].computeSeconds; }},
        {"exchangeBytes", [](Case& r, Index rank) { return r.result.nodes[rank].exchangeBytes; }},
        {"controlBytes", [](Case& r, Index rank) { return r.result.nodes[rank].controlBytes; }},
        {"peakMemoryBytes", [](Case& r, Index rank) { return r.result.peakMemoryBytes[rank]; }},
        {"memoryBytes", [&](Case&, Index rank) { return m_inputs.nodes[rank].memoryBytes; }},
    });
    LinkSheet links("planner");
    nlohmann::ordered_json run;
    for (const auto& one : m_runs)
    {
        const auto& r = one.result;
        stretches.AddEach(one, AverageUpdates(r.updates));
        for (std::size_t i = 0; i < r.updates.size(); ++i)
        {
            updates.Add(one, i, r.updates[i]);
        }
        for (std::size_t version = 0; version < r.shares.size(); ++version)
        {
            for (std::size_t rank = 0; rank < r.shares[version].samples.size(); ++rank)
            {
                shares.Add(one, version, rank);
            }
        }
        for (std::size_t rank = 0; rank < r.nodes.size(); ++rank)
        {
            workers.Add(one, rank);
        }
        links.AddEach(one.planner, r.links);
        nlohmann::ordered_json entry{{"planner", one.planner},
                                     {"status", GetDataParallelStatus(one)}};
        entry["missingMetrics"] = nlohmann::ordered_json::array();
        for (const auto& missing : r.missing)
        {
            nlohmann::ordered_json each{{"worker", m_inputs.nodes[missing.rank].name},
                                        {"sinceSeconds", missing.since.GetSeconds()}};
            if (!missing.until.IsZero())
            {
                each["untilSeconds"] = missing.until.GetSeconds();
            }
            entry["missingMetrics"].push_back(each);
        }
        if (!r.diagnosis.empty())
        {
            entry["diagnosis"] = r.diagnosis;
        }
        entry["simulatedSeconds"] = r.end.GetSeconds();
        entry["events"] = r.events;
        entry["wallClock"] = {{"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_inputs.run.network));
    folder.Write("stretches.csv", stretches.GetFile());
    folder.Write("updates.csv", updates.GetFile());
    folder.Write("shares.csv", shares.GetFile());
    folder.Write("workers.csv", workers.GetFile());
    folder.Write("links.csv", links.GetFile());
    const bool isAsked = m_runs.front().result.plans > 0;
    if (isAsked)
    {
        folder.Write("problem.json", FormatBatchSharesProblem(m_runs.front().result.problem));
    }
    folder.Write("run.json", FormatRunFile(m_options, m_inputs.costs, run));
    return std::string("results.csv (a row per planner), stretches.csv (means of 100 updates),\n"
                       "  updates.csv, shares.csv, workers.csv, links.csv, ") +
           (isAsked ? "problem.json, " : "") + "run.json";
}

} // namespace edgepipe
} // namespace ns3
