/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/cooperative-inference-run.h"

#include "runs/cooperative-inference-check.h"
#include "runs/deployment.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-cooperative-inference-helper.h"
#include "ns3/edgepipe-inference-device.h"
#include "ns3/edgepipe-inference-replanner.h"
#include "ns3/edgepipe-inference-server.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-message-description.h"
#include "ns3/edgepipe-topology.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

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
    /** Build network and what watches it. */
    void Join();
    /** Make every node an edge device, with its load. */
    void AddDevices();
    /** Put the applications on their nodes. */
    void Install();
    /**
     * Have everything about a device's application recorded.
     * @param device the application
     */
    void Observe(Ptr<InferenceDevice> device);
    /** @return by device, number of the cell that it sends in; 0: none */
    std::vector<uint32_t> FindCells() const;
    /** @return what every device is to infer */
    std::vector<TwoWayCutProblem> MakeProblems() const;
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

    const std::vector<CooperativeDevice>& m_devices; //!< the end devices
    const CooperativeInferenceOptions& m_options;    //!< how to run
    const std::function<void(double)>& m_progress;   //!< may be empty
    const uint32_t m_server;                         //!< index of the server
    InferenceLog m_log;                              //!< records frames, plans, bandwidths
    std::unique_ptr<Deployment> m_deployment;        //!< devices, server and their network
    std::vector<Ptr<InferenceDevice>> m_parties;     //!< by device
    std::size_t m_running{0};                        //!< devices that have yet to finish
    double m_ended{0};                               //!< frames ended or dropped
    CooperativeInferenceResult m_result;             //!< what comes of it
};

CooperativeRun::CooperativeRun(const std::vector<CooperativeDevice>& devices,
                               const CooperativeInferenceOptions& options,
                               const std::function<void(double)>& progress)
    : m_devices(devices),
      m_options(options),
      m_progress(progress),
      m_server(devices.size())
{
}

CooperativeInferenceResult
CooperativeRun::Simulate()
{
    Join();
    AddDevices();
    Install();
    m_running = m_devices.size();
    m_deployment->Run();
    Collect();
    return std::move(m_result);
}

void
CooperativeRun::Join()
{
    std::vector<std::string> names;
    std::set<uint32_t> active{m_server};
    for (const auto& device : m_devices)
    {
        active.insert(names.size());
        names.push_back(device.name);
    }
    names.push_back(m_options.serverName);
    NetworkOptions network = m_options.network;
    network.wiredDevices.insert(m_options.serverName);
    m_deployment = std::make_unique<Deployment>(network, names, active, m_options.stallTimeout);
    const auto transport = m_deployment->GetNetwork().transport;
    transport->SetAttributeFailSafe("StartUp", BooleanValue(m_options.startUp));
    if (m_options.details)
    {
        m_result.timeline = std::make_shared<Timeline>();
        m_result.timeline->Observe(transport);
    }
    m_deployment->GetMonitor()->Disregard(KeepsComing);
}

void
CooperativeRun::AddDevices()
{
    const auto add = [this](uint32_t index, const LoadSource& load) {
        const auto compute = m_deployment->AddDevice(index);
        if (m_options.details)
        {
            m_result.timeline->Observe(index, compute);
        }
        m_deployment->AddLoad(index, load, m_options.load);
    };
    add(m_server, {m_options.serverLoadTrace, m_options.serverLoadSteps});
    for (uint32_t i = 0; i < m_server; ++i)
    {
        add(i, {m_devices[i].loadTrace, m_devices[i].loadSteps});
    }
}

double
CooperativeRun::GetFirst(double given, uint32_t from, uint32_t to) const
{
    return given > 0 ? given : std::max(1.0, m_deployment->GetNetwork().capacity(from, to));
}

std::vector<uint32_t>
CooperativeRun::FindCells() const
{
    NetworkOptions network = m_options.network;
    network.wiredDevices.insert(m_options.serverName);
    const Topology topology =
        FindLinkType(network)->MakeTopology(network, m_deployment->GetNames());
    std::vector<uint32_t> cells;
    for (uint32_t i = 0; i < m_server; ++i)
    {
        const bool isOnAir = std::holds_alternative<CellMedium>(topology.GetMedium(i));
        cells.push_back(isOnAir ? topology.nodes[i].medium + 1 : 0);
    }
    return cells;
}

