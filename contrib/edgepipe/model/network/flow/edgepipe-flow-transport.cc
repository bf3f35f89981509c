/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-transport.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-flow-topology.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-time.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeFlowTransport");

NS_OBJECT_ENSURE_REGISTERED(FlowTransport);

namespace
{

/// PacketTransport's header before a message's payload, bytes.
constexpr double FRAME_HEADER = 48;
/// Marks the number of a pair's control connection; ids of nodes are below 2^31.
constexpr uint64_t CONTROL = uint64_t{1} << 63;
/// Headers of a segment in an IP packet: IP 20, TCP with timestamps 32, bytes.
constexpr uint32_t IP_PACKET_HEADERS = 52;
/// Congestion windows that Linux's autotuned send buffer holds, as in PacketTransport.
constexpr double BUFFERED_WINDOWS = 2;

} // namespace

TypeId
FlowTransport::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("HeaderSize",
             "Headers of a segment on a link, bytes: IP 20, TCP with timestamps 32, "
             "point-to-point 2.",
             {&FlowTransport::m_headerBytes, 54, 0, 1000})
        .Add("Headers", "Whether headers take capacity.", {&FlowTransport::m_headers, true})
        .Add("Latency", "Whether the delays of links count.", {&FlowTransport::m_latency, true})
        .Add("StoreAndForward",
             "Whether every link but the slowest delays a message by a packet's transmission "
             "time.",
             {&FlowTransport::m_storeAndForward, true})
        .Add("StartUp",
             "Whether connections start with TCP's handshake and slow start and are limited to "
             "BufferSize per round trip.",
             {&FlowTransport::m_startUp, true})
        .Add("Acknowledgements",
             "Whether acknowledgements take capacity of the opposite direction.",
             {&FlowTransport::m_acknowledgements, true})
        .Add(
            "QueuedData",
            "Whether data and handshakes wait before wires, and a device's data over LTE, for what "
            "other connections have queued.",
            {&FlowTransport::m_queuedData, true})
        .Add("QueuedAcknowledgements",
             "Whether acknowledgements wait before wires for the other direction's data.",
             {&FlowTransport::m_queuedAcknowledgements, true})
        .Add("Reviews",
             "Whether windows are looked at again when another connection begins to delay them.",
             {&FlowTransport::m_reviews, true})
        .Add("HyStart",
             "Whether slow start ends where delay grows or the path is full, not at BufferSize.",
             {&FlowTransport::m_hyStart, true})
        .Add("LimitedGrowth",
             "Whether windows grow only while they limit the sender.",
             {&FlowTransport::m_limitedGrowth, true})
        .Add("MediumRules",
             "Whether media act on messages beyond capacity and delay: turns on Wi-Fi, blocks and "
             "grants of LTE, jitter of dense packets on bearers.",
             {&FlowTransport::m_mediumRules, true})
        .Add("RoutePeriod",
             "Interval at which routes, data rates and positions are read again while messages "
             "are under way; 0: never. Only for nodes that were added.",
             {&FlowTransport::m_routePeriod, Time()});
}

void
FlowTransport::CheckNode(Ptr<Node> node) const
{
    Require(bool(node->GetObject<Ipv4>()),
            "node " + std::to_string(node->GetId()) +
                ": found no IPv4, expected an Internet stack to be installed before the transport");
}

void
FlowTransport::AddNode(Ptr<Node> node)
{
    const uint32_t id = node->GetId();
    CheckNode(node);
    SetUpTopology();
    NS_ABORT_MSG_UNLESS(m_nodes.insert(id).second, "node " << id << " has been added already");
}

void
FlowTransport::SetUpTopology()
{
    if (m_topology)
    {
        return;
    }
    NS_ABORT_MSG_IF(IsSetUp(), "the flows' network is not that of the nodes");
    m_headerBytes = IP_PACKET_HEADERS;
    auto network = CreateObject<FlowNetwork>();
    FlowMediumSettings settings;
    settings.network = network;
    settings.packetBytes = m_segmentBytes + m_headerBytes;
    settings.acknowledgementBytes = m_headerBytes;
    settings.acknowledgementShare = GetAcknowledgementShare();
    m_topology = std::make_shared<FlowTopology>(settings);
    SetUp(network, [this](uint32_t from, uint32_t to) {
        NS_ABORT_MSG_UNLESS(m_nodes.count(from) && m_nodes.count(to),
                            "message from node " << from << " to node " << to
                                                 << ", of which one has not been added");
        return m_topology->GetRoute(from, to);
    });
}

