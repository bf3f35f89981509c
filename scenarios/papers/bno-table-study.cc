/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/bno-table-study.h"

#include "lib/data-parallel-inputs.h"
#include "lib/progress.h"
#include "lib/run-report.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-gradient-exchange.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-time.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// The strategy bno with BatchSharesProblem::normalize.
const std::string NORMALIZED = "bno-normalized";
/// How much longer than with equal shares a training may take and still meet changes.
constexpr uint32_t LONGEST = 10;
/// Share of worker 1 that the condition load leaves.
constexpr double LOADED_SHARE = 0.5;
/// Share of the bandwidth that the condition bandwidth leaves.
constexpr double NARROW_SHARE = 0.25;

/**
 * @param options of the scenario
 * @param name of an option
 * @param known what its values may be
 * @return the values
 * @throws InputError if one is unknown
 */
std::vector<std::string>
GetKnown(const ScenarioOptions& options,
         const std::string& name,
         const std::vector<std::string>& known)
{
    const auto values = options.GetList(name);
    for (const auto& value : values)
    {
        if (std::find(known.begin(), known.end(), value) == known.end())
        {
            std::string all;
            for (const auto& each : known)
            {
                all += (all.empty() ? "" : ", ") + each;
            }
            options.Refuse(name, "some of: " + all + ", separated by commas");
        }
    }
    return values;
}

/**
 * @param options of the scenario
 * @param name of an option that lists files of the traces folder by name
 * @param traces the traces folder
 * @param folder where they are
 * @return their paths
 * @throws InputError listing the names there are, if there is none of a name
 */
std::vector<std::string>
FindFiles(const ScenarioOptions& options,
          const std::string& name,
          const std::string& traces,
          const std::string& folder)
{
    std::vector<std::string> paths;
    for (const auto& value : options.GetList(name))
    {
        if (value.find('/') != std::string::npos || value.find(".json") != std::string::npos)
        {
            paths.push_back(value);
            continue;
        }
        const std::string directory = traces + "/" + folder;
        paths.push_back(directory + "/" + value + ".json");
        if (std::filesystem::exists(paths.back()))
        {
            continue;
        }
        std::set<std::string> known;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        {
            known.insert(entry.path().stem());
        }
        std::string list;
        for (const auto& each : known)
        {
            list += (list.empty() ? "" : ", ") + each;
        }
        options.Refuse(name, "files' paths or some of: " + list + ", separated by commas");
    }
    return paths;
}

} // namespace

void
BnoTableStudy::AddOptions(ScenarioOptions& o)
{
    o.Add("models", "names in traces/models or files", "mnist_cnn,alexnet,resnet50,vgg16");
    o.Add("clusters", "names in traces/clusters or files", "bno-testbed,bno-mixed");
    o.Add("conditions",
          "steady, load (half of worker 1 is busy now and then), bandwidth (of every wire, falls "
          "to a quarter now and then), both",
          "steady,load,bandwidth,both");
    o.Add("shares",
          JoinNames<BatchSharesPlanner>() + ", " + NORMALIZED +
              " (bno, scaled to the base batch), several separated by commas",
          "bno," + NORMALIZED + ",equal,random,optimal");
    o.Add("base-batch", "samples of all workers together, in each iteration", "128");
    o.Add("update-every",
          "iterations between reports, as long as those of equal shares in the steady condition",
          "10");
    AddDataParallelOptions(o);
    AddTracesOption(o);
    o.Add("out", "folder for the results", "results/" + o.GetName());
}