std::vector<TwoWayCutProblem>
CooperativeRun::MakeProblems() const
{
    const auto& o = m_options;
    const bool isOracleAsked = o.monitor == "oracle" || o.firstUplinkBitsPerSecond == 0 ||
                               o.firstDownlinkBitsPerSecond == 0;
    if (isOracleAsked && !m_deployment->GetNetwork().capacity)
    {
        throw InputError("link: found \"" + o.network.link +
                         "\", whose capacity no oracle knows, expected another link, or " +
                         "another monitor than oracle and bandwidths to make the first plan for");
    }
    std::vector<TwoWayCutProblem> problems;
    for (uint32_t i = 0; i < m_server; ++i)
    {
        problems.push_back(m_devices[i].problem);
        problems[i].uplinkBitsPerSecond = GetFirst(o.firstUplinkBitsPerSecond, i, m_server);
        problems[i].downlinkBitsPerSecond = GetFirst(o.firstDownlinkBitsPerSecond, m_server, i);
    }
    return problems;
}

void
CooperativeRun::Install()
{
    const auto& o = m_options;
    std::vector<std::vector<uint64_t>> parameterBytes;
    NodeContainer nodes;
    for (uint32_t i = 0; i < m_server; ++i)
    {
        parameterBytes.push_back(m_devices[i].parameterBytes);
        nodes.Add(m_deployment->GetNetwork().devices.Get(i));
    }
    CooperativeInferenceHelper helper(MakeProblems(), std::move(parameterBytes));
    helper.SetPlanner(o.planner);
    helper.SetMonitor(o.monitor, m_deployment->GetNetwork().capacity);
    helper.SetReplannerAttribute("Replan", BooleanValue(o.replan));
    helper.SetReplannerAttribute("ReplanThreshold", DoubleValue(o.replanThreshold));
    helper.SetReplannerAttribute("ReplanPeriod", TimeValue(o.replanPeriod));
    helper.SetReplannerAttribute("FixedPlanningTime", TimeValue(o.planning.fixed));
    helper.SetReplannerAttribute("PlanningScale", DoubleValue(o.planning.scale));
    helper.SetReplannerAttribute("BothHoldModel", BooleanValue(o.bothHoldModel));
    helper.SetReplannerAttribute("KnowOthers", BooleanValue(o.knowOthers));
    helper.SetServerShare(GetFirstShare({o.serverLoadTrace, o.serverLoadSteps}, o.load));
    if (o.knowOthers)
    {
        helper.SetCells(FindCells());
    }
    helper.SetDeviceAttribute("Frames", UintegerValue(o.frames));
    helper.SetDeviceAttribute("FramesPerSecond", DoubleValue(o.framesPerSecond));
    helper.SetDeviceAttribute("FramesInFlight", UintegerValue(o.framesInFlight));
    helper.SetDeviceAttribute("QueueFrames", UintegerValue(o.queueFrames));
    const ApplicationContainer applications =
        helper.Install(nodes, m_deployment->GetNetwork().devices.Get(m_server));
    m_deployment->Watch(applications);
    m_log.Observe(DynamicCast<InferenceServer>(applications.Get(0)));
    for (uint32_t i = 1; i < applications.GetN(); ++i)
    {
        Observe(DynamicCast<InferenceDevice>(applications.Get(i)));
    }
}

void
CooperativeRun::Observe(Ptr<InferenceDevice> device)
{
    const auto& network = m_deployment->GetNetwork();
    m_log.Observe({device->GetNode()->GetId(), m_server, network.transport, network.capacity},
                  device,
                  device->GetReplanner());
    for (const char* source : {"FrameEnd", "FrameDrop"})
    {
        device->TraceConnectWithoutContext(source, Callback<void, uint64_t>([this](uint64_t) {
                                               CountEnded();
                                           }));
    }
    device->TraceConnectWithoutContext("Finished", Callback<void>([this] {
                                           if (--m_running == 0)
                                           {
                                               m_deployment->End();
                                           }
                                       }));
    m_parties.push_back(device);
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
    static_cast<InferenceRecords&>(m_result) = m_log.GetRecords();
    m_result.isComplete = m_running == 0;
    m_result.links = m_deployment->GetLinks();
    for (uint32_t i = 0; i < m_server; ++i)
    {
        m_result.delaySeconds.push_back(m_deployment->GetNetwork().delaySeconds(i, m_server));
    }
    m_result.bytesMoved = m_deployment->GetNetwork().transport->GetDeliveredBytes();
    for (const auto& party : m_parties)
    {
        m_result.decisions += party->GetReplanner()->GetDecisions();
        m_result.failures.Add(party->GetReplanner()->GetFailures());
    }
    m_result.end = Simulator::Now();
    m_result.events = Simulator::GetEventCount();
    if (!m_result.isComplete)
    {
        m_result.diagnosis = m_deployment->GetMonitor()->Diagnose();
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
