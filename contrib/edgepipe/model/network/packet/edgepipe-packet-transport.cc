/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-transport.h"

#include "edgepipe-frto-tcp-socket.h"
#include "edgepipe-round-tcp-cubic.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-send-buffer.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/uinteger.h"

#include <cstring>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipePacketTransport");

NS_OBJECT_ENSURE_REGISTERED(PacketTransport);

namespace
{

/// TCP port every node listens on.
constexpr uint16_t LISTEN_PORT = 4700;
/// Fewest segments that are written at once.
constexpr uint32_t LEAST_WRITE = 16;
/// Congestion windows that Linux's autotuned send buffer holds: one in flight and one to follow.
constexpr uint64_t BUFFERED_WINDOWS = 2;

/** Precedes a message's payload on the wire, in memory layout: both ends are this program. */
struct FrameHeader
{
    uint64_t id;         //!< number of the message
    uint64_t tag;        //!< Message::tag
    uint64_t bytes;      //!< Message::bytes
    uint32_t from;       //!< Message::from
    uint32_t to;         //!< Message::to
    uint32_t bodyBytes;  //!< length of Message::body
    uint32_t generation; //!< how often the connection had been opened before
    uint32_t port;       //!< Message::port
    uint32_t isControl;  //!< Message::isControl
};

/**
 * @param message a message
 * @return bytes of its frame
 */
uint64_t
GetFrameBytes(const Message& message)
{
    return sizeof(FrameHeader) + message.bytes;
}

/**
 * @tparam T a Socket
 * @param socket loses its callbacks and becomes null; TCP may still hold it
 */
template <typename T>
void
Release(Ptr<T>& socket)
{
    if (socket)
    {
        socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                   MakeNullCallback<void, Ptr<Socket>>());
        socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                  MakeNullCallback<void, Ptr<Socket>>());
        socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeNullCallback<void, Ptr<Socket>, const Address&>());
        socket = nullptr;
    }
}

} // namespace

/** State that is lost when TCP gives up a connection. */
struct PacketTransport::Attempt
{
    Ptr<FrtoTcpSocket> socket;  //!< the sender's end, null while waiting to reconnect
    bool established{false};    //!< whether TCP has completed its handshake
    std::size_t writing{0};     //!< index in queue of the message being written
    uint64_t written{0};        //!< bytes of its frame handed to TCP
    std::size_t unsent{0};      //!< index in queue of the first one not known as sent
    uint64_t ahead{0};          //!< bytes of the frames before that one since TCP's first
    uint64_t handed{0};         //!< bytes handed to TCP since its first
    SendBuffer buffer;          //!< TCP's, as the sender sees it
    uint64_t frontDelivered{0}; //!< payload bytes of queue.front() that have arrived
};

/** A persistent connection as its sender sees it. */
struct PacketTransport::Connection : Attempt
{
    uint32_t from{0};            //!< id of the sending node
    uint32_t to{0};              //!< id of the receiving node
    uint32_t generation{0};      //!< how often it has been opened before
    std::string trouble;         //!< why it was last lost, empty if never
    std::deque<Outgoing> queue;  //!< every message not yet delivered
    std::vector<uint8_t> prefix; //!< header and body of the message being written
    uint64_t startedBelow{0};    //!< ids below this have been announced as started
};

/** A frame being read from one accepted socket. */
struct PacketTransport::Intake
{
    Connection* connection{nullptr};                 //!< known once the first header is read
    uint32_t generation{0};                          //!< of the connection when it was opened
    std::array<uint8_t, sizeof(FrameHeader)> header; //!< header bytes so far
    std::size_t headerBytes{0};                      //!< number of header bytes so far
    uint64_t payloadLeft{0};                         //!< payload bytes still to come
    uint64_t bodyLeft{0};                            //!< body bytes among them
    std::string body;                                //!< body bytes so far
};

TypeId
PacketTransport::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("CongestionControl",
             "TCP congestion control, a subclass of ns3::TcpCongestionOps.",
             {TypeIdValue(RoundTcpCubic::GetTypeId()),
              MakeTypeIdAccessor(&PacketTransport::m_congestionControl),
              MakeTypeIdChecker()})
        .Add("MinRto",
             "Smallest retransmission time-out, and its least excess over the round-trip time.",
             {&PacketTransport::m_minRto, MilliSeconds(200)})
        .Add("ConnectTimeout",
             "Time until an unanswered SYN is repeated.",
             {&PacketTransport::m_connectTimeout, Seconds(1), MilliSeconds(1)})
        .Add("DelayedAckTimeout",
             "Longest time an acknowledgement is held back; below MinRto, or every lone "
             "segment times out.",
             {&PacketTransport::m_delayedAckTimeout, MilliSeconds(40)})
        .Add("FirstConnect",
             "Earliest time to open connections, so that devices can attach to the network first.",
             {&PacketTransport::m_firstConnect, Time()})
        .Add("ReconnectDelay",
             "Pause before a lost connection is reopened.",
             {&PacketTransport::m_reconnectDelay, Seconds(1), MilliSeconds(1)});
}

