/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/data-parallel-workload.h"

#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param result of a run
 * @param workers its workers
 * @return mean bytes sent, and the largest with its worker if that differs, as text
 */
std::string
DescribeSent(const DataParallelResult& result, const std::vector<DataParallelNode>& workers)
{
    const auto sent =
        Map(result.nodes, [](const auto& node) { return node.exchangeBytes + node.controlBytes; });
    const auto most = std::max_element(sent.begin(), sent.end());
    const std::string mean = Table::Bytes(Sum(sent) / workers.size());
    const std::string largest = Table::Bytes(*most);
    const std::string& who = workers[most - sent.begin()].name;
    return largest == mean ? mean : mean + ", most " + largest + " (" + who + ")";
}

} // namespace

UpdateStretch
UpdateStretch::Average(const std::vector<WeightUpdateRecord>& updates,
                       std::size_t first,
                       std::size_t count)
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

void
DataParallelWorkload::Fill(const DataParallelCase& c, CellTable& row) const
{
    const Time interval = m_options->Get<Time>("update-interval");
    const auto changes = std::count_if(c.shares.begin() + 1, c.shares.end(), [](const auto& one) {
        return one.isInForce;
    });
    const std::string updates = std::to_string(c.updates.size());
    row.Add("planner", c.planner, "planner");
    row.Add("model", m_graph.name);
    row.Add("cluster", m_cluster.name);
    row.Add("workers", m_setting.nodes.size());
    row.Add("link", m_network.GetLinkName());
    row.Add("fidelity", m_network.fidelity);
    row.Add("exchange", m_options->GetString("exchange"));
    row.Add("baseBatch", m_baseBatch);
    row.Add("status", c.GetStatus());
    row.Add("updates", updates);
    row.Add("", updates + (c.isFinished ? "" : ", stalled"), "updates");
    row.Add("weightUpdateSeconds", c.mean.nodeSeconds, "weight update (ms)", FormatMs);
    row.Add("exchangeAndStepSeconds", c.mean.exchangeSeconds, "exchange and step (ms)", FormatMs);
    row.Add("iterationSeconds", c.mean.iterationSeconds, "iteration (ms)", FormatMs);
    row.Add("samplesPerUpdate", c.GetSamplesPerUpdate(), "samples per update", FormatRounded);
    row.Add("samplesPerSecond", c.perSecond, "samples/s", FormatRounded);
    row.Add("", DescribeSent(c, m_setting.nodes), "sent per worker, mean");
    row.Add("shareChanges", changes, "share changes");
    row.Add("whyUnchanged", c.ExplainUnchangedShares(interval));
    row.Add("layerCostOrigins", JoinOrigins(m_costs));
    AddFailures(c, row);
    if (m_setting.monitor != "none")
    {
        row.Add("monitor", m_setting.monitor);
        row.Add("decisions", c.plans, "decisions");
    }
}

std::vector<std::string>
DataParallelWorkload::DescribeAlone() const
{
    const auto getShare = [this](const DataParallelNode& node) {
        return GetFirstShare(m_setting.loads, node.name, m_setting.load);
    };
    const auto nodes = Filter(m_setting.nodes, getShare);
    const auto getSeconds = [&](const DataParallelNode& node) {
        const auto& cost = node.cost;
        return (m_baseBatch * cost.sampleSeconds + cost.passSeconds + cost.updateSeconds) /
               getShare(node);
    };
    if (m_setting.nodes.size() < 2 || nodes.empty())
    {
        return {};
    }
    const auto& fastest = MinBy(nodes, getSeconds);
    return {fastest.name + " alone would take " + FormatMs(getSeconds(fastest)) +
            " ms or more for an update of the base batch, without exchange: more if its memory "
            "needs several passes."};
}