BnoTableStudy::BnoTableStudy(const ScenarioOptions& options)
    : m_options(options)
{
    ResultsFolder(options.GetString("out")).Check();
    m_traces = FindTracesFolder(options);
    m_conditions = GetKnown(options, "conditions", {"steady", "load", "bandwidth", "both"});
    const auto planners = GetNames<BatchSharesPlanner>();
    std::vector<std::string> known(planners.begin(), planners.end());
    known.push_back(NORMALIZED);
    m_strategies = GetKnown(options, "shares", known);
    ReadDataParallelOptions(options, m_run);
    m_run.baseBatch = options.GetUint("base-batch", 1, 1000000000);
    m_updateEvery = options.GetUint("update-every", 1, 1000000);
    m_models = FindFiles(options, "models", m_traces, "models");
    for (const auto& file : FindFiles(options, "clusters", m_traces, "clusters"))
    {
        m_clusters.push_back(ReadCluster(file, m_traces));
        const Cluster& cluster = m_clusters.back();
        if (cluster.link != "lan" && cluster.link != "p2p")
        {
            options.Refuse("clusters", "clusters on a lan or p2p, unlike " + cluster.name);
        }
        if (m_run.baseBatch < cluster.devices.size())
        {
            options.Refuse("base-batch", "a sample or more for each worker of " + cluster.name);
        }
    }
    const JsonField root = ReadJsonFile(m_traces + "/published/bno-weight-update.json");
    root.CheckFormat("edgepipe-published-bno 1");
    m_source = root.GetField("source").GetString();
    for (const auto& model : root.GetField("models").GetElements())
    {
        for (const auto& [strategy, value] : model.GetField("milliseconds").GetMembers())
        {
            m_paper[model.GetField("file").GetString()][strategy] = value.GetPositiveNumber();
        }
    }
}

void
BnoTableStudy::Run()
{
    for (const auto& model : m_models)
    {
        for (std::size_t cluster = 0; cluster < m_clusters.size(); ++cluster)
        {
            RunSetting(model, cluster);
        }
    }
}

DataParallelOptions
BnoTableStudy::MakeOptions(const std::string& condition,
                           const std::string& strategy,
                           double iterationSeconds,
                           std::vector<DataParallelNode>& nodes) const
{
    DataParallelOptions run = m_run;
    const bool isNormalized = strategy == NORMALIZED;
    run.planner = isNormalized ? "bno" : strategy;
    run.normalize = isNormalized;
    run.updateInterval = RoundSeconds(m_updateEvery * iterationSeconds);
    run.missingAfter = 100 * run.updateInterval;
    const double stretch = UPDATES_PER_STRETCH * iterationSeconds;
    const double end = LONGEST * m_run.iterations * iterationSeconds;
    const bool isLoaded = condition == "load" || condition == "both";
    const bool isNarrow = condition == "bandwidth" || condition == "both";
    std::vector<TraceStep> load{{Time(), 1}};
    for (double time = stretch; isLoaded && time < end; time += 2 * stretch)
    {
        load.push_back({RoundSeconds(time), LOADED_SHARE});
        load.push_back({RoundSeconds(time + stretch), 1});
    }
    nodes[std::min<std::size_t>(1, nodes.size() - 1)].loadSteps =
        isLoaded ? load : std::vector<TraceStep>();
    const double bandwidth = run.network.bandwidthBitsPerSecond;
    for (double time = 1.5 * stretch; isNarrow && time < end; time += 2 * stretch)
    {
        run.network.bandwidthSteps.push_back({RoundSeconds(time), NARROW_SHARE * bandwidth});
        run.network.bandwidthSteps.push_back({RoundSeconds(time + stretch), bandwidth});
    }
    return run;
}

