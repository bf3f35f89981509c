/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_TRANSPORT_H
#define EDGEPIPE_PACKET_TRANSPORT_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace ns3::edgepipe
{

class FrtoTcpSocket;

/**
 * @ingroup edgepipe
 *
 * Moves messages over ns-3's TCP, packet by packet, over whatever net devices the scenario built.
 *
 * One persistent connection per ordered pair of nodes, and another one for control messages, each
 * opened by the sender at its first message. A message is a frame: a header of fixed size, the
 * body's bytes, then virtual payload. The sender only fills TCP's send buffer, so a message of any
 * size occupies one descriptor and at most that buffer.
 *
 * When TCP gives up a connection, it is reopened after the attribute ReconnectDelay, and every
 * message that had not arrived whole is sent again from its start. The number of attempts is not
 * limited: StallMonitor decides when to give up.
 *
 * The TCP attributes default to what a current Linux host uses, as far as ns-3 models it.
 * SentCallback follows Linux's sizing of the send buffer: a message has found room when no more of
 * the bytes up to its end are unacknowledged than the send buffer holds.
 */
class PacketTransport : public Typed<PacketTransport, TensorTransport>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    void CheckNode(Ptr<Node> node) const override;

    /**
     * Let a node send and receive; the others reach it at TensorEndpoint::FindAddress, which is
     * looked up at the first connection.
     *
     * @param node the node, not added before
     * @throws InputError if it has no Internet stack
     */
    void AddNode(Ptr<Node> node) override
    {
        AddNode(node, Ipv4Address::GetAny());
    }

    /**
     * Let a node send and receive.
     *
     * @param node the node, not added before
     * @param address where the others reach it; any: as above
     * @throws InputError if it has no Internet stack
     */
    void AddNode(Ptr<Node> node, Ipv4Address address);

    double GetWindowBytes(uint32_t from, uint32_t to) const override;

    /** @return how often TCP has given up a connection so far */
    uint32_t GetBrokenConnections() const
    {
        return m_brokenConnections;
    }

  protected:
    void DoDispose() override;

  private:
    struct Attempt;
    struct Connection;
    struct Intake;

    /** A node's end of the network. */
    struct Endpoint
    {
        Ptr<Node> node;      //!< the node
        Ipv4Address address; //!< where the others reach it; any: not looked up yet
        Ptr<Socket> server;  //!< listens for the others' connections
    };

    void DoSend(Outgoing outgoing) override;
    std::vector<Pending> DoGetPending() const override;

    /**
     * @param node the node
     * @return a TCP socket set up by this object's attributes
     */
    Ptr<FrtoTcpSocket> MakeSocket(Ptr<Node> node) const;

    /**
     * Open a connection later, unless this object has been disposed of by then.
     * @param connection the connection
     * @param delay how much later
     */
    void ScheduleOpen(Connection& connection, const Time& delay);

    /**
     * Open or reopen a connection.
     * @param connection the connection
     */
    void Open(Connection& connection);

    /**
     * TCP has refused or lost a connection: try again later.
     * @param connection the connection
     * @param why what happened, in words
     */
    void HandleBroken(Connection& connection, const std::string& why);

    /**
     * Fill TCP's send buffer.
     * @param connection the connection
     */
    void Fill(Connection& connection);

    /**
     * Notify the senders of messages that have found room in the send buffer.
     * @param connection the connection
     */
    void NoticeSent(Connection& connection);

    /**
     * Read everything that TCP has received.
     * @param intake the frame being read
     * @param socket the socket to read
     */
    void Drain(const std::shared_ptr<Intake>& intake, Ptr<Socket> socket);

    std::map<uint32_t, Endpoint> m_endpoints; //!< by id of the node
    std::map<std::tuple<uint32_t, uint32_t, bool>, std::shared_ptr<Connection>>
        m_connections;               //!< by sender, receiver and whether it is for control
    uint32_t m_brokenConnections{0}; //!< connections TCP gave up

    TypeId m_congestionControl; //!< TcpCongestionOps subclass
    Time m_minRto;              //!< smallest retransmission time-out
    Time m_connectTimeout;      //!< time until a SYN is repeated
    Time m_delayedAckTimeout;   //!< longest time an acknowledgement is held back
    Time m_firstConnect;        //!< earliest time to open a connection
    Time m_reconnectDelay;      //!< pause before a lost connection is reopened
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PACKET_TRANSPORT_H */