void
DataParallelWorkload::Print() const
{
    std::cout << m_graph.name << " on " << m_cluster.name << ", "
              << FormatCount(m_setting.nodes.size(), "worker", "workers") << ", link "
              << DescribeLink(m_network) << ", " << m_network.fidelity << " level, exchange "
              << m_options->GetString("exchange") << ", base batch " << m_baseBatch << ", "
              << Table::Bytes(m_setting.nodes.front().cost.parameterBytes) << " of gradients\n";
    PrintLayerCosts(m_costs);
    std::cout << "\n";
    MakeResults().GetShown().Print(std::cout);
    std::cout << "\nweight update: from a worker's gradients to its new weights, mean over workers;"
                 " exchange and\nstep: the same without waiting for slower workers\n";
    NoteOrder();
    NoteStretches(Map(m_cases, [](const auto& one) { return std::pair(one.planner, one.end); }),
                  "");
    Note(DescribeAlone());
    const auto others = Filter(m_cases, [this](const auto& one) {
        return AnyOf(one.updates, [this](auto& update) { return update.samples != m_baseBatch; });
    });
    if (!others.empty())
    {
        Note({JoinWords(Map(others, &DataParallelCase::planner)) +
              ": shares do not add up to the base batch of " + std::to_string(m_baseBatch) +
              " unless --normalize=true: samples/s compares different work"});
    }
    std::map<std::string, std::vector<std::string>> unchanged;
    for (const auto& one : m_cases)
    {
        unchanged[one.ExplainUnchangedShares(m_options->Get<Time>("update-interval"))].push_back(
            one.planner);
    }
    unchanged.erase("");
    for (const auto& [why, who] : unchanged)
    {
        std::cout << JoinWords(who) << ": shares never changed: " << why
                  << " (--update-interval=" << m_options->GetString("update-interval") << ")\n";
    }
    for (const auto& one : m_cases)
    {
        PrintPresence(one);
        PrintMissing(one);
    }
}

void
DataParallelWorkload::PrintPresence(const DataParallelCase& one) const
{
    for (uint32_t rank = 0; rank < m_setting.nodes.size(); ++rank)
    {
        const auto& node = m_setting.nodes[rank];
        for (const bool isJoin : {true, false})
        {
            const Time asked = isJoin ? node.join : node.leave;
            if (asked.IsZero())
            {
                continue;
            }
            const auto change = FindIf(one.shares, [&](const auto& shares) {
                return shares.isInForce && shares.decided >= asked &&
                       (shares.samples[rank] > 0) == isJoin;
            });
            std::cout << one.planner << ": " << node.name << " asked to "
                      << (isJoin ? "join" : "leave") << " at " << FormatRounded(asked.GetSeconds())
                      << " s; "
                      << (!change ? "the training ended before"
                                  : (isJoin ? "it works from update " : "it is gone from update ") +
                                        std::to_string(change->iteration) + " on, decided at " +
                                        FormatRounded(change->decided.GetSeconds()) + " s")
                      << "\n";
        }
    }
}