void
FlowTransport::DeclareCapacity(const NetDeviceContainer& devices, const DeclaredCapacity& capacity)
{
    SetUpTopology();
    m_topology->Declare(devices, capacity);
}

void
FlowTransport::AddBackground(Ptr<Node> from,
                             Ptr<Node> to,
                             const DataRate& rate,
                             const Time& start,
                             const Time& stop)
{
    SetUpTopology();
    const Ptr<FlowTransport> self(this);
    if (Simulator::Now() >= stop || start >= stop)
    {
        return;
    }
    Simulator::Schedule(std::max(start - Simulator::Now(), Time()), [=] {
        if (!self->IsSetUp())
        {
            return;
        }
        const auto route = self->m_topology->GetRoute(from->GetId(), to->GetId());
        const double amount = rate.GetBitRate() / 8.0;
        self->m_topology->Reserve(route, amount);
        Simulator::Schedule(stop - Simulator::Now(), [self, route, amount] {
            if (self->IsSetUp())
            {
                self->m_topology->Reserve(route, -amount);
            }
        });
    });
}

void
FlowTransport::WatchRoutes()
{
    if (m_watch.IsExpired())
    {
        // The routes may be out of date after a pause.
        if (!m_connections.empty() && Simulator::Now() >= m_routesRead + m_routePeriod)
        {
            UpdateRoutes();
        }
        m_watch = Simulator::Schedule(m_routePeriod, [self = Ptr<FlowTransport>(this)] {
            if (self->m_underWay > 0)
            {
                self->UpdateRoutes();
                self->WatchRoutes();
            }
        });
    }
}

void
FlowTransport::SetUp(Ptr<FlowNetwork> network, FlowRouter router)
{
    m_network = network;
    m_router = std::move(router);
    m_network->SetFinishedCallback(MakeCallback(&FlowTransport::HandleFinished, this));
    m_network->SetMarkCallback(MakeCallback(&FlowTransport::NoticeSent, this));
    m_network->SetCapacityCallback(MakeCallback(&FlowTransport::NoticeCapacity, this));
}

void
FlowTransport::UpdateRoutes()
{
    m_routesRead = Simulator::Now();
    if (m_topology)
    {
        m_topology->Update();
    }
    for (const auto& [pair, number] : m_numbers)
    {
        FlowRoute route;
        try
        {
            route = FindRoute((pair & ~CONTROL) >> 32, pair & UINT32_MAX);
        }
        catch (const InputError& error)
        {
            if (!m_topology)
            {
                throw;
            }
            // The two had a route: it may come back.
            NS_LOG_WARN(error.what());
            route = m_topology->GetDeadRoute();
        }
        m_pacer.SetRoute(number, std::move(route));
        NoticeSent(number);
    }
}

double
FlowTransport::GetAcknowledgementShare() const
{
    return m_acknowledgements
               ? m_headerBytes / (SEGMENTS_PER_ACKNOWLEDGEMENT * (m_segmentBytes + m_headerBytes))
               : 0;
}

void
FlowTransport::DoDispose()
{
    for (auto& connection : m_connections)
    {
        connection.start.Remove();
    }
    m_watch.Cancel();
    m_watch = EventId(); // the event holds this object
    m_connections.clear();
    m_waiting.clear();
    m_pacer.Clear();
    m_arriving.clear();
    m_router = FlowRouter();
    m_topology.reset();
    if (m_network)
    {
        m_network->Dispose();
        m_network = nullptr;
    }
    TensorTransport::DoDispose();
}

double
FlowTransport::CountSegments(uint64_t payload) const
{
    return std::ceil((payload + FRAME_HEADER) / m_segmentBytes);
}

double
FlowTransport::GetFlowBytes(uint64_t payload) const
{
    return m_headers ? payload + FRAME_HEADER + CountSegments(payload) * m_headerBytes
                     : std::max<double>(1, payload);
}

FlowTrail
FlowTransport::GetTrail(uint32_t number, double bytes) const
{
    const FlowRoute& route = m_pacer.GetRoute(number);
    FlowTrail trail;
    for (const auto& rules : route.rules)
    {
        const FlowTrail own = m_acknowledgements ? rules->GetTrail(bytes) : trail;
        trail = own.bytes > 0 ? own : trail;
    }
    if (route.isLimited && trail.bytes > 0 &&
        GetRouteRate(*m_network, route) * trail.use.weight < m_network->GetCapacity(trail.use.link))
    {
        trail.bytes = 0; // packets come to the air one by one
    }
    return trail;
}

