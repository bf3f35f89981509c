/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/data-parallel-run.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-batch-shares-problem-json.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-gradient-exchange.h"

#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/** Means over a stretch of weight updates. */
struct UpdateStretch
{
    std::size_t first{0};       //!< the first update, from 0
    std::size_t count{0};       //!< how many
    double nodeSeconds{0};      //!< weight update as a worker sees it, waiting included
    double exchangeSeconds{0};  //!< the same without waiting for slower workers
    double iterationSeconds{0}; //!< of an iteration
};

/// Weight updates per stretch, as in the paper that BatchSharesProblem cites.
constexpr std::size_t UPDATES_PER_STRETCH = 100;

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

/** A training under one planner. */
struct DataParallelCase : DataParallelResult
{
    /** @return means of every 100 updates, the last of the remaining ones */
    std::vector<UpdateStretch> AverageUpdates() const
    {
        std::vector<UpdateStretch> stretches;
        for (std::size_t first = 0; first < updates.size(); first += UPDATES_PER_STRETCH)
        {
            stretches.push_back(
                Average(updates, first, std::min(UPDATES_PER_STRETCH, updates.size() - first)));
        }
        return stretches;
    }

    /**
     * @param updateInterval between reports
     * @return why shares never changed, such as "no report was due before the end";
     *         empty if shares changed, or if the planner wanted no others
     */
    std::string ExplainUnchangedShares(Time updateInterval) const
    {
        // Every run begins with equal shares.
        return planner == "equal" || updates.empty() || updates.back().version > 0 ? ""
               : shares.size() > 1    ? "those decided came too late for any update"
               : plans > 0            ? ""
               : end < updateInterval ? "no report was due before the end"
                                      : "not every worker had reported before the end";
    }

    std::string planner; //!< its name
    UpdateStretch mean;  //!< over all updates
};

/// Longest a run may compute, s; ns-3's clock ends at 9.2e9 s, and transfers take time too.
constexpr double LONGEST_TRAINING_SECONDS = 1e9;

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

/**
 * @ingroup edgepipe
 *
 * Data-parallel training of one model on one cluster.
 */
class DataParallelWorkload : public CasesWorkload<DataParallelWorkload, DataParallelCase>
{
  public:
    static constexpr char NAME[] = "data-parallel"; //!< to select it by
    static constexpr char USAGE[] = "Train a DNN that every worker holds whole: how many samples "
                                    "each computes is decided anew during the training.";
    static constexpr char SCRIPT[] = "analysis/data_parallel.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override;

    std::size_t CountDevices() const override
    {
        return m_setting.nodes.size();
    }

    WorkloadSweep GetSweep() const override
    {
        return {"devices",
                "bno",
                "base-batch=8",
                {"iteration (s)", "samples/s"},
                GetNames<BatchSharesPlanner>(),
                "model&single:cluster single:devices=2..5&base-batch=8..256 "
                "updates=1..3&exchange=ring|parameter-server"};
    }

    /** @return seconds per sample, since shares may not add up to the base batch */
    double GetRank(const CaseOutcome& outcome) const override
    {
        return 1 / outcome.perSecond;
    }

    const CaseOutcome& Simulate(std::size_t index,
                                const NetworkOptions& network,
                                const std::function<void(double)>& progress) override
    {
        AttributeDefaults defaults;
        m_options->SetAttributes(defaults);
        DataParallelSetting setting = m_setting;
        setting.network = network;
        setting.planner = m_planners[index];
        DataParallelCase& one = Begin(index);
        static_cast<DataParallelResult&>(one) = RunDataParallel(setting, progress);
        one.mean = Average(one.updates, 0, one.updates.size());
        return one;
    }

    void PrintNetwork() const override
    {
        Workload::PrintNetwork();
        if (m_setting.control)
        {
            PrintRecordings(*m_options, "control: ", *m_setting.control);
        }
    }

    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    /** Read the workers. */
    void ReadNodes();
    /** Read --control. */
    void ReadControl();
    /**
     * @param option that has the text
     * @param text a worker's name and a time, such as NAME@20s
     * @return both
     */
    std::pair<std::string, Time> ReadMoment(const std::string& option,
                                            const std::string& text) const;
    /**
     * @param option join or leave
     * @param moment of a worker, set to that option's time
     */
    void ReadPresence(const std::string& option, Time DataParallelNode::*moment);