void
DataParallelWorkload::PrintMissing(const DataParallelCase& one) const
{
    for (uint32_t rank = 0; rank < m_setting.nodes.size(); ++rank)
    {
        const auto own =
            Filter(one.missing, [&](const auto& missing) { return missing.rank == rank; });
        if (own.empty())
        {
            continue;
        }
        std::cout << "warning: " << one.planner << ": shares did not change while metrics of "
                  << m_setting.nodes[rank].name << " were missing, from "
                  << Table::Rounded(own.front().since.GetSeconds()) << " s on"
                  << (own.size() > 1
                          ? " and " + FormatCount(own.size() - 1, "time", "times") + " more"
                          : "");
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
DataParallelWorkload::Write(ResultsFolder& folder) const
{
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner}, {"status", one.GetStatus()}};
        entry["missingMetrics"] = nlohmann::ordered_json::array();
        for (const auto& missing : one.missing)
        {
            nlohmann::ordered_json each{{"worker", m_setting.nodes[missing.rank].name},
                                        {"sinceSeconds", missing.since.GetSeconds()}};
            if (!missing.until.IsZero())
            {
                each["untilSeconds"] = missing.until.GetSeconds();
            }
            entry["missingMetrics"].push_back(each);
        }
        if (!one.diagnosis.empty())
        {
            entry["diagnosis"] = one.diagnosis;
        }
        entry["simulatedSeconds"] = one.end.GetSeconds();
        entry["events"] = one.events;
        entry["wallClock"] = {{"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    WriteRun(folder, MakeResults().GetFile(), std::move(run));
    WriteParts<UpdateStretch>(folder,
                              "stretches.csv",
                              &DataParallelCase::AverageUpdates,
                              {{"firstUpdate", &UpdateStretch::first},
                               {"updates", &UpdateStretch::count},
                               {"weightUpdateSeconds", &UpdateStretch::nodeSeconds},
                               {"exchangeAndStepSeconds", &UpdateStretch::exchangeSeconds},
                               {"iterationSeconds", &UpdateStretch::iterationSeconds}});
    using Case = const DataParallelCase;
    WriteParts<WeightUpdateRecord>(
        folder,
        "updates.csv",
        &DataParallelCase::updates,
        {{"update", [](Case& r, auto& update) { return &update - r.updates.data(); }},
         {"version", &WeightUpdateRecord::version},
         {"samples", &WeightUpdateRecord::samples},
         {"startSeconds", &WeightUpdateRecord::start},
         {"firstComputedSeconds", &WeightUpdateRecord::firstComputed},
         {"lastComputedSeconds", &WeightUpdateRecord::lastComputed},
         {"endSeconds", &WeightUpdateRecord::end},
         {"weightUpdateSeconds", &WeightUpdateRecord::nodeSeconds}});
    const auto& nodes = m_setting.nodes;
    using Place = const std::size_t; // a version times the workers, plus a rank
    const auto of = [&](Case& r, Place place) { return r.shares[place / nodes.size()]; };
    WriteParts<std::size_t>(
        folder,
        "shares.csv",
        [&](Case& r) { return CountUp(r.shares.size() * nodes.size()); },
        {{"version", [&](Place place) { return place / nodes.size(); }},
         {"decidedSeconds", [=](Case& r, Place place) { return of(r, place).decided; }},
         {"firstUpdate",
          [=](Case& r, Place place) {
              return When(of(r, place).isInForce, of(r, place).iteration);
          }},
         {"worker", [&](Place place) { return nodes[place % nodes.size()].name; }},
         {"samples",
          [&, of](Case& r, Place place) { return of(r, place).samples[place % nodes.size()]; }}});
    WriteParts<std::size_t>(
        folder,
        "workers.csv",
        [](Case& r) { return CountUp(r.nodes.size()); },
        {{"worker", [&](Place rank) { return nodes[rank].name; }},
         {"samples", [](Case& r, Place rank) { return r.nodes[rank].samples; }},
         {"computeSeconds", [](Case& r, Place rank) { return r.nodes[rank].computeSeconds; }},
         {"exchangeBytes", [](Case& r, Place rank) { return r.nodes[rank].exchangeBytes; }},
         {"controlBytes", [](Case& r, Place rank) { return r.nodes[rank].controlBytes; }},
         {"peakMemoryBytes", [](Case& r, Place rank) { return r.peakMemoryBytes[rank]; }},
         {"memoryBytes", [&](Place rank) { return nodes[rank].memoryBytes; }}});
    WriteLinks(folder);
    const bool isAsked = m_cases.front().plans > 0;
    if (isAsked)
    {
        folder.Write("problem.json", FormatProblem(m_cases.front().problem));
    }
    return std::string("results.csv (a row per planner), stretches.csv (means of 100 updates),\n"
                       "  updates.csv, shares.csv, workers.csv, links.csv, ") +
           (isAsked ? "problem.json, " : "") + "run.json";
}

} // namespace ns3::edgepipe