FlowMessage
FlowTransport::Describe(uint32_t number, uint64_t payload, bool isNext) const
{
    const double bytes = GetFlowBytes(payload);
    const double rate = GetRouteRate(*m_network, m_pacer.GetRoute(number));
    return {bytes, CountSegments(payload), rate > 0 ? bytes / rate : 0, isNext};
}

FlowRoute
FlowTransport::FindRoute(uint32_t from, uint32_t to) const
{
    FlowRoute route = m_router(from, to);
    if (!m_mediumRules)
    {
        route.rules.clear();
    }
    return route;
}

uint32_t
FlowTransport::FindConnection(const Message& message)
{
    const uint64_t key =
        (message.isControl ? CONTROL : 0) | uint64_t{message.from} << 32 | message.to;
    const auto known = m_numbers.find(key);
    if (known != m_numbers.end())
    {
        return known->second;
    }
    // The router may throw, so the connection is created after it.
    auto route = FindRoute(message.from, message.to);
    Require(m_startUp || route.lossRate == 0,
            "attribute StartUp: found false, expected true where packets are lost");
    if (m_connections.empty())
    {
        const double packet = m_segmentBytes + m_headerBytes;
        m_pacer.SetUp(m_network,
                      {packet,
                       GetLargestBufferBytes() * packet / m_segmentBytes,
                       static_cast<double>(m_initialSegments),
                       m_startUp,
                       m_latency,
                       m_storeAndForward,
                       m_slowStartAfterIdle,
                       m_smallQueues,
                       m_queuedData,
                       m_queuedAcknowledgements,
                       m_reviews,
                       m_hyStart,
                       m_limitedGrowth,
                       m_losses});
    }
    m_pacer.AddConnection(std::move(route));
    Connection connection;
    connection.isOpen = !m_startUp;
    m_connections.push_back(connection);
    return m_numbers[key] = m_connections.size() - 1;
}

double
FlowTransport::GetWindowBytes(uint32_t from, uint32_t to) const
{
    const auto known = m_numbers.find(uint64_t{from} << 32 | to);
    return known == m_numbers.end() ? TensorTransport::GetWindowBytes(from, to)
                                    : m_pacer.GetWindowBytes(known->second);
}

void
FlowTransport::DoSend(Outgoing outgoing)
{
    if (m_routePeriod.IsStrictlyPositive())
    {
        WatchRoutes();
    }
    const uint32_t number = FindConnection(outgoing.message);
    Connection& connection = m_connections[number];
    connection.buffer.Add(GetFlowBytes(outgoing.message.bytes));
    const bool isAwaited = !outgoing.sent.IsNull();
    connection.unsent += isAwaited;
    connection.queue.push_back(std::move(outgoing));
    ++m_underWay;
    if (connection.queue.size() > 1)
    {
        if (isAwaited)
        {
            NoticeSent(number);
        }
        return;
    }
    if (connection.isOpen)
    {
        Begin(number, false);
        return;
    }
    const FlowRoute& route = m_pacer.GetRoute(number);
    const double delay = m_latency ? route.delaySeconds + route.backSeconds : 0;
    Simulator::Schedule(RoundSeconds(delay + m_pacer.FindHandshakeQueue(number)),
                        [self = Ptr<FlowTransport>(this), number] {
                            if (!self->m_connections.empty())
                            {
                                self->m_connections[number].isOpen = true;
                                self->Begin(number, false);
                            }
                        });
}

void
FlowTransport::Begin(uint32_t number, bool isNext)
{
    Connection& connection = m_connections[number];
    connection.isMoving = true;
    const Outgoing& outgoing = connection.queue.front();
    for (const auto& rules : m_pacer.GetRoute(number).rules)
    {
        rules->Begin(Describe(number, outgoing.message.bytes, isNext), connection.memory);
    }
    NotifyStart(outgoing);
    const FlowPacer::Queue queue = m_pacer.FindQueued(number);
    if (queue.seconds > 0)
    {
        m_waiting.insert(number);
        connection.before = queue.link;
        connection.start = Simulator::Schedule(RoundSeconds(queue.seconds),
                                               &FlowTransport::StartFlow,
                                               this,
                                               number);
    }
    else
    {
        StartFlow(number);
    }
}

