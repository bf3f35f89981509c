/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/bno-table-study.h"

#include "lib/data-parallel-inputs.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-time.h"
#include "ns3/edgepipe-traces-folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

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

} // namespace

BnoTableStudy::BnoTableStudy(ScenarioOptions& o)
    : Experiment(o)
{
    const auto planners = GetNames<BatchSharesPlanner>();
    std::vector<std::string> strategies(planners.begin(), planners.end());
    strategies.push_back(NORMALIZED);
    const std::vector<std::string> conditions{"steady", "load", "bandwidth", "both"};
    o.Bind("model=mnist_cnn,alexnet,resnet50,vgg16", m_models)
        .Help("names in traces/models or files");
    o.Rename("models", "--model=NAME");
    o.Bind("cluster=bno-testbed,bno-mixed", m_clusterFiles)
        .Help("names in traces/clusters or files");
    o.Rename("clusters", "--cluster=NAME");
    o.Bind("conditions=" + JoinWords(conditions, ","), m_conditions, conditions)
        .Help("steady, load (half of worker 1 is busy now and then), bandwidth (of every wire, "
              "falls to a quarter now and then), both");
    o.Bind("planner=bno," + NORMALIZED + ",equal,random,optimal", m_strategies, strategies)
        .Help(JoinWords(strategies) +
              " (bno, scaled to the base batch), several separated by commas");
    o.Rename("shares", "--planner=NAME");
    o.Bind("base-batch=128", m_run.baseBatch, 1, 1000000000)
        .Help("samples of all workers together, in each iteration");
    o.Bind("update-every=10", m_updateEvery, 1, 1000000)
        .Help("iterations between reports, as long as those of equal shares in the steady "
              "condition");
    AddDataParallelOptions(o, m_run, m_inputSize);
    AddTracesOption(o);
    o.AddOut();
}

void
BnoTableStudy::Read()
{
    m_traces = FindTracesFolder(m_options);
    for (auto& model : m_models)
    {
        model = FindTracesFile("--model", model, "models", m_traces);
    }
    for (const auto& file : m_clusterFiles)
    {
        m_clusters.push_back(
            ReadCluster(FindTracesFile("--cluster", file, "clusters", m_traces), m_traces));
        const Cluster& cluster = m_clusters.back();
        if (cluster.link != "lan" && cluster.link != "p2p")
        {
            m_options.Refuse("cluster", "clusters on a lan or p2p, unlike " + cluster.name);
        }
        if (m_run.baseBatch < cluster.devices.size())
        {
            m_options.Refuse("base-batch", "a sample or more for each worker of " + cluster.name);
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
BnoTableStudy::Simulate()
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
    const DnnGraph graph = ReadDataParallelModel(model, m_inputSize);
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

    const double all =
        m_models.size() * m_clusters.size() * m_conditions.size() * m_strategies.size();
    const auto published = m_paper.find(ReadDnnGraph(model).name);
    for (std::size_t condition = 0; condition < m_conditions.size(); ++condition)
    {
        for (const auto& strategy : m_strategies)
        {
            const std::string& name = m_conditions[condition];
            const auto run = MakeOptions(name, strategy, iterationSeconds, nodes);
            const auto result = RunDataParallel(
                nodes,
                run,
                Follow(m_cases.size(),
                       all,
                       graph.name + ", " + cluster.name + ", " + name + ", " + strategy));
            const bool isPapers = number == 0 && name == "steady" && published != m_paper.end() &&
                                  published->second.count(strategy);
            m_cases.push_back({number,
                               condition,
                               graph.name,
                               strategy,
                               result.isComplete,
                               isPapers ? Table::Exact(published->second.at(strategy)) : "",
                               AverageAllUpdates(result.updates),
                               AverageUpdates(result.updates),
                               result.GetSamplesPerUpdate(),
                               result.GetSamplesPerSecond(),
                               ExplainUnchangedShares(run.planner, result, run.updateInterval)});
            m_isStalled |= !result.isComplete;
        }
    }
}

std::string
BnoTableStudy::Write(ResultsFolder& folder) const
{
    auto cases = m_cases;
    std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
        return std::tie(a.cluster, a.condition) < std::tie(b.cluster, b.condition);
    });
    using Case = const BnoCase;
    const auto getCluster = [this](Case& c) { return m_clusters[c.cluster].name; };
    const auto getCondition = [this](Case& c) { return m_conditions[c.condition]; };
    Sheet<BnoCase, UpdateStretch> stretches({
        {"cluster", getCluster},
        {"condition", getCondition},
        {"model", &BnoCase::model},
        {"planner", &BnoCase::strategy},
        {"firstUpdate", &UpdateStretch::first},
        {"updates", &UpdateStretch::count},
        {"weightUpdateSeconds", &UpdateStretch::nodeSeconds},
        {"exchangeAndStepSeconds", &UpdateStretch::exchangeSeconds},
        {"iterationSeconds", &UpdateStretch::iterationSeconds},
    });
    for (const auto& one : cases)
    {
        stretches.AddEach(one, one.stretches);
    }
    const auto results = MakeSheet<BnoCase>(
        {
            {"cluster", getCluster},
            {"condition", getCondition},
            {"model", &BnoCase::model},
            {"planner", &BnoCase::strategy},
            {"status", [](Case& c) { return c.isComplete ? "finished" : "stalled"; }},
            {"paperMilliseconds", &BnoCase::paperMilliseconds},
            {"weightUpdateSeconds", [](Case& c) { return c.mean.nodeSeconds; }},
            {"exchangeAndStepSeconds", [](Case& c) { return c.mean.exchangeSeconds; }},
            {"iterationSeconds", [](Case& c) { return c.mean.iterationSeconds; }},
            {"samplesPerUpdate", &BnoCase::samplesPerUpdate},
            {"samplesPerSecond", &BnoCase::samplesPerSecond},
            {"whyUnchanged", &BnoCase::whyUnchanged},
        },
        cases);
    folder.Write("results.csv", AddRunColumns(results.GetFile()));
    folder.Write("stretches.csv", stretches.GetFile());
    folder.Write("run.json", FormatRunFile(m_options, {}, {{"published", m_source}}));
    return "results.csv, stretches.csv (means of 100 updates), run.json\n"
           "Tables: analysis/papers/bno_table.py " +
           m_options.GetString("out");
}

} // namespace edgepipe
} // namespace ns3
