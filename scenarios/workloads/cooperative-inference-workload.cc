/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/cooperative-summary.h"

#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-regression.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"
#include "ns3/edgepipe-two-way-cut-problem-json.h"

#include <array>

namespace ns3::edgepipe
{

namespace
{

/// Devices whose latencies are listed; of more, the extremes.
constexpr std::size_t SHOWN_DEVICES = 8;

/** A run under one planner. */
struct CooperativeCase : CooperativeInferenceResult
{
    std::string planner;                       //!< its name
    CooperativeSummary summary;                //!< key figures
    std::array<uint64_t, 2> peakMemoryBytes{}; //!< of a device and the server, largest of any plan
};

/// Changes of plan that are printed for a planner; plans.csv has them all.
constexpr std::size_t SHOWN_CHANGES = 4;
/// Limit on frames of all devices; each has a record of 112 bytes.
constexpr uint64_t MOST_FRAMES = 10000000;
/// Longest time in which cameras take frames, s.
constexpr double LONGEST_SECONDS = 1e9;

/**
 * @param c a case
 * @return whether its frames were predicted
 */
bool
IsPredicted(const CooperativeCase& c)
{
    return c.summary.finished > c.summary.unpredicted;
}

/**
 * @ingroup edgepipe
 *
 * Cooperative inference of one model under one or several planners, all with the same network and
 * the same frames.
 */
class CooperativeInferenceWorkload
    : public CasesWorkload<CooperativeInferenceWorkload, CooperativeCase>
{
  public:
    static constexpr char NAME[] = "cooperative-inference"; //!< to select it by
    static constexpr char USAGE[] = "Share the inference of camera frames between devices and a "
                                    "server: which layers run where is decided anew as bandwidth "
                                    "changes.";
    static constexpr char SCRIPT[] = "analysis/cooperative.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override;

    std::size_t CountDevices() const override
    {
        return m_cluster.devices.size();
    }

    WorkloadSweep GetSweep() const override
    {
        return {"devices",
                "qdmp",
                "",
                {"response (s)", "requests/s"},
                GetNames<TwoWayCutPlanner>(),
                "model&single:device=@ single:server=@&single:devices=1..4 "
                "frames=10..60&replan=true|false frame-rate=0.2~20/in-flight=1..3",
                2};
    }

    double GetRank(const CaseOutcome& outcome) const override
    {
        return IsForThroughput() ? 1 / outcome.perSecond : outcome.seconds;
    }

    const CaseOutcome& Simulate(std::size_t index,
                                const NetworkOptions& network,
                                const std::function<void(double)>& progress) override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    /**
     * @param traces the traces folder
     * @param device a device type
     * @return the problem of devices of that type
     * @throws InputError if a model or profile cannot be used
     */
    TwoWayCutProblem BuildProblem(const std::string& traces, const DeviceSpec& device) const;

    /** @return names of the device types, separated by commas */
    std::string GetDeviceTypes() const
    {
        std::vector<std::string> seen;
        for (std::size_t i = 0; i < m_count; ++i)
        {
            const std::string& type = m_cluster.devices[i].type;
            if (!Contains(seen, type))
            {
                seen.push_back(type);
            }
        }
        return JoinWords(seen);
    }

    /** @return whether plans are for throughput */
    bool IsForThroughput() const
    {
        return m_objective == "throughput";
    }

    /** @return description of the network, recordings by their file names */
    std::string DescribeNetwork() const;
    /** Print the setup and notes on the figures. */
    void PrintHeading() const;
    Sheet<CooperativeCase> MakeResults() const override;
    CasePlan PlanOf(const CooperativeCase& one) const override;

    /** @return where a device's plan cuts, in words */
    std::string Describe(const PlanRecord& plan) const
    {
        return DescribeCut(m_devices[plan.device].problem, plan.plan);
    }

    /**
     * @param isOnDevice by layer
     * @param devices that have this plan
     * @return its two parts: one device's, and the server's
     */
    std::vector<PlanPart> ListSides(const std::vector<bool>& isOnDevice,
                                    const std::vector<uint32_t>& devices) const;
    /** @return mean latencies by device, a paragraph per case; none for a single device */
    std::vector<std::string> DescribeDevices() const;
    /**
     * @param one a case
     * @return the uplink's rate that its monitor believed, and the true one, when each frame began
     */
    std::vector<RateBelief> ListBeliefs(const CooperativeCase& one) const;
    /** Print when plans came into force. */
    void PrintChanges() const;

    CooperativeSetting m_setting;             //!< how to run, except network and planner
    DnnGraph m_graph;                         //!< the model
    Cluster m_cluster;                        //!< end devices, then the server
    std::vector<CooperativeDevice> m_devices; //!< end devices; the run fills in bandwidths
    uint32_t m_count{1};                      //!< number of end devices
    TwoWayEncoding m_encoding;                //!< bytes per element when sent
    std::string m_objective;                  //!< latency or throughput
    std::vector<std::string> m_leftOut;       //!< planners that do not plan for it
    double m_framesPerSecond{0};              //!< of each camera; 0: back to back
    uint64_t m_frames{0};                     //!< of each camera
};

NS_OBJECT_ENSURE_REGISTERED(CooperativeInferenceWorkload);

void
CooperativeInferenceWorkload::Declare(ScenarioOptions& o)
{
    m_options = &o;
    o.Bind("model=resnet18").Help("DNN: a name in traces/models or a file");
    o.Bind("cluster=")
        .Help("end devices and, as the last device, the server: a name in traces/clusters or a "
              "file; empty: --devices of the type --device, and --server");
    o.Bind("device=raspberry-pi-3b")
        .Help("type of the end devices: a name in traces/devices or a file; NAME@STACK for another "
              "stack");
    o.Bind("server=rtx-2080-ti")
        .Help(
            "type of the server: a name in traces/devices or a file; NAME@STACK for another stack");
    o.Bind("devices=1", m_count, 1, 10000).Help("end devices that share the server and the cell");
    o.Bind("frame-element-bytes=1", m_encoding.frameBytesPerElement, 1, 16)
        .Help("bytes per element of a frame when sent: 1 as from a camera, 4 as float32");
    o.Bind("tensor-element-bytes=4", m_encoding.tensorBytesPerElement, 1, 16)
        .Help("bytes per element of a tensor when sent: 4 as float32, 1 if quantised");
    DeclarePlanners<TwoWayCutPlanner>("qdmp");
    o.Bind("objective=latency", m_objective, "latency", "throughput")
        .Help("what plans optimise: latency (of a lone frame), or throughput (minimise the longest "
              "of computing on the device, transfer, and computing on the server; planners exact, "
              "neurosurgeon, edge-only, cloud-only and those from outside)");
    o.BindName<BandwidthMonitor>("monitor=passive", m_setting.monitor)
        .Help("how bandwidth is estimated: ");
    o.BindAttribute("frames", {"InferenceDevice::Frames"}).Help("frames of each device's camera");
    o.BindAttribute("frame-rate", {"InferenceDevice::FramesPerSecond"})
        .Help("frames/s of each camera; 0: back to back");
    o.BindAttribute("in-flight", {"InferenceDevice::FramesInFlight"});
    o.BindAttribute("frame-queue", {"InferenceDevice::QueueFrames"});
    o.BindAttribute("replan", {"InferenceReplanner::Replan"});
    o.BindAttribute("replan-threshold", {"Replanner::ReplanThreshold"});
    o.BindAttribute("replan-period", {"Replanner::ReplanPeriod"});
    o.BindAttribute("know-others", {"InferenceReplanner::KnowOthers"});
    o.BindAttribute("both-hold-model", {"InferenceReplanner::BothHoldModel"});
    AddPlanningTimeOption(o);
    // Not the monitor, whose probes and reports load the network even if no plan follows.
    o.Need({"replan-threshold", "replan-period", "know-others", "both-hold-model", "planning-time"},
           "replan",
           "true");
    AddLoadOptions(o,
                   m_setting.load,
                   "DEVICE may be server; without DEVICE: all end devices, not the server");
    AddReplayOptions(o, "DEVICE may be server");
    o.Rename("load-trace", "--load=FILE");
    o.Rename("server-load-trace", "--load=server:FILE");
    AddNetworkOptions(o, m_network);
    SetUsualLink(o, m_network, "4g");
    o.Bind("planner-bandwidth=oracle",
           [this] {
               if (m_options->GetString("planner-bandwidth") == "oracle")
               {
                   return;
               }
               std::vector<double> rates;
               for (const auto& text : m_options->GetList("planner-bandwidth"))
               {
                   double rate = 0;
                   m_options->Expect("planner-bandwidth",
                                     ParseBitsPerSecond(text, rate) && rates.size() < 2,
                                     "oracle, or a data rate above 0 such as 5.85Mbps, or one up "
                                     "and one down, separated by a comma");
                   rates.push_back(rate);
               }
               m_setting.firstUplinkBitsPerSecond = rates.front();
               m_setting.firstDownlinkBitsPerSecond = rates.back();
           })
        .Help("bandwidth that the first plan assumes: UP or UP,DOWN such as 5.85Mbps; oracle: the "
              "true one");
    o.BindAttribute("start-up", {"FlowTransport::StartUp"})
        .Help("flow level: whether TCP connections begin with handshake and slow start");
    o.BindAttribute("stall-timeout", {"StallMonitor::Timeout"});
}

void
CooperativeInferenceWorkload::Read()
{
    const std::string traces = FindTracesFolder(*m_options);
    CheckReplanning();
    m_options->Read("frames", m_frames, 1, MOST_FRAMES);
    m_options->Read("frame-rate", m_framesPerSecond, 0, 1e6);
    const bool hasRate = m_framesPerSecond > 0;
    m_options->Expect("frame-rate",
                      !hasRate ||
                          static_cast<double>(m_frames) <= LONGEST_SECONDS * m_framesPerSecond,
                      "0, or enough for " + std::to_string(m_frames) + " frames in 1e9 s");
    for (const char* name : {"in-flight", "frame-queue"})
    {
        m_options->Expect(name,
                          !m_options->IsChanged(name) ||
                              hasRate != (std::string(name) == "in-flight"),
                          std::string("none, since it is for frames ") +
                              (hasRate ? "back to back, without --frame-rate"
                                       : "of a camera, with --frame-rate"));
    }
    m_graph = ReadDnnGraph(FindTracesFile(*m_options, "model", "models"));
    for (const DnnLayer& layer : m_graph.layers)
    {
        m_options->Expect("both-hold-model",
                          m_options->Get<bool>("both-hold-model") || layer.tied.empty(),
                          "true, since layer " + QuoteForMessage(layer.name) +
                              " uses weights of another, which do not move with it");
    }
    const auto isUnable = [this](const std::string& name) {
        return IsForThroughput() && !FindByName<TwoWayCutPlanner>("planner", name)
                                         ->CanPlanFor(TwoWayCutObjective::THROUGHPUT);
    };
    const auto endPlanners = m_planners.end() - m_plans.size();
    const auto end = std::stable_partition(m_planners.begin(), endPlanners, std::not_fn(isUnable));
    m_leftOut.assign(end, endPlanners);
    m_options->Expect("objective",
                      m_leftOut.empty() || m_options->GetString("planner") == "all",
                      "latency, which is all that " + JoinWords(m_leftOut, ", ", " and ") +
                          (m_leftOut.size() == 1 ? " plans" : " plan") +
                          " for; exact, neurosurgeon, edge-only, cloud-only and planners from "
                          "outside also plan for throughput");
    m_planners.erase(end, endPlanners);
    const auto given =
        ReadServedCluster(*m_options, {"devices", "device", "server"}, "an end device");
    m_cluster = given ? *given
                      : MakeServedCluster({FindDeviceSpec(*m_options, "device")},
                                          FindDeviceSpec(*m_options, "server"),
                                          m_count,
                                          "lan");
    m_count = m_cluster.devices.size() - 1;
    m_options->Expect("frames",
                      m_frames <= MOST_FRAMES / m_count,
                      "at most " + std::to_string(MOST_FRAMES) + " of all devices");
    const auto names = Map(m_cluster.devices, &ClusterDevice::name);
    m_setting.serverName = names.back();
    ReadNetworkOptions(*m_options, m_cluster, m_network);
    m_network.wiredDevices = {m_setting.serverName};
    CheckNetwork(*m_options, m_network, names, "network: ");
    m_costs = FindLayerCosts(traces, m_graph, m_cluster.specs, 1, PassKind::INFERENCE);
    const auto problems =
        Map(m_cluster.specs, [&](const auto& spec) { return BuildProblem(traces, spec); });
    const auto parameterBytes = Map(m_graph.layers, &DnnLayer::parameterBytes);
    m_devices = Map(CountUp(m_count), [&](std::size_t i) -> CooperativeDevice {
        return {names[i], problems[m_cluster.devices[i].spec], parameterBytes};
    });
    if (const auto believed = GetBelieved<CooperativeInferenceWorkload>())
    {
        for (std::size_t i = 0; i < m_count; ++i)
        {
            m_devices[i].executed = std::move(m_devices[i].problem);
            m_devices[i].problem = believed->m_devices[i].problem;
        }
    }
    m_setting.loads =
        ReadLoads(*m_options, m_setting.load, names, m_count, {{"server", names.back()}});
    m_setting.replays = ReadReplays(*m_options, names, {{"server", names.back()}});
    for (const auto& plan : m_plans)
    {
        ReadPlan<TwoWayCutPlan>(plan,
                                m_devices.front().problem); // refuses names that are unknown here
    }
}

TwoWayCutProblem
CooperativeInferenceWorkload::BuildProblem(const std::string& traces,
                                           const DeviceSpec& device) const
{
    const DeviceSpec& server = m_cluster.specs[m_cluster.devices.back().spec];
    TwoWayCutProblem problem = BuildTwoWayCutProblem(m_graph,
                                                     m_costs.at(device.name),
                                                     m_costs.at(server.name),
                                                     {1, 1}, // bandwidths are the run's
                                                     m_encoding);
    problem.objective =
        IsForThroughput() ? TwoWayCutObjective::THROUGHPUT : TwoWayCutObjective::LATENCY;
    if (Contains(m_planners, "neurosurgeon"))
    {
        const auto predict = [&](const DeviceSpec& spec) {
            return FitLayerRegression(traces, spec, 1).Predict(m_graph);
        };
        SetPredictedSeconds(problem, predict(device), predict(server));
    }
    return problem;
}

std::string
CooperativeInferenceWorkload::DescribeNetwork() const
{
    const bool isRecorded = !m_network.uplinkTrace.empty() || !m_network.downlinkTrace.empty();
    return FindLinkType(m_network)->Describe(m_network, true) +
           (isRecorded ? ", replayed from " + Table::Exact(m_network.trace.offset.GetSeconds()) +
                             " s on, times " + Table::Exact(m_network.trace.scale) + ", then " +
                             m_network.trace.end
                       : "");
}

const CaseOutcome&
CooperativeInferenceWorkload::Simulate(std::size_t index,
                                       const NetworkOptions& network,
                                       const std::function<void(double)>& progress)
{
    AttributeDefaults defaults;
    m_options->SetAttributes(defaults);
    CooperativeSetting setting = m_setting;
    setting.network = network;
    setting.planner = m_planners[index];
    CooperativeCase& one = Begin(index);
    setting.refuse = [&](const PlanRecord& record) {
        const auto sides = ListSides(record.plan.isOnDevice, {record.device});
        for (std::size_t i = 0; i < sides.size(); ++i)
        {
            one.peakMemoryBytes[i] = std::max(one.peakMemoryBytes[i], sides[i].memoryBytes);
        }
        return FindOverflow(one.planner, sides);
    };
    static_cast<CooperativeInferenceResult&>(one) =
        RunCooperativeInference(m_devices, setting, progress);
    one.isFinished &= one.refusal.empty();
    one.summary = Summarise(m_devices, one, m_framesPerSecond * m_devices.size());
    one.seconds = one.summary.meanSeconds;
    one.requests = one.summary.finished;
    one.perSecond = one.summary.framesPerSecond;
    one.isClosedLoop = m_framesPerSecond == 0;
    // Frames back to back leave no pause.
    one.isSaturated =
        one.isClosedLoop || one.summary.meanSeconds >= SATURATED * one.summary.predictedSeconds;
    one.answered.clear();
    for (const auto& frame : one.frames)
    {
        if (!frame.isDropped && !frame.finished.IsZero())
        {
            one.answered.push_back({frame.device,
                                    frame.frame,
                                    frame.finished,
                                    (frame.finished - frame.arrived).GetSeconds()});
        }
    }
    one.decisionSeconds = one.times.total;
    Require(index + 1 < m_planners.size() ||
                AnyOf(m_cases, [](const auto& any) { return any.refusal.empty(); }),
            one.refusal);
    return one;
}

std::vector<PlanPart>
CooperativeInferenceWorkload::ListSides(const std::vector<bool>& isOnDevice,
                                        const std::vector<uint32_t>& devices) const
{
    // Passing on a frame is not work.
    const bool works = AnyOf(CountUp(isOnDevice.size()), [&](std::size_t i) {
        return isOnDevice[i] && m_graph.layers[i].operatorName != "input";
    });
    std::vector<PlanPart> sides;
    for (const bool isDevice : {true, false})
    {
        const ClusterDevice& host =
            isDevice ? m_cluster.devices[devices.front()] : m_cluster.devices.back();
        sides.push_back(MakeLayerPart(
            isDevice && devices.size() > 1 ? std::to_string(devices.size()) + " devices"
                                           : host.name,
            m_graph,
            [&](std::size_t i) { return (works && isOnDevice[i]) == isDevice; }));
        AddInferenceMemory(sides.back(), m_graph, host.memoryBytes);
    }
    return sides;
}

CasePlan
CooperativeInferenceWorkload::PlanOf(const CooperativeCase& one) const
{
    CasePlan found{one.planner, {}};
    const auto& plans = one.plans;
    std::map<uint32_t, std::size_t> first; // partitions, by device
    std::map<uint32_t, std::size_t> last;
    for (std::size_t i = 0; i < plans.size(); ++i)
    {
        const std::size_t partition = one.summary.partitionOfPlan[i];
        first.emplace(plans[i].device, partition);
        last[plans[i].device] = partition;
    }
    const std::string same = one.summary.planChanges > 0 ? "first and last" : "";
    for (const bool isFirst : {true, false})
    {
        std::map<std::size_t, std::vector<uint32_t>> alike; // devices, by partition
        for (const auto& [device, partition] : isFirst ? first : last)
        {
            alike[partition].push_back(device);
        }
        for (const auto& [partition, devices] : alike)
        {
            const auto& plan = plans[one.summary.partitions[partition].firstPlan].plan;
            auto sides = ListSides(plan.isOnDevice, devices);
            Time all;
            std::array<Time, 2> computed;
            for (const auto& frame : one.frames)
            {
                if (frame.finished.IsStrictlyPositive() &&
                    one.summary.partitionOfPlan[frame.plan] == partition)
                {
                    all += frame.finished - frame.arrived;
                    computed[0] += frame.computed - frame.started;
                    computed[1] += frame.served - frame.uploaded;
                }
            }
            for (std::size_t i = 0; i < sides.size() && all.IsStrictlyPositive(); ++i)
            {
                sides[i].share = computed[i].GetSeconds() / all.GetSeconds();
            }
            PlanStep step{first == last ? same : isFirst ? "first" : "last", {}};
            if (alike.size() > 1 && sides.front().spans.empty())
            {
                step.moment += (step.moment.empty() ? "" : ", ") + sides.front().device;
            }
            std::for_each(sides.begin(), sides.end(), [&](auto& side) { step.Add(side); });
            found.steps.push_back(std::move(step));
        }
        if (first == last)
        {
            break;
        }
    }
    return found;
}

Sheet<CooperativeCase>
CooperativeInferenceWorkload::MakeResults() const
{
    using Case = const CooperativeCase;
    using S = CooperativeSummary;
    const auto known = [](double S::*figure) {
        return [=](Case& c) { return When(c.summary.finished > 0, c.summary.*figure); };
    };
    // Figures of a stalled planner's finished frames are not comparable.
    const auto isFair = [](Case& c) { return c.isFinished; };
    auto further = MakeFailureColumns();
    if (IsForThroughput())
    {
        further.push_back({"predictedFramesPerSecond",
                           "predicted frames/s",
                           known(&S::predictedFramesPerSecond),
                           FormatRounded,
                           isFair});
    }
    return MakeSheet<CooperativeCase>(
        {
            {"planner", "planner", &CooperativeCase::planner},
            {"model", m_graph.name},
            {"deviceType", GetDeviceTypes()},
            {"serverType", m_cluster.devices.back().type},
            {"devices", m_devices.size()},
            {"link", m_network.link},
            {"network", DescribeNetwork()},
            {"fidelity", m_network.fidelity},
            {"monitor", m_setting.monitor},
            {"status", &CaseOutcome::GetStatus},
            {"finishedFrames", [](Case& c) { return c.summary.finished; }},
            {"droppedFrames", [](Case& c) { return c.summary.dropped; }},
            {"devicePeakMemoryBytes", [](Case& c) { return c.peakMemoryBytes[0]; }},
            {"serverPeakMemoryBytes", [](Case& c) { return c.peakMemoryBytes[1]; }},
            {"predictedLatencySeconds",
             "predicted (ms)",
             [](Case& c) { return When(IsPredicted(c), c.summary.predictedSeconds); },
             FormatMs,
             isFair},
            {"unpredictedFrames", [](Case& c) { return c.summary.unpredicted; }},
            {"meanLatencySeconds", known(&S::meanSeconds)},
            {"",
             "mean (ms)",
             [=](Case& c) { return isFair(c) ? known(&S::meanSeconds)(c) : c.GetStatus(); },
             FormatMs},
            {"medianLatencySeconds", "median", known(&S::medianSeconds), FormatMs, isFair},
            {"p95LatencySeconds", "p95", known(&S::p95Seconds), FormatMs, isFair},
            {"p99LatencySeconds", "p99", known(&S::p99Seconds), FormatMs, isFair},
            {"framesPerSecond",
             "frames/s",
             [=](Case& c) { return isFair(c) ? known(&S::framesPerSecond)(c) : Cell(); },
             FormatRounded},
            {"", "dropped", [](Case& c) { return c.summary.dropped; }},
            {"uplinkBytesPerFrame", "up/frame", known(&S::uplinkBytesPerFrame), FormatBytes},
            {"downlinkBytesPerFrame", "down/frame", known(&S::downlinkBytesPerFrame), FormatBytes},
            {"movedBytes", [](Case& c) { return c.bytesMoved; }},
            {"decisions", [](Case& c) { return c.decisions; }},
            {"planChanges", "changes", [](Case& c) { return c.summary.planChanges; }},
            {"",
             "decision (us)",
             [](Case& c) { return When(c.times.later > 0, c.times.GetMean()); },
             FormatUs},
            {"simulatedSeconds", [](Case& c) { return c.end; }},
            {"layerCostOrigins", JoinOrigins(m_costs)},
        },
        m_cases,
        further);
}

void
CooperativeInferenceWorkload::PrintHeading() const
{
    std::cout << m_graph.name << ", " << FormatCount(m_devices.size(), "device", "devices") << " ("
              << GetDeviceTypes() << ") and a server (" << m_cluster.devices.back().type << "), "
              << DescribeNetwork() << " at " << m_network.fidelity << " level, monitor "
              << m_setting.monitor << ", " << FormatCount(m_frames, "frame", "frames")
              << (m_devices.size() > 1 ? " each, " : ", ");
    if (m_framesPerSecond > 0)
    {
        std::cout << Table::Rounded(m_framesPerSecond) << " frames/s\n";
    }
    else
    {
        std::cout << "back to back, " << m_options->GetString("in-flight") << " at a time\n";
    }
    PrintLayerCosts(m_costs);
    for (const auto& planner : {"dads", "neurosurgeon"})
    {
        if (Contains(m_planners, planner))
        {
            std::cout << planner << " believes "
                      << (planner != std::string("dads")
                              ? "a regression over the models in the traces folder\n"
                          : m_devices.front().problem.isolated.empty()
                              ? "the same layer costs: none are known of layers alone\n"
                              : "the costs of layers alone\n");
        }
    }
    std::cout << "predicted: a lone frame under its plan at the capacity there was when it began, "
                 "with the links' delay and without TCP's start-up; mean over frames\n";
    if (IsForThroughput())
    {
        std::cout << "plans are for throughput; predicted frames/s: 1 over the longest of "
                     "computing on the device, moving, and computing on the server\n";
    }
    if (!m_leftOut.empty())
    {
        std::cout << "left out, since they do not plan for throughput: "
                  << JoinWords(m_leftOut, ", ", " and ") << "\n";
    }
    std::cout << "\n";
}

std::vector<std::string>
CooperativeInferenceWorkload::DescribeDevices() const
{
    std::vector<std::string> notes;
    for (const auto& one : m_cases)
    {
        std::map<uint32_t, std::vector<double>> latencies;
        for (const auto& frame : one.frames)
        {
            if (!frame.isDropped && (one.isFinished || !frame.finished.IsZero()))
            {
                latencies[frame.device].push_back((frame.finished - frame.arrived).GetSeconds());
            }
        }
        auto means = Map(latencies, [this](const auto& each) {
            return std::pair(Mean(each.second), m_devices[each.first].name);
        });
        if (m_devices.size() < 2 || means.empty())
        {
            continue;
        }
        const bool isShort = means.size() > SHOWN_DEVICES;
        if (isShort)
        {
            const auto [least, most] = std::minmax_element(means.begin(), means.end());
            means = {*least, *most};
        }
        const auto format = [](const auto& mean) {
            return mean.second + " " + FormatMs(mean.first) + " ms";
        };
        notes.push_back("Mean latency of " + one.planner + " by device" +
                        (isShort ? ", least and most: " : ": ") + JoinWords(Map(means, format)));
    }
    return notes;
}

void
CooperativeInferenceWorkload::Print() const
{
    PrintHeading();
    MakeResults().GetShown().Print(std::cout);
    Note(DescribeDevices());
    Comparison compared{FormatMs, IsForThroughput() ? " ms a frame" : " ms"};
    for (const auto& one : m_cases)
    {
        const auto& s = one.summary;
        if (!one.refusal.empty())
        {
            std::cout << one.refusal << "\n";
        }
        else if (!one.isFinished)
        {
            std::cout << one.planner << ": stalled, " << s.finished + s.dropped << " of "
                      << FormatCount(one.frames.size(), "frame", "frames") << " ended\n";
        }
        else if (s.unpredicted > 0)
        {
            std::cout << one.planner << ": the prediction leaves out " << s.unpredicted << " of "
                      << FormatCount(s.finished, "frame", "frames")
                      << ": they began while there was no bandwidth;\n  its order among the "
                         "planners is not checked\n";
        }
        else if (s.finished > 0 && IsForThroughput())
        {
            compared.cases.push_back(
                {one.planner, 1 / s.predictedFramesPerSecond, 1 / s.framesPerSecond, 0});
        }
        else if (s.finished > 0)
        {
            compared.cases.push_back({one.planner, s.predictedSeconds, s.meanSeconds, 0});
        }
    }
    NoteOrder(compared);
    Note(compared.DescribeDistance(
        ListUnknown(m_setting.loads,
                    {{m_framesPerSecond > 0 || m_options->IsChanged("in-flight"),
                      "frames that wait for those before them"},
                     {m_devices.size() > 1, "other devices"},
                     {!m_setting.replays.empty(), "recorded passes"},
                     {m_setting.monitor == "probe", "probes"}})));
    Note(compared.DescribeReferences({"edge-only", "cloud-only"}));
    for (const auto& one : m_cases)
    {
        Note(DescribeBeliefs(one.planner, "frame", ListBeliefs(one)));
    }
    if (IsReplay())
    {
        PrintChanges();
    }
}

std::vector<RateBelief>
CooperativeInferenceWorkload::ListBeliefs(const CooperativeCase& one) const
{
    std::vector<RateBelief> beliefs;
    std::vector<std::size_t> next(m_devices.size(), 0);
    std::vector<double> believed(m_devices.size(), 0);
    for (const FrameRecord& frame : one.frames)
    {
        if (frame.isDropped || !frame.hasArrived || !frame.uplinkCapacity)
        {
            continue;
        }
        std::size_t& record = next[frame.device];
        for (; record < one.bandwidths.size() && one.bandwidths[record].time <= frame.started;
             ++record)
        {
            if (one.bandwidths[record].device == frame.device)
            {
                believed[frame.device] = one.bandwidths[record].uplinkBitsPerSecond;
            }
        }
        if (believed[frame.device] > 0)
        {
            beliefs.push_back({frame.started.GetSeconds(),
                               m_devices[frame.device].name,
                               m_setting.serverName,
                               believed[frame.device],
                               *frame.uplinkCapacity});
        }
    }
    return beliefs;
}

void
CooperativeInferenceWorkload::PrintChanges() const
{
    std::cout << "\nchanges of plan:\n";
    for (const auto& one : m_cases)
    {
        if (one.summary.planChanges > 0)
        {
            std::cout << "  " << one.planner << ": "
                      << FormatCount(one.summary.planChanges, "change", "changes") << " between "
                      << FormatCount(one.summary.partitions.size(), "plan", "plans") << "\n";
        }
        std::size_t shown = 0;
        std::vector<std::size_t> last(m_devices.size(), one.summary.partitions.size());
        for (std::size_t i = 0; i < one.plans.size(); ++i)
        {
            const auto& plan = one.plans[i];
            const std::size_t partition = one.summary.partitionOfPlan[i];
            const bool isChange =
                last[plan.device] < one.summary.partitions.size() && last[plan.device] != partition;
            last[plan.device] = partition;
            if (!isChange || ++shown > SHOWN_CHANGES)
            {
                continue;
            }
            std::cout << "    " << Table::Rounded(plan.inForce.GetSeconds()) << " s, "
                      << (m_devices.size() > 1 ? m_devices[plan.device].name + ", " : "") << "at "
                      << Table::Rounded(plan.uplinkBitsPerSecond / 1e6)
                      << " Mbit/s: " << Describe(plan) << "\n";
        }
        if (shown > SHOWN_CHANGES)
        {
            std::cout << "    and " << shown - SHOWN_CHANGES << " more, see plans.csv\n";
        }
    }
}

std::string
CooperativeInferenceWorkload::Write(ResultsFolder& folder) const
{
    const auto getProblem = [this](const CooperativeCase& one, const PlanRecord& plan) {
        TwoWayCutProblem problem = m_devices[plan.device].problem;
        problem.uplinkBitsPerSecond = plan.uplinkBitsPerSecond;
        problem.downlinkBitsPerSecond = plan.downlinkBitsPerSecond;
        problem.delaySeconds = one.delaySeconds.empty() ? 0 : one.delaySeconds[plan.device];
        return problem;
    };
    nlohmann::ordered_json run{{"link", m_network.link}};
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner}, {"status", one.GetStatus()}};
        if (!one.diagnosis.empty())
        {
            entry["diagnosis"] = one.diagnosis;
        }
        double longest = 0;
        for (const PlanRecord& plan : one.plans)
        {
            longest = std::max(longest, plan.decisionSeconds);
        }
        entry["wallClock"] = {{"meanDecisionSeconds", one.times.GetMean()},
                              {"startSeconds", one.times.start},
                              {"longestDecisionSeconds", longest},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    WriteRun(folder, MakeResults().GetFile(), std::move(run));
    using Case = const CooperativeCase;
    using Frame = const FrameRecord;
    const auto isFinished = [](Case& c, Frame& f) {
        return !f.isDropped && (c.isFinished || !f.finished.IsZero());
    };
    const auto known = [isFinished](auto get) {
        return [=](Case& c, Frame& f) { return When(isFinished(c, f), std::invoke(get, f)); };
    };
    WriteParts<FrameRecord>(
        folder,
        "frames.csv",
        &CooperativeCase::frames,
        {{"device", [this](Frame& f) { return m_devices[f.device].name; }},
         {"frame", &FrameRecord::frame},
         {"status",
          [=](Case& c, Frame& f) {
              return f.isDropped ? "dropped" : isFinished(c, f) ? "finished" : "unfinished";
          }},
         {"plan", known(&FrameRecord::plan)},
         {"arrivedSeconds", [](Frame& f) { return When(f.hasArrived, f.arrived); }},
         {"startedSeconds", known(&FrameRecord::started)},
         {"computedSeconds", known(&FrameRecord::computed)},
         {"uploadedSeconds", known(&FrameRecord::uploaded)},
         {"servedSeconds", known(&FrameRecord::served)},
         {"finishedSeconds", known(&FrameRecord::finished)},
         {"latencySeconds", known([](Frame& f) { return f.finished - f.arrived; })}});
    using Plan = const PlanRecord;
    const auto index = [](Case& c, Plan& p) { return &p - c.plans.data(); };
    const auto partition = [=](Case& c, Plan& p) { return c.summary.partitionOfPlan[index(c, p)]; };
    const auto cost = [=](auto get) {
        return [=](Case& c, Plan& p) {
            return std::invoke(get, EvaluateTwoWayCut(getProblem(c, p), p.plan));
        };
    };
    WriteParts<PlanRecord>(folder,
                           "plans.csv",
                           &CooperativeCase::plans,
                           {{"device", [this](Plan& p) { return m_devices[p.device].name; }},
                            {"plan", index},
                            {"partition", partition},
                            {"decidedSeconds", &PlanRecord::decided},
                            {"inForceSeconds", &PlanRecord::inForce},
                            {"uplinkBitsPerSecond", &PlanRecord::uplinkBitsPerSecond},
                            {"downlinkBitsPerSecond", &PlanRecord::downlinkBitsPerSecond},
                            {"layersOnDevice",
                             [](Plan& p) {
                                 const auto& is = p.plan.isOnDevice;
                                 return std::count(is.begin(), is.end(), true);
                             }},
                            {"layers", [](Plan& p) { return p.plan.isOnDevice.size(); }},
                            {"cut", [this](Plan& p) { return Describe(p); }},
                            {"uplinkBytes", &PlanRecord::uplinkBytes},
                            {"downlinkBytes", cost(&TwoWayCutCost::downlinkBytes)},
                            {"deviceSeconds", cost(&TwoWayCutCost::deviceSeconds)},
                            {"serverSeconds", cost(&TwoWayCutCost::serverSeconds)},
                            {"predictedLatencySeconds", &PlanRecord::predictedSeconds},
                            {"predictedFramesPerSecond", cost(PredictFramesPerSecond)},
                            {"partitionTimeShare", [=](Case& c, Plan& p) {
                                 return c.summary.partitions[partition(c, p)].timeShare;
                             }}});
    WriteParts<BandwidthRecord>(
        folder,
        "bandwidth.csv",
        &CooperativeCase::bandwidths,
        {{"device", [this](const BandwidthRecord& b) { return m_devices[b.device].name; }},
         {"seconds", &BandwidthRecord::time},
         {"estimatedUplinkBitsPerSecond", &BandwidthRecord::uplinkBitsPerSecond},
         {"availableUplinkBitsPerSecond", &BandwidthRecord::capacityBitsPerSecond}});
    WriteLinks(folder, ListKeys());
    std::set<std::string> types;
    for (const PlanRecord& plan : m_cases.front().plans)
    {
        const std::string& type = m_cluster.devices[plan.device].type;
        if (types.insert(type).second)
        {
            const bool isFirst = type == m_cluster.devices.front().type;
            folder.Write("problem" + (isFirst ? "" : "-" + type) + ".json",
                         FormatProblem(getProblem(m_cases.front(), plan)));
        }
    }
    return "results.csv (a row per planner), frames.csv, plans.csv, bandwidth.csv,\n"
           "  links.csv, problem.json (what the planners were asked), run.json";
}

} // namespace

} // namespace ns3::edgepipe