void
FlowTransport::StartFlow(uint32_t number)
{
    m_waiting.erase(number);
    const double bytes = GetFlowBytes(m_connections[number].queue.front().message.bytes);
    m_pacer.Start(number, bytes - GetTrail(number, bytes).bytes);
    NoticeSent(number);
}

void
FlowTransport::NoticeCapacity(uint32_t link, double before)
{
    const double capacity = m_network->GetCapacity(link);
    for (const uint32_t number : m_waiting)
    {
        Connection& connection = m_connections[number];
        if (connection.before == link && before > 0 && capacity > 0)
        {
            const Time left = Simulator::GetDelayLeft(connection.start);
            connection.start.Remove();
            connection.start =
                Simulator::Schedule(RoundSeconds(left.GetSeconds() * before / capacity),
                                    &FlowTransport::StartFlow,
                                    this,
                                    number);
        }
    }
    if (!m_connections.empty())
    {
        m_pacer.NoticeCapacity(link);
    }
}

void
FlowTransport::NoticeSent(uint32_t number)
{
    Connection& connection = m_connections[number];
    const uint32_t flow = m_pacer.GetFlow(number);
    if (connection.unsent == 0)
    {
        return;
    }
    const double packets = static_cast<double>(GetLargestBufferBytes()) / m_segmentBytes;
    const double largest = packets * (m_segmentBytes + m_headerBytes);
    const double windows = BUFFERED_WINDOWS * m_pacer.GetWindowBytes(number);
    const double room = m_sendBufferBytes ? largest : std::min(largest, windows);
    const double left = flow == MaxMinSharing::NONE ? 0 : m_network->GetRemaining(flow);
    double end = connection.endedBytes;
    const double moving = flow == MaxMinSharing::NONE
                              ? end
                              : end + GetFlowBytes(connection.queue.front().message.bytes);
    connection.buffer.Write(moving - left, room);
    for (Outgoing& outgoing : connection.queue)
    {
        end += GetFlowBytes(outgoing.message.bytes);
        if (end > connection.buffer.GetWritten())
        {
            break;
        }
        if (!outgoing.sent.IsNull())
        {
            --connection.unsent;
            NotifySent(outgoing);
        }
    }
    const double mark = moving - connection.buffer.GetWakeUp(room);
    if (connection.unsent > 0 && flow != MaxMinSharing::NONE && mark > 0 && mark < left)
    {
        m_network->SetMark(flow, mark);
    }
}

void
FlowTransport::Count(uint32_t number, uint64_t payload, double repairs, uint64_t messages)
{
    const double bytes = GetFlowBytes(payload);
    const FlowRoute& route = m_pacer.GetRoute(number);
    for (LinkCounter* counter : route.senders)
    {
        counter->bytes += messages * static_cast<uint64_t>(bytes + repairs);
    }
    if (m_acknowledgements)
    {
        const double count = std::ceil(CountSegments(payload) / SEGMENTS_PER_ACKNOWLEDGEMENT);
        for (LinkCounter* counter : route.acknowledgers)
        {
            counter->bytes += messages * static_cast<uint64_t>(count) * m_headerBytes;
        }
    }
    m_connections[number].endedBytes += messages * bytes;
}

std::vector<double>
FlowTransport::BeginLap(const std::vector<LapTraffic>& traffic, const Time& last)
{
    if (m_underWay > 0 || IsObserved())
    {
        return {};
    }
    std::vector<double> state;
    for (const auto& [from, to, sizes] : traffic)
    {
        const auto number = m_numbers.find(uint64_t{from} << 32 | to);
        if (number == m_numbers.end() || !m_pacer.BeginLap(number->second, last, state))
        {
            return {};
        }
    }
    return state;
}

void
FlowTransport::RepeatLap(const std::vector<LapTraffic>& traffic, const Time& last, uint32_t laps)
{
    TensorTransport::RepeatLap(traffic, last, laps);
    for (const auto& [from, to, sizes] : traffic)
    {
        const uint32_t number = m_numbers.at(uint64_t{from} << 32 | to);
        const auto messages = Map(sizes, [this](uint64_t size) { return GetFlowBytes(size); });
        m_pacer.RepeatLap(number, messages, last, laps);
        m_connections[number].buffer.Add(laps * Sum(messages));
        for (const uint64_t size : sizes)
        {
            Count(number, size, 0, laps);
        }
    }
}

