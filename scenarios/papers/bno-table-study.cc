/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/bno-table-study.h"

#include "lib/traces-option.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-time.h"
#include "ns3/edgepipe-traces-folder.h"

#include <algorithm>
#include <cmath>
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

/// Options that all trainings get as they are.
const std::vector<std::pair<std::string, std::string>> PASSED_ON{
    {"exchange=ring", "of gradients, as data-parallel's"},
    {"input-size=0", "pixels of a side of the model's input; 0: as in the file"},
    {"latencies=first-node",
     "what bno weighs: first-node (algorithm 1) or all-pairs (equations 4 and 5)"},
    {"stall-timeout=60s", "longest simulated time without progress"}};

/**
 * @param seconds a time
 * @return it for an option, to the nanosecond
 */
std::string
FormatNanoSeconds(double seconds)
{
    return std::to_string(RoundSeconds(seconds).GetNanoSeconds()) + "ns";
}

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
    o.Bind("base-batch=128", m_baseBatch, 1, 1000000000)
        .Help("samples of all workers together, in each iteration");
    o.Bind("update-every=10", m_updateEvery, 1, 1000000)
        .Help("iterations between reports, as long as those of equal shares in the steady "
              "condition");
    o.Bind("updates=2400", m_updates, 1, 10000000).Help("weight updates to run");
    for (const auto& [declaration, help] : PASSED_ON)
    {
        o.Bind(declaration).Help(help);
    }
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
        if (m_baseBatch < cluster.devices.size())
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

std::vector<std::pair<std::string, std::string>>
BnoTableStudy::MakeOptions(const std::string& condition,
                           const std::string& strategy,
                           std::size_t cluster,
                           const std::string& model,
                           double iterationSeconds) const
{
    const bool isNormalized = strategy == NORMALIZED;
    const double interval = m_updateEvery * iterationSeconds;
    std::vector<std::pair<std::string, std::string>> options{
        {"traces", m_traces},
        {"model", model},
        {"cluster", m_clusterFiles[cluster]},
        {"planner", isNormalized ? "bno" : strategy},
        {"normalize", isNormalized ? "true" : "false"},
        {"base-batch", std::to_string(m_baseBatch)},
        {"updates", std::to_string(m_updates)},
        {"update-interval", FormatNanoSeconds(interval)},
        {"missing-after", std::to_string(100 * RoundSeconds(interval).GetNanoSeconds()) + "ns"}};
    for (const auto& [declaration, help] : PASSED_ON)
    {
        const std::string name = declaration.substr(0, declaration.find('='));
        options.emplace_back(name, m_options.GetString(name));
    }
    const double stretch = UPDATES_PER_STRETCH * iterationSeconds;
    const double end = LONGEST * m_updates * iterationSeconds;
    const auto& devices = m_clusters[cluster].devices;
    if (condition == "load" || condition == "both")
    {
        std::string load = devices[std::min<std::size_t>(1, devices.size() - 1)].name + ":1@0s";
        for (double time = stretch; time < end; time += 2 * stretch)
        {
            load += ";" + Table::Exact(LOADED_SHARE) + "@" + FormatNanoSeconds(time) + ";1@" +
                    FormatNanoSeconds(time + stretch);
        }
        options.emplace_back("load", load);
    }
    if (condition == "bandwidth" || condition == "both")
    {
        const double bandwidth = m_clusters[cluster].bandwidthBitsPerSecond;
        const auto format = [](double bitsPerSecond) {
            return std::to_string(std::llround(bitsPerSecond)) + "bps";
        };
        const std::string full = format(bandwidth);
        std::string steps = "0s:" + full;
        for (double time = 1.5 * stretch; time < end; time += 2 * stretch)
        {
            steps += "," + FormatNanoSeconds(time) + ":" + format(NARROW_SHARE * bandwidth) + "," +
                     FormatNanoSeconds(time + stretch) + ":" + full;
        }
        options.emplace_back("bandwidth", steps);
    }
    return options;
}

void
BnoTableStudy::RunSetting(const std::string& model, std::size_t number)
{
    const auto simulate = [&](const auto& options, const std::function<void(double)>& progress) {
        ConfiguredWorkload training("data-parallel", options);
        training->Simulate(0, training->GetNetwork(), progress);
        return DynamicCast<DataParallelWorkload>(training.Get())->GetSimulated().front();
    };
    // A few iterations say how long all the others are about to take.
    auto first = MakeOptions("steady", "equal", number, model, 1);
    for (auto& [name, value] : first)
    {
        value = name == "updates" ? std::to_string(std::min<uint32_t>(5, m_updates)) : value;
    }
    const double iterationSeconds = std::max(1e-6, simulate(first, {}).result.seconds);

    const double all =
        m_models.size() * m_clusters.size() * m_conditions.size() * m_strategies.size();
    const std::string modelName = ReadDnnGraph(model).name;
    const auto published = m_paper.find(modelName);
    for (std::size_t condition = 0; condition < m_conditions.size(); ++condition)
    {
        for (const auto& strategy : m_strategies)
        {
            const std::string& name = m_conditions[condition];
            const auto options = MakeOptions(name, strategy, number, model, iterationSeconds);
            const auto one = simulate(
                options,
                Follow(m_cases.size(),
                       all,
                       modelName + ", " + m_clusters[number].name + ", " + name + ", " + strategy));
            const bool isPapers = number == 0 && name == "steady" && published != m_paper.end() &&
                                  published->second.count(strategy);
            m_cases.push_back(
                {number,
                 condition,
                 modelName,
                 strategy,
                 one.result.isFinished,
                 isPapers ? Table::Exact(published->second.at(strategy)) : "",
                 one.mean,
                 one.AverageUpdates(),
                 one.result.GetSamplesPerUpdate(),
                 one.result.perSecond,
                 one.ExplainUnchangedShares(RoundSeconds(m_updateEvery * iterationSeconds))});
            m_isStalled |= !one.result.isFinished;
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
