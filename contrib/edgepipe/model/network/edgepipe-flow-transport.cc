/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-transport.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-time.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeFlowTransport");

NS_OBJECT_ENSURE_REGISTERED(FlowTransport);

namespace
{

/// What PacketTransport writes before a message's payload, bytes.
constexpr double FRAME_HEADER = 48;
/// Segments in TCP's first window, RFC 6928.
constexpr double INITIAL_WINDOW = 10;
/// Share of TCP's buffer that is under way in steady state: PacketTransport refills it by quarters.
/// Measured with 10 MB messages, 1 Gbit/s and a round trip of 20 ms.
constexpr double BUFFER_USE = 0.81;
/// Segments that one acknowledgement answers.
constexpr double SEGMENTS_PER_ACKNOWLEDGEMENT = 2;

} // namespace

TypeId
FlowTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::FlowTransport")
            .SetParent<TensorTransport>()
            .SetGroupName("Edgepipe")
            .AddConstructor<FlowTransport>()
            .AddAttribute("SegmentSize",
                          "TCP payload per full segment, bytes.",
                          UintegerValue(1448),
                          MakeUintegerAccessor(&FlowTransport::m_segmentBytes),
                          MakeUintegerChecker<uint32_t>(1, 65000))
            .AddAttribute("HeaderSize",
                          "Headers of a segment on a link, bytes: IP 20, TCP with timestamps 32, "
                          "point-to-point 2.",
                          UintegerValue(54),
                          MakeUintegerAccessor(&FlowTransport::m_headerBytes),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("BufferSize",
                          "TCP's largest window, bytes: what may be under way in a round trip.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&FlowTransport::m_bufferBytes),
                          MakeUintegerChecker<uint32_t>(4096))
            .AddAttribute("Headers",
                          "Whether headers take capacity.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FlowTransport::m_headers),
                          MakeBooleanChecker())
            .AddAttribute("Latency",
                          "Whether the delays of links count.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FlowTransport::m_latency),
                          MakeBooleanChecker())
            .AddAttribute("StoreAndForward",
                          "Whether every link but the slowest delays a message by the time of its "
                          "last packet.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FlowTransport::m_storeAndForward),
                          MakeBooleanChecker())
            .AddAttribute("StartUp",
                          "Whether connections begin with TCP's handshake and slow start and are "
                          "held to BufferSize per round trip.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FlowTransport::m_startUp),
                          MakeBooleanChecker())
            .AddAttribute("Acknowledgements",
                          "Whether acknowledgements take capacity of the opposite direction.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FlowTransport::m_acknowledgements),
                          MakeBooleanChecker());
    return tid;
}

void
FlowTransport::SetUp(Ptr<FlowNetwork> network, FlowRouter router)
{
    m_network = network;
    m_router = std::move(router);
    m_network->SetFinishedCallback(MakeCallback(&FlowTransport::HandleFinished, this));
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
        connection.growth.Remove();
    }
    m_connections.clear();
    m_transfers.clear();
    m_router = FlowRouter();
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

double
FlowTransport::GetRouteRate(const FlowRoute& route) const
{
    double rate = MaxMinSharing::UNBOUNDED;
    for (const auto& use : route.uses)
    {
        rate = std::min(rate, m_network->GetCapacity(use.link) / use.weight);
    }
    return rate;
}

double
FlowTransport::GetForwardSeconds(const FlowRoute& route, double bytes) const
{
    double seconds = 0;
    double longest = 0;
    for (const auto& use : route.uses)
    {
        const double capacity = m_network->GetCapacity(use.link);
        const double here = capacity > 0 ? bytes * use.weight / capacity : 0;
        seconds += here;
        longest = std::max(longest, here);
    }
    return m_storeAndForward ? seconds - longest : 0;
}

