/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_PACER_H
#define EDGEPIPE_FLOW_PACER_H

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-flow-window.h"
#include "ns3/edgepipe-small-queue.h"
#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Limits each connection to one TCP window per round trip.
 *
 * A window that fills its path sets no limit and normally costs no event. A smaller one limits the
 * bytes sent in each round trip; a message that fits into the rest of the window leaves at once.
 * The round trip is that of the idle path plus the time to send what other connections have queued
 * in the FIFO buffers before the same wires: in the direction of the data or of the
 * acknowledgements, whichever takes longer, since the bytes under way in one direction are either
 * data or acknowledgements. It is evaluated again when another connection starts to send, and ends
 * early where a capacity that has risen makes it shorter. Spurious retransmission time-outs do not
 * shrink the window (FrtoTcpSocket).
 *
 * Where packets are lost, every one is lost or not by a draw. Those of a round trip shrink the
 * window once and are sent again in the next one. What is lost among the last ones, which no later
 * data follow, is found as by RACK and TLP (RFC 8985) or by a time-out, and delays the message.
 * Lost acknowledgements and lost connection requests change nothing.
 */
class FlowPacer
{
  public:
    /** What all connections have in common. */
    struct Settings
    {
        double packetBytes{1500};      //!< a full segment with its headers
        double largestBytes{1e6};      //!< the largest window, headers included
        double initialSegments{10};    //!< the window at first
        bool isPacing{true};           //!< whether windows limit connections
        bool hasLatency{true};         //!< whether the delays of links count
        bool storesAndForwards{true};  //!< whether links but the slowest delay by a packet
        bool restartsAfterIdle{false}; //!< whether windows shrink after pauses
        bool hasSmallQueues{false};    //!< whether hosts keep but a SmallQueue before their wires
        bool hasQueues{true};          //!< whether data wait for what others have queued
        bool queuesAcknowledgements{true}; //!< whether acknowledgements wait for others' data
        bool reviews{true};           //!< whether senders that others delay are looked at again
        bool hasHyStart{true};        //!< whether slow start ends before the window is largest
        bool growsWhereLimited{true}; //!< whether only windows that limit the sender grow
        Ptr<RandomVariableStream> draws{nullptr}; //!< which packets are lost: uniform, 0 to 1
    };

    /** How what was lost at the end of a message is sent again. */
    struct Repair
    {
        double seconds{0}; //!< additional delay of the message's arrival
        double bytes{0};   //!< sent again, of the whole message
    };

    ~FlowPacer()
    {
        Clear();
    }

    /**
     * @param network carries the connections' flows
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
     * @return its route
     */
    const FlowRoute& GetRoute(uint32_t connection) const
    {
        return m_senders[connection]->route;
    }

    /**
     * Change a connection's route, or the weights of its links. The rest of its flow, if it has
     * one, takes the new route.
     *
     * @param connection a connection
     * @param route its new route
     */
    void SetRoute(uint32_t connection, FlowRoute route);

    /**
     * @param connection a connection
     * @return its window, headers included, bytes; the mean over losses if it overflows a queue;
     *         unbounded if windows limit no connection
     */
    double GetWindowBytes(uint32_t connection) const;

    /** What is queued ahead of a connection. */
    struct Queue
    {
        double seconds{0};                  //!< how long a packet sent now waits behind it
        uint32_t link{MaxMinSharing::NONE}; //!< before which it waits longest
    };

    /**
     * @param connection a connection
     * @return what other connections have queued ahead of it
     */
    Queue FindQueued(uint32_t connection);

    /**
     * @param connection a connection that has sent nothing
     * @return how long its handshake waits behind what others have queued, both ways, s
     */
    double FindHandshakeQueue(uint32_t connection);

    /**
     * Handle a change of a link's capacity: a round trip that was to last longer than it now takes
     * ends.
     *
     * @param link the link
     */
    void NoticeCapacity(uint32_t link);

    /**
     * Start a flow; the network calls back when it ends.
     *
     * @param connection a connection without one
     * @param bytes to send, > 0
     */
    void Start(uint32_t connection, double bytes);