    /** @return whether the exchange of gradients works at flow level only */
    bool NeedsFlows() const
    {
        return FindByName<GradientExchange>("--exchange", m_options->GetString("exchange"))
            ->NeedsFlows();
    }

    Sheet<DataParallelCase> MakeResults() const override;
    CasePlan PlanOf(const DataParallelCase& one) const override;
    /** @return what the fastest worker would take alone, at least; none for a single worker */
    std::vector<std::string> DescribeAlone() const;
    /**
     * Print when workers joined and left.
     * @param one the case
     */
    void PrintPresence(const DataParallelCase& one) const;
    /**
     * Print which metrics were missing.
     * @param one the case
     */
    void PrintMissing(const DataParallelCase& one) const;

    DataParallelSetting m_setting; //!< workers and networks
    DnnGraph m_graph;              //!< the model
    Cluster m_cluster;             //!< the devices
    uint32_t m_workers{0};         //!< number of workers; 0: one for each device
    uint32_t m_inputSize{0};       //!< pixels of a side; 0: as in the model file
    uint64_t m_baseBatch{0};       //!< samples of all workers
    bool m_isAllPairs{false};      //!< see DataParallelReporter
    std::string m_controlKind;     //!< network of metrics and shares: shared or own
};

NS_OBJECT_ENSURE_REGISTERED(DataParallelWorkload);

void
DataParallelWorkload::Declare(ScenarioOptions& o)
{
    m_options = &o;
    o.Bind("model=resnet50").Help("DNN: a name in traces/models or a file");
    o.Bind("cluster=bno-testbed").Help("devices: a name in traces/clusters or a file");
    o.Bind("devices=0", m_workers, 0, 1024)
        .Help(
            "number of workers; beyond the cluster's devices, these are repeated; 0: one for each "
            "device");
    o.Rename("workers", "--devices=NUMBER");
    DeclarePlanners<BatchSharesPlanner>("bno");
    o.Rename("shares", "--planner=NAME");
    o.BindAttribute("base-batch=128", {"DataParallelHelper::BaseBatch"});
    o.BindAttribute("optimizer-states", {"TrainingMemory::OptimizerStates"});
    o.BindAttribute("updates=2400", {"DataParallelWorker::Iterations"})
        .Help("weight updates to run");
    auto& exchange = o.BindAttribute("exchange", {"DataParallelHelper::Exchange"});
    exchange.Help("exchange of gradients: " + JoinNames<GradientExchange>() +
                  "; merged-ring: all steps of a ring as one flow per worker, flow level only");
    o.BindAttribute("bucket-bytes", {"DataParallelWorker::BucketBytes"});
    o.Bind("input-size=0", m_inputSize, 0, 4096)
        .Help("side of the model's input, pixels, up to 4096: figures of layers before the first "
              "linear one scale with the area; 0: as in the file");
    auto& latencies = o.Bind("latencies=first-node", m_isAllPairs, "first-node", "all-pairs");
    latencies.Help(
        "latencies that bno uses: first-node (algorithm 1) or all-pairs (equations 4 and 5)");
    latencies.set = [this](AttributeDefaults& defaults) {
        defaults.Set("DataParallelReporter::AllPairs", BooleanValue(m_isAllPairs));
    };
    o.BindAttribute("stall-timeout", {"StallMonitor::Timeout"});
    o.BindAttribute("normalize", {"DataParallelHelper::Normalize"});
    o.BindAttribute(
        "update-interval",
        {"DataParallelReporter::UpdateInterval", "DataParallelFirstNode::UpdateInterval"});
    o.BindAttribute("missing-after", {"DataParallelFirstNode::MissingAfter"});
    o.Bind("monitor=none",
           [this] {
               m_setting.monitor = m_options->GetString("monitor");
               m_options->Expect("monitor",
                                 m_setting.monitor == "none" ||
                                     GetNames<BandwidthMonitor>().count(m_setting.monitor) > 0,
                                 "none, " + JoinNames<BandwidthMonitor>());
           })
        .Help("how the links of gradients are estimated: none (only by pings, and uploads to a "
              "parameter server), " +
              JoinNames<BandwidthMonitor>());
    o.BindAttribute("replan-threshold", {"DataParallelHelper::ReplanThreshold"});
    o.BindAttribute("replan-period", {"Replanner::ReplanPeriod"});
    AddPlanningTimeOption(o);
    o.Bind("join=").Help("workers that join during the training, and when they ask to, such as "
                         "NAME@20s,...; the others are in from the start");
    o.Bind("leave=").Help("workers that leave, and when they ask to, such as NAME@40s,...");
    AddLoadOptions(o, m_setting.load, "DEVICE is a worker; without DEVICE: all workers");
    o.Rename("load-trace", "--load=FILE or --load=DEVICE:FILE");
    AddReplayOptions(o, "DEVICE is a worker");
    o.Bind("control=shared", m_controlKind, "shared", "own")
        .Help("network of metrics and shares: shared (that of the gradients) or own (a LAN)");
    o.Bind("control-bandwidth=1Gbps").Help("--control=own: bandwidth of every wire");
    o.Bind("control-trace=")
        .Help("--control=own: recorded bandwidth of every wire, replayed both ways, like --trace, "
              "instead of --control-bandwidth");
    o.Bind("control-cut=")
        .Help("--control=own: worker whose wire there goes dead, and when, such as NAME@20s");
    o.Need({"control-bandwidth", "control-trace", "control-cut"}, "control", "own", "shared");
    AddNetworkOptions(o, m_network);
}

