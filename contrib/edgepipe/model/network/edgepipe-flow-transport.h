/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_TRANSPORT_H
#define EDGEPIPE_FLOW_TRANSPORT_H

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Moves messages as flows: no packets, no sockets, a handful of events for a message of any size.
 *
 * As with PacketTransport there is one connection per ordered pair of devices, which carries its
 * messages one after another. A message is a flow of
 *
 *   payload + 48 bytes of frame header + headers of every segment
 *
 * over the links of its route, at the rate of FlowNetwork, and arrives when the flow has ended and
 * its last packet has been stored, forwarded and propagated. What PacketTransport's TCP adds is
 * modelled, and each part can be switched off by an attribute: the handshake and slow start, the
 * window of BufferSize per round trip, headers, latency, acknowledgements. Not modelled: losses,
 * queues that grow, and unequal shares of connections that compete.
 */
class FlowTransport : public TensorTransport
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * Say what the messages move over; to be called once, first.
     *
     * @param network the links
     * @param router finds routes
     */
    void SetUp(Ptr<FlowNetwork> network, FlowRouter router);

    /**
     * @return acknowledgement bytes per byte that flows the other way, for FlowNetwork::SetDuplex:
     *         one acknowledgement per two full segments; 0 if the attribute Acknowledgements is off
     */
    double GetAcknowledgementShare() const;

    std::vector<Pending> GetPending() const override;
    Time GetLastProgress() const override;

  protected:
    void DoDispose() override;

  private:
    /// Stands for no transfer and no flow.
    static constexpr uint32_t NONE = UINT32_MAX;

    /** A message under way. */
    struct Transfer
    {
        Outgoing outgoing; //!< the message
        uint32_t next;     //!< the one behind it on its connection, or NONE
        bool isArriving;   //!< whether only latency is left
    };

    /** One direction between two devices. */
    struct Connection
    {
        FlowRoute route;         //!< how bytes get there
        double roundTripSeconds; //!< of a full packet and its acknowledgement, idle network
        double windowBytes;      //!< TCP's window at present
        double creditBytes;      //!< what of it was free at creditTime
        Time creditTime;         //!< when
        Time lastArrival;        //!< of the message before the first, or of one further ahead
        bool isOpen{false};      //!< whether TCP's handshake is over
        bool isSlowStart{true};  //!< whether the window still grows
        bool isMoving{false};    //!< whether the first message has entered the network
        uint32_t flow{NONE};     //!< of the first message
        uint32_t first{NONE};    //!< first message
        uint32_t last{NONE};     //!< last message
        EventId growth;          //!< enlarges the window
    };

    void DoSend(Outgoing outgoing) override;

    /**
     * @param from a device
     * @param to another
     * @return number of the connection
     */
    uint32_t FindConnection(uint32_t from, uint32_t to);
    /**
     * Put the first message into the network.
     * @param number a connection that has one
     */
    void Begin(uint32_t number);
    /**
     * A flow has ended.
     * @param number its connection
     */
    void HandleFinished(uint32_t number);
    /**
     * A message has reached its receiver.
     * @param transfer the message
     */
    void Arrive(uint32_t transfer);
    /**
     * A round trip has passed in slow start.
     * @param number the connection
     */
    void Grow(uint32_t number);
    /**
     * Have Grow called a round trip from now.
     * @param number the connection
     */
    void ScheduleGrowth(uint32_t number);
    /**
     * End slow start if the window no longer holds the route.
     * @param connection the connection
     */
    void CheckWindow(Connection& connection) const;
    /**
     * Take a message's bytes out of a connection's window. What the window holds goes out at the
     * speed of the route; the rest waits for the window, which is refilled once per round trip.
     *
     * @param connection the connection
     * @param bytes of the message
     * @return highest mean rate for the message, bytes/s
     */
    double SpendWindow(Connection& connection, double bytes) const;
    /**
     * @param payload of a message, bytes
     * @return its segments
     */
    double CountSegments(uint64_t payload) const;
    /**
     * @param payload of a message, bytes
     * @return its size in the network, headers included, bytes
     */
    double GetFlowBytes(uint64_t payload) const;
    /**
     * @param route a route
     * @param bytes size of a packet with its headers
     * @return time that storing and forwarding it takes, all links but the slowest, s
     */
    double GetForwardSeconds(const FlowRoute& route, double bytes) const;
    /**
     * @param route a route
     * @return bytes/s of its slowest link, if nobody else used it
     */
    double GetRouteRate(const FlowRoute& route) const;

    Ptr<FlowNetwork> m_network;                       //!< the links
    FlowRouter m_router;                              //!< finds routes
    std::deque<Connection> m_connections;             //!< by number; they stay where they are
    std::unordered_map<uint64_t, uint32_t> m_numbers; //!< of connections, by sender and receiver
    std::deque<Transfer> m_transfers;                 //!< messages under way, and free places
    std::vector<uint32_t> m_free;                     //!< free places

    uint32_t m_segmentBytes; //!< TCP payload per full segment
    uint32_t m_headerBytes;  //!< headers of a segment on a link
    uint32_t m_bufferBytes;  //!< TCP's largest window
    bool m_headers;          //!< whether headers take capacity
    bool m_latency;          //!< whether delays count
    bool m_storeAndForward;  //!< whether a hop delays a packet by its length
    bool m_startUp;          //!< whether connections start up as TCP's do
    bool m_acknowledgements; //!< whether acknowledgements take capacity
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_TRANSPORT_H */