    /**
     * Handle the end of a flow.
     *
     * @param connection its connection
     * @param isFollowed whether other data follow at once
     * @return what it takes to send again what was lost
     */
    Repair Finish(uint32_t connection, bool isFollowed);

    /**
     * Begin a lap, see TensorTransport::BeginLap.
     *
     * @param connection a connection without a flow
     * @param last time that the last lap took; 0: there was none
     * @param state gets what the time of the next lap depends on
     * @return whether it depends on nothing else, such as a window that grows
     */
    bool BeginLap(uint32_t connection, const Time& last, std::vector<double>& state);

    /**
     * Let the window grow as in further laps.
     *
     * @param connection a connection without a flow
     * @param messages of a lap, bytes each
     * @param last time that a lap takes
     * @param laps how many
     */
    void RepeatLap(uint32_t connection,
                   const std::vector<double>& messages,
                   const Time& last,
                   uint32_t laps);

    /**
     * @param connection a connection
     * @return its flow in the network, MaxMinSharing::NONE if it has none
     */
    uint32_t GetFlow(uint32_t connection) const
    {
        return m_senders[connection]->flow;
    }

  private:
    /** A SmallQueue, and what it was found for. */
    struct HostQueue
    {
        SmallQueue queue{0, 0, 0, 0}; //!< of these
        double windowBytes{-1};       //!< the window
        uint64_t capacities{0};       //!< see m_capacities
    };

    /** The sending end of a connection. */
    struct Sender
    {
        /**
         * @param way its route
         * @param first its initial window
         */
        Sender(FlowRoute way, const FlowWindow& first)
            : window(first),
              route(std::move(way))
        {
        }

        FlowWindow window;                  //!< limits the bytes in flight
        double sentBytes{0};                //!< of all flows, the present one included
        Time ended;                         //!< when the last byte of the latest flow left
        double acknowledgedBytes{0};        //!< bytes for which the window has grown
        double burstBytes{0};               //!< sentBytes when last nothing was in flight
        double mostBytes{0};                //!< most in flight or waiting since a lap began
        Time roundEnd;                      //!< end of the present round trip or trips
        uint32_t flow{MaxMinSharing::NONE}; //!< the present flow
        EventId round;                      //!< at roundEnd, while there is a flow
        bool hasRound{false};               //!< whether that is pending
        EventId growth;             //!< reviews a window that sets no limit, see reviewedBytes
        FlowRoute route;            //!< to the receiver
        double roundTripSeconds{0}; //!< as last evaluated, 0 before
        double acknowledgementQueueSeconds{0}; //!< acknowledgements behind others' data
        double leastSeconds{0};  //!< shortest completed round trip, 0 before the first
        Time measured;           //!< when leastSeconds was last updated
        double reviewedBytes{0}; //!< window at the last ReviewOthers
        /// Whether its wires carry no other flow, and one at most the other way
        bool isAlone{false};
        bool isSteady{false};  //!< whether several windows are sent until roundEnd
        bool isCounted{false}; //!< whether the route's tallies count the present flow
        /// Where the next lost packet ends, in sentBytes; infinite: nothing is lost
        double nextLost{std::numeric_limits<double>::infinity()};
        double againBytes{0};   //!< of the present flow, sent again
        double owedBytes{0};    //!< of the last flow, sent again with the next one
        mutable HostQueue host; //!< see GetHostQueue
    };

    /**
     * Detach a connection from its flow.
     * @param sender its connection
     */
    void Leave(Sender& sender);
    /**
     * Start a connection's flow, or continue it on another route.
     * @param connection a connection without a flow
     * @param left bytes that have yet to enter the network, > 0
     */
    void Enter(uint32_t connection, double left);
    /**
     * Schedule the end of a round trip instead of the one that is pending.
     * @param number a connection
     * @param end when
     */
    void SetRound(uint32_t number, const Time& end);
    /**
     * @param number a connection
     * @return its round trip over the idle path and the one behind others' bytes, s
     */
    std::pair<double, double> FindRoundTrip(uint32_t number);
    /**
     * Handle the end of a round trip.
     * @param number a connection
     */
    void EndRound(uint32_t number);
    /**
     * Find how fast the window lets its connection send, and schedule the end of the round trip.
     *
     * @param number a connection
     * @param left bytes of its flow that have yet to enter the network
     * @return highest rate, bytes/s
     */
    double FindBound(uint32_t number, double left);