void
PacketTransport::DoDispose()
{
    for (auto& [pair, connection] : m_connections)
    {
        Release(connection->socket);
    }
    for (auto& [id, endpoint] : m_endpoints)
    {
        Release(endpoint.server);
    }
    m_connections.clear();
    m_endpoints.clear();
    TensorTransport::DoDispose();
}

void
PacketTransport::AddNode(Ptr<Node> node, Ipv4Address address)
{
    NS_LOG_FUNCTION(this << node << address);
    const uint32_t id = node->GetId();
    NS_ABORT_MSG_IF(m_endpoints.count(id), "node " << id << " has been added already");
    Endpoint endpoint{node, address, MakeSocket(node)};
    endpoint.server->Bind(InetSocketAddress(Ipv4Address::GetAny(), LISTEN_PORT));
    endpoint.server->Listen();
    // A connection being accepted calls this object even after its disposal.
    endpoint.server->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        [self = Ptr<PacketTransport>(this)](Ptr<Socket> socket, const Address&) {
            // TCP keeps the accepted socket, so the socket keeps the transport.
            socket->SetRecvCallback([self, intake = std::make_shared<Intake>()](Ptr<Socket> from) {
                self->Drain(intake, from);
            });
        });
    m_endpoints[id] = endpoint;
}

void
PacketTransport::CheckNode(Ptr<Node> node) const
{
    Require(bool(node->GetObject<TcpL4Protocol>()),
            "node " + std::to_string(node->GetId()) +
                ": found no TCP, expected an Internet stack to be installed before the transport");
}

Ptr<FrtoTcpSocket>
PacketTransport::MakeSocket(Ptr<Node> node) const
{
    CheckNode(node);
    const auto tcp = node->GetObject<TcpL4Protocol>();
    auto socket = CreateObject<FrtoTcpSocket>();
    const auto create = [tcp](const std::string& attribute) {
        TypeIdValue type;
        tcp->GetAttribute(attribute, type);
        return ObjectFactory(type.Get().GetName());
    };
    socket->SetSlowStartAfterIdle(m_slowStartAfterIdle);
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(create("RttEstimatorType").Create<RttEstimator>());
    socket->SetRecoveryAlgorithm(create("RecoveryType").Create<TcpRecoveryOps>());
    const auto control = ObjectFactory(m_congestionControl.GetName()).Create<TcpCongestionOps>();
    if (const auto cubic = DynamicCast<RoundTcpCubic>(control))
    {
        socket->SetCubic(cubic);
    }
    socket->SetCongestionControlAlgorithm(control);
    tcp->AddSocket(socket);
    socket->SetAttribute("SegmentSize", UintegerValue(m_segmentBytes));
    socket->SetAttribute("SndBufSize", UintegerValue(GetLargestBufferBytes()));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_bufferBytes));
    socket->SetAttribute("MinRto", TimeValue(m_minRto));
    // Linux's time-out is at least the round-trip time plus this. ns-3's would fall to the
    // round-trip time itself, and mistake a delayed acknowledgement for a loss.
    socket->SetAttribute("ClockGranularity", TimeValue(m_minRto));
    socket->SetAttribute("ConnTimeout", TimeValue(m_connectTimeout));
    socket->SetAttribute("DelAckTimeout", TimeValue(m_delayedAckTimeout));
    // Linux's settings: tcp_retries2, no Nagle delay.
    socket->SetAttribute("DataRetries", UintegerValue(15));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_initialSegments));
    socket->SetAttribute("TcpNoDelay", BooleanValue(true));
    return socket;
}

double
PacketTransport::GetWindowBytes(uint32_t from, uint32_t to) const
{
    const auto known = m_connections.find({from, to, false});
    return known == m_connections.end() || !known->second->socket
               ? TensorTransport::GetWindowBytes(from, to)
               : std::min(known->second->socket->GetWindowBytes(), GetLargestBufferBytes());
}

