/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TENSOR_TRANSPORT_H
#define EDGEPIPE_TENSOR_TRANSPORT_H

#include "ns3/callback.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

class Node;

namespace edgepipe
{

/** One message between applications on two nodes: a tensor, or a control message. */
struct Message
{
    uint32_t from;         //!< id of the sending node, Node::GetId()
    uint32_t to;           //!< id of the receiving node
    uint16_t port;         //!< which application on the receiving node
    uint64_t tag;          //!< the application's own label, not interpreted
    uint64_t bytes;        //!< payload size in bytes, the body included
    std::string body;      //!< real bytes at the payload's start; the rest is virtual
    bool isControl{false}; //!< whether it goes by the pair's control connection, past the tensors
};

/**
 * @ingroup edgepipe
 *
 * The seam between applications and networks: moves messages between nodes.
 *
 * Nodes are known by their ids. Messages from one node to another arrive whole and in the order
 * they were sent, separately for control messages and others. Payload beyond a message's body has a
 * size but no content, so gigabytes cost no memory. A message from a node to itself takes no time.
 * Every message that was sent is pending until it has been delivered; none is ever dropped
 * silently. One that arrives before its port has a listener waits for it.
 */
class TensorTransport : public Typed<TensorTransport, Object>
{
  public:
    /** Called at the receiving node when a message has arrived whole. */
    using ReceiveCallback = Callback<void, const Message&>;

    /** Called when the last byte of one message has reached the receiving application. */
    using DeliveredCallback = Callback<void>;

    /**
     * Called when the last byte of one message has found room in the sender's buffer: when a write
     * to a blocking socket returns. Without an answer from the receiver, a sender knows no more.
     */
    using SentCallback = Callback<void>;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * @param node a node of the simulation
     * @throws InputError if this transport cannot reach it as it is
     */
    virtual void CheckNode(Ptr<Node> node) const;

    /**
     * Let a node send and receive.
     *
     * @param node a node of the simulation, not added before
     * @throws InputError if this transport cannot reach it as it is
     */
    virtual void AddNode(Ptr<Node> node);

    /**
     * Hand every message for a port of a node to a callback.
     *
     * @param node id of the node
     * @param port the port, one application each
     * @param receive called once per message
     */
    void Listen(uint32_t node, uint16_t port, ReceiveCallback receive);

    /**
     * Hand every message for a port of a node to a callback.
     *
     * @param node the node
     * @param port the port, one application each
     * @param receive called once per message
     */
    void Listen(Ptr<Node> node, uint16_t port, ReceiveCallback receive);

    /**
     * Send a message; returns at once.
     *
     * @param message the message; its body may not be longer than its payload
     * @param delivered called on delivery, after the receiver; may be null
     * @param sent called once, after this has returned and at delivery at the latest; may be null
     */
    void Send(Message message,
              DeliveredCallback delivered = DeliveredCallback(),
              SentCallback sent = SentCallback());

    /** @return when payload last moved towards a receiving application, zero before that */
    virtual Time GetLastProgress() const
    {
        return m_lastProgress;
    }

    /** @return payload bytes of the messages delivered so far, except those within a node */
    uint64_t GetDeliveredBytes() const
    {
        return m_deliveredBytes;
    }

    /**
     * @param from id of a node
     * @param to id of another
     * @return bytes of messages, not of control messages, that TCP at present lets be in flight;
     *         infinite if it sets no limit or there is no connection yet
     */
    virtual double GetWindowBytes(uint32_t from, uint32_t to) const;

    /** What one node sends another in each of several equal laps. */
    struct LapTraffic
    {
        uint32_t from;               //!< id of a node
        uint32_t to;                 //!< id of another
        std::vector<uint64_t> bytes; //!< of each message that is no control message
    };

    /**
     * Begin a lap.
     *
     * @param traffic of a lap, of all connections that send
     * @param last time that the last lap took; 0: there was none
     * @return what the time of the next one depends on, relative to now: if it is the same as when
     *         the last lap began, so are all further laps, as long as nothing else sends or
     *         changes; empty: laps may differ, or someone follows the messages
     */
    virtual std::vector<double> BeginLap(const std::vector<LapTraffic>& traffic, const Time& last);

    /**
     * Count the last lap again, several times, instead of sending its messages.
     *
     * @param traffic of a lap
     * @param last time that it takes
     * @param laps how many
     */
    virtual void RepeatLap(const std::vector<LapTraffic>& traffic, const Time& last, uint32_t laps);

    /// First port of monitors; jobs use the ports below.
    static constexpr uint16_t MONITOR_PORT = 1024;

    /** @return an unused port for a monitor; 0 if none is left */
    uint16_t TakeMonitorPort()
    {
        return m_nextMonitorPort == 0 ? 0 : m_nextMonitorPort++;
    }

    /** A message under way, for reports. */
    struct Pending
    {
        uint64_t id;             //!< as in the trace sources
        Message message;         //!< the message
        uint64_t deliveredBytes; //!< payload bytes that have reached the receiver
        std::string state;       //!< what the transport is doing about it, in words
    };

    /** @return every message sent and not yet delivered, oldest first */
    std::vector<Pending> GetPending() const;

    /**
     * TracedCallback signature of the transfer trace sources.
     *
     * @param [in] id number of the message, counted from 0 in the order of sending
     * @param [in] message the message
     */
    typedef void (*TransferTracedCallback)(uint64_t id, const Message& message);