uint32_t
FlowTransport::FindConnection(uint32_t from, uint32_t to)
{
    const uint64_t key = static_cast<uint64_t>(from) << 32 | to;
    const auto [place, isNew] = m_numbers.emplace(key, m_connections.size());
    if (isNew)
    {
        Connection connection;
        connection.route = m_router(from, to);
        const double packet = m_segmentBytes + m_headerBytes;
        const double rate = GetRouteRate(connection.route);
        connection.roundTripSeconds = m_latency ? 2 * connection.route.delaySeconds : 0;
        connection.roundTripSeconds += GetForwardSeconds(connection.route, packet);
        connection.roundTripSeconds += rate > 0 ? packet / rate : 0;
        connection.windowBytes = INITIAL_WINDOW * packet;
        connection.creditBytes = connection.windowBytes;
        connection.isOpen = !m_startUp;
        m_connections.push_back(std::move(connection));
    }
    return place->second;
}

void
FlowTransport::CheckWindow(Connection& connection) const
{
    const double rate = GetRouteRate(connection.route);
    const double largest = BUFFER_USE * m_bufferBytes;
    if (connection.windowBytes >=
        std::min<double>(rate * connection.roundTripSeconds, m_bufferBytes))
    {
        connection.isSlowStart = false;
        connection.windowBytes = largest;
    }
}

double
FlowTransport::SpendWindow(Connection& connection, double bytes) const
{
    if (!m_startUp || connection.roundTripSeconds <= 0)
    {
        return MaxMinSharing::UNBOUNDED;
    }
    CheckWindow(connection);
    const double refill = connection.windowBytes / connection.roundTripSeconds;
    const Time now = Simulator::Now();
    const double elapsed = 1e-9 * (now - connection.creditTime).GetNanoSeconds();
    const double credit =
        std::clamp(connection.creditBytes + elapsed * refill, 0.0, connection.windowBytes);
    connection.creditTime = now;
    connection.creditBytes = credit - bytes; // below 0: what refills is spent already
    if (bytes <= credit)
    {
        return MaxMinSharing::UNBOUNDED;
    }
    if (connection.isSlowStart && bytes > connection.windowBytes)
    {
        return refill;
    }
    return bytes / (credit / GetRouteRate(connection.route) + (bytes - credit) / refill);
}

void
FlowTransport::DoSend(Outgoing outgoing)
{
    const uint32_t number = FindConnection(outgoing.message.from, outgoing.message.to);
    uint32_t place = m_transfers.size();
    if (m_free.empty())
    {
        m_transfers.push_back({std::move(outgoing), NONE, false});
    }
    else
    {
        place = m_free.back();
        m_free.pop_back();
        m_transfers[place] = {std::move(outgoing), NONE, false};
    }
    Connection& connection = m_connections[number];
    if (connection.first != NONE)
    {
        m_transfers[connection.last].next = place;
        connection.last = place;
        return;
    }
    connection.first = place;
    connection.last = place;
    if (connection.isOpen)
    {
        Begin(number);
        return;
    }
    Simulator::Schedule(m_latency ? RoundSeconds(2 * connection.route.delaySeconds) : Time(),
                        [self = Ptr<FlowTransport>(this), number] {
                            if (!self->m_connections.empty())
                            {
                                self->m_connections[number].isOpen = true;
                                self->Begin(number);
                            }
                        });
}

void
FlowTransport::Begin(uint32_t number)
{
    Connection& connection = m_connections[number];
    const Outgoing& outgoing = m_transfers[connection.first].outgoing;
    const double bytes = GetFlowBytes(outgoing.message.bytes);
    const double bound = SpendWindow(connection, bytes);
    if (connection.isSlowStart && bytes > connection.windowBytes &&
        bound < MaxMinSharing::UNBOUNDED)
    {
        ScheduleGrowth(number);
    }
    connection.isMoving = true;
    NotifyStart(outgoing);
    connection.flow = m_network->StartFlow(connection.route.uses, bytes, bound, number);
}

void
FlowTransport::ScheduleGrowth(uint32_t number)
{
    Connection& connection = m_connections[number];
    connection.growth = Simulator::Schedule(RoundSeconds(connection.roundTripSeconds),
                                            &FlowTransport::Grow,
                                            this,
                                            number);
}

