/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_PACER_H
#define EDGEPIPE_FLOW_PACER_H

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-flow-window.h"
#include "ns3/event-id.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Holds connections to what TCP's window lets them send in a round trip.
 *
 * A window that fills its path bounds nothing and costs no event. A smaller one lets as much go out
 * in each round trip; what fits into the window's rest goes out at once. A round trip is that of
 * the idle path and, since the buffers before wires are first in, first out, the time to send what
 * others have queued before the same wires: in the way of the data, or in that of the
 * acknowledgements, whichever takes longer, since what is under way one way is either data or what
 * answers it. It is looked at again when another connection begins to send: retransmission timers
 * that run out meanwhile cost no window (FrtoTcpSocket).
 */
class FlowPacer
{
  public:
    /** What all connections have in common. */
    struct Settings
    {
        double packetBytes{1500};      //!< a full segment with its headers
        double largestBytes{1e6};      //!< the largest window, headers included
        bool isPacing{true};           //!< whether there are windows at all
        bool hasLatency{true};         //!< whether the delays of links count
        bool storesAndForwards{true};  //!< whether every link but the slowest delays by a packet
        bool restartsAfterIdle{false}; //!< whether windows shrink in pauses
    };

    ~FlowPacer()
    {
        Clear();
    }

    /**
     * @param network what connections send over
     * @param settings what they have in common
     */
    void SetUp(Ptr<FlowNetwork> network, const Settings& settings);

    /** Forget every connection. */
    void Clear();

    /**
     * @param route of a new connection; connections are numbered from 0
     */
    void AddConnection(FlowRoute route);

    /**
     * @param connection a connection
     * @return how its bytes get there
     */
    const FlowRoute& GetRoute(uint32_t connection) const
    {
        return m_senders[connection].route;
    }

    /**
     * Change what a connection's route costs, or the route. What has yet to enter the network of
     * its flow, if it has one, takes the new one.
     *
     * @param connection a connection
     * @param route its new route
     */
    void SetRoute(uint32_t connection, FlowRoute route);

    /**
     * @param connection a connection
     * @return its window, headers included, bytes; in the mean, where it overflows a queue
     */
    double GetWindowBytes(uint32_t connection) const;

    /**
     * @param connection a connection without a flow
     * @return how long a packet that leaves now waits behind those of other connections, s
     */
    double GetQueueSeconds(uint32_t connection);

    /**
     * Start a flow; the network's callback is told when it ends.
     *
     * @param connection a connection without one
     * @param bytes to send, > 0
     */
    void Start(uint32_t connection, double bytes);

    /**
     * A flow has ended.
     *
     * @param connection its connection
     */
    void Finish(uint32_t connection);

    /**
     * @param connection a connection
     * @return its flow in the network, MaxMinSharing::NONE if it has none
     */
    uint32_t GetFlow(uint32_t connection) const
    {
        return m_senders[connection].flow;
    }

  private:
    /** The sending end of a connection. */
    struct Sender
    {
        /**
         * @param way how bytes get there
         * @param first how much may be under way at first
         */
        Sender(FlowRoute way, const FlowWindow& first)
            : window(first),
              route(std::move(way))
        {
        }

        FlowWindow window;                  //!< how much may be under way
        double sentBytes{0};                //!< of flows so far, the present one included
        Time ended;                         //!< when the last byte of one had left
        double acknowledgedBytes{0};        //!< for which the window has grown
        Time roundEnd;                      //!< of the round trip in which a window is sent
        uint32_t flow{MaxMinSharing::NONE}; //!< the present one
        EventId round;                      //!< at roundEnd, while there is a flow
        EventId growth;                     //!< of a window that bounds nothing, see reviewedBytes
        FlowRoute route;                    //!< how bytes get there
        double roundTripSeconds{0};         //!< when last looked at, 0 before
        double answerQueueSeconds{0};       //!< of that, acknowledgements behind others' bytes
        double leastSeconds{0};             //!< shortest one that has passed, 0 before the first
        Time measured;                      //!< when the last one had passed
        double reviewedBytes{0};            //!< window when those it delays were last looked at
        /// Whether its wires carry no other flow, and one at most the other way
        bool isAlone{false};
        bool isSteady{false}; //!< whether several windows are sent until roundEnd
    };

    /**
     * A flow is over.
     * @param sender its connection
     */
    void Leave(Sender& sender);
    /**
     * Start a connection's flow, or go on with it on another route.
     * @param connection a connection without a flow
     * @param left bytes that have yet to enter the network, > 0
     */
    void Enter(uint32_t connection, double left);
    /**
     * A window's round trip has passed.
     * @param number a connection
     */
    void EndRound(uint32_t number);
    /**
     * Find out how fast a window lets its connection send, and see that its round trip ends.
     *
     * @param number a connection
     * @param left bytes of its flow that have yet to enter the network
     * @return highest rate, bytes/s
     */
    double FindBound(uint32_t number, double left);
    /**
     * Look again at the connections that another one delays.
     * @param number it has begun to send
     */
    void ReviewOthers(uint32_t number);
    /**
     * Let a window grow.
     * @param sender its connection
     * @param left bytes of its flow that have yet to enter the network
     */
    void Acknowledge(Sender& sender, double left);
    /**
     * @param sender a connection
     * @return shortest round trip so far, the present one included, s
     */
    double GetLeastSeconds(const Sender& sender) const;
    /**
     * @param sender a connection
     * @return when its slow start ends
     */
    FlowWindow::Full GetFull(const Sender& sender) const;
    /**
     * @param sender a connection
     * @return round trip of a full packet and its acknowledgement over the idle path, s
     */
    double GetIdleRoundTripSeconds(const Sender& sender) const;
    /**
     * Find also whether the connection's wires carry no other flow, Sender::isAlone.
     *
     * @param number a connection
     * @return how long an acknowledgement waits behind what other connections have queued, if
     *         nothing holds up theirs, s
     */
    double GetAnswerSeconds(uint32_t number);

    /**
     * @param sender a connection with a flow
     * @return what it has sent or may send at once, bytes
     */
    double GetUnderWayBytes(const Sender& sender) const
    {
        return std::min(sender.window.GetBytes(), m_network->GetRemaining(sender.flow));
    }

    /**
     * Add up what flows have under way.
     *
     * @param number a connection, whose own do not count
     * @param link a wire
     * @param find what a flow has queued there, bytes, by its owner and the link's flows
     * @return time that it takes the wire to send them, s
     */
    template <typename Find>
    double GetLinkSeconds(uint32_t number, uint32_t link, Find find);

    Ptr<FlowNetwork> m_network;   //!< what connections send over
    Settings m_settings;          //!< what they have in common
    std::deque<Sender> m_senders; //!< by number; they stay where they are
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_PACER_H */
