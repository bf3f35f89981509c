/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/data-parallel-workload.h"

#include "ns3/boolean.h"

#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/// Longest a run may compute, s; ns-3's clock ends at 9.2e9 s, and transfers take time too.
constexpr double LONGEST_TRAINING_SECONDS = 1e9;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(DataParallelWorkload);

void
DataParallelWorkload::Declare(ScenarioOptions& o)
{
    m_options = &o;
    o.Bind("model=resnet50").Help("DNN: a name in traces/models or a file");
    o.Bind("cluster=bno-testbed").Help("devices: a name in traces/clusters or a file");
    o.Bind("devices=0", m_workers, 0, 16384)
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
    const RateSteps bandwidth(m_options->GetBitsPerSecond("control-bandwidth"));
    m_setting.control->Set("Bandwidth", RateStepsValue(bandwidth));
    const std::string trace = FindRecording(*m_options, "control-trace", TraceDirection::UP);
    if (!trace.empty())
    {
        m_setting.control->SetLink("trace",
                                   "Bandwidth",
                                   RateStepsValue(bandwidth),
                                   "Delay",
                                   TimeValue(MicroSeconds(20)),
                                   "Trace",
                                   StringValue(trace),
                                   "TraceDown",
                                   StringValue(trace));
        try
        {
            CheckTrace(trace, TraceDirection::UP, TraceOptions());
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
    CasePlan all{one.planner, {{one.shares.size() > 1 ? "last" : "", {}}}, COMPUTING};
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

} // namespace ns3::edgepipe