void
FlowTransport::Grow(uint32_t number)
{
    Connection& connection = m_connections[number];
    connection.windowBytes *= 2;
    CheckWindow(connection);
    const double remaining = m_network->GetRemaining(connection.flow);
    if (remaining <= connection.windowBytes)
    {
        // All that is left goes out at once.
        connection.creditBytes = connection.windowBytes - remaining;
        connection.creditTime = Simulator::Now();
        m_network->SetBound(connection.flow, MaxMinSharing::UNBOUNDED);
        return;
    }
    m_network->SetBound(connection.flow, connection.windowBytes / connection.roundTripSeconds);
    if (connection.isSlowStart)
    {
        ScheduleGrowth(number);
    }
}

void
FlowTransport::HandleFinished(uint32_t number)
{
    Connection& connection = m_connections[number];
    const uint32_t place = connection.first;
    Transfer& transfer = m_transfers[place];
    const uint64_t payload = transfer.outgoing.message.bytes;
    const double bytes = GetFlowBytes(payload);
    const double segments = CountSegments(payload);
    if (connection.isSlowStart)
    {
        connection.growth.Remove();
        connection.windowBytes += std::min(connection.windowBytes, bytes);
    }
    for (LinkCounter* counter : connection.route.senders)
    {
        counter->bytes += static_cast<uint64_t>(bytes);
    }
    if (m_acknowledgements)
    {
        const double answers = std::ceil(segments / SEGMENTS_PER_ACKNOWLEDGEMENT);
        for (LinkCounter* counter : connection.route.answerers)
        {
            counter->bytes += static_cast<uint64_t>(answers) * m_headerBytes;
        }
    }
    transfer.isArriving = true;
    connection.first = transfer.next;
    connection.isMoving = false;
    connection.flow = NONE;

    const double last = payload + FRAME_HEADER - (segments - 1) * m_segmentBytes;
    double seconds = GetForwardSeconds(connection.route, m_headers ? last + m_headerBytes : last);
    seconds += m_latency ? connection.route.delaySeconds : 0;
    const Time now = Simulator::Now();
    connection.lastArrival = std::max(connection.lastArrival, now + RoundSeconds(seconds));
    const Time delay = connection.lastArrival - now;
    if (connection.first != NONE)
    {
        Begin(number);
    }
    if (delay.IsZero())
    {
        Arrive(place);
    }
    else
    {
        Simulator::Schedule(delay, &FlowTransport::Arrive, Ptr<FlowTransport>(this), place);
    }
}

void
FlowTransport::Arrive(uint32_t place)
{
    if (m_transfers.empty())
    {
        return; // disposed of
    }
    const Outgoing outgoing = std::move(m_transfers[place].outgoing);
    m_transfers[place].isArriving = false;
    m_free.push_back(place);
    Deliver(outgoing);
}

Time
FlowTransport::GetLastProgress() const
{
    return m_network->IsMoving() ? Simulator::Now() : TensorTransport::GetLastProgress();
}

std::vector<TensorTransport::Pending>
FlowTransport::GetPending() const
{
    std::vector<Pending> pending;
    for (const auto& transfer : m_transfers)
    {
        if (transfer.isArriving)
        {
            const Message& message = transfer.outgoing.message;
            pending.push_back({transfer.outgoing.id, message, message.bytes, "about to arrive"});
        }
    }
    for (const auto& connection : m_connections)
    {
        for (uint32_t place = connection.first; place != NONE; place = m_transfers[place].next)
        {
            const Outgoing& outgoing = m_transfers[place].outgoing;
            std::ostringstream state;
            double delivered = 0;
            if (place != connection.first)
            {
                state << "waits for the messages before it";
            }
            else if (!connection.isMoving)
            {
                state << "TCP not connected";
            }
            else
            {
                const double all = GetFlowBytes(outgoing.message.bytes);
                const double left = m_network->GetRemaining(connection.flow);
                delivered = std::floor(outgoing.message.bytes * (1 - left / all));
                state << "moving at " << 8e-6 * m_network->GetRate(connection.flow) << " Mbit/s";
            }
            pending.push_back({outgoing.id,
                               outgoing.message,
                               static_cast<uint64_t>(std::max(0.0, delivered)),
                               state.str()});
        }
    }
    std::sort(pending.begin(), pending.end(), [](const Pending& a, const Pending& b) {
        return a.id < b.id;
    });
    return pending;
}

} // namespace edgepipe
} // namespace ns3