void
PacketTransport::DoSend(Outgoing outgoing)
{
    const Message& message = outgoing.message;
    NS_ABORT_MSG_UNLESS(m_endpoints.count(message.from) && m_endpoints.count(message.to),
                        "message from node " << message.from << " to node " << message.to
                                             << ", of which one has not been added");
    auto& connection = m_connections[{message.from, message.to, message.isControl}];
    if (!connection)
    {
        connection = std::make_shared<Connection>();
        connection->from = message.from;
        connection->to = message.to;
        // Not at once: before the simulation runs, ns-3's nodes cannot send.
        ScheduleOpen(*connection, std::max(Time(0), m_firstConnect - Simulator::Now()));
    }
    connection->buffer.Add(GetFrameBytes(outgoing.message));
    connection->queue.push_back(std::move(outgoing));
    Fill(*connection);
}

void
PacketTransport::ScheduleOpen(Connection& connection, const Time& delay)
{
    Simulator::Schedule(delay, [self = Ptr<PacketTransport>(this), &connection]() {
        if (!self->m_connections.empty())
        {
            self->Open(connection);
        }
    });
}

void
PacketTransport::Open(Connection& connection)
{
    NS_LOG_FUNCTION(this << connection.from << connection.to << connection.generation);
    const auto socket = MakeSocket(m_endpoints[connection.from].node);
    connection.socket = socket;
    connection.established = false;
    socket->SetConnectCallback(
        [this, &connection](Ptr<Socket>) {
            connection.established = true;
            Fill(connection);
        },
        [this, &connection](Ptr<Socket>) { HandleBroken(connection, "connection refused"); });
    socket->SetCloseCallbacks(
        [this, &connection](Ptr<Socket>) { HandleBroken(connection, "closed by the receiver"); },
        [this, &connection](Ptr<Socket>) { HandleBroken(connection, "TCP gave up"); });
    socket->SetSendCallback([this, &connection](Ptr<Socket>, uint32_t) { Fill(connection); });
    Endpoint& receiver = m_endpoints[connection.to];
    if (receiver.address == Ipv4Address::GetAny())
    {
        receiver.address = TensorEndpoint::FindAddress(receiver.node);
    }
    if (m_smallQueues)
    {
        socket->SetHostQueue(HostQueue::Find(m_endpoints[connection.from].node, receiver.address));
    }
    socket->Connect(InetSocketAddress(receiver.address, LISTEN_PORT));
}

void
PacketTransport::HandleBroken(Connection& connection, const std::string& why)
{
    if (!connection.socket)
    {
        return;
    }
    NS_LOG_INFO("connection " << connection.from << " to " << connection.to << ": " << why);
    ++m_brokenConnections;
    Release(connection.socket);
    static_cast<Attempt&>(connection) = Attempt();
    connection.trouble = why;
    for (const auto& outgoing : connection.queue)
    {
        connection.buffer.Add(GetFrameBytes(outgoing.message));
    }
    ++connection.generation;
    ScheduleOpen(connection, m_reconnectDelay);
}

void
PacketTransport::Fill(Connection& connection)
{
    if (!connection.established)
    {
        return;
    }
    while (connection.writing < connection.queue.size())
    {
        const Outgoing& outgoing = connection.queue[connection.writing];
        const Message& message = outgoing.message;
        if (connection.written == 0)
        {
            const FrameHeader header{outgoing.id,
                                     message.tag,
                                     message.bytes,
                                     message.from,
                                     message.to,
                                     static_cast<uint32_t>(message.body.size()),
                                     connection.generation,
                                     message.port,
                                     message.isControl};
            connection.prefix.resize(sizeof(header) + message.body.size());
            std::memcpy(connection.prefix.data(), &header, sizeof(header));
            std::copy(message.body.begin(),
                      message.body.end(),
                      connection.prefix.begin() + sizeof(header));
        }
        const uint64_t frameBytes = GetFrameBytes(message);
        const uint64_t available = connection.socket->GetTxAvailable();
        uint64_t chunk = std::min(available, frameBytes - connection.written);
        // A few large writes cost less than one for every acknowledgement; larger ones would leave
        // part of the window unused, and its last segment unacknowledged for a while.
        if (chunk == 0 || (available < std::min(m_bufferBytes / 4, LEAST_WRITE * m_segmentBytes) &&
                           connection.written + chunk < frameBytes))
        {
            break;
        }
        Ptr<Packet> packet;
        if (connection.written < connection.prefix.size())
        {
            chunk = std::min<uint64_t>(chunk, connection.prefix.size() - connection.written);
            packet = Create<Packet>(connection.prefix.data() + connection.written, chunk);
        }
        else
        {
            packet = Create<Packet>(chunk);
        }
        if (connection.socket->Send(packet, 0) < 0)
        {
            break;
        }
        if (connection.written == 0 && outgoing.id >= connection.startedBelow)
        {
            connection.startedBelow = outgoing.id + 1;
            NotifyStart(outgoing);
        }
        connection.written += chunk;
        connection.handed += chunk;
        if (connection.written == frameBytes)
        {
            connection.written = 0;
            ++connection.writing;
        }
    }
    NoticeSent(connection);
}

