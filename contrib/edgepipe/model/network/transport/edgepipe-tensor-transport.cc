/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-tensor-transport.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <limits>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeTensorTransport");

namespace
{

/**
 * @param ports ports and their receivers, by rising port
 * @param port the port to find
 * @return the first entry that is not below it
 */
template <typename Ports>
auto
FindPort(Ports& ports, uint16_t port)
{
    return std::lower_bound(ports.begin(),
                            ports.end(),
                            port,
                            [](const auto& entry, uint16_t other) { return entry.first < other; });
}

} // namespace

TypeId
TensorTransport::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("TransferStart",
             "A message's first byte enters the network.",
             {&TensorTransport::m_startTrace, "Transfer"})
        .Add("TransferEnd",
             "A message has arrived whole.",
             {&TensorTransport::m_endTrace, "Transfer"})
        .Add("SegmentSize",
             "TCP payload per full segment, bytes.",
             {&TensorTransport::m_segmentBytes, 1448, 1, 65000})
        .Add("BufferSize",
             "TCP receive buffer of a connection, and its largest send buffer, bytes: the most "
             "that may be in flight.",
             {&TensorTransport::m_bufferBytes, 1 << 20, 4096})
        .Add("SendBuffer",
             "TCP send buffer of a connection, bytes of payload; 0: two congestion windows, at "
             "most BufferSize. Linux's buffer is twice the value set by SO_SNDBUF.",
             {&TensorTransport::m_sendBufferBytes, 0})
        .Add("InitialWindow",
             "TCP's window at first and at least after a pause, segments, 10 by RFC 6928.",
             {&TensorTransport::m_initialSegments, 10, 1, 10000})
        .Add("SlowStartAfterIdle",
             "Whether TCP halves a connection's window for each retransmission time-out in "
             "which it sends nothing, down to the initial window, as Linux's "
             "tcp_slow_start_after_idle.",
             {&TensorTransport::m_slowStartAfterIdle, true})
        .Add("SmallQueues",
             "Whether a host keeps data in the socket, but for two or three bunches, while its own "
             "wire is busy, as Linux's TCP small queues.",
             {&TensorTransport::m_smallQueues, true});
}

double
TensorTransport::GetWindowBytes(uint32_t /* from */, uint32_t /* to */) const
{
    return std::numeric_limits<double>::infinity();
}

void
TensorTransport::DoDispose()
{
    m_receivers.clear();
    m_awaited.clear();
    // Their callbacks may hold the transport in turn.
    m_startTrace = decltype(m_startTrace)();
    m_endTrace = decltype(m_endTrace)();
    m_arrivals = decltype(m_arrivals)();
    m_pairs.clear();
    Object::DoDispose();
}

void
TensorTransport::CheckNode(Ptr<Node> node) const
{
    throw InputError(GetInstanceTypeId().GetName() + ": found node " +
                     std::to_string(node->GetId()) +
                     ", expected no node of a topology of one's own");
}

void
TensorTransport::AddNode(Ptr<Node> node)
{
    CheckNode(node);
}

void
TensorTransport::Listen(uint32_t node, uint16_t port, ReceiveCallback receive)
{
    NS_LOG_FUNCTION(this << node << port);
    NS_ABORT_MSG_IF(FindReceiver(node, port),
                    "node " << node << " already listens on port " << port);
    m_receivers.resize(std::max<std::size_t>(m_receivers.size(), node + 1));
    auto& ports = m_receivers[node];
    ports.emplace(FindPort(ports, port), port, receive);
    if (IsAwaited({0, node, port, 0, 0, ""}))
    {
        // The listener may not be ready yet.
        Simulator::ScheduleNow(&TensorTransport::DeliverAwaited,
                               Ptr<TensorTransport>(this),
                               node,
                               port);
    }
}

void
TensorTransport::Listen(Ptr<Node> node, uint16_t port, ReceiveCallback receive)
{
    Listen(node->GetId(), port, receive);
}

const TensorTransport::ReceiveCallback*
TensorTransport::FindReceiver(uint32_t node, uint16_t port) const
{
    if (node < m_receivers.size())
    {
        const auto& ports = m_receivers[node];
        const auto found = FindPort(ports, port);
        return found != ports.end() && found->first == port ? &found->second : nullptr;
    }
    return nullptr;
}

void
TensorTransport::Send(Message message, DeliveredCallback delivered, SentCallback sent)
{
    NS_LOG_FUNCTION(this << message.from << message.to << message.port << message.bytes);
    NS_ABORT_MSG_IF(message.body.size() > message.bytes, "a message's body exceeds its payload");
    Outgoing outgoing{m_nextId++, std::move(message), std::move(delivered), std::move(sent)};
    if (outgoing.message.from == outgoing.message.to)
    {
        NotifySent(outgoing);
        Simulator::ScheduleNow([self = Ptr<TensorTransport>(this), outgoing]() {
            self->NotifyStart(outgoing);
            self->Deliver(outgoing);
        });
        return;
    }
    DoSend(std::move(outgoing));
}

