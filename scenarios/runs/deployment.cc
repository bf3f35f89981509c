/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/deployment.h"

#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-edge-device-helper.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-layer-replay.h"
#include "ns3/edgepipe-message-description.h"
#include "ns3/edgepipe-radio-link.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-step-cursor.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/pointer.h"

#include <new>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param load of a device
 * @param options how to replay recordings
 * @return its shares
 */
std::unique_ptr<StepSource>
OpenLoad(const DeviceLoad& load, const TraceOptions& options)
{
    return load.trace.empty() ? std::make_unique<ListedSteps>(load.steps)
                              : OpenLoadTrace(load.trace, options);
}

/** @return the numbers of all devices */
std::set<uint32_t>
MakeAll(std::size_t devices)
{
    const auto all = CountUp(devices);
    return {all.begin(), all.end()};
}

} // namespace

double
GetFirstShare(const std::vector<DeviceLoad>& loads,
              const std::string& device,
              const TraceOptions& options)
{
    TraceStep first{Time(), 1};
    const auto load = FindIf(loads, [&device](auto& each) { return each.device == device; });
    const bool isFirst = load && OpenLoad(*load, options)->Next(first);
    return isFirst && first.time.IsZero() ? first.value : 1;
}

Deployment::Deployment(RunSetting setting,
                       std::vector<std::string> names,
                       const std::set<uint32_t>& active)
    : m_setting(std::move(setting)),
      m_names(std::move(names)),
      m_active(active.empty() ? MakeAll(m_names.size()) : active),
      m_network(NetworkHelper(m_setting.network, m_names).Build(m_active)),
      m_monitor(CreateObject<StallMonitor>())
{
    Join(m_network);
    m_monitor->WatchTransport(
        m_network.transport,
        [this](uint32_t device) { return m_names[device]; },
        DescribeMessage);
    m_monitor->Disregard(KeepsComing);
}

void
Deployment::Join(const Network& network)
{
    m_teardown.transports.push_back(network.transport);
    for (const uint32_t index : m_active)
    {
        const auto endpoint = CreateObject<TensorEndpoint>();
        endpoint->SetAttribute("Transport", PointerValue(network.transport));
        network.devices.Get(index)->AggregateObject(endpoint);
    }
}

Ptr<ComputeDevice>
Deployment::AddDevice(uint32_t index, uint64_t memoryBytes)
{
    const auto node = m_network.devices.Get(index);
    if (!node->GetObject<EdgeDevice>())
    {
        DeviceSpec spec{};
        spec.usableMemoryBytes = memoryBytes;
        EdgeDeviceHelper(spec).Install(node, m_names[index]);
        m_monitor->WatchCompute(index, node->GetObject<ComputeDevice>());
        const auto replay = m_setting.replays.find(m_names[index]);
        if (replay != m_setting.replays.end())
        {
            const auto recording = CreateObject<LayerReplay>();
            recording->SetAttribute("File", StringValue(replay->second));
            recording->AssignStreams(random_streams::LAYER_REPLAY.Get(index));
            node->AggregateObject(recording);
        }
    }
    return node->GetObject<ComputeDevice>();
}

void
Deployment::AddLoads()
{
    for (const auto& load : m_setting.loads)
    {
        const auto found = std::find(m_names.begin(), m_names.end(), load.device);
        Require(found != m_names.end(),
                "load: found " + QuoteForMessage(load.device) +
                    ", expected one of the devices, such as " + m_names.front());
        const auto node = m_network.devices.Get(found - m_names.begin());
        if (const auto compute = node->GetObject<ComputeDevice>())
        {
            m_players.push_back(
                std::make_unique<LoadPlayer>(compute, OpenLoad(load, m_setting.load)));
        }
    }
}

void
Deployment::Watch(const ApplicationContainer& applications)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (const auto party = DynamicCast<EdgeApplication>(*i))
        {
            m_monitor->WatchParty(party->GetNode()->GetId(),
                                  [party] { return party->DescribeWait(); });
        }
    }
}

void
Deployment::Run()
{
    m_monitor->Start();
    try
    {
        Simulator::Run();
    }
    catch (const std::bad_alloc&)
    {
        // An A-MPDU whose block-ack agreement was not acknowledged, since the acknowledgement got
        // lost: ns-3.37 copies an agreement that does not exist.
        throw SimulatorError("ns-3 cannot go on: out of memory, or over Wi-Fi the acknowledgement "
                             "of a block-ack agreement was lost, which ns-3.37 does not survive; "
                             "try another --RngRun");
    }
}

void
Deployment::AddOutOfRange(std::vector<std::string>& diagnosis) const
{
    const NetworkOptions& network = m_setting.network;
    const auto link = DynamicCast<const RadioLink>(network.groups.front().link);
    if (network.groups.size() > 1 || !network.cutDevice.empty() || !link)
    {
        return;
    }
    const std::size_t last = m_names.size() - 1;
    const auto far = Filter(CountUp(last), [&](std::size_t i) {
        return m_active.count(i) && m_active.count(last) && m_network.capacity(i, last) == 0;
    });
    if (!far.empty())
    {
        diagnosis.push_back(
            JoinParts("out of range of ",
                      network.GetLinkName(),
                      ": ",
                      m_names[far.front()],
                      far.size() > 1 ? JoinParts(" and ", far.size() - 1, " more") : "",
                      ", with --distance at ",
                      link->GetDistance(),
                      " m, expected less"));
    }
}

void
Deployment::Collect(bool isFinished, CaseOutcome& outcome) const
{
    outcome.isFinished = isFinished;
    if (!isFinished)
    {
        outcome.diagnosis = m_monitor->Diagnose();
        AddOutOfRange(outcome.diagnosis);
    }
    outcome.links = Map(m_network.links, [](const auto& link) { return *link; });
    outcome.bytesMoved = m_network.transport->GetDeliveredBytes();
    outcome.end = Simulator::Now();
    outcome.events = Simulator::GetEventCount();
    outcome.simulationSeconds = m_watch.GetSeconds();
}

} // namespace ns3::edgepipe