void
DataParallelWorkload::Read()
{
    const std::string traces = FindTracesFolder(*m_options);
    m_options->Expect("exchange",
                      !NeedsFlows() || m_options->GetString("fidelity") != "packet",
                      "ring or parameter-server where --fidelity=packet");
    m_options->Expect("latencies",
                      m_setting.monitor == "none" || !m_isAllPairs,
                      "first-node, since --monitor=" + m_setting.monitor +
                          " watches the link that a worker's gradients take, not all pairs");
    CheckReplanning(0);
    const std::string model = FindTracesFile(*m_options, "model", "models");
    m_graph = ReadDnnGraph(model);
    if (m_inputSize > 0)
    {
        m_graph = ScaleInput(m_graph, ReadInputSide(model), m_inputSize);
    }
    const std::string clusterFile = FindTracesFile(*m_options, "cluster", "clusters");
    m_cluster = ReadCluster(clusterFile, traces);
    ReadNodes();
    const auto names = Map(m_setting.nodes, &DataParallelNode::name);
    ReadNetworkOptions(*m_options, m_cluster, m_network);
    CheckNetwork(*m_options, m_network, names, clusterFile + ": network: ");
    ReadControl();
    ReadPresence("join", &DataParallelNode::join);
    ReadPresence("leave", &DataParallelNode::leave);
    m_setting.loads = ReadLoads(*m_options, m_setting.load, names, names.size());
    m_setting.replays = ReadReplays(*m_options, names);
    m_setting.layers = Map(m_graph.layers, &DnnLayer::name);
}

