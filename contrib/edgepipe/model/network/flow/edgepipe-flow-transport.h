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
 * its last packet has been stored, forwarded and propagated. Parts of PacketTransport's TCP are
 * modelled, and attributes can switch them off: handshake and window (see FlowPacer), headers,
 * latency, acknowledgements, and each cause of delay by others. A message waits for the data that
 * other connections have queued before a wire. Unequal shares of connections whose windows all fill
 * their paths are not modelled.
 */
class FlowTransport : public Typed<FlowTransport, TensorTransport>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    void CheckNode(Ptr<Node> node) const override;

    /**
     * Let a node send and receive over the user's own network, which FlowTopology reads when two
     * nodes first communicate. Set the attributes before adding the first node.
     *
     * @param node the node, not added before
     * @throws InputError if it has no Internet stack, which provides its routes
     */
    void AddNode(Ptr<Node> node) override;

    /**
     * Declare the capacity between devices, which overrides their channel.
     *
     * @param devices that reach each other in one hop
     * @param capacity between them
     */
    void DeclareCapacity(const NetDeviceContainer& devices, const DeclaredCapacity& capacity);

    /**
     * Reserve a constant rate on the links between two nodes, as UDP does, which does not back off;
     * messages share the rest. The links are those of the route at the start.
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
     * Set the network directly, instead of adding nodes; call once, before anything else.
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

    /**
     * Fix the random stream of lost packets.
     *
     * @param stream its number
     * @return how many streams were assigned
     */
    int64_t AssignStreams(int64_t stream)
    {
        m_losses->SetStream(stream);
        return 1;
    }

    /** Get all routes from the router again, after they have changed. */
    void UpdateRoutes();

    /**
     * @return acknowledgement bytes per byte that flows the other way, for FlowNetwork::SetDuplex:
     *         one acknowledgement per two full segments; 0 if the attribute Acknowledgements is off
     */
    double GetAcknowledgementShare() const;

    Time GetLastProgress() const override;

    double GetWindowBytes(uint32_t from, uint32_t to) const override;

    std::vector<double> BeginLap(const std::vector<LapTraffic>& traffic, const Time& last) override;

    void RepeatLap(const std::vector<LapTraffic>& traffic,
                   const Time& last,
                   uint32_t laps) override;

  protected:
    void DoDispose() override;

  private:
    /** One direction between two devices. */
    struct Connection
    {
        Time lastArrival;          //!< latest arrival of the messages that have left
        std::list<Outgoing> queue; //!< messages that have not left, the first one on its way
        uint32_t unsent{0};        //!< messages whose sender waits for room in its buffer
        bool isOpen{false};        //!< whether TCP's handshake is over
        bool isMoving{false};      //!< whether the first message has entered the network
        double endedBytes{0};      //!< of flows that have ended
        SendBuffer buffer;         //!< as the sender sees it
        FlowMemory memory;         //!< state of its media's rules
        EventId start;             //!< starts the flow, after data queued by other connections
        uint32_t before{0};        //!< link before which they are queued
    };

    void DoSend(Outgoing outgoing) override;
    std::vector<Pending> DoGetPending() const override;

    /** Create the topology that reads the nodes' network, unless it exists. */
    void SetUpTopology();
    /** Read routes again periodically while messages are under way. */
    void WatchRoutes();

    /**
     * @param from a node
     * @param to another
     * @return the present route between them
     */
    FlowRoute FindRoute(uint32_t from, uint32_t to) const;

    /**
     * @param message a message
     * @return number of the connection that it takes
     */
    uint32_t FindConnection(const Message& message);
    /**
     * Put the first message into the network.
     * @param number a connection with a message
     * @param isNext whether it directly follows another message
     */
    void Begin(uint32_t number, bool isNext);
    /**
     * Start the first message's flow.
     * @param number a connection whose message no longer waits for others' data
     */
    void StartFlow(uint32_t number);
    /**
     * Handle a change of a link's capacity: what is queued before it takes longer or less long.
     *
     * @param link the link
     * @param before its capacity until now
     */
    void NoticeCapacity(uint32_t link, double before);
    /**
     * Handle the end of a flow.
     * @param number its connection
     */
    void HandleFinished(uint32_t number);
    /**
     * Count messages that have left.
     *
     * @param number of their connection
     * @param payload of each, bytes
     * @param repairs bytes sent again for each
     * @param messages how many
     */
    void Count(uint32_t number, uint64_t payload, double repairs, uint64_t messages);
    /**
     * Notify the senders of messages that have found room in the send buffer.
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
     * @return its trail, see FlowRules::GetTrail
     */
    FlowTrail GetTrail(uint32_t number, double bytes) const;
    /**
     * @param number a connection
     * @param payload of a message, bytes
     * @param isNext whether it directly follows another message
     * @return the message as rules see it
     */
    FlowMessage Describe(uint32_t number, uint64_t payload, bool isNext) const;

    Ptr<FlowNetwork> m_network;               //!< the links
    FlowRouter m_router;                      //!< finds routes
    std::shared_ptr<FlowTopology> m_topology; //!< of added nodes; null with SetUp
    std::set<uint32_t> m_nodes;               //!< ids of added nodes
    EventId m_watch;                          //!< reads routes again
    Time m_routesRead;                        //!< when routes were last read again
    FlowPacer m_pacer;                        //!< limits connections to their windows
    std::set<uint32_t> m_waiting;             //!< connections whose start is pending
    std::deque<Connection> m_connections;     //!< by number; a deque keeps them in place
    std::unordered_map<uint64_t, uint32_t>
        m_numbers;                  //!< of connections, by sender, receiver and use
    std::list<Outgoing> m_arriving; //!< messages whose last byte is propagating
    uint64_t m_underWay{0};         //!< messages sent that have not arrived

    /// Which packets are lost
    Ptr<UniformRandomVariable> m_losses = CreateObject<UniformRandomVariable>();

    uint32_t m_headerBytes;        //!< headers of a segment on a link
    bool m_headers;                //!< whether headers take capacity
    bool m_latency;                //!< whether delays count
    bool m_storeAndForward;        //!< whether hops add a packet's transmission time
    bool m_startUp;                //!< whether connections start up like TCP's
    bool m_acknowledgements;       //!< whether acknowledgements take capacity
    bool m_queuedData;             //!< whether data wait for what others have queued
    bool m_queuedAcknowledgements; //!< whether acknowledgements wait for others' data
    bool m_reviews;                //!< whether windows that others delay are looked at again
    bool m_hyStart;                //!< whether slow start ends where the path is full
    bool m_limitedGrowth;          //!< whether windows grow only while they limit the sender
    bool m_mediumRules;            //!< whether media have rules
    Time m_routePeriod;            //!< between readings of the routes; 0: never
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_TRANSPORT_H */
