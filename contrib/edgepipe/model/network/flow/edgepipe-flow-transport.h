/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_TRANSPORT_H
#define EDGEPIPE_FLOW_TRANSPORT_H

#include "ns3/data-rate.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-pacer.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-send-buffer.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/event-id.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace ns3::edgepipe
{

class FlowTopology;
struct DeclaredCapacity;

/**
 * @ingroup edgepipe
 *
 * Moves messages as flows: no packets, no sockets, a handful of events for a message of any size.
 *
 * As with PacketTransport there is one connection per ordered pair of nodes, and another one for
 * control messages, each of which carries its messages one after another. A message is a flow of
 *
 *   payload + 48 bytes of frame header + headers of every segment
 *
 * over the links of its route, at the rate of FlowNetwork, and arrives when the flow has ended and
 * its last packet has been stored, forwarded and propagated. What PacketTransport's TCP adds is
 * modelled, and each part can be switched off by an attribute: the handshake and the window with
 * all that FlowPacer knows of it, headers, latency, acknowledgements. A message that finds the data
 * of other connections queued before a wire begins behind it. Not modelled: losses, and unequal
 * shares of connections whose windows all fill their paths.
 */
class FlowTransport : public Typed<FlowTransport, TensorTransport>
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::FlowTransport"; //!< see Typed

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    void CheckNode(Ptr<Node> node) const override;

    /**
     * Let a node send and receive over the user's own network, as FlowTopology reads it when two
     * nodes first talk. The attributes are to be set before the first node is added.
     *
     * @param node the node, not added before
     * @throws InputError if it has no Internet stack, which knows its routes
     */
    void AddNode(Ptr<Node> node) override;

    /**
     * Say what devices carry to each other; it is believed whatever their channel is.
     *
     * @param devices that reach each other in one hop
     * @param capacity by which
     */
    void DeclareCapacity(const NetDeviceContainer& devices, const DeclaredCapacity& capacity);

    /**
     * Take a constant rate of the links between two nodes before messages share the rest, as UDP of
     * that rate does: it does not give way. It is the route at the start that it takes it of.
     *
     * @param from a node of the user's network, with an Internet stack
     * @param to another
     * @param rate of IP packets
     * @param start simulated time at which it begins; at once if that has passed
     * @param stop simulated time at which it ends
     */
    void AddBackground(Ptr<Node> from,
                       Ptr<Node> to,
                       const DataRate& rate,
                       const Time& start,
                       const Time& stop);

    /**
     * Say what the messages move over, instead of adding nodes; to be called once, first.
     *
     * @param network the links
     * @param router finds routes
     */
    void SetUp(Ptr<FlowNetwork> network, FlowRouter router);

    /** @return whether it has been set up and not been disposed of since */
    bool IsSetUp() const
    {
        return m_network != nullptr;
    }

    /** Ask the router again: its routes have changed. */
    void UpdateRoutes();

    /**
     * @return acknowledgement bytes per byte that flows the other way, for FlowNetwork::SetDuplex:
     *         one acknowledgement per two full segments; 0 if the attribute Acknowledgements is off
     */
    double GetAcknowledgementShare() const;

    Time GetLastProgress() const override;

  protected:
    void DoDispose() override;

  private:
    /// Stands for no transfer and no flow.
    static constexpr uint32_t NONE = UINT32_MAX;

    /** One direction between two devices. */
    struct Connection
    {
        Time lastArrival;          //!< of the message before the first, or of one further ahead
        std::list<Outgoing> queue; //!< messages that have not left, the first one on its way
        uint32_t unsent{0};        //!< messages whose sender waits for room in its buffer
        bool isOpen{false};        //!< whether TCP's handshake is over
        bool isMoving{false};      //!< whether the first message has entered the network
        double endedBytes{0};      //!< of flows that have ended
        SendBuffer buffer;         //!< as the sender sees it
        FlowMemory memory;         //!< of the rules of its media
        EventId start;             //!< of the flow, behind what other connections have queued
    };

    void DoSend(Outgoing outgoing) override;
    std::vector<Pending> DoGetPending() const override;

    /** Have the network read from the nodes, unless it is already. */
    void SetUpTopology();
    /** See that routes are read again while messages are under way. */
    void WatchRoutes();

    /**
     * @param message a message
     * @return number of the connection that it takes
     */
    uint32_t FindConnection(const Message& message);
    /**
     * Put the first message into the network.
     * @param number a connection that has one
     * @param isNext whether it follows another one at once
     */
    void Begin(uint32_t number, bool isNext);
    /**
     * Start the first message's flow.
     * @param number a connection whose message is not behind those of others any more
     */
    void StartFlow(uint32_t number);
    /**
     * A flow has ended.
     * @param number its connection
     */
    void HandleFinished(uint32_t number);
    /**
     * Tell of the messages that have found room in the send buffer.
     * @param number a connection
     */
    void NoticeSent(uint32_t number);

    /**
     * A message has reached its receiver.
     * @param number its connection
     * @param place the message, in m_arriving
     */
    void Arrive(uint32_t number, std::list<Outgoing>::iterator place);
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
     * @param number a connection
     * @param bytes of a message in the network
     * @return what follows it
     */
    FlowTrail GetTrail(uint32_t number, double bytes) const;
    /**
     * @param number a connection
     * @param payload of a message, bytes
     * @param isNext whether it follows another one at once
     * @return the message as rules see it
     */
    FlowMessage Describe(uint32_t number, uint64_t payload, bool isNext) const;

    Ptr<FlowNetwork> m_network;               //!< the links
    FlowRouter m_router;                      //!< finds routes
    std::shared_ptr<FlowTopology> m_topology; //!< of added nodes; null with SetUp
    std::set<uint32_t> m_nodes;               //!< ids of added nodes
    EventId m_watch;                          //!< reads routes again
    Time m_routesRead;                        //!< when routes were last read again
    FlowPacer m_pacer;                        //!< holds connections to their windows
    std::deque<Connection> m_connections;     //!< by number; they stay where they are
    std::unordered_map<uint64_t, uint32_t>
        m_numbers;                  //!< of connections, by sender, receiver and use
    std::list<Outgoing> m_arriving; //!< messages of which only latency is left
    uint64_t m_underWay{0};         //!< messages sent that have not arrived

    uint32_t m_headerBytes;  //!< headers of a segment on a link
    bool m_headers;          //!< whether headers take capacity
    bool m_latency;          //!< whether delays count
    bool m_storeAndForward;  //!< whether a hop delays a packet by its length
    bool m_startUp;          //!< whether connections start up as TCP's do
    bool m_acknowledgements; //!< whether acknowledgements take capacity
    Time m_routePeriod;      //!< after which routes are read again; 0: never
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_TRANSPORT_H */