void
BnoTableStudy::RunSetting(const std::string& model, std::size_t number)
{
    const Cluster& cluster = m_clusters[number];
    const DnnGraph graph = ReadDnnGraph(model);
    std::map<std::string, LayerCost> costs;
    auto nodes = MakeDataParallelNodes(m_traces, graph, cluster, cluster.devices.size(), costs);
    m_run.network = NetworkOptions();
    m_run.network.link = cluster.link;
    m_run.network.bandwidthBitsPerSecond = cluster.bandwidthBitsPerSecond;
    m_run.network.delay = Seconds(std::min(cluster.delaySeconds, 1e9));

    // A few iterations say how long all the others are about to take.
    DataParallelOptions first = MakeOptions("steady", "equal", 1, nodes);
    first.iterations = std::min<uint32_t>(5, m_run.iterations);
    const auto probe = RunDataParallel(nodes, first);
    const double iterationSeconds = std::max(1e-6, probe.GetMeanIterationSeconds());

    Progress progress;
    const double all =
        m_models.size() * m_clusters.size() * m_conditions.size() * m_strategies.size();
    const auto published = m_paper.find(graph.name);
    for (std::size_t condition = 0; condition < m_conditions.size(); ++condition)
    {
        for (const auto& strategy : m_strategies)
        {
            const std::string& name = m_conditions[condition];
            const auto run = MakeOptions(name, strategy, iterationSeconds, nodes);
            const auto result = RunDataParallel(nodes, run, [&](double done) {
                progress.Update((m_done + done) / all,
                                graph.name + ", " + cluster.name + ", " + name + ", " + strategy);
            });
            const bool isPapers = number == 0 && name == "steady" && published != m_paper.end() &&
                                  published->second.count(strategy);
            const UpdateStretch mean = AverageAllUpdates(result.updates);
            Rows& rows = m_rows[{number, condition}];
            rows.results.push_back(
                {cluster.name,
                 name,
                 graph.name,
                 strategy,
                 result.isComplete ? "finished" : "stalled",
                 isPapers ? Table::Exact(published->second.at(strategy)) : "",
                 Table::Exact(mean.nodeSeconds),
                 Table::Exact(mean.exchangeSeconds),
                 Table::Exact(mean.iterationSeconds),
                 Table::Exact(result.GetSamplesPerUpdate()),
                 Table::Exact(result.GetSamplesPerSecond()),
                 ExplainUnchangedShares(run.planner, result, run.updateInterval)});
            for (const auto& stretch : AverageUpdates(result.updates))
            {
                rows.stretches.push_back({cluster.name,
                                          name,
                                          graph.name,
                                          strategy,
                                          std::to_string(stretch.first),
                                          std::to_string(stretch.count),
                                          Table::Exact(stretch.nodeSeconds),
                                          Table::Exact(stretch.exchangeSeconds),
                                          Table::Exact(stretch.iterationSeconds)});
            }
            m_isAnyStalled = m_isAnyStalled || !result.isComplete;
            ++m_done;
        }
    }
}

void
BnoTableStudy::Write() const
{
    Table results({"cluster",
                   "condition",
                   "model",
                   "shares",
                   "status",
                   "paperMilliseconds",
                   "weightUpdateSeconds",
                   "exchangeAndStepSeconds",
                   "iterationSeconds",
                   "samplesPerUpdate",
                   "samplesPerSecond",
                   "whyUnchanged"});
    Table stretches({"cluster",
                     "condition",
                     "model",
                     "shares",
                     "firstUpdate",
                     "updates",
                     "weightUpdateSeconds",
                     "exchangeAndStepSeconds",
                     "iterationSeconds"});
    for (const auto& [setting, rows] : m_rows)
    {
        for (const auto& row : rows.results)
        {
            results.AddRow(row);
        }
        for (const auto& row : rows.stretches)
        {
            stretches.AddRow(row);
        }
    }
    ResultsFolder folder(m_options.GetString("out"));
    folder.Write("results.csv", [&](std::ostream& os) { results.WriteCsv(os); });
    folder.Write("stretches.csv", [&](std::ostream& os) { stretches.WriteCsv(os); });
    folder.Write("run.json", [this](std::ostream& os) {
        const nlohmann::ordered_json json{{"published", m_source}};
        os << FormatRunFile(m_options,
                            {},
                            json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    });
    folder.Commit();
    std::cout << "Results: " << m_options.GetString("out")
              << "/  results.csv, stretches.csv (means of 100 updates), run.json\n"
                 "Tables: analysis/papers/bno_table.py "
              << m_options.GetString("out") << "\n";
}

int
BnoTableStudy::GetStatus() const
{
    return m_isAnyStalled ? 3 : 0;
}

} // namespace edgepipe
} // namespace ns3