void
DataParallelWorkload::ReadNodes()
{
    const std::size_t devices = m_cluster.devices.size();
    const std::size_t workers = m_workers > 0 ? m_workers : devices;
    m_options->Expect("monitor",
                      m_setting.monitor == "none" || workers != 1,
                      "none, since a lone worker sends its gradients to nobody");
    m_options->Read("base-batch", m_baseBatch, 1, LARGEST_BASE_BATCH);
    m_options->Expect("base-batch",
                      m_baseBatch >= workers,
                      "a sample or more for each of " + std::to_string(workers) + " workers");
    AttributeDefaults defaults;
    m_options->SetAttributes(defaults);
    const auto costs =
        FindDataParallelCosts(FindTracesFolder(*m_options), m_graph, m_cluster.specs, &m_costs);
    for (std::size_t i = 0; i < workers; ++i)
    {
        const ClusterDevice& device = m_cluster.devices[i % devices];
        DataParallelNode node;
        node.name = device.name + (i < devices ? "" : "." + std::to_string(i / devices + 1));
        node.memoryBytes = device.memoryBytes;
        node.cost = costs.at(device.type);
        const double pass = node.cost.sampleSeconds + node.cost.passSeconds;
        const double seconds = m_options->Get<double>("updates") *
                               (static_cast<double>(m_baseBatch) * pass + node.cost.updateSeconds);
        Require(seconds <= LONGEST_TRAINING_SECONDS,
                node.name + " would compute for up to " + Table::Rounded(seconds) +
                    " s, expected at most 1e9 s");
        m_setting.nodes.push_back(node);
    }
}

void
DataParallelWorkload::ReadControl()
{
    if (m_controlKind == "shared")
    {
        return;
    }
    m_setting.control.emplace();
    m_setting.control->fidelity = m_network.fidelity;
    m_setting.control->bandwidthBitsPerSecond = m_options->GetBitsPerSecond("control-bandwidth");
    const std::string trace = FindRecording(*m_options, "control-trace", TraceDirection::UP);
    if (!trace.empty())
    {
        m_setting.control->link = "trace";
        m_setting.control->uplinkTrace = trace;
        m_setting.control->downlinkTrace = trace;
        try
        {
            CheckTrace(trace, TraceDirection::UP, m_setting.control->trace);
        }
        catch (const InputError& error)
        {
            throw InputError(std::string("--control-trace: ") + error.what());
        }
    }
    const std::string& cut = m_options->GetString("control-cut");
    if (!cut.empty())
    {
        std::tie(m_setting.control->cutDevice, m_setting.control->cutTime) =
            ReadMoment("control-cut", cut);
    }
}

std::pair<std::string, Time>
DataParallelWorkload::ReadMoment(const std::string& option, const std::string& text) const
{
    const auto at = text.rfind('@');
    const std::string name = text.substr(0, at);
    Time time;
    m_options->Expect(option,
                      at != std::string::npos &&
                          Contains(Map(m_setting.nodes, &DataParallelNode::name), name) &&
                          ParseTime(text.substr(at + 1), time),
                      "a worker's NAME@TIME such as " + m_setting.nodes.back().name + "@20s");
    return {name, time};
}

void
DataParallelWorkload::ReadPresence(const std::string& option, Time DataParallelNode::*moment)
{
    if (m_options->GetString(option).empty())
    {
        return;
    }
    m_options->Expect(option,
                      !NeedsFlows(),
                      "none, since nobody joins or leaves a merged ring; ring and "
                      "parameter-server are formed anew");
    for (const auto& text : m_options->GetList(option))
    {
        const auto [name, time] = ReadMoment(option, text);
        auto& node =
            *FindIf(m_setting.nodes, [&name = name](auto& one) { return one.name == name; });
        m_options->Expect(option,
                          &node != &m_setting.nodes.front() && (node.*moment).IsZero() &&
                              time > node.join,
                          "each worker but the first, which decides, once, to join after 0 s "
                          "and to leave after that");
        node.*moment = time;
    }
}

CasePlan
DataParallelWorkload::PlanOf(const DataParallelCase& one) const
{
    const uint32_t last = one.updates.empty() ? 0 : one.updates.back().version;
    CasePlan all{one.planner, {{one.shares.size() > 1 ? "last" : "", {}}}};
    std::size_t from = 0;
    for (std::size_t rank = 0; rank < one.nodes.size(); ++rank)
    {
        const auto& node = m_setting.nodes[rank];
        const uint64_t samples = one.shares[last].samples[rank];
        PlanPart part{node.name, FormatCount(samples, "sample", "samples"), {}};
        if (samples > 0)
        {
            part.spans.emplace_back(from, from + samples - 1);
            from += samples;
        }
        part.share = one.nodes[rank].computeSeconds / one.end.GetSeconds();
        part.memoryBytes = one.peakMemoryBytes[rank];
        part.capacityBytes = node.memoryBytes;
        all.steps.back().Add(part);
    }
    return all;
}

