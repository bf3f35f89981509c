/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/cooperative-inference-workload.h"

#include "ns3/edgepipe-layer-regression.h"
#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

namespace
{

/// Limit on frames of all devices; each has a record of 112 bytes.
constexpr uint64_t MOST_FRAMES = 10000000;
/// Longest time in which cameras take frames, s.
constexpr double LONGEST_SECONDS = 1e9;

} // namespace

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
        .Help("bytes per element of a tensor when sent: 4 as float32, 1 if quantised "
              "(trace-replay's default, cooperative-inference's is 4)");
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

void
CooperativeInferenceWorkload::Run(CooperativeSetting& setting,
                                  CooperativeCase& one,
                                  const std::function<void(double)>& progress)
{
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
    Require(&one - m_cases.data() + 1 < std::ptrdiff_t(m_planners.size()) ||
                AnyOf(m_cases, [](const auto& any) { return any.refusal.empty(); }),
            one.refusal);
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
    CasePlan found{
        one.planner,
        {},
        "frames' time from arrival to result, spent on the device, waiting there included",
        "latency"};
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

} // namespace ns3::edgepipe