    /// Callback of TransferStart and TransferEnd.
    using TransferCallback = Callback<void, uint64_t /* id */, const Message& /* message */>;

    /**
     * Follow the messages between two nodes, at no cost to those between others, unlike
     * TransferStart and TransferEnd.
     *
     * @param a id of a node
     * @param b id of another
     * @param start called when the first byte of a message enters the network
     * @param end called when a message has arrived whole
     */
    void ConnectPair(uint32_t a, uint32_t b, TransferCallback start, TransferCallback end);

    /**
     * Undo ConnectPair; does nothing if it was not called.
     *
     * @param a id of a node
     * @param b id of another
     * @param start as given to ConnectPair
     * @param end as given to ConnectPair
     */
    void DisconnectPair(uint32_t a, uint32_t b, TransferCallback start, TransferCallback end);

    /** @param arrived called when a message has arrived, but not for each that is repeated */
    void ConnectArrivals(Callback<void, const Message&> arrived)
    {
        m_arrivals.ConnectWithoutContext(arrived);
    }

  protected:
    void DoDispose() override;

    /** @return whether anyone follows every message of some nodes */
    bool IsObserved() const;

    /** State that a transport keeps for a message until it is delivered. */
    struct Outgoing
    {
        uint64_t id;                 //!< number of the message
        Message message;             //!< the message
        DeliveredCallback delivered; //!< may be null
        SentCallback sent;           //!< null once it is called
    };

    /** @return most payload that TCP's buffers allow in flight, bytes */
    uint32_t GetLargestBufferBytes() const
    {
        return m_sendBufferBytes ? std::min(m_sendBufferBytes, m_bufferBytes) : m_bufferBytes;
    }

    /**
     * To be called by the implementation when a message's first byte enters the network.
     *
     * @param outgoing the message
     */
    void NotifyStart(const Outgoing& outgoing);

    /**
     * To be called by the implementation when a message has found room in the sender's buffer;
     * calls back once, at the end of this instant.
     *
     * @param outgoing the message
     */
    static void NotifySent(Outgoing& outgoing);

    /** To be called by the implementation when payload has reached the receiving application. */
    void NotifyProgress();

    /**
     * To be called by the implementation when a message has arrived whole. The implementation
     * must have forgotten the message before.
     *
     * @param outgoing the message
     */
    void Deliver(const Outgoing& outgoing);

    uint32_t m_segmentBytes;    //!< TCP payload per full segment
    uint32_t m_bufferBytes;     //!< TCP's receive buffer and largest send buffer
    uint32_t m_sendBufferBytes; //!< TCP's send buffer; 0: sized by its window
    bool m_slowStartAfterIdle;  //!< whether TCP's window shrinks after a pause
    uint32_t m_initialSegments; //!< TCP's initial window
    bool m_smallQueues;         //!< whether hosts keep data in the socket, not before their wire

  private:
    /**
     * @param node id of a node
     * @param port a port
     * @return the listener there, or null
     */
    const ReceiveCallback* FindReceiver(uint32_t node, uint16_t port) const;

    /**
     * Move a message between two different nodes.
     *
     * @param outgoing the message, to be kept until Deliver
     */
    virtual void DoSend(Outgoing outgoing) = 0;

    /** @return every message between two nodes that has not arrived, oldest first */
    virtual std::vector<Pending> DoGetPending() const = 0;

    /**
     * @param message that has arrived
     * @return whether others wait for a listener at its port
     */
    bool IsAwaited(const Message& message) const;

    /**
     * Deliver the messages that arrived at a port before it had a listener.
     *
     * @param node id of the node
     * @param port the port
     */
    void DeliverAwaited(uint32_t node, uint16_t port);

    /**
     * Hand a message that has arrived to its receiver.
     * @param outgoing the message
     */
    void Hand(const Outgoing& outgoing);

    /// Trace source of transfers.
    using Transfers = TracedCallback<uint64_t /* id */, const Message& /* message */>;

    /**
     * @param a id of a node
     * @param b id of another
     * @return key of the pair, the same in either order
     */
    static uint64_t GetPairKey(uint32_t a, uint32_t b)
    {
        return static_cast<uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
    }

    /**
     * Notify the followers of a message's nodes.
     * @param isEnd 0 at its start, 1 at its end
     * @param outgoing the message
     */
    void NotifyPair(std::size_t isEnd, const Outgoing& outgoing);

    /// Listeners by node, by rising port.
    std::vector<std::vector<std::pair<uint16_t, ReceiveCallback>>> m_receivers;
    std::vector<Outgoing> m_awaited;          //!< arrived at ports without a listener, in order
    uint16_t m_nextMonitorPort{MONITOR_PORT}; //!< port of the next monitor; 0: none is left
    uint64_t m_nextId{0};                     //!< id of the next message
    uint64_t m_deliveredBytes{0};             //!< payload bytes of delivered messages
    Time m_lastProgress;                      //!< when payload last arrived

    /// Fires when a message's first byte enters the network.
    Transfers m_startTrace;
    /// Fires when a message has arrived whole, before the receiver is called.
    Transfers m_endTrace;
    TracedCallback<const Message& /* message */> m_arrivals;        //!< see ConnectArrivals
    std::unordered_map<uint64_t, std::array<Transfers, 2>> m_pairs; //!< starts and ends, by nodes
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TENSOR_TRANSPORT_H */