Sheet<DataParallelCase>
DataParallelWorkload::MakeResults() const
{
    using Case = const DataParallelCase;
    using M = UpdateStretch;
    const Time interval = m_options->Get<Time>("update-interval");
    const auto mean = [](double M::*figure) { return [=](Case& r) { return r.mean.*figure; }; };
    auto further = MakeFailureColumns();
    if (m_setting.monitor != "none")
    {
        further.push_back({"monitor", m_setting.monitor});
        further.push_back({"decisions", "decisions", [](Case& r) { return r.plans; }});
    }
    return MakeSheet<DataParallelCase>(
        {
            {"planner", "planner", &DataParallelCase::planner},
            {"model", m_graph.name},
            {"cluster", m_cluster.name},
            {"workers", m_setting.nodes.size()},
            {"link", m_network.link},
            {"fidelity", m_network.fidelity},
            {"exchange", m_options->GetString("exchange")},
            {"baseBatch", m_baseBatch},
            {"status", &CaseOutcome::GetStatus},
            {"updates", [](Case& r) { return r.updates.size(); }},
            {"",
             "updates",
             [](Case& r) {
                 return std::to_string(r.updates.size()) + (r.isFinished ? "" : ", stalled");
             }},
            {"weightUpdateSeconds", "weight update (ms)", mean(&M::nodeSeconds), FormatMs},
            {"exchangeAndStepSeconds",
             "exchange and step (ms)",
             mean(&M::exchangeSeconds),
             FormatMs},
            {"iterationSeconds", "iteration (ms)", mean(&M::iterationSeconds), FormatMs},
            {"samplesPerUpdate",
             "samples per update",
             [](Case& r) { return r.GetSamplesPerUpdate(); },
             FormatRounded},
            {"samplesPerSecond", "samples/s", [](Case& r) { return r.perSecond; }, FormatRounded},
            {"",
             "sent per worker, mean",
             [&](Case& r) { return DescribeSent(r, m_setting.nodes); }},
            {"shareChanges",
             "share changes",
             [](Case& r) {
                 return std::count_if(r.shares.begin() + 1, r.shares.end(), [](const auto& one) {
                     return one.isInForce;
                 });
             }},
            {"whyUnchanged", [=](Case& r) { return r.ExplainUnchangedShares(interval); }},
            {"layerCostOrigins", JoinOrigins(m_costs)},
        },
        m_cases,
        further);
}

std::vector<std::string>
DataParallelWorkload::DescribeAlone() const
{
    const auto& nodes = m_setting.nodes;
    const auto getSeconds = [this](const DataParallelNode& node) {
        const auto& cost = node.cost;
        return m_baseBatch * cost.sampleSeconds + cost.passSeconds + cost.updateSeconds;
    };
    if (nodes.size() < 2)
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
              << m_network.link << ", " << m_network.fidelity << " level, exchange "
              << m_options->GetString("exchange") << ", base batch " << m_baseBatch << ", "
              << Table::Bytes(m_setting.nodes.front().cost.parameterBytes) << " of gradients\n";
    PrintLayerCosts(m_costs);
    std::cout << "\n";
    MakeResults().GetShown().Print(std::cout);
    std::cout << "\nweight update: from a worker's gradients to its new weights, mean over workers;"
                 " exchange and\nstep: the same without waiting for slower workers\n";
    NoteOrder();
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
    WriteLinks(folder, ListKeys());
    const bool isAsked = m_cases.front().plans > 0;
    if (isAsked)
    {
        folder.Write("problem.json", FormatProblem(m_cases.front().problem));
    }
    return std::string("results.csv (a row per planner), stretches.csv (means of 100 updates),\n"
                       "  updates.csv, shares.csv, workers.csv, links.csv, ") +
           (isAsked ? "problem.json, " : "") + "run.json";
}

} // namespace

} // namespace ns3::edgepipe