    /**
     * Limit a sender to its share of what waits before its host's wire: of its own data little, if
     * small queues do not fill it, of forwarded data whole windows.
     *
     * @param connection a connection with a flow
     * @param left its bytes left
     * @param bound its limit otherwise, bytes/s
     */
    void LimitByHost(uint32_t connection, double left, double bound);

    /** @param route a connection's, of which links after the first carry what is forwarded */
    void NoteForwarding(const FlowRoute& route);

    /**
     * Update the bounds of connections that another one delays.
     * @param number the connection that delays them
     */
    void ReviewOthers(uint32_t number);
    /**
     * Let a window grow by the bytes acknowledged since the last call.
     * @param sender its connection
     * @param left bytes of its flow that have yet to enter the network
     */
    void Acknowledge(Sender& sender, double left);
    /**
     * Let a window grow.
     *
     * @param sender its connection
     * @param bytes acknowledged
     * @param time when they are
     */
    void Grow(Sender& sender, double bytes, const Time& time) const;
    /**
     * Draw which packet is lost next.
     * @param sender its connection
     * @param from where packets may be lost, in Sender::sentBytes
     */
    void DrawLoss(Sender& sender, double from) const;
    /**
     * @param sender a connection
     * @param begun a position in Sender::sentBytes
     * @return where the lost ones end of the packets that begin before it, in order
     */
    std::vector<double> TakeLosses(Sender& sender, double begun) const;
    /**
     * Find how long it takes to send again what was lost in the last round trip of a message that
     * nothing follows; its window shrinks.
     *
     * @param sender its connection
     * @param lost where lost packets end
     * @return additional delay of the message, s
     */
    double RepairEnd(Sender& sender, const std::vector<double>& lost) const;
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
     * @return delay there and back, s
     */
    double GetDelaySeconds(const Sender& sender) const
    {
        const FlowRoute& route = sender.route;
        return m_settings.hasLatency ? route.delaySeconds + route.backSeconds : 0;
    }

    /**
     * @param sender a connection
     * @param bytes of a packet and its acknowledgement that count
     * @return round trip over the idle path, s
     */
    double GetRoundTripSeconds(const Sender& sender, double bytes) const;

    /**
     * @param sender a connection
     * @return round trip of a full packet and its acknowledgement over the idle path, s
     */
    double GetIdleRoundTripSeconds(const Sender& sender) const
    {
        return GetRoundTripSeconds(sender, m_settings.packetBytes);
    }

    /**
     * @param sender a connection whose first link is its host's wire
     * @return what its host lets it keep before that
     */
    const SmallQueue& GetHostQueue(const Sender& sender) const;

    /**
     * @param sender a connection
     * @return most bytes that its host lets be in flight
     */
    double GetMostInFlight(const Sender& sender) const;

    /**
     * Find the queueing of acknowledgements, and set Sender::isAlone.
     *
     * @param number a connection
     * @return how long an acknowledgement waits behind other connections' data, if theirs are not
     *         delayed, s
     */
    double GetAcknowledgementSeconds(uint32_t number);

    /**
     * @param sender a connection
     * @param link a wire
     * @return bytes that it may keep before the wire; 0 if it queues elsewhere
     */
    double GetMostQueued(const Sender& sender, uint32_t link) const;

    /**
     * Add up the bytes that flows have queued at a wire.
     *
     * @param number a connection, whose own bytes do not count
     * @param link a wire
     * @param find returns the bytes that a flow has queued there, by its sender, the most that it
     *        may have, the bytes that it has left and the link's number of flows
     * @return time that it takes the wire to send them, s
     */
    template <typename Find>
    double GetLinkSeconds(uint32_t number, uint32_t link, Find find);

    Ptr<FlowNetwork> m_network;                     //!< carries the connections' flows
    Settings m_settings;                            //!< what they have in common
    uint64_t m_capacities{0};                       //!< changes of capacities so far
    std::vector<std::unique_ptr<Sender>> m_senders; //!< by number
    std::set<uint32_t> m_forwarding;                //!< links that carry what is forwarded
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_PACER_H */