void
PacketTransport::NoticeSent(Connection& connection)
{
    const uint64_t size = GetLargestBufferBytes();
    const uint64_t windows = BUFFERED_WINDOWS * connection.socket->GetWindowBytes();
    const uint64_t room = m_sendBufferBytes ? size : std::min(size, windows);
    const uint64_t acknowledged = connection.handed - (size - connection.socket->GetTxAvailable());
    connection.buffer.Write(acknowledged, room);
    for (; connection.unsent < connection.queue.size(); ++connection.unsent)
    {
        Outgoing& outgoing = connection.queue[connection.unsent];
        const uint64_t end = connection.ahead + GetFrameBytes(outgoing.message);
        if (end > connection.buffer.GetWritten())
        {
            break;
        }
        connection.ahead = end;
        NotifySent(outgoing);
    }
}

void
PacketTransport::Drain(const std::shared_ptr<Intake>& intake, Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        if (m_connections.empty() || packet->GetSize() == 0)
        {
            return;
        }
        while (packet->GetSize() > 0 || (intake->connection && intake->payloadLeft == 0))
        {
            if (!intake->connection)
            {
                const uint32_t take = std::min<uint32_t>(packet->GetSize(),
                                                         sizeof(FrameHeader) - intake->headerBytes);
                packet->CopyData(intake->header.data() + intake->headerBytes, take);
                packet->RemoveAtStart(take);
                intake->headerBytes += take;
                if (intake->headerBytes < sizeof(FrameHeader))
                {
                    break;
                }
                FrameHeader header;
                std::memcpy(&header, intake->header.data(), sizeof(header));
                intake->connection =
                    m_connections.at({header.from, header.to, header.isControl != 0}).get();
                intake->generation = header.generation;
                intake->payloadLeft = header.bytes;
                intake->bodyLeft = header.bodyBytes;
                intake->body.clear();
            }
            Connection& connection = *intake->connection;
            if (intake->generation != connection.generation)
            {
                return; // the sender has given up this connection and resends on another
            }
            const auto take = std::min<uint64_t>(packet->GetSize(), intake->payloadLeft);
            if (intake->bodyLeft > 0 && take > 0)
            {
                const auto bodyBytes = std::min(take, intake->bodyLeft);
                const auto offset = intake->body.size();
                intake->body.resize(offset + bodyBytes);
                packet->CopyData(reinterpret_cast<uint8_t*>(&intake->body[offset]), bodyBytes);
                intake->bodyLeft -= bodyBytes;
            }
            packet->RemoveAtStart(take);
            intake->payloadLeft -= take;
            connection.frontDelivered += take;
            NotifyProgress();
            if (intake->payloadLeft == 0)
            {
                if (connection.unsent == 0)
                {
                    connection.ahead += GetFrameBytes(connection.queue.front().message);
                    NotifySent(connection.queue.front());
                    ++connection.unsent;
                }
                Outgoing outgoing = std::move(connection.queue.front());
                connection.queue.pop_front();
                --connection.writing;
                --connection.unsent;
                connection.frontDelivered = 0;
                outgoing.message.body = std::move(intake->body);
                intake->connection = nullptr;
                intake->headerBytes = 0;
                Deliver(outgoing);
            }
        }
    }
}

std::vector<TensorTransport::Pending>
PacketTransport::DoGetPending() const
{
    std::vector<Pending> pending;
    for (const auto& [pair, connection] : m_connections)
    {
        std::string state = connection->established ? "TCP connected" : "TCP not connected";
        if (!connection->trouble.empty())
        {
            state += ", attempt " + std::to_string(connection->generation + 1) +
                     " after: " + connection->trouble;
        }
        uint64_t delivered = connection->frontDelivered;
        for (const auto& outgoing : connection->queue)
        {
            pending.push_back({outgoing.id, outgoing.message, delivered, state});
            delivered = 0;
        }
    }
    return pending;
}

} // namespace ns3::edgepipe
