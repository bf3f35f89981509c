/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_PROBE_H
#define EDGEPIPE_LINK_PROBE_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Describes a message of a LinkProbe; sent as a 64-bit tag. */
struct ProbeTag
{
    bool isAnswer;             //!< whether the server sends it
    uint8_t place;             //!< position in its train, from 0; LinkProbe::TRAIN: a ping
    uint64_t bitsPerSecond{0}; //!< answer: what the server measured; below 2^48

    /** @return the tag as one number */
    uint64_t Pack() const;

    /**
     * @param packed what Pack returned
     * @return the tag
     */
    static ProbeTag Unpack(uint64_t packed);

    /**
     * @param packed any tag of an application that uses fewer than 254 kinds in the first byte
     * @return whether it is a ProbeTag
     */
    static bool IsOne(uint64_t packed);

    /** @return the tag in words, such as "probe 3 of 8" */
    std::string Describe() const;
};

/**
 * Arrival rate of messages of one size that were sent back to back.
 *
 * The latency of the link shifts all arrivals and drops out. At most a third of the intervals, each
 * more than twice any other, are pauses of the sender, such as TCP makes at first, and are left
 * out. More of them mean that messages arrive in bursts, as in Wi-Fi's aggregates, and all count.
 *
 * @param bytes payload of each message
 * @param arrivals when they arrived, in order
 * @return payload bit/s; 0 if it cannot be determined
 */
double GetTrainRate(uint64_t bytes, const std::vector<Time>& arrivals);

/**
 * @ingroup edgepipe
 *
 * Measures a link by a train of messages each way: the server measures the first by GetTrainRate
 * and answers with the second, which carries the result to the device.
 */
class LinkProbe
{
  public:
    /// Payload of a ping and of its answer, bytes.
    static constexpr uint64_t PING_BYTES = 16;

    /// Messages in a train.
    static constexpr uint8_t TRAIN = 8;

    /// Called with measured rates of uplink and downlink, payload bit/s; 0 if not known yet. The
    /// uplink's comes first: behind a full queue the answer's acknowledgements take long.
    using MeasuredCallback = Callback<void, double /* uplink */, double /* downlink */>;

    /**
     * Listen at both ends; call once.
     *
     * @param place the ends, their port and the transport between them
     * @param measured called with measurements
     */
    void SetUp(const BandwidthMonitor::Place& place, MeasuredCallback measured);

    /**
     * Start a measurement, unless one is under way.
     *
     * @param bytes of each train, at least TRAIN
     */
    void Begin(uint64_t bytes);

    /** Send a small message to the server, which answers with one, to measure latency. */
    void Ping()
    {
        Send({false, TRAIN}, PING_BYTES);
    }

    /** Drop a measurement under way. */
    void Cancel()
    {
        m_measured = MeasuredCallback();
        m_place.transport = nullptr;
    }

  private:
    /**
     * Send a message, until Cancel.
     * @param tag of the message
     * @param bytes of the message
     */
    void Send(const ProbeTag& tag, uint64_t bytes);
    /**
     * @param tag of the messages
     * @param bytes of each message
     */
    void SendTrain(ProbeTag tag, uint64_t bytes);
    /**
     * Handle a message at the server.
     * @param message the message
     */
    void ReceiveProbe(const Message& message);
    /**
     * Handle a message at the device.
     * @param message the message
     */
    void ReceiveAnswer(const Message& message);

    BandwidthMonitor::Place m_place; //!< the ends
    MeasuredCallback m_measured;     //!< called with measurements
    bool m_isUnderWay{false};        //!< whether the device waits for an answer
    std::vector<Time> m_atServer;    //!< arrivals of the present train up
    std::vector<Time> m_atDevice;    //!< arrivals of the present train down
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_PROBE_H */