void
TensorTransport::ConnectPair(uint32_t a, uint32_t b, TransferCallback start, TransferCallback end)
{
    auto& [starts, ends] = m_pairs[GetPairKey(a, b)];
    starts.ConnectWithoutContext(start);
    ends.ConnectWithoutContext(end);
}

void
TensorTransport::DisconnectPair(uint32_t a,
                                uint32_t b,
                                TransferCallback start,
                                TransferCallback end)
{
    const auto pair = m_pairs.find(GetPairKey(a, b));
    if (pair != m_pairs.end())
    {
        pair->second[0].DisconnectWithoutContext(start);
        pair->second[1].DisconnectWithoutContext(end);
    }
}

void
TensorTransport::NotifyPair(std::size_t isEnd, const Outgoing& outgoing)
{
    const Message& message = outgoing.message;
    const auto pair = m_pairs.find(GetPairKey(message.from, message.to));
    if (pair != m_pairs.end())
    {
        pair->second[isEnd](outgoing.id, message);
    }
}

bool
TensorTransport::IsObserved() const
{
    return !m_startTrace.IsEmpty() || !m_endTrace.IsEmpty() || AnyOf(m_pairs, [](auto& pair) {
        return AnyOf(pair.second, [](auto& trace) { return !trace.IsEmpty(); });
    });
}

std::vector<double>
TensorTransport::BeginLap(const std::vector<LapTraffic>& /* traffic */, const Time& /* last */)
{
    return {};
}

void
TensorTransport::RepeatLap(const std::vector<LapTraffic>& traffic,
                           const Time& /* last */,
                           uint32_t laps)
{
    for (const auto& each : traffic)
    {
        m_nextId += laps * each.bytes.size();
        m_deliveredBytes += laps * Sum(each.bytes);
    }
}

void
TensorTransport::NotifyStart(const Outgoing& outgoing)
{
    m_startTrace(outgoing.id, outgoing.message);
    NotifyPair(0, outgoing);
}

void
TensorTransport::NotifySent(Outgoing& outgoing)
{
    if (!outgoing.sent.IsNull())
    {
        Simulator::ScheduleNow([sent = outgoing.sent] { sent(); });
        outgoing.sent = SentCallback();
    }
}

void
TensorTransport::NotifyProgress()
{
    m_lastProgress = Simulator::Now();
}

void
TensorTransport::Deliver(const Outgoing& outgoing)
{
    const Message& message = outgoing.message;
    NS_LOG_LOGIC("message " << outgoing.id << " delivered to node " << message.to);
    m_lastProgress = Simulator::Now();
    m_deliveredBytes += message.from == message.to ? 0 : message.bytes;
    m_endTrace(outgoing.id, message);
    m_arrivals(message);
    NotifyPair(1, outgoing);
    if (!FindReceiver(message.to, message.port) || IsAwaited(message))
    {
        m_awaited.push_back(outgoing);
        return;
    }
    Hand(outgoing);
}

void
TensorTransport::Hand(const Outgoing& outgoing)
{
    const Message& message = outgoing.message;
    // A copy: the receiver may call Listen, which moves the original.
    const ReceiveCallback receive = *FindReceiver(message.to, message.port);
    receive(message);
    if (!outgoing.delivered.IsNull())
    {
        outgoing.delivered();
    }
}

bool
TensorTransport::IsAwaited(const Message& message) const
{
    return std::any_of(m_awaited.begin(), m_awaited.end(), [&message](const auto& other) {
        return other.message.to == message.to && other.message.port == message.port;
    });
}

void
TensorTransport::DeliverAwaited(uint32_t node, uint16_t port)
{
    const auto end =
        std::stable_partition(m_awaited.begin(), m_awaited.end(), [node, port](const auto& other) {
            return other.message.to != node || other.message.port != port;
        });
    const std::vector<Outgoing> awaited(end, m_awaited.end());
    m_awaited.erase(end, m_awaited.end());
    for (const auto& outgoing : awaited)
    {
        Hand(outgoing);
    }
}

std::vector<TensorTransport::Pending>
TensorTransport::GetPending() const
{
    std::vector<Pending> pending = DoGetPending();
    for (const auto& outgoing : m_awaited)
    {
        pending.push_back({outgoing.id,
                           outgoing.message,
                           outgoing.message.bytes,
                           "arrived where nobody listens yet"});
    }
    std::sort(pending.begin(), pending.end(), [](const auto& a, const auto& b) {
        return a.id < b.id;
    });
    return pending;
}

} // namespace ns3::edgepipe
