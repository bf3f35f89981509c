/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-passive-monitor.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PassiveMonitor);

namespace
{

/// Payload that fits a packet beside all headers, bytes.
constexpr uint64_t SMALL_BYTES = 1000;

/// Between two pings, at least.
const Time PING_INTERVAL = Seconds(5);

} // namespace

TypeId
PassiveMonitor::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::PassiveMonitor")
            .SetParent<BandwidthMonitor>()
            .SetGroupName("Edgepipe")
            .AddConstructor<PassiveMonitor>()
            .AddAttribute("Weight",
                          "Weight of a new sample in the estimate, above 0, up to 1.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&PassiveMonitor::m_weight),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("MinBytes",
                          "Payload of the smallest message that gives a sample, bytes.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&PassiveMonitor::m_minBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("IdleProbe",
                          "Time without a sample of the uplink after which it is probed; 0: never.",
                          TimeValue(Seconds(5)),
                          MakeTimeAccessor(&PassiveMonitor::m_idleProbe),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Bytes",
                          "Payload of a probe's burst, each way, bytes.",
                          UintegerValue(32768),
                          MakeUintegerAccessor(&PassiveMonitor::m_bytes),
                          MakeUintegerChecker<uint64_t>(LinkProbe::TRAIN, 1000000000));
    return tid;
}

std::string
PassiveMonitor::GetName() const
{
    return "passive";
}

void
PassiveMonitor::DoStart()
{
    const Place& place = GetPlace();
    place.transport->ConnectPair(place.device,
                                 place.server,
                                 MakeCallback(&PassiveMonitor::NoticeStart, this),
                                 MakeCallback(&PassiveMonitor::NoticeEnd, this));
    m_probe.SetUp(place.device,
                  place.server,
                  place.port,
                  place.transport,
                  MakeCallback(&PassiveMonitor::TakeProbe, this));
    m_lastSample = Simulator::Now();
    if (m_idleProbe.IsStrictlyPositive())
    {
        m_next = Simulator::Schedule(m_idleProbe, &PassiveMonitor::CheckIdle, this);
    }
}

void
PassiveMonitor::DoStop()
{
    m_next.Cancel();
    m_probe.Cancel();
    const Place& place = GetPlace();
    if (place.transport)
    {
        place.transport->DisconnectPair(place.device,
                                        place.server,
                                        MakeCallback(&PassiveMonitor::NoticeStart, this),
                                        MakeCallback(&PassiveMonitor::NoticeEnd, this));
    }
}

PassiveMonitor::Direction*
PassiveMonitor::FindDirection(const Message& message)
{
    const Place& place = GetPlace();
    if (message.isControl)
    {
        return nullptr; // it moves beside the tensors, whose rate this is about
    }
    if (message.from == place.device && message.to == place.server)
    {
        return &m_up;
    }
    return message.from == place.server && message.to == place.device ? &m_down : nullptr;
}

void
PassiveMonitor::NoticeStart(uint64_t id, const Message& message)
{
    if (Direction* direction = FindDirection(message))
    {
        direction->starts[id] = Simulator::Now();
    }
}

void
PassiveMonitor::NoticeEnd(uint64_t id, const Message& message)
{
    Direction* direction = FindDirection(message);
    if (!direction)
    {
        return;
    }
    const auto start = direction->starts.find(id);
    if (start == direction->starts.end())
    {
        return;
    }
    const Time now = Simulator::Now();
    const Time sent = start->second;
    direction->starts.erase(start);
    if (m_isProbeDue && m_up.starts.empty())
    {
        m_isProbeDue = false;
        m_probe.Begin(m_bytes);
    }
    const Time least = direction->latency == Time::Max() ? Time() : direction->latency;
    const double seconds = (now - std::max(sent + least, direction->lastEnd)).GetSeconds();
    direction->lastEnd = now;
    if (message.bytes <= SMALL_BYTES)
    {
        direction->latency = std::min(direction->latency, now - sent);
    }
    if (message.port >= MONITOR_PORT || message.bytes < m_minBytes)
    {
        return;
    }
    const bool isUp = direction == &m_up;
    if (isUp && now >= m_nextPing)
    {
        m_nextPing = now + PING_INTERVAL;
        m_probe.Ping();
    }
    if (seconds <= 0)
    {
        return;
    }
    m_lastSample = isUp ? now : m_lastSample;
    const double sample = 8 * message.bytes / seconds;
    const double old = isUp ? GetUplinkBitsPerSecond() : GetDownlinkBitsPerSecond();
    const double estimate = m_weight * sample + (1 - m_weight) * old;
    SetEstimate(isUp ? estimate : 0, isUp ? 0 : estimate);
}

void
PassiveMonitor::TakeProbe(double uplinkBitsPerSecond, double downlinkBitsPerSecond)
{
    m_lastSample = Simulator::Now();
    SetEstimate(uplinkBitsPerSecond, downlinkBitsPerSecond);
}

void
PassiveMonitor::CheckIdle()
{
    const Time quiet = Simulator::Now() - m_lastSample;
    // A camera's frames may be under way whenever this looks: the probe waits for the end of one.
    m_isProbeDue = quiet >= m_idleProbe && !m_up.starts.empty();
    if (quiet >= m_idleProbe && !m_isProbeDue)
    {
        m_probe.Begin(m_bytes);
    }
    m_next = Simulator::Schedule(quiet >= m_idleProbe ? m_idleProbe : m_idleProbe - quiet,
                                 &PassiveMonitor::CheckIdle,
                                 this);
}

} // namespace edgepipe
} // namespace ns3
