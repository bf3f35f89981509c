/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/cooperative-inference-helper.h"

#include "lib/cooperative-inference-check.h"
#include "lib/simulation-end.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-inference-device.h"
#include "ns3/edgepipe-inference-log.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-inference-replanner.h"
#include "ns3/edgepipe-inference-server.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/edgepipe-load-player.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** A run of cooperative inference in the present simulation. */
class CooperativeRun
{
  public:
    /**
     * @param devices the end devices
     * @param options how to run
     * @param progress told the share of frames that have ended; may be empty
     */
    CooperativeRun(const std::vector<CooperativeDevice>& devices,
                   const CooperativeInferenceOptions& options,
                   const std::function<void(double)>& progress);

    /** @return what comes of it */
    CooperativeInferenceResult Simulate();

  private:
    /** What runs on one device. */
    struct Party
    {
        Ptr<InferenceDevice> application;  //!< takes frames
        Ptr<InferenceReplanner> replanner; //!< decides
    };

    /** Build network, transport and what watches them. */
    void Join();
    /**
     * @param index of a device or the server
     * @param loadTrace its load; may be empty
     * @return its processor
     */
    Ptr<ComputeDevice> MakeCompute(uint32_t index, const std::string& loadTrace);
    /** Put the server's application on its node. */
    void BuildServer();
    /**
     * Put a device's applications on its node.
     * @param index of the device
     */
    void BuildDevice(uint32_t index);
    /**
     * @param index of a device
     * @param compute its processor
     * @return what decides for it, its first decision made
     */
    Ptr<InferenceReplanner> MakeReplanner(uint32_t index, Ptr<ComputeDevice> compute);
    /**
     * @param index of a device
     * @return where its monitor listens
     */
    BandwidthMonitor::Place GetPlace(uint32_t index) const;
    /**
     * @param given by the user, bit/s; 0: ask the oracle
     * @param from one end
     * @param to the other
     * @return bit/s
     */
    double GetFirst(double given, uint32_t from, uint32_t to) const;
    /** Tell of a frame that has ended or been dropped. */
    void CountEnded();
    /** Fill in what came of it. */
    void Collect();

    const std::vector<CooperativeDevice>& m_devices;    //!< the end devices
    const CooperativeInferenceOptions& m_options;       //!< how to run
    const std::function<void(double)>& m_progress;      //!< may be empty
    SimulationEnd m_simulation;                         //!< taken down last
    const uint32_t m_server;                            //!< index of the server
    InferenceLog m_log;                                 //!< records frames, plans, bandwidths
    std::vector<std::string> m_names;                   //!< of devices and server
    Network m_network;                                  //!< joins them
    Ptr<StallMonitor> m_stall;                          //!< ends a run that is stuck
    Ptr<InferenceServer> m_serverApplication;           //!< serves the devices
    std::vector<Party> m_parties;                       //!< by device
    std::vector<std::unique_ptr<LoadPlayer>> m_players; //!< replay loads
    std::size_t m_running{0};                           //!< devices that have yet to finish
    double m_ended{0};                                  //!< frames ended or dropped
    CooperativeInferenceResult m_result;                //!< what comes of it
};

CooperativeRun::CooperativeRun(const std::vector<CooperativeDevice>& devices,
                               const CooperativeInferenceOptions& options,
                               const std::function<void(double)>& progress)
    : m_devices(devices),
      m_options(options),
      m_progress(progress),
      m_server(devices.size()),
      m_log(devices.size(), options.frames)
{
}

CooperativeInferenceResult
CooperativeRun::Simulate()
{
    Join();
    BuildServer();
    for (uint32_t i = 0; i < m_server; ++i)
    {
        BuildDevice(i);
    }
    m_running = m_devices.size();
    m_stall->Start();
    Simulator::Run();
    Collect();
    m_stall->Dispose();
    return std::move(m_result);
}

void
CooperativeRun::Join()
{
    for (const auto& device : m_devices)
    {
        m_names.push_back(device.name);
    }
    m_names.push_back(m_options.serverName);
    NetworkOptions network = m_options.network;
    network.wiredDevices.insert(m_options.serverName);
    std::set<uint32_t> active;
    for (uint32_t i = 0; i <= m_server; ++i)
    {
        active.insert(i);
    }
    m_network = NetworkHelper(network, m_names).Build(active);
    const auto transport = m_network.transport;
    m_simulation.transport = transport;
    transport->SetAttributeFailSafe("StartUp", BooleanValue(m_options.startUp));
    if (m_options.details)
    {
        m_result.timeline = std::make_shared<Timeline>();
        m_result.timeline->Observe(transport);
    }
    m_stall = CreateObject<StallMonitor>();
    m_stall->SetAttribute("Timeout", TimeValue(m_options.stallTimeout));
    m_stall->WatchTransport(transport, m_names, [](const Message& message) {
        return message.port >= BandwidthMonitor::MONITOR_PORT
                   ? ProbeTag::Unpack(message.tag).Describe()
                   : InferenceTag::Unpack(message.tag).Describe();
    });
    m_stall->DisregardPortsFrom(BandwidthMonitor::MONITOR_PORT);
}

Ptr<ComputeDevice>
CooperativeRun::MakeCompute(uint32_t index, const std::string& loadTrace)
{
    auto compute = CreateObject<ComputeDevice>();
    m_stall->WatchCompute(index, compute);
    if (m_options.details)
    {
        m_result.timeline->Observe(index, compute);
    }
    if (!loadTrace.empty())
    {
        m_players.push_back(
            std::make_unique<LoadPlayer>(compute, OpenLoadTrace(loadTrace, m_options.load)));
    }
    return compute;
}