void
FlowTransport::HandleFinished(uint32_t number)
{
    Connection& connection = m_connections[number];
    Outgoing& outgoing = connection.queue.front();
    const uint64_t payload = outgoing.message.bytes;
    const double bytes = GetFlowBytes(payload);
    const double segments = CountSegments(payload);
    const FlowRoute& route = m_pacer.GetRoute(number);
    const auto repair = m_pacer.Finish(number, connection.queue.size() > 1);
    Count(number, payload, repair.bytes, 1);
    if (!outgoing.sent.IsNull())
    {
        --connection.unsent;
        NotifySent(outgoing);
    }
    const auto place = connection.queue.begin();
    m_arriving.splice(m_arriving.end(), connection.queue, place);
    connection.isMoving = false;
    const FlowTrail trail = GetTrail(number, bytes);
    const double least = connection.queue.empty() ? trail.least : 0;
    if (const double after = std::max(trail.bytes, least); after > 0)
    {
        m_network->StartOwnFlow(trail.use, after);
    }

    const double last = payload + FRAME_HEADER - (segments - 1) * m_segmentBytes;
    double seconds = repair.seconds + (m_latency ? route.delaySeconds : 0);
    for (const auto& rules : route.rules)
    {
        seconds += m_latency ? rules->End(Describe(number, payload, false), connection.memory) : 0;
    }
    const Time now = Simulator::Now();
    if (m_storeAndForward)
    {
        const double header = m_headers ? m_headerBytes : 0;
        const double most = segments > 1 ? m_segmentBytes : last;
        seconds += GetForwardSeconds(*m_network, route, most + header, last + header);
    }
    connection.lastArrival = std::max(connection.lastArrival, now + RoundSeconds(seconds));
    const Time delay = connection.lastArrival - now;
    if (!connection.queue.empty())
    {
        Begin(number, true);
    }
    if (delay.IsZero())
    {
        Arrive(number, place);
    }
    else
    {
        Simulator::Schedule(delay, &FlowTransport::Arrive, Ptr<FlowTransport>(this), number, place);
    }
}

void
FlowTransport::Arrive(uint32_t number, std::list<Outgoing>::iterator place)
{
    if (m_connections.empty())
    {
        return; // disposed of
    }
    const Outgoing outgoing = std::move(*place);
    m_arriving.erase(place);
    --m_underWay;
    for (const auto& rules : m_pacer.GetRoute(number).rules)
    {
        rules->Arrive(Describe(number, outgoing.message.bytes, false),
                      m_connections[number].memory);
    }
    Deliver(outgoing);
}

Time
FlowTransport::GetLastProgress() const
{
    return m_network->IsMoving() ? Simulator::Now() : TensorTransport::GetLastProgress();
}

std::vector<TensorTransport::Pending>
FlowTransport::DoGetPending() const
{
    std::vector<Pending> pending;
    for (const auto& [id, message, delivered, sent] : m_arriving)
    {
        pending.push_back({id, message, message.bytes, "about to arrive"});
    }
    for (uint32_t number = 0; number < m_connections.size(); ++number)
    {
        const Connection& connection = m_connections[number];
        const uint32_t flow = m_pacer.GetFlow(number);
        for (const Outgoing& outgoing : connection.queue)
        {
            std::ostringstream state;
            double delivered = 0;
            if (&outgoing != &connection.queue.front())
            {
                state << "waits for the messages before it";
            }
            else if (!connection.isMoving)
            {
                state << "TCP not connected";
            }
            else if (flow == MaxMinSharing::NONE)
            {
                state << "queued behind other connections";
            }
            else
            {
                const double all = GetFlowBytes(outgoing.message.bytes);
                const double left = m_network->GetRemaining(flow);
                delivered = std::floor(outgoing.message.bytes * (1 - left / all));
                const double rate = m_network->GetRate(flow);
                if (rate > 0)
                {
                    state << "moving at " << 8e-6 * rate << " Mbit/s";
                }
                else
                {
                    state << "a link on its way is down";
                }
            }
            pending.push_back({outgoing.id,
                               outgoing.message,
                               static_cast<uint64_t>(std::max(0.0, delivered)),
                               state.str()});
        }
    }
    return pending;
}

} // namespace ns3::edgepipe