void
CooperativeRun::BuildServer()
{
    const auto compute = MakeCompute(m_server, m_options.serverLoadTrace);
    const auto server = CreateObject<InferenceServer>();
    m_serverApplication = server;
    server->SetUp(m_server, m_network.transport, compute);
    m_log.Observe(server);
    m_network.devices.Get(m_server)->AddApplication(server);
    m_stall->WatchParty(m_server, [server] { return server->DescribeWait(); });
}

BandwidthMonitor::Place
CooperativeRun::GetPlace(uint32_t index) const
{
    return {index, m_server, m_network.transport, m_network.capacity};
}

double
CooperativeRun::GetFirst(double given, uint32_t from, uint32_t to) const
{
    return given > 0 ? given : std::max(1.0, m_network.capacity(from, to));
}

Ptr<InferenceReplanner>
CooperativeRun::MakeReplanner(uint32_t index, Ptr<ComputeDevice> compute)
{
    const auto& o = m_options;
    const bool isOracleAsked = o.monitor == "oracle" || o.firstUplinkBitsPerSecond == 0 ||
                               o.firstDownlinkBitsPerSecond == 0;
    if (isOracleAsked && !m_network.capacity)
    {
        throw InputError("link: found \"" + o.network.link +
                         "\", whose capacity no oracle knows, expected another link, or " +
                         "another monitor than oracle and bandwidths to make the first plan for");
    }
    const double uplink = GetFirst(o.firstUplinkBitsPerSecond, index, m_server);
    const double downlink = GetFirst(o.firstDownlinkBitsPerSecond, m_server, index);
    TwoWayCutProblem problem = m_devices[index].problem;
    problem.uplinkBitsPerSecond = uplink;
    problem.downlinkBitsPerSecond = downlink;
    ValidateTwoWayCutProblem(problem);
    m_serverApplication->AddDevice(index, problem, m_devices[index].parameterBytes);

    const auto replanner = CreateObject<InferenceReplanner>();
    const bool isFixed = o.planningTime == "fixed";
    const bool isMeasured = o.planningTime == "measured";
    replanner->SetAttribute("Replan", BooleanValue(o.replan));
    replanner->SetAttribute("ReplanThreshold", DoubleValue(o.replanThreshold));
    replanner->SetAttribute("ReplanPeriod", TimeValue(o.replanPeriod));
    replanner->SetAttribute("FixedPlanningTime", TimeValue(isFixed ? o.fixedPlanningTime : Time()));
    replanner->SetAttribute("PlanningScale", DoubleValue(isMeasured ? o.planningScale : 0));
    replanner->SetAttribute("BothHoldModel", BooleanValue(o.bothHoldModel));
    replanner->SetUp(
        GetPlace(index),
        compute,
        std::make_unique<CutDecider>(std::move(problem),
                                     FindByName<TwoWayCutPlanner>("planner", o.planner)),
        m_devices[index].parameterBytes,
        FindByName<BandwidthMonitor>("monitor", o.monitor));
    replanner->DecideFirst(uplink, downlink);
    return replanner;
}

void
CooperativeRun::BuildDevice(uint32_t index)
{
    const auto& o = m_options;
    const auto compute = MakeCompute(index, m_devices[index].loadTrace);
    const auto replanner = MakeReplanner(index, compute);
    const auto device = CreateObject<InferenceDevice>();
    device->SetAttribute("Frames", UintegerValue(o.frames));
    device->SetAttribute("FramesPerSecond", DoubleValue(o.framesPerSecond));
    device->SetAttribute("FramesInFlight", UintegerValue(o.framesInFlight));
    device->SetAttribute("QueueFrames", UintegerValue(o.queueFrames));
    device->SetUp(GetPlace(index), compute, replanner);
    m_log.Observe(GetPlace(index), device, replanner);
    m_network.devices.Get(index)->AddApplication(device);
    m_stall->WatchParty(index, [device] { return device->DescribeWait(); });
    for (const char* source : {"FrameEnd", "FrameDrop"})
    {
        device->TraceConnectWithoutContext(source, Callback<void, uint64_t>([this](uint64_t) {
                                               CountEnded();
                                           }));
    }
    device->SetFinishedCallback(Callback<void>([this] {
        if (--m_running == 0)
        {
            m_stall->Stop();
            Simulator::Stop();
        }
    }));
    m_parties.push_back({device, replanner});
}

void
CooperativeRun::CountEnded()
{
    ++m_ended;
    if (m_progress)
    {
        m_progress(m_ended / (static_cast<double>(m_options.frames) * m_devices.size()));
    }
}

void
CooperativeRun::Collect()
{
    m_log.SortPlans();
    m_result.isComplete = m_running == 0;
    m_result.frames = m_log.GetFrames();
    m_result.plans = m_log.GetPlans();
    m_result.bandwidths = m_log.GetBandwidths();
    for (const auto& link : m_network.links)
    {
        m_result.links.push_back(*link);
    }
    m_result.bytesMoved = m_network.transport->GetDeliveredBytes();
    for (const auto& party : m_parties)
    {
        m_result.decisions += party.replanner->GetDecisions();
    }
    m_result.end = Simulator::Now();
    if (!m_result.isComplete)
    {
        m_result.diagnosis = m_stall->Diagnose();
    }
}

} // namespace

CooperativeInferenceResult
RunCooperativeInference(const std::vector<CooperativeDevice>& devices,
                        const CooperativeInferenceOptions& options,
                        const std::function<void(double)>& progress)
{
    CheckCooperativeInference(devices, options);
    return CooperativeRun(devices, options, progress).Simulate();
}

} // namespace edgepipe
} // namespace ns3
